"""Show: traces and reports in the formats people read, and the explorer."""
