"""The report: every released table as a picture and as numbers, in four sections.

``report`` puts it together at a rung, from a release or from an owner's preview with its truth. ``report_html`` writes
a release as one file that needs no network, no program and no permission: all rungs, a map, tables to sort.
"""

from dpcore.views.report.entries import FIVE_NUMBERS, Entry, Report, Section, report, report_beside_truth
from dpcore.views.report.page import report_html

__all__ = ["FIVE_NUMBERS", "Entry", "Report", "Section", "report", "report_beside_truth", "report_html"]
