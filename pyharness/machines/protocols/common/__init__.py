"""The base of all protocols: a process, its channels."""
