"""Proofs for every graph: the specs as first-order formulas, proved by solvers; and the changes that each goal notices."""
