"""Imports what other pages of an owner need, and draws the Report of the built-in city, while somebody looks at a first page.

It imports no file that mounts a component of Streamlit: one that is mounted before a page runs is forgotten.
"""

from pages.owner.parts import report_parts
from pages.owner.parts.data_sets import START_RUNG, built_in_city


def begin() -> None:
    """Import and draw, before anybody opens these pages."""
    import ot  # noqa: F401, PLC0415 - for Compare

    shared = built_in_city()
    drawn = report_parts.report_drawn(shared, shared.first_bounds[0])
    shown = report_parts.shown_of(drawn, (), ())
    if shown is not None:
        report_parts.report_estimates(shared, shown, START_RUNG)
