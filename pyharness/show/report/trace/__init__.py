"""A trace as a space-time diagram, and as a page to step through."""
