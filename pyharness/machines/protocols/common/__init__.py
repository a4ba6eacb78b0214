"""What all protocols share: a process, its channels."""
