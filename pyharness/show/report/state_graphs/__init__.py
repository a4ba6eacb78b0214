"""Small state graphs as pictures."""
