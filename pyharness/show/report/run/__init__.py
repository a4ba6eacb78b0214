"""The report of a run of a plan, as pages to look at: verdict, claims, models, mutants, figures."""
