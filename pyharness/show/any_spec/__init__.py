"""The states of a spec that has no graphs: TLC's own graph of them, as a picture, and to be explored."""
