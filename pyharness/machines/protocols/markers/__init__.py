"""Chandy and Lamport's markers."""
