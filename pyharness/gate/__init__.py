"""Gate: plans, jobs, the pipeline on Spark or in local processes, and from evidence to verdicts."""
