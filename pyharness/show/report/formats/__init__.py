"""Every format a trace is exported to."""
