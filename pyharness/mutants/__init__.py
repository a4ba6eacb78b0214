"""Mutants, made by machine: of specs, of properties and of the protocols' code."""
