"""Modules of TLA+ as SANY reads them, once: definitions, instances, theorems, and what follows from them."""
