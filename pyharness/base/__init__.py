"""Base: the error tree, topologies, and the machine: Java, TLC's archive, files read within bounds."""
