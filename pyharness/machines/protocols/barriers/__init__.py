"""Flink's barriers of one checkpoint."""
