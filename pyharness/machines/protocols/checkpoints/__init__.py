"""Several checkpoints, their coordinator, and recovery."""
