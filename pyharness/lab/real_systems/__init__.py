"""Real systems that take snapshots, run, killed, and held against the theory: ``pyharness systems``.

Each is driven by an adapter of ours, which is where an error would hide: so what an adapter yields is data that a rule
judges (:mod:`~pyharness.lab.real_systems.held_rules`), and for each rule a test seeds a fault there and sees it found.
"""
