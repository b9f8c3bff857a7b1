"""What one row of a trips file can be, and which roles its columns then have: a table for whoever says it by hand.

It is made of the general forms of ``forms.FORMS``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from dpcore.errors import InputError
from dpcore.private.source.declared import DECLARED, NO_END, NO_TIMES
from dpcore.private.source.durations import ROLES as DURATIONS
from dpcore.private.source.extras import EXTRAS, ROLE
from dpcore.private.source.forms import FORMS, UNTIMED, VISITS, Form, Layout, Times
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.reading import column_names, inspect
from dpcore.private.source.roles import columns_by_role, nearest
from dpcore.private.source.trips_file import TripsFile
from dpcore.private.source.vocabulary import CLOCK, CLOCKS

USER: Final = "uid"
_SAID: Final = frozenset((*DECLARED, *DURATIONS))
"""What an owner says of a column beside which role it plays."""


@dataclass(frozen=True)
class Row:
    """What one row is."""

    name: str
    """Of the form with users."""
    layout: Layout
    needed: tuple[str, ...]
    """Roles that must have a column."""
    optional: tuple[str, ...] = ()
    """Roles that may have one: without a person only single trips can be hidden."""

    @property
    def clocks(self) -> tuple[str, ...]:
        """Roles of the times of day, where they have columns of their own beside the dates."""
        return tuple(CLOCK + role for role in self.needed if role in CLOCKS)

    @classmethod
    def of(cls, form: Form) -> Row:
        """The row of a general form with users."""
        if form.layout == "points":
            return cls(form.name, form.layout, (*form.headers,))
        extras = (ROLE + name for name in EXTRAS) if form.layout == "trips" else ()
        needed = (role for role in form.headers if role != USER)
        return cls(form.name, form.layout, (*needed,), (USER, *extras))

    @property
    def has_no_ends(self) -> bool:
        """Whether only one end of a trip is known."""
        return self.name.startswith("visits ")

    @property
    def has_no_times(self) -> bool:
        """Whether there are no times. The column of ``datetime`` is then the order of the places of a trip."""
        return self.name.endswith(" without times")

    def said(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """What choosing such a row declares: that no other end is known, that there are no times. ``chosen``: as in ``inspected_as``."""
        first = chosen[next(role for role in ("started_at", "datetime", *self.needed) if role in self.needed)]
        said = {NO_END: self.has_no_ends, NO_TIMES: self.has_no_times}
        return {role: first for role, holds in said.items() if holds}

    def lacks(self, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """The needed roles that have no column yet."""
        return tuple(role for role in self.needed if role not in chosen)


ROWS: Final = tuple(
    Row.of(form) for form in (*FORMS, *VISITS, *UNTIMED) if not form.published and USER in form.headers
)
"""All that a row can be."""


def row_of(seen: Inspection | Form) -> Row:
    """What a row of a recognised file is, or of a form."""
    roles = {*(seen.headers if isinstance(seen, Form) else seen.mapping)} - {USER}
    untimed = isinstance(seen, Inspection) and seen.no_times
    return next(
        row
        for row in ROWS
        if (row.layout, row.has_no_times) == (seen.layout, untimed) and {*row.needed} - {USER} == roles
    )


def likely_roles(columns: Sequence[str]) -> dict[str, str]:
    """Role -> the first of the columns that have it by their names."""
    return {role: names[0] for role, names in columns_by_role(columns).items()}


def nearest_row(columns: Sequence[str]) -> Row | None:
    """The row of the nearest form; None where no name stands for a role."""
    known = columns_by_role(columns)
    return row_of(nearest(known)) if known else None


def inspected_as(
    file: TripsFile, row: Row, chosen: Mapping[str, str], times: Times | None = None
) -> tuple[Inspection, Mapping[str, str]]:
    """The inspection that gives every role the column that was chosen, and the roles that had to be named for it.

    As few roles as possible are named: ``inspect`` then also finds what no role names, such as a time of day beside a date,
    and how the publisher of a file writes times. Raises InputError as ``inspect`` does with all roles.
    """
    declared = row.said(chosen) | {role: column for role, column in chosen.items() if role in _SAID}
    chosen = {role: column for role, column in chosen.items() if role not in _SAID}
    implied = {"ended_at"} if {*DURATIONS} & declared.keys() else {"datetime"} if row.has_no_times else set()
    by_name = columns_by_role(column_names(file))
    told = {role: column for role, column in chosen.items() if role not in implied}
    renamed = {role: column for role, column in told.items() if by_name.get(role, ("",))[0] != column}
    unsure = {role: column for role, column in told.items() if len(by_name.get(role, ())) > 1}
    for named in (declared, declared | renamed, declared | unsure | renamed):
        with suppress(InputError):
            seen = inspect(file, named, times=times)
            fits = chosen.items() <= seen.needed.items() and (USER in chosen or not seen.has_users)
            if fits and row_of(seen) == row:
                return seen, named
    return inspect(file, declared | told, times=times), declared | told
