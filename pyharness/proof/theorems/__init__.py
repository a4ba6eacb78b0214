"""Theorems that are more than an invariant: the other half of E7, commuting and swapping, stability, what makes it end."""
