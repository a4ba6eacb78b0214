"""What a CI system reads of a run: cases, annotations, a summary, the counterexamples of what is red."""
