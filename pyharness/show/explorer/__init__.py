"""The explorer: a protocol's behaviours, made by hand, one action after another, in a page on this machine.

:mod:`explored_subject` defines what can be explored, and :mod:`session` is the state machine, without a server.
:mod:`explorer_site` answers requests with it, and :mod:`private_site` listens for them on the loopback interface
alone.
"""
