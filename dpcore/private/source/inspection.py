"""Inspection: what form a trips file has, told from its header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpcore.errors import InputError
from dpcore.private.source import csv_start, parquet_start
from dpcore.private.source.content import Content
from dpcore.private.source.extras import ROLE
from dpcore.private.source.forms import Layout, normal_name
from dpcore.private.source.recognition import by_station, chosen
from dpcore.private.source.trips_file import TripsFile


@dataclass(frozen=True)
class Inspection:
    """The form and the columns of one file: public, like everything a header says."""

    form: str
    """Name of the form, as in ``forms.FORMS``."""
    layout: Layout
    """One row a trip (``trips``) or one row a record of a trip (``records``)."""
    columns: tuple[str, ...]
    """Names of all columns, in the order of the file."""
    mapping: Mapping[str, str]
    """Role -> name of the column that plays it."""
    has_users: bool
    """Whether a column names users; without one only the trip can be protected."""
    has_points: bool
    """Coordinates (WGS84); else zone ids."""
    month_first: bool
    """Whether the form may write times as 1/31/17 0:21, beside 2017-01-31 00:21."""
    separator: str = ","
    """Between the fields of a CSV file: a comma or a semicolon."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Attribute of a trip (zip, gender, user_type) -> name of its column, for those that are there."""
    stations: bool = False
    """Whether the zones are ids of stations."""
    by_station: Mapping[str, str] = field(default_factory=dict)
    """The mapping that ``inspect`` needs to read the stations of a file instead of its coordinates; else empty."""

    @property
    def needed(self) -> Mapping[str, str]:
        """Role -> column, of all columns that are read."""
        return {**self.mapping, **{ROLE + name: column for name, column in self.extras.items()}}

    def position(self, role: str) -> int:
        """Position of a role's column in the file, from 0."""
        return self.columns.index(self.mapping[role])


def inspect(file: TripsFile, mapping: Mapping[str, str] | None = None) -> Inspection:
    """The form of the file; exactly one must match, whatever other columns there are.

    A file with a header and no records is fine.

    Args:
        file: the trips file.
        mapping: role -> column name, where the owner names columns that are not recognised, or chooses
            others. Roles that are not given keep their usual columns. ``user_id`` may be left without a
            column only by naming all other roles: no user is then known, and only trips can be protected.
            Attributes of a trip have the roles ``extra_zip``, ``extra_gender`` and ``extra_user_type``.

    Raises:
        InputError: no form or several match, a column is missing or given twice, or the first bytes cannot
            be read. Column names are quoted (they are public), cells never.

    """
    parquet = file.content is Content.PARQUET
    columns, separator = _header(file)
    found = inspected(file.name, columns, mapping or {}, separator=separator)
    if parquet:
        parquet_start.check_types(file, found.needed)
    return found


def inspected(
    name: str, columns: tuple[str, ...], mapping: Mapping[str, str], *, separator: str = ","
) -> Inspection:
    """``inspect`` of columns that are known by name already, whatever holds them.

    Args:
        name: for messages.
        columns: names of all columns.
        mapping: as in ``inspect``.
        separator: between the fields of a CSV file.

    Raises:
        InputError: as ``inspect``.

    """
    choice = chosen(name, columns, mapping)
    form = choice.form
    named = {role: columns[position] for role, position in choice.roles.items()}
    more = {name: columns[position] for name, position in choice.extras.items()}
    needed = {**named, **{ROLE + name: column for name, column in more.items()}}
    for role, column in needed.items():
        same = [other for other in columns if normal_name(other) == normal_name(column)]
        if len(same) > 1:
            raise InputError("column given twice", f"{name}, column {column}", "Keep one of them.")
        if not column:
            raise InputError("a column without a name", f"{name}, {role}", "Give it a name.")
    return Inspection(
        form=form.name,
        layout=form.layout,
        columns=columns,
        mapping=named,
        has_users=form.user_role in named,
        has_points="start_zone" not in form.headers,
        month_first=form.month_first,
        separator=separator,
        extras=more,
        stations=form.stations,
        by_station=by_station(form, columns),
    )


def column_names(file: TripsFile) -> tuple[str, ...]:
    """The names of all columns, in the order of the file, whatever form it has; raises InputError."""
    return _header(file)[0]


def _header(file: TripsFile) -> tuple[tuple[str, ...], str]:
    if file.content is Content.PARQUET:
        return parquet_start.column_names(file), ","
    header = csv_start.header_of(file)
    return header.names, header.separator
