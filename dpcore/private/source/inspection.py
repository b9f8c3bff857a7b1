"""Inspection: the form of a trips file, by the names of its columns or by a mapping of its owner."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.extras import EXTRAS, ROLE
from dpcore.private.source.forms import FORMS, KNOWN, VEHICLES, Form, Layout, normal_name

_MAX_SHOWN: Final = 30
_NAME: Final = re.compile(r"[^\W\d][\w .()/-]{0,39}")
_LONGEST_NAME: Final = 80
_VALUE: Final = re.compile(
    r"\s*[-+]?[\d.,:/ T-]*\d[\d.,:/ TZ+-]*\s*"  # a number, a date or a time; or a part that only data have:
    r"|.*(?:\d{4}-\d\d?-\d\d?|\d\d?[/.]\d\d?[/.]\d\d|\d:\d\d|\d[.,]\d{4}).*",
    re.DOTALL,
)
_OTHER_MARKS: Final = {"\t": "tabs", "|": "vertical bars"}
_OWN: Final = tuple(form for form in FORMS if not form.by_choice)


@dataclass(frozen=True)
class Choice:
    """A form and the positions of its columns, from 0."""

    form: Form
    roles: Mapping[str, int]
    extras: Mapping[str, int]
    """Positions of the attributes of a trip that are present."""


def chosen(name: str, columns: Sequence[str], mapping: Mapping[str, str]) -> Choice:
    """The one form of these columns, by their names or by a mapping as in ``inspect``. Raises InputError: none, or several."""
    normal = [normal_name(column) for column in columns]
    if mapping:
        return _mapped(name, columns, normal, mapping)
    form = _recognised(name, columns, normal)
    return Choice(form, form.columns_of(normal), form.extras_of(normal))


def by_station(form: Form, columns: Sequence[str]) -> dict[str, str]:
    """The roles to name so that a file of coordinates is read by the ids of its stations; empty if it has no ids."""
    if "start_zone" in form.headers:
        return {}
    normal = [normal_name(column) for column in columns]
    other = next((form for form in FORMS if form.by_choice and form.fits(normal)), None)
    return {role: columns[position] for role, position in other.columns_of(normal).items()} if other else {}


def _recognised(name: str, columns: Sequence[str], normal: Sequence[str]) -> Form:
    forms = [form for form in FORMS if form.matches(normal)]
    if len(forms) > 1:
        raise InputError(
            f"the columns fit {len(forms)} forms",
            f"{name}: {' and '.join(form.name for form in forms)}",
            "Say which column has which role, or remove the columns of one form.",
        )
    if not forms:
        raise _no_form(name, columns, normal)
    return forms[0]


def _mapped(name: str, columns: Sequence[str], normal: Sequence[str], mapping: Mapping[str, str]) -> Choice:
    for role, column in mapping.items():
        if normal_name(column) not in normal:
            raise InputError("unknown column", f"{name}, {column!r}", _found(columns))
        if role in {"user_id", "uid"} and normal_name(column) in VEHICLES:
            raise InputError("a vehicle is not a user", f"{name}, column {column}", "Leave the user out.")
    if len({normal_name(column) for column in mapping.values()}) < len(mapping):
        raise InputError("one column for two roles", name, "Give each role its own column.")
    positions = {role: normal.index(normal_name(column)) for role, column in mapping.items()}
    extras = {extra: positions.pop(ROLE + extra) for extra in EXTRAS if ROLE + extra in positions}
    if positions:
        form, roles = _form_with(name, normal, positions)
    else:
        form = _recognised(name, columns, normal)
        roles = form.columns_of(normal)
    if extras and form.layout != "trips":
        raise InputError(
            "an attribute of a trip needs one row a trip", f"{name}, {form.name}", "Leave the attribute out."
        )
    if set(extras.values()) & set(roles.values()):
        raise InputError("one column for two roles", name, "Give each role its own column.")
    taken = {*roles.values(), *extras.values()}
    usual = {extra: position for extra, position in form.extras_of(normal).items() if position not in taken}
    return Choice(form, roles, {**usual, **extras})


def _form_with(name: str, normal: Sequence[str], mapping: Mapping[str, int]) -> tuple[Form, dict[str, int]]:
    # the recognised form is first, so that changing one of its roles does not change the form
    for form in sorted(FORMS, key=lambda form: (not form.matches(normal), not form.fits(normal))):
        if not mapping.keys() <= form.headers.keys():
            continue
        roles = {**form.columns_of(normal), **mapping}
        left = form.headers.keys() - mapping.keys()
        if left == {form.user_role}:
            roles.pop(form.user_role or "", None)
        elif roles.keys() != form.headers.keys() or (left and not form.admits(normal)):
            continue
        if len(set(roles.values())) == len(roles):
            return form, roles
    raise InputError(
        "the roles do not make up a form",
        f"{name}: {', '.join(mapping)}",
        "Name all roles of one form: " + "; ".join(", ".join(form.headers) for form in FORMS[:3]) + ".",
    )


def _no_form(name: str, columns: Sequence[str], normal: Sequence[str]) -> InputError:
    def missing(form: Form) -> list[str]:
        return [header for header in form.headers.values() if normal_name(header) not in normal]

    nearest = min(_OWN, key=lambda form: len(missing(form)) / len(form.headers))
    hint = _found(columns) + " "
    hint += f"Rename columns, or say which has which role. Forms: {', '.join(f.name for f in _OWN)}."
    which = "column missing" if len(missing(nearest)) == 1 else "columns missing"
    return InputError(
        f"{which}: {', '.join(missing(nearest)) or 'no form fits'}",
        f"{name}, nearest form: {nearest.name}",
        hint,
    )


def _found(columns: Sequence[str]) -> str:
    """The names of the columns, if they certainly are names. A first line of words may be the first record."""
    if not any(normal_name(column) in KNOWN for column in columns):
        return "None of the column names is known, so they are not shown: they may be data."
    names = [column for column in columns if _NAME.fullmatch(column)]
    shown = ", ".join(names[:_MAX_SHOWN])
    return f"Found: {shown}{'' if len(names) == len(columns) <= _MAX_SHOWN else ', ...'}."


@dataclass(frozen=True)
class Inspection:
    """The form and the columns of one file. Public, like everything in a header."""

    form: str
    """Name of the form, as in ``forms.FORMS``."""
    layout: Layout
    """One row for each trip (``trips``), for each record of a trip (``records``), or for each point of a user (``points``)."""
    columns: tuple[str, ...]
    """Names of all columns, in the order of the file."""
    mapping: Mapping[str, str]
    """Role -> name of its column."""
    has_users: bool
    """Whether a column names users. Without one only the unit trip can be protected."""
    has_points: bool
    """Whether places are coordinates (WGS84); otherwise they are zone ids."""
    month_first: bool
    """Whether times may also be written as 1/31/17 0:21, beside 2017-01-31 00:21."""
    separator: str = ","
    """Between the fields of a CSV file: a comma or a semicolon."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Attribute of a trip (zip, gender, user_type) -> name of its column, for those that are present."""
    stations: bool = False
    """Whether the zones are ids of stations."""
    by_station: Mapping[str, str] = field(default_factory=dict)
    """The mapping that makes ``inspect`` read the stations of a file instead of its coordinates; empty if there is none."""

    @property
    def needed(self) -> Mapping[str, str]:
        """Role -> column, of all columns that are read."""
        return {**self.mapping, **{ROLE + name: column for name, column in self.extras.items()}}


def inspected(
    name: str, columns: tuple[str, ...], mapping: Mapping[str, str], *, separator: str = ","
) -> Inspection:
    """``reading.inspect`` for columns whose names are known already, whatever holds them. ``name`` is for messages."""
    choice = chosen(name, columns, mapping)
    form = choice.form
    named = {role: columns[position] for role, position in choice.roles.items()}
    more = {name: columns[position] for name, position in choice.extras.items()}
    needed = {**named, **{ROLE + name: column for name, column in more.items()}}
    for role, column in needed.items():
        same = [other for other in columns if normal_name(other) == normal_name(column)]
        if len(same) > 1:
            raise InputError("two columns have the same name", f"{name}, column {column}", "Keep one.")
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


def must_have_trips(name: str, inspection: Inspection) -> None:
    """Refuse points that no rule cuts into trips; raises InputError."""
    if inspection.layout == "points":
        raise InputError(
            "points without trip ids",
            f"{name}, form {inspection.form}",
            "Say how they are cut into trips, with --trip-gap 30min or --stays 200m,20min; or name the column of the trip id, "
            "with --column tid=NAME.",
        )


def check_names(names: tuple[str, ...], file_name: str) -> None:
    """Refuse a header that is too wide or consists of values.

    Raises InputError, which names the file and never a cell.
    """
    if len(names) > limits.MAX_COLUMNS:
        raise InputError(
            f"{len(names):,} columns, the limit is {limits.MAX_COLUMNS}", file_name, "Keep the needed ones."
        )
    # The first record of a file without a header is private and must not be shown as names of columns.
    if any(_VALUE.fullmatch(name) or len(name) > _LONGEST_NAME for name in names):
        raise InputError(
            "the first line looks like data, not like names of columns",
            file_name,
            "Write a header line first, for example user_id,started_at,ended_at,start_lat,...",
        )
    if len(names) == 1 and any(mark in names[0] for mark in _OTHER_MARKS):
        marks = next(words for mark, words in _OTHER_MARKS.items() if mark in names[0])
        raise InputError(f"the fields are separated by {marks}", file_name, "Write commas or semicolons.")
