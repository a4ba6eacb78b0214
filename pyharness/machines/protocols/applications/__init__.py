"""The applications: the computations of which snapshots are taken."""
