"""Whole state graphs of TLC held against an implementation, both ways."""
