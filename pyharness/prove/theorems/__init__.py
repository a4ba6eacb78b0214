"""Theorems that are more than invariants: the other half of E7, swapping, sharpness, stability, endings, the collection."""
