"""The collection of a snapshot, and what it is asked."""
