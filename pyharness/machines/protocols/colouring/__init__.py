"""EWD864a's colouring."""
