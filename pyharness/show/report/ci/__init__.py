"""The files that a CI system reads of a run: cases, annotations, a summary, the counterexamples of red cases."""
