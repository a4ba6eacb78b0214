"""Mutants of a spec, made by machine: its actions changed in one place at a time, all in one run, and who notices."""
