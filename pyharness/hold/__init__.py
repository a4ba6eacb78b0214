"""Hold: implementations, logs, programs and Flink's handlers held against a model."""
