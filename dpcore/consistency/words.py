"""Agreement in sentences: what it is, what it saves, what stays as drawn."""

from __future__ import annotations

from typing import Final

from dpcore.consistency.estimate import Consistent, consistent
from dpcore.consistency.savings import Saving, savings
from dpcore.measures import measure_named
from dpcore.release import Release

INTRODUCTION: Final = (
    "Tables of one release count the same trips, so some of their sums must be equal; noise makes them differ. They can "
    "be put in agreement: every count moves a little, uncertain ones more than certain ones (weighted least squares). "
    "That costs no privacy, makes no count worse on average, and leaves the files as they were drawn."
)
_NAMES: Final = {
    "users": "people",
    "trips": "trips",
    "complete_trips": "complete trips",
    "records": "records",
}
_SMALL: Final = 0.005  # a share that rounds to nothing


def sentences(release: Release, rung: int = -1) -> tuple[str, ...]:
    """What agreement gives for a release at a rung, one sentence a fact; empty if no two tables share a total."""
    return said(consistent(release, rung))


def said(found: Consistent) -> tuple[str, ...]:
    """The sentences about tables that were made to agree."""
    if not found.names:
        return ()
    lines = [INTRODUCTION]
    if found.totals:
        lines.append(f"Together the tables tell: {'; '.join(_total(found, name) for name in found.totals)}.")
    lines += [saved(one) for one in savings(found)]
    left = [
        f"{_title(name)}: as drawn, because {table.reason}."
        for name, table in found.tables.items()
        if table.reason
    ]
    return (*lines, *left)


def _total(found: Consistent, name: str) -> str:
    total = found.totals[name]
    return f"about {total.value:,.0f} {_NAMES[name]} (± {total.half_width:,.0f}, 95 %)"


def saved(one: Saving) -> str:
    """One sentence: how much of the error of a measure agreement takes."""
    text = f"{_title(one.measure)}: agreement takes {_percent(one.share)} of the squared error of a count"
    if one.total_before is not None and one.total_after is not None:
        text += (
            f"; the typical error of their sum falls from {one.total_before:,.0f} to {one.total_after:,.0f}"
        )
    return f"{text}."


def _percent(share: float) -> str:
    """A share in words that promise no more than there is.

    >>> _percent(0.5), _percent(0.0004)
    ('50 %', 'less than 1 %')
    """
    return "less than 1 %" if share < _SMALL else f"{100 * share:.0f} %"


def _title(name: str) -> str:
    return measure_named(name).title
