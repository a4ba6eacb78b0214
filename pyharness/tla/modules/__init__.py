"""Modules of TLA+ as SANY reads them, once: definitions, instances, theorems, and facts derived from them."""
