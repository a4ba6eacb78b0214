"""Weakenings of the properties, made by machine, and the seeded bugs that notice them."""
