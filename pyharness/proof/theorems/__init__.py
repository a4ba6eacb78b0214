"""What is more than an invariant: the other half of E7, commuting and swapping, stability, why markers arrive."""
