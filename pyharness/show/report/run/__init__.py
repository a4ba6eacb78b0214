"""The report of a run of a plan, as pages to look at: verdict, claims, models, mutants, figures, earlier runs."""

from pyharness.show.report.run.report_contents import RunInfo
from pyharness.show.report.run.report_files import INDEX, write_report, write_unfinished

__all__ = ["INDEX", "RunInfo", "write_report", "write_unfinished"]
