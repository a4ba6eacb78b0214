"""From evidence to verdicts: pure, and never a guess."""
