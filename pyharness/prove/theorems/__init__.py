"""What is more than an invariant: the other half of E7, swapping, sharpness, stability, endings, the collection."""
