"""The collection of a snapshot, and the predicates that are evaluated in it."""
