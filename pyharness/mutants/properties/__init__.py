"""Weakenings of the properties, made by machine, and which of them some seeded bug tells from the original."""
