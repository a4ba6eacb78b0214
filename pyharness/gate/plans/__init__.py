"""What is checked: plans, models, claims, and what the specs offer by name."""
