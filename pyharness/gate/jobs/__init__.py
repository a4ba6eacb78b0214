"""Jobs, and the runs of TLC and of the implementation that they are made of."""
