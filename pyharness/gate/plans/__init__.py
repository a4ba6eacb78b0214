"""Plans, models and claims, and the definitions that the specs offer by name."""
