"""Graphs that are too many or too large to check: a sample of them, and what that says of the rest.

A graph whose state space does not fit into the budget is simulated, and its record says so: no record of a simulation
counts as a check of all states. The costs that were measured are fitted, and the fit says what the whole would take.
"""
