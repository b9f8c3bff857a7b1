"""Inspection: what form a trips file has, told from its header and its first times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpcore.errors import InputError
from dpcore.private.source import csv_start, parquet_start
from dpcore.private.source.content import Content
from dpcore.private.source.forms import FORMS, VEHICLES, Form, Layout, normal_name
from dpcore.private.source.time_kind import TimeKind
from dpcore.private.source.trips_file import TripsFile

_MAX_SHOWN = 30


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
    times: TimeKind
    """How the first time of the file is written: ``naive``, ``offset`` or ``month-first``."""
    first_time: int = 0
    """Ordinal of the record that told so."""

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

    Raises:
        InputError: no form or several match, a column is missing or given twice, or the first bytes cannot
            be read. Column names are quoted (they are public), cells never.

    """
    parquet = file.content is Content.PARQUET
    columns = column_names(file)
    form, chosen = _choose(file.name, columns, mapping or {})
    named = {role: columns[position] for role, position in chosen.items()}
    for role, name in named.items():
        same = [column for column in columns if normal_name(column) == normal_name(name)]
        if len(same) > 1:
            raise InputError("column given twice", f"{file.name}, column {name}", "Keep one of them.")
        if not name:
            raise InputError("a column without a name", f"{file.name}, {role}", "Give it a name.")
    time_columns = [chosen[role] for role in ("datetime", "started_at", "ended_at") if role in chosen]
    start = parquet_start if parquet else csv_start
    times, first_time = start.time_kind(file, columns, time_columns, month_first=form.month_first)
    if parquet:
        parquet_start.check_types(file, named)
    return Inspection(
        form=form.name,
        layout=form.layout,
        columns=columns,
        mapping=named,
        has_users=form.user_role in named,
        has_points="start_zone" not in form.headers,
        times=times,
        first_time=first_time,
    )


def column_names(file: TripsFile) -> tuple[str, ...]:
    """The names of all columns, in the order of the file, whatever form it has; raises InputError."""
    if file.content is Content.PARQUET:
        return parquet_start.column_names(file)
    return csv_start.column_names(file)


def _choose(name: str, columns: Sequence[str], mapping: Mapping[str, str]) -> tuple[Form, dict[str, int]]:
    normal = [normal_name(column) for column in columns]
    if mapping:
        return _mapped(name, columns, normal, mapping)
    forms = [form for form in FORMS if form.matches(normal)]
    if len(forms) > 1:
        raise InputError(
            f"the columns fit {len(forms)} forms",
            f"{name}: {' and '.join(form.name for form in forms)}",
            "Say which column plays which role, or remove the columns of one form.",
        )
    if not forms:
        raise _no_form(name, columns, normal)
    return forms[0], forms[0].columns_of(normal)


def _mapped(
    name: str, columns: Sequence[str], normal: Sequence[str], mapping: Mapping[str, str]
) -> tuple[Form, dict[str, int]]:
    for role, column in mapping.items():
        if normal_name(column) not in normal:
            raise InputError.unknown("column", column, tuple(columns)[:_MAX_SHOWN])
        if role in {"user_id", "uid"} and normal_name(column) in VEHICLES:
            raise InputError("a vehicle is not a user", f"{name}, column {column}", "Leave the user out.")
    if len({normal_name(column) for column in mapping.values()}) < len(mapping):
        raise InputError("one column for two roles", name, "Give each role a column of its own.")
    # the recognised form first, so that changing one of its roles does not change the form
    for form in sorted(FORMS, key=lambda form: not form.matches(normal)):
        if not mapping.keys() <= form.headers.keys():
            continue
        usual = form.columns_of(normal)
        chosen = usual | {role: normal.index(normal_name(column)) for role, column in mapping.items()}
        left = form.headers.keys() - mapping.keys()
        if left == {form.user_role}:
            chosen.pop(form.user_role or "", None)
        elif chosen.keys() != form.headers.keys() or (left and not form.admits(normal)):
            continue
        if len(set(chosen.values())) == len(chosen):
            return form, chosen
    raise InputError(
        "the roles do not make up a form",
        f"{name}: {', '.join(mapping)}",
        "Name all roles of one form: " + "; ".join(", ".join(form.headers) for form in FORMS[:3]) + ".",
    )


def _no_form(name: str, columns: Sequence[str], normal: Sequence[str]) -> InputError:
    def missing(form: Form) -> list[str]:
        return [header for header in form.headers.values() if normal_name(header) not in normal]

    nearest = min(FORMS, key=lambda form: len(missing(form)) / len(form.headers))
    shown = ", ".join(columns[:_MAX_SHOWN]) + (", ..." if len(columns) > _MAX_SHOWN else "")
    hint = f"Found: {shown}. "
    if len(columns) == 1 and any(mark in columns[0] for mark in ";\t|"):
        hint += "Separate fields by commas."
    elif missing(nearest) == ["tid"]:
        hint += "Cut the records into trips first: each needs a trip id, unique within its user."
    else:
        hint += f"Rename columns, or say which plays which role. Forms: {', '.join(f.name for f in FORMS)}."
    which = "column missing" if len(missing(nearest)) == 1 else "columns missing"
    return InputError(
        f"{which}: {', '.join(missing(nearest)) or 'no form fits'}",
        f"{name}, nearest form: {nearest.name}",
        hint,
    )
