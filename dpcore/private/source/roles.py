"""Which column of a header has which role, and so which form a file has; every reason why a header has none."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Final

from dpcore.errors import InputError
from dpcore.private.source.by_names import ENDS, OF_STARTS, as_declared, found_roles
from dpcore.private.source.counts import counts_in, weights_in
from dpcore.private.source.declared import DECLARED, NO_PERSON, NO_TIMES, ONE_TRIP
from dpcore.private.source.durations import ROLES as DURATIONS
from dpcore.private.source.durations import duration_at
from dpcore.private.source.extras import EXTRAS, ROLE
from dpcore.private.source.forms import FORMS, Form, Track
from dpcore.private.source.people import MAX_SHOWN, must_tell_people_apart, possible_people
from dpcore.private.source.vocabulary import (
    ATTRIBUTES,
    CLOCK,
    CLOCKS,
    GEOMETRIES,
    NAMES,
    ROLE_OF,
    VEHICLES,
    attributes_in,
    normal_name,
    role_named,
)

_OWN: Final = (
    "Give each role its own column. Only a date may be that of both ends, if each has a time of day: --column started_at=DATE "
    "--column clock_started_at=NAME --column ended_at=DATE --column clock_ended_at=NAME."
)
_NAMES_OF_A_ROLE: Final = 5
_ALSO: Final = {
    "start_lat": " Places may also be a geometry, start_tile and end_tile, or start_station and end_station.",
}
"""What else a header may have in place of a missing role."""
NOT_SHOWN: Final = "not shown: they may be data."
"""How a refusal ends where none of the names is known."""
_LASTING: Final = " Where ends have no times but trips have durations: --column duration_s=NAME (seconds) or --column duration_min=NAME."
_VISIT: Final = "each is then a visit, and makes no flow"
_ONE_END: Final = (
    " Where only one end is known, as of pick-ups: --column no_end=NAME for its time, with its place as start_tile, start_station, or start_lat "
    f"and start_lng; {_VISIT}."
)
_OTHER_PLACES: Final = GEOMETRIES | {"start_tile", "end_tile", "start_station", "end_station"}
_NAME: Final = re.compile(r"[^\W\d][\w .()/-]{0,39}")
_SURE, _SEVERAL = 3, 2  # so many letters, and so many names, that a first line is no record by chance
_STATIONS: Final = ("start_station", "end_station")
_POINTS: Final = ("start_lat", "start_lng", "end_lat", "end_lng")


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
    weights: tuple[str, ...]
    """Columns of weights, which are not used."""
    people: tuple[str, ...]
    """Columns that may be of people, where no column is known to be."""
    lasting: str
    """The unit of the durations that the column of ends holds in place of times; empty if it holds times."""


@dataclass(frozen=True)
class _Header:
    """The names of the columns of a file, and what the owner said of them."""

    file: str
    columns: tuple[str, ...]
    normal: tuple[str, ...]
    said: Mapping[str, int]
    """Whatever the owner named, declarations too -> position."""
    given: Mapping[str, int]
    """Role -> position, as the owner named it or as a declaration gives it."""
    found: Mapping[str, tuple[int, ...]]
    """Role -> positions of the columns that have it by their names."""
    clocks: Mapping[str, int]
    """Role of a time -> position of its time of day."""
    lasting: str
    """As in ``Choice``."""
    forms: Sequence[Form]
    """The forms that it may have."""

    @property
    def roles(self) -> frozenset[str]:
        return frozenset(self.found) | frozenset(self.given)


def role_choice(file: str, columns: tuple[str, ...], mapping: Mapping[str, str]) -> Choice:
    """The one form of these columns, by their names and by a mapping as in ``inspect``. Raises InputError: none, or several."""
    header = _header(file, columns, mapping)
    form, roles = _form_of_single_trips(header)
    extras = {extra: header.said[ROLE + extra] for extra in EXTRAS if ROLE + extra in header.said}
    clocks = {role: at for role, at in header.clocks.items() if role in roles and roles[role] != at}
    _check_beside(header, form, roles, clocks, extras)
    taken = {*roles.values(), *clocks.values(), *extras.values()}
    extras |= _usual_extras(header, form, extras, taken)
    attributes = attributes_in(header.normal, taken) | {
        name: header.said[name] for name in ATTRIBUTES if name in header.said
    }

    def names_of(at: Mapping[str, int]) -> dict[str, str]:
        return {key: columns[position] for key, position in at.items()}

    track = form.track and replace(
        form.track, whole=columns[header.normal.index(normal_name(form.track.whole))]
    )
    choice = Choice(
        form=form,
        roles=names_of(roles),
        clocks=names_of(clocks),
        extras=names_of(extras),
        attributes=names_of(attributes),
        by_station={} if header.lasting or NO_TIMES in header.said else _by_station(form, header),
        track=track,
        weights=tuple(columns[at] for at in weights_in(header.normal, taken)),
        people=() if "uid" in roles or NO_PERSON in header.said else possible_people(columns),
        lasting=header.lasting,
    )
    _check_columns(choice, file, header.normal)
    if NO_PERSON not in header.said:
        free = [column for at, column in enumerate(columns) if at not in taken]
        must_tell_people_apart(file, free, form.layout, choice.roles.get("uid"))
    return choice


def _header(file: str, columns: tuple[str, ...], mapping: Mapping[str, str]) -> _Header:
    """The header with what its owner said and what its names say; raises InputError where these cannot both hold."""
    normal = tuple(map(normal_name, columns))
    named = {role_named(role): column for role, column in mapping.items()}
    _check_names(file, columns, normal, named)
    said = {role: normal.index(normal_name(column)) for role, column in named.items()}
    given = {role: at for role, at in said.items() if role in NAMES}
    clocks_said = {role: said[CLOCK + role] for role in CLOCKS if CLOCK + role in said}
    found, clocks = found_roles(normal, given, [*clocks_said.values()])
    given, found, clocks, forms = as_declared(given, found, clocks | clocks_said, said)
    lacks_end = forms is FORMS and "started_at" in {*found, *given} and "ended_at" not in {*found, *given}
    duration = _duration_at(file, normal, said, lacks_end=lacks_end)
    lasting = ""
    if duration is not None:
        given, lasting = given | {"ended_at": duration[0]}, duration[1]
    return _Header(file, columns, normal, said, given, found, clocks, lasting, forms)


def _form_of_single_trips(header: _Header) -> tuple[Form, dict[str, int]]:
    """The form and role -> position of its columns. Raises InputError: none, several, or rows that are sums of trips."""
    taken = {at for role, at in header.said.items() if role in NAMES or role.startswith((CLOCK, ROLE))}
    sums = (
        [header.columns[at] for at in counts_in(header.normal, taken)] if ONE_TRIP not in header.said else []
    )
    try:
        form = _form(header)
        roles = _columns(form, header)
    except InputError as error:
        if not (header.given or surely_names(header.columns)):
            # the first line may be a record: a word of the list is none, anything else may be
            sums = [name for name in sums if name.isalpha() and counts_in([normal_name(name)])]
        _must_be_single(header.file, sums, error)
        raise
    _must_be_single(header.file, sums)
    return form, roles


def _check_beside(
    header: _Header,
    form: Form,
    roles: Mapping[str, int],
    clocks: Mapping[str, int],
    extras: Mapping[str, int],
) -> None:
    """Refuse attributes and times of day that cannot stand beside these roles; raises InputError."""
    where = f"{header.file}, {form.name}"
    if extras and form.layout != "trips":
        raise InputError("an attribute of a trip needs one row a trip", where, "Leave the attribute out.")
    if any(CLOCK + role in header.said and role not in roles for role in CLOCKS):
        raise InputError("a time of day without its date", where, "Leave the time of day out.")
    shared = {*ENDS} <= clocks.keys() and roles["started_at"] == roles["ended_at"]
    taken = {*roles.values(), *clocks.values(), *extras.values()}
    if len(taken) < len(roles) - shared + len(clocks) + len(extras):
        raise InputError("one column for two roles", header.file, _OWN, options=("--column",))


def _usual_extras(
    header: _Header, form: Form, named: Collection[str], taken: Collection[int]
) -> dict[str, int]:
    """Attribute of a trip -> position of the column that has it in this form, for those that are there and not taken."""
    usual = {name: normal_name(column) for name, column in form.extras.items() if name not in named}
    found = {name: header.normal.index(column) for name, column in usual.items() if column in header.normal}
    return {name: at for name, at in found.items() if at not in taken}


def _duration_at(
    file: str, normal: Sequence[str], said: Mapping[str, int], *, lacks_end: bool
) -> tuple[int, str] | None:
    """The column of durations and its unit, None where ends are not told by one; raises InputError if its owner said otherwise."""
    long = duration_at(normal, said) if lacks_end else None
    if long is None and not said.keys().isdisjoint(DURATIONS):
        raise InputError(
            "a duration for trips that have no start, or an end already",
            file,
            "Leave it out, or name the column of the start: --column started_at=NAME.",
            options=("--column",),
        )
    return long


def columns_by_role(columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Role -> the columns that have it by their names. Of a time whose date and clock stand apart, it is that of the date."""
    positions, _ = found_roles([*map(normal_name, columns)], {})
    return {role: tuple(columns[at] for at in places) for role, places in positions.items()}


def counting_columns(columns: Sequence[str]) -> list[str]:
    """The columns whose names say that a row is a number of trips, unless the owner declares otherwise."""
    return [columns[at] for at in counts_in([*map(normal_name, columns)])]


def lacks_unit(column: str) -> bool:
    """Whether a column in the place of an end may hold durations, whose unit its owner may say."""
    name = normal_name(column)
    return name not in ROLE_OF


def nearest(roles: Collection[str], given: Collection[str] = (), among: Sequence[Form] = FORMS) -> Form:
    """The general form that lacks the smallest share of its roles, of those that have all ``given`` roles if there are any."""
    forms = _general(roles, among)
    return min(
        [form for form in forms if {*given} <= form.headers.keys()] or forms,
        key=lambda form: len(_lacking(form, roles)) / len(form.headers),
    )


def surely_names(columns: Sequence[str]) -> bool:
    """Whether the first line certainly holds names. A line of words that nobody knows may be the first record."""
    return sum(len(name) >= _SURE and name in ROLE_OF for name in map(normal_name, columns)) >= _SEVERAL


def _check_names(file: str, columns: Sequence[str], normal: Sequence[str], named: Mapping[str, str]) -> None:
    """Refuse a mapping with names that do not exist; raises InputError."""
    known = {
        *DECLARED,
        *DURATIONS,
        *NAMES,
        *ATTRIBUTES,
        *(ROLE + extra for extra in EXTRAS),
        *(CLOCK + role for role in CLOCKS),
    }
    unknown = [role for role in named if role not in known]
    if unknown:
        raise InputError(
            "unknown role", f"{file}, {', '.join(map(repr, unknown))}", f"Roles are {', '.join(NAMES)}."
        )
    lost = [column for column in named.values() if normal_name(column) not in normal]
    if lost:
        where = f"{file}, {', '.join(map(repr, dict.fromkeys(lost)))}"
        raise InputError("unknown column", where, _column_names(columns), options=("--column",))
    for role, column in named.items():
        if role == "uid" and normal_name(column) in VEHICLES:
            raise InputError("a vehicle is not a user", f"{file}, column {column}", "Leave the user out.")
    one_date = len({normal_name(named[role]) for role in ENDS if role in named}) < len({*ENDS} & named.keys())
    read = [normal_name(column) for role, column in named.items() if role not in DECLARED]
    if len({*read}) < len(read) - one_date:
        raise InputError("one column for two roles", file, _OWN, options=("--column",))


def _must_be_single(file: str, counts: Sequence[str], other: InputError | None = None) -> None:
    """Refuse rows that are sums of trips; raises InputError. ``counts``: the columns that say so, all of names that are known.

    ``other``: what else is wrong with the columns, which is told with it.
    """
    if counts:
        besides = (
            f" Besides, {other.what} ({other.where[len(file) :].lstrip(',: ')}). {other.mend}"
            if other
            else ""
        )
        raise InputError(
            "a row is a number of trips, not a trip",
            f"{file}, {'column' if len(counts) == 1 else 'columns'} {', '.join(counts[:MAX_SHOWN])}",
            "One person may have added many trips to such a number, so hiding one row hides nobody. Give the trips that were counted, one in "
            "each row. If each row is one trip, and the column says something else (such as how many passengers), declare it: "
            f"--column {quote(f'{ONE_TRIP}={counts[0]}')}.{besides}",
            options=(f"--column {ONE_TRIP}",),
        )


def _form(header: _Header) -> Form:
    forms = [
        form
        for form in header.forms
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


def _general(roles: Collection[str], among: Sequence[Form]) -> list[Form]:
    """Forms of no publisher. Those with places of another kind than degrees are near only if a role is of that kind."""
    general = [form for form in among if not form.published]
    return [
        form for form in general if not (other := form.headers.keys() & _OTHER_PLACES) or other & {*roles}
    ]


def _lacking(form: Form, roles: Collection[str]) -> list[str]:
    return [role for role in form.headers if role not in roles]


def _no_form(header: _Header) -> InputError:
    near = nearest(header.roles, header.given, header.forms)
    lacking = [role for role in _lacking(near, header.roles) if role != "uid" or near.layout == "points"]
    strange = [role for role in header.given if role not in near.headers]
    if strange:
        return InputError(
            "the roles do not make up a form",
            f"{header.file}: {', '.join(header.given)}",
            "Name all roles of one form: "
            + "; ".join(
                ", ".join(form.headers)
                for form in _general(header.roles, header.forms)
                if form.name in _SHOWN_FORMS or header.forms is not FORMS
            )
            + ".",
        )
    needs = "; ".join(f"{role} needs one of {', '.join(some_names(role))}" for role in lacking)
    free, named = _free(header, near), lacking
    if free < len(named) and {*_POINTS} <= {*named}:  # places as tiles take fewer columns
        named = [role for role in lacking if role not in _POINTS] + ["start_tile", "end_tile"]
    options = " ".join(f"--column {role}=NAME" for role in named)
    possible = free >= len(named) or header.forms is not FORMS
    name = f" Or name {'it' if len(lacking) == 1 else 'them'}: {options}." if possible else ""
    also = next((words for role, words in _ALSO.items() if role in lacking), "")
    also += _mend_for_single_rows(header, lacking) + _mend_without_times(header, lacking)
    if "uid" in near.headers and "uid" not in {*lacking, *header.roles}:
        also += " If a column names people, also --column uid=NAME."
    also += _mend_for_one_end(header, lacking, free)
    return InputError(
        f"{'column' if len(lacking) == 1 else 'columns'} missing: {', '.join(lacking)}",
        f"{header.file}, nearest form: {near.name}",
        f"{needs}.{name}{also} {_column_names(header.columns, header.given)}",
        options=("--column",),
    )


def _mend_for_single_rows(header: _Header, lacking: Collection[str]) -> str:
    """What else may mend the lack of trip ids: rows may be points of people, or stand alone as pick-ups do."""
    bare = _bare_place(header)
    if bare and header.roles.isdisjoint({"started_at", "ended_at"}):
        role, column = bare
        timed = "datetime" in header.roles
        named = {"no_end": _name(header, "datetime")} if timed else {"no_end": column, "no_times": column}
        also = "" if "uid" in header.roles else " If a column names people, also --column uid=NAME."
        return f" If each row stands alone, as a stay or a pick-up does: {_options_naming({**named, role: column})}; {_VISIT}.{also}"
    if "tid" not in lacking and not ("datetime" in header.roles and "uid" not in header.roles):
        return ""
    if "uid" in header.roles:
        return " Points without trip ids need a rule, such as --trip-gap 30min."
    places = [role for role in ("lat", "lng", "geometry") if role in header.roles]
    named = {"no_end": "datetime"} | {f"start_{role}": role for role in places}
    options = _options_naming({role: _name(header, of) for role, of in named.items()})
    others = len(header.columns) > len({"datetime", *places} & header.roles)
    people = (
        " If a column names people: --column uid=NAME, and a rule such as --trip-gap 30min. If none does and"
        * others
    )
    return f"{people or ' If'} each row stands alone, as a pick-up does: {options}; {_VISIT}."


def _options_naming(named: Mapping[str, str]) -> str:
    """The options that name these columns."""
    return " ".join(f"--column {quote(f'{role}={column}')}" for role, column in named.items())


def _free(header: _Header, form: Form) -> int:
    """How many columns have no role of a form."""
    found = (at for role, places in header.found.items() if role in form.headers for at in places)
    return len(header.columns) - len({*header.given.values(), *found, *header.clocks.values()})


def _bare_place(header: _Header) -> tuple[str, str] | None:
    """The role of a start and the one column of tiles or stations that belongs to no end by its name; None where places are known."""
    if not {*header.roles} <= {"uid", "tid", *CLOCKS} or header.forms is not FORMS:
        return None
    found = [(role, column) for column in header.columns for role in _places_of(column)]
    return found[0] if len(found) == 1 else None


def _places_of(column: str) -> list[str]:
    """The roles of a start that a column has where ``start`` is put before its name, such as that of a tile."""
    roles = ("start_tile", "start_station")
    return [role for role in roles if f"start{normal_name(column)}" in NAMES[role][0]]


def _mend_for_one_end(header: _Header, lacking: Collection[str], free: int) -> str:
    """How to say that only one end of each trip is known, or how long it lasted."""
    if header.forms is not FORMS or not {"started_at", "ended_at"} & {*lacking}:
        return ""
    lasting = _LASTING if "ended_at" in lacking and free else ""
    if "ended_at" not in lacking:
        side, time, like = "end", "ended_at", "drop-offs"
    elif "started_at" not in lacking:
        side, time, like = "start", "started_at", "pick-ups"
    else:
        return lasting + _ONE_END
    places = next(
        (
            {f"start_{place}": _name(header, f"{side}_{place}") for place in kind}
            for kind in (("tile",), ("station",), ("lat", "lng"), ("geometry",))
            if {f"{side}_{place}" for place in kind} <= header.roles
        ),
        None,
    )
    if places is None and (bare := _bare_place(header)):
        places = dict([bare])
    if places is None:
        return lasting + (_ONE_END if side == "start" else "")
    named = {"no_end": _name(header, time), **places}
    return f"{lasting} Where only one end is known, as of {like}: {_options_naming(named)}; {_VISIT}."


def _mend_without_times(header: _Header, lacking: Collection[str]) -> str:
    """How to say that there are no times, where none is known."""
    if _bare_place(header):
        return ""
    if "datetime" in lacking:
        tid = "" if "tid" in header.roles else " and --column tid=NAME that of the trip"
        return f" Where places have an order and no times: --column no_times=NAME names the column of the order{tid}."
    starts = [role for role in OF_STARTS if role in header.roles]
    if starts and {"started_at", "ended_at"} <= {*lacking}:
        return f" Where there are no times: --column {quote(f'no_times={_name(header, starts[0])}')}."
    return ""


def _name(header: _Header, role: str) -> str:
    """The column that has a role; NAME if none has."""
    at = header.given.get(role, next(iter(header.found.get(role, ())), None))
    return "NAME" if at is None else header.columns[at]


_SHOWN_FORMS: Final = {"trips", "trips between tiles", "records", "points"}


def some_names(role: str) -> tuple[str, ...]:
    """A role itself, and a few of the names of columns that have it."""
    others = [name for name in NAMES[role][0] if name != normal_name(role)]
    return role, *others[: _NAMES_OF_A_ROLE - 1]


def _column_names(columns: Sequence[str], typed: Collection[str] = ()) -> str:
    """The names of the columns, if they certainly are names. A first line of words may be the first record.

    ``typed``: what the owner named and is there, so the first line is a header.
    """
    if typed or surely_names(columns):
        names = [column for column in columns if _NAME.fullmatch(column)]
        shown = ", ".join(names[:MAX_SHOWN])
        return f"Found: {shown}{'' if len(names) == len(columns) <= MAX_SHOWN else ', ...'}."
    known = [column for column in columns if normal_name(column) in ROLE_OF or _places_of(column)]
    of_them = f"only {' and '.join(known)} {'is' if len(known) == 1 else 'are'} known"
    told = f"Of the column names {of_them}" if known else "None of the column names is known"
    return f"{told}, so {'the others' if known else 'they'} are {NOT_SHOWN}"
