"""What the processes of a computation do."""
