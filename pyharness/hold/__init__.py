"""Hold: implementations, logs, programs and Flink's handlers compared with a model."""
