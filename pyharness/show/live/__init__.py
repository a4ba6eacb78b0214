"""The page of a running system: what its processes do, its snapshots, and what is in flight."""
