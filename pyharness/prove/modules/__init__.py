"""One proof module for each TLA+ module, with its seeded bugs beside it."""
