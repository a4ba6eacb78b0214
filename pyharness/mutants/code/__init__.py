"""Mutants of the implementation, made by machine, and whether comparing with the specs sees them."""
