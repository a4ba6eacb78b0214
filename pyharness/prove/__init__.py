"""What holds on every graph: the specs as first-order formulas, which solvers prove; and what each goal notices."""
