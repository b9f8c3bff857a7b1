"""Which column of a header has which role, and so which form a file has; every reason why a header has none."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dpcore.errors import InputError
from dpcore.private.source.extras import EXTRAS, ROLE
from dpcore.private.source.forms import FORMS, Form, Track
from dpcore.private.source.vocabulary import (
    ATTRIBUTES,
    CLOCK,
    CLOCKS,
    COUNTS,
    GEOMETRIES,
    NAMES,
    ROLE_OF,
    VEHICLES,
    attributes_in,
    normal_name,
    role_named,
)

_MAX_SHOWN: Final = 30
_NAMES_OF_A_ROLE: Final = 5
_ALSO: Final = {
    "start_lat": " Places may also be a geometry, start_tile and end_tile, or start_station and end_station.",
    "tid": " Points without trip ids need uid, and a rule such as --trip-gap 30min.",
}
"""What else a header may have in place of a missing role."""
_OTHER_PLACES: Final = GEOMETRIES | {"start_tile", "end_tile", "start_station", "end_station"}
_NAME: Final = re.compile(r"[^\W\d][\w .()/-]{0,39}")
_SURE, _SEVERAL = 3, 2  # so many letters, and so many names, that a first line is no record by chance
_STATIONS: Final = ("start_station", "end_station")


@dataclass(frozen=True)
class Choice:
    """A form and the names of its columns."""

    form: Form
    roles: Mapping[str, str]
    """Role -> column."""
    clocks: Mapping[str, str]
    """Role of a time -> the column of its time of day, where the role's own column holds the date alone."""
    extras: Mapping[str, str]
    """Attribute of a trip that is read -> column."""
    attributes: Mapping[str, str]
    """Attribute of a trip -> column, for all that are recognised."""
    by_station: Mapping[str, str]
    """The roles to name so that a file of coordinates is read by the ids of its stations; empty if it has no ids."""
    track: Track | None
    """That of the form, with the name of the column as it stands in the file."""


@dataclass(frozen=True)
class _Header:
    """The names of the columns of a file, and what the owner said of them."""

    file: str
    columns: tuple[str, ...]
    normal: tuple[str, ...]
    given: Mapping[str, int]
    """Role -> position, as the owner named it."""
    found: Mapping[str, tuple[int, ...]]
    """Role -> positions of the columns that have it by their names."""
    clocks: Mapping[str, int]

    @property
    def roles(self) -> frozenset[str]:
        return frozenset(self.found) | frozenset(self.given)


def chosen(file: str, columns: tuple[str, ...], mapping: Mapping[str, str]) -> Choice:
    """The one form of these columns, by their names and by a mapping as in ``inspect``. Raises InputError: none, or several."""
    normal = tuple(map(normal_name, columns))
    named = {role_named(role): column for role, column in mapping.items()}
    _check_names(file, columns, normal, named)
    positions = {role: normal.index(normal_name(column)) for role, column in named.items()}
    given = {role: at for role, at in positions.items() if role in NAMES}
    by_hand = {role: positions[CLOCK + role] for role in CLOCKS if CLOCK + role in positions}
    found, clocks = _found_roles(normal, given, [*by_hand.values()])
    clocks |= by_hand
    header = _Header(file, columns, normal, given, found, clocks)
    form = _form(header)
    roles = _columns(form, header)
    extras = {extra: positions[ROLE + extra] for extra in EXTRAS if ROLE + extra in positions}
    if extras and form.layout != "trips":
        raise InputError(
            "an attribute of a trip needs one row a trip", f"{file}, {form.name}", "Leave the attribute out."
        )
    if not by_hand.keys() <= roles.keys():
        raise InputError(
            "a time of day without its date", f"{file}, {form.name}", "Leave the time of day out."
        )
    clocks = {role: at for role, at in clocks.items() if role in roles}
    taken = {*roles.values(), *clocks.values(), *extras.values()}
    if len(taken) < len(roles) + len(clocks) + len(extras):
        raise InputError("one column for two roles", file, "Give each role its own column.")
    usual = {name: normal_name(column) for name, column in form.extras.items()}
    extras |= {
        name: normal.index(column)
        for name, column in usual.items()
        if name not in extras and column in normal and normal.index(column) not in taken
    }
    attributes = {name: positions[name] for name in ATTRIBUTES if name in positions}
    attributes = attributes_in(normal, taken) | attributes

    def names_of(at: Mapping[str, int]) -> dict[str, str]:
        return {key: columns[position] for key, position in at.items()}

    track = form.track and replace(form.track, whole=columns[normal.index(normal_name(form.track.whole))])
    choice = Choice(
        form, names_of(roles), names_of(clocks), names_of(extras), names_of(attributes),
        _by_station(form, header), track,
    )  # fmt: skip
    _check_columns(choice, file, normal)
    return choice


def found(columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Role -> the columns that have it by their names. Of a time whose date and clock stand apart, it is that of the date."""
    positions, _ = _found_roles([*map(normal_name, columns)], {})
    return {role: tuple(columns[at] for at in places) for role, places in positions.items()}


def nearest(roles: Collection[str], given: Collection[str] = ()) -> Form:
    """The general form that lacks the smallest share of its roles, of those that have all ``given`` roles if there are any."""
    forms = _general(roles)
    return min(
        [form for form in forms if {*given} <= form.headers.keys()] or forms,
        key=lambda form: len(_lacking(form, roles)) / len(form.headers),
    )


def surely_names(columns: Sequence[str]) -> bool:
    """Whether the first line certainly holds names. A line of words that nobody knows may be the first record."""
    return sum(len(name) >= _SURE and name in ROLE_OF for name in map(normal_name, columns)) >= _SEVERAL


def _check_names(file: str, columns: Sequence[str], normal: Sequence[str], named: Mapping[str, str]) -> None:
    """Refuse a mapping with names that do not exist; raises InputError."""
    known = {*NAMES, *ATTRIBUTES, *(ROLE + extra for extra in EXTRAS), *(CLOCK + role for role in CLOCKS)}
    unknown = [role for role in named if role not in known]
    if unknown:
        raise InputError(
            "unknown role", f"{file}, {', '.join(map(repr, unknown))}", f"Roles are {', '.join(NAMES)}."
        )
    for role, column in named.items():
        if normal_name(column) not in normal:
            raise InputError("unknown column", f"{file}, {column!r}", _shown(columns))
        if role == "uid" and normal_name(column) in VEHICLES:
            raise InputError("a vehicle is not a user", f"{file}, column {column}", "Leave the user out.")
    if len({normal_name(column) for column in named.values()}) < len(named):
        raise InputError("one column for two roles", file, "Give each role its own column.")


def _found_roles(
    normal: Sequence[str], given: Mapping[str, int], clocks_given: Collection[int] = ()
) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
    """Role -> positions of its columns, and role of a time -> position of its time of day."""
    every: dict[str, list[int]] = {}
    for at, name in enumerate(normal):
        if name in ROLE_OF and at not in {*given.values(), *clocks_given}:
            every.setdefault(ROLE_OF[name], []).append(at)
    found: dict[str, tuple[int, ...]] = {}
    for role, places in every.items():
        usual = tuple(at for at in places if normal[at] in NAMES[role][0])
        found[role] = usual or tuple(places)
    clocks: dict[str, int] = {}
    for role, pairs in CLOCKS.items():
        for pair in pairs:
            if not set(pair) <= {*normal}:
                continue
            day, clock = map(normal.index, pair)
            if given.get(role, day) == day and clock not in given.values():
                whole = tuple(at for at in found.get(role, ()) if at not in {day, clock})
                found[role] = whole or (day,)
                if not whole:
                    clocks[role] = clock
    if "uid" not in given and any(form.headers.keys() == given.keys() for form in FORMS):
        found.pop("uid", None)  # all other roles were named, so the user is left out
    return found, clocks


def _form(header: _Header) -> Form:
    forms = [
        form
        for form in FORMS
        if header.given.keys() <= form.headers.keys() and form.fits(header.roles, header.normal)
    ]
    if not forms:
        raise _no_form(header)
    other = next((form for form in forms if {form.layout, forms[0].layout} == {"trips", "records"}), None)
    if other is not None and forms[0].track is None:
        raise InputError(
            "the columns fit 2 forms",
            f"{header.file}: {forms[0].name} and {other.name}",
            "Say which column has which role, such as --column started_at=NAME or --column tid=NAME.",
            options=("--column",),
        )
    return forms[0]


def _columns(form: Form, header: _Header) -> dict[str, int]:
    """Role -> position of its one column. Raises InputError that names every role with several."""
    if form.published:
        usual = {role: header.normal.index(normal_name(name)) for role, name in form.headers.items()
                 if role not in header.given}  # fmt: skip
        return {**usual, **header.given}
    several = {
        role: [header.columns[at] for at in header.found[role]]
        for role in form.headers
        if role not in header.given and len(header.found[role]) > 1
    }
    if several:
        same = any(len({*map(normal_name, names)}) < len(names) for names in several.values())
        raise InputError(
            "two columns have the same name" if same else "two columns for one role",
            f"{header.file}: "
            + ", ".join(f"{role} is {' or '.join(names)}" for role, names in several.items()),
            "Say which, with " + " ".join(f"--column {role}=NAME" for role in several) + ", or keep one.",
            options=("--column",),
        )
    return {role: header.given.get(role, header.found.get(role, (0,))[0]) for role in form.headers}


def _check_columns(choice: Choice, file: str, normal: Sequence[str]) -> None:
    """Refuse columns that cannot be told from others; raises InputError."""
    for role, column in {**choice.roles, **choice.clocks, **choice.extras}.items():
        if normal.count(normal_name(column)) > 1:
            raise InputError("two columns have the same name", f"{file}, column {column}", "Keep one.")
        if not column:
            raise InputError("a column without a name", f"{file}, {role}", "Give it a name.")


def _by_station(form: Form, header: _Header) -> dict[str, str]:
    sure = all(len(header.found.get(role, ())) == 1 for role in _STATIONS)
    if form.layout != "trips" or "start_station" in form.headers or not sure:
        return {}
    own = {role: at for role, at in header.given.items() if role in {"uid", "started_at", "ended_at"}}
    own |= {role: header.found[role][0] for role in _STATIONS}
    return {role: header.columns[at] for role, at in own.items()}


def _general(roles: Collection[str]) -> list[Form]:
    """Forms of no publisher. Those with places of another kind than degrees are near only if a role is of that kind."""
    general = [form for form in FORMS if not form.published]
    return [
        form for form in general if not (other := form.headers.keys() & _OTHER_PLACES) or other & {*roles}
    ]


def _lacking(form: Form, roles: Collection[str]) -> list[str]:
    return [role for role in form.headers if role not in roles]


def _no_form(header: _Header) -> InputError:
    if COUNTS & {*header.normal} and {"start_tile", "end_tile"} <= header.roles:
        return InputError(
            "a row is a number of trips from one tile to another, not a trip",
            header.file,
            "Give the trips that were counted: what a person added to such a number cannot be told any more.",
        )

    near = nearest(header.roles, header.given)
    lacking = _lacking(near, header.roles)
    strange = [role for role in header.given if role not in near.headers]
    if strange:
        return InputError(
            "the roles do not make up a form",
            f"{header.file}: {', '.join(header.given)}",
            "Name all roles of one form: "
            + "; ".join(
                ", ".join(form.headers) for form in _general(header.roles) if form.name in _SHOWN_FORMS
            )
            + ".",
        )
    needs = "; ".join(f"{role} needs one of {', '.join(some_names(role))}" for role in lacking)
    options = " ".join(f"--column {role}=NAME" for role in lacking)
    also = next((words for role, words in _ALSO.items() if role in lacking), "")
    return InputError(
        f"{'column' if len(lacking) == 1 else 'columns'} missing: {', '.join(lacking)}",
        f"{header.file}, nearest form: {near.name}",
        f"{needs}. Or name {'it' if len(lacking) == 1 else 'them'}: {options}.{also} {_shown(header.columns)}",
        options=("--column",),
    )


_SHOWN_FORMS: Final = {"trips", "trips between tiles", "records", "points"}


def some_names(role: str) -> tuple[str, ...]:
    """A role itself, and a few of the names of columns that have it."""
    others = [name for name in NAMES[role][0] if name != normal_name(role)]
    return role, *others[: _NAMES_OF_A_ROLE - 1]


def _shown(columns: Sequence[str]) -> str:
    """The names of the columns, if they certainly are names. A first line of words may be the first record."""
    if not surely_names(columns):
        return "None of the column names is known, so they are not shown: they may be data."
    names = [column for column in columns if _NAME.fullmatch(column)]
    shown = ", ".join(names[:_MAX_SHOWN])
    return f"Found: {shown}{'' if len(names) == len(columns) <= _MAX_SHOWN else ', ...'}."
