"""A module with its own configuration for TLC, without graphs: both are read, and made ready to be run."""
