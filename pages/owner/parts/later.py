"""What other pages take longest to import and to make of the built-in city. The server does it while a first page is looked at."""

from typing import Final

from dpcore.lessons import city
from pages.owner.parts import report_parts
from pages.owner.parts.data_sets import START_RUNG, built_in_city

_FINE: Final = 500
"""Districts of the lesson on ghost flows."""


def begin() -> None:
    """Import and make it, before anybody asks."""
    import numba  # noqa: F401, PLC0415 - for Synthesize and the lessons
    import ot  # noqa: F401, PLC0415 - for Compare

    shared = built_in_city()
    drawn = report_parts.report_drawn(shared, shared.first_bounds[0])
    shown = report_parts.shown_of(drawn, (), ())
    if shown is not None:
        report_parts.report_estimates(shared, shown, START_RUNG)
    city.flows_between(_FINE)
