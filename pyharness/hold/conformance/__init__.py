"""Complete state graphs of TLC compared with an implementation, both ways."""
