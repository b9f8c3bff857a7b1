"""What the columns of trips files are: their shape, a choice for each role, how times are written, how points become trips.

What the names of the columns tell is filled in; the owner may change it, and it is remembered for files with the same
columns. Nothing is read off the records but, on a press, how many fields are empty.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore import limits
from dpcore.api import owner
from dpcore.errors import InputError
from dpcore.measures.attribute import attributes_of
from dpcore.measures.trip_rule import TripRule
from dpcore.views.ground.plain import percent, plain
from dpcore.views.numbers.sentences import OWNER_MARK
from pages.owner.parts.data import column_words as words
from pages.owner.parts.data import load_again
from pages.owner.parts.data.trip_attributes import written_attributes
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.form import between
from pages.owner.parts.state.session import session
from pages.parts.chart import show_table

_ACROSS: Final = 4
_NONE: Final = "none"
_TIMES: Final = ("datetime", "started_at", "ended_at")
_ORDER, _CUT = "how times are written", "how the points are cut into trips"
_GAP, _STAYS = "A gap in time", "Stays"
_GAP_S: Final = (limits.MIN_TRIP_GAP_S, limits.MAX_TRIP_GAP_S)
_STAY_S: Final = (limits.MIN_STAY_S, limits.MAX_STAY_S)
_STAY_M: Final = (limits.MIN_STAY_M, limits.MAX_STAY_M)
_USUAL_GAP_S, _USUAL_STAY_M, _USUAL_STAY_S = 1_800, 200, 1_200


@dataclass(frozen=True, repr=False)
class ChosenColumns:
    """How the columns of some files are read."""

    files: tuple[owner.TripsFile, ...]
    """The files, with the names of their columns where they have none themselves."""
    seen: tuple[owner.Inspection, ...]
    """The form of each file."""
    said: owner.Said
    """What is remembered for files with the same columns."""
    columns: Mapping[str, str] | None = None
    """Role -> column, where they had to be named."""
    times: owner.Times | None = None
    """The order in which times are written, where the owner chose another than the columns tell."""
    rule: TripRule | None = None
    """The rule that cuts points into trips."""
    names: str = ""
    """The names of the columns, where the files have none and the owner gave them."""


@dataclass(frozen=True)
class Lacking:
    """What is still to be said of the trips, in words."""

    what: tuple[str, ...]


_NAMES: Final = Lacking(("the names of the columns of the trips",))


def chosen_columns(called: str, files: Sequence[owner.TripsFile]) -> ChosenColumns | Lacking:
    """The columns of the first file as recognised, remembered or chosen; those of the others by the same roles.

    ``called``: by what names of columns are remembered that the owner gave. Raises InputError for a header that cannot be
    read, or roles that do not fit.
    """
    given = given_names(called)
    if given:
        files = [file.with_header(given) for file in files]
    first, told = files[0], st.empty()
    try:
        columns = owner.columns_of(first)
    except InputError as error:  # such as a first line of data
        with told:
            load_again.show(error)
        ask_for_names(called, error)
        return _NAMES
    header = tuple(column.name for column in columns)
    seen, problem = _recognised(first)
    said = owner.recalled(header)
    if given:
        ask_for_names(called)
    elif seen is None and said is None and not owner.surely_names(header) and not _are_names(header):
        with told:
            st.info(words.FIRST_LINE.format(file=plain(first.name)), icon=":material/label:")
        ask_for_names(called)
        return _NAMES
    shape = st.container()
    with st.expander(
        "Roles of the columns", expanded=seen is None or said is not None, icon=":material/label:"
    ):
        if said is not None:
            _offer_names(header)
        row, roles = _roles(columns, seen, said)
    written = _kept_columns(header, row, roles, said)
    with shape:
        _shape(first, columns, roles, written)
    if row is None or row.lacks(roles):
        with told:
            _show_problem(first.name, problem)
        return _lacking_roles(row, roles)
    known, by_hand = owner.inspected_as(first, row, roles)
    texts = {column.name for column in columns if column.kind == owner.TEXT}
    usual = (
        None if any(column in texts for role, column in by_hand.items() if role in _TIMES) else known.times
    )
    order = known.times if row.has_no_times else _order(known, said, usual)
    rule = _rule(said) if row.layout == "points" else None
    lacking = {_ORDER: order is None, _CUT: row.layout == "points" and rule is None}
    if any(lacking.values()):
        return _still_needed([what for what, lacks in lacking.items() if lacks])
    order = None if order == known.times else order
    found, named = owner.inspected_as(first, row, roles, order)
    station = session().form.value("column by station", bool, False)
    by_station = found.by_station and st.checkbox(
        "Count by station id", help=words.BY_STATION_HELP, **station
    )
    every = owner.every_file(
        files, lambda file: found if file is first else owner.inspect(file, named, times=order)
    )
    if by_station:
        every = [_by_station(file, one, order) for file, one in zip(files, every, strict=True)]
        named = every[0].mapping
    kept = owner.Said(row.name, roles, order, rule.text if rule else None, written)
    every, own = _keeping(files, every, header, written)
    return ChosenColumns(tuple(files), tuple(every), kept, {**named, **own} or None, order, rule, given)


def _kept_columns(
    header: Sequence[str], row: owner.Row | None, roles: Mapping[str, str], said: owner.Said | None
) -> dict[str, str]:
    """Column -> what is kept of it, where a trip has attributes of its own: points that a rule cuts have none."""
    if row is None or row.layout == "points":
        return {}
    # zip, gender and type of user may also be kept with categories of the owner
    taken = {column for role, column in roles.items() if not role.startswith("extra_")}
    return written_attributes(header, taken, said.attributes if said else {}, lambda what: _key(what, header))


def _keeping(
    files: Sequence[owner.TripsFile],
    seen: Sequence[owner.Inspection],
    header: Sequence[str],
    written: Mapping[str, str],
) -> tuple[list[owner.Inspection], dict[str, str]]:
    """The files with the attributes that are kept, and attribute -> column where the name of a column does not tell."""
    names = owner.attribute_names(header)
    attributes = attributes_of({names[column]: text for column, text in written.items()})
    known = owner.recognised_attributes(header).values()
    own = {names[column]: column for column in written if column not in known}
    return [owner.keeping(file, one, attributes, own) for file, one in zip(files, seen, strict=True)], own


def _still_needed(what: Sequence[str]) -> Lacking:
    st.caption(f"Still needed: {', '.join(what)}.")
    return Lacking((*what,))


def _lacking_roles(row: owner.Row | None, roles: Mapping[str, str]) -> Lacking:
    """Say which roles have no column, and by which names of columns each would have been found."""
    if row is None:
        return _still_needed(["what one row is"])
    lacking = _still_needed([_label(role, row) for role in row.lacks(roles)])
    st.caption(
        "\n".join(
            f"- {words.FOUND_BY_NAME.format(role=_label(role), names=', '.join(owner.some_names(role)))}"
            for role in row.lacks(roles)
            if not (role == "datetime" and row.has_no_times)
        )
    )
    return lacking


def _recognised(file: owner.TripsFile) -> tuple[owner.Inspection | None, InputError | None]:
    try:
        return owner.inspect(file), None
    except InputError as error:
        return None, error


def _by_station(file: owner.TripsFile, seen: owner.Inspection, order: owner.Times | None) -> owner.Inspection:
    if not seen.has_points:
        return seen
    if not seen.by_station:
        raise InputError("the file has no ids of stations", file.name, "Do not count by station id.")
    return owner.inspect(file, seen.by_station, times=order)


def _show_problem(name: str, problem: InputError | None) -> None:
    """Why the roles are asked for: a refusal in full, unless it only asks for the roles, whose controls stand below."""
    if problem is not None and "--column" not in problem.options:
        load_again.show(problem)
    else:
        st.info(words.BY_HAND.format(file=plain(name)), icon=":material/label:")


def _key(what: str, header: Sequence[str]) -> str:
    """The key of a widget for files with these columns: another file has widgets of its own."""
    return f"column {what} {blake2b(repr(header).encode(), digest_size=6).hexdigest()}"


def _names_field(name: str) -> str:
    return _key("names of", (name,))


def given_names(name: str) -> str:
    """The names that the owner gave to the columns of the file of this name, which has no header; empty if there are none."""
    return str(session().form.read(_names_field(name), str, "")).strip()


def ask_for_names(name: str, error: InputError | None = None) -> None:
    """The field for the names of columns that the file does not name, unless another fault is told than their lack."""
    if error is None or "--header" in error.options:
        st.text_input(
            "No header: the names of the columns",
            placeholder="uid,datetime,lat,lng",
            help=words.HEADER_HELP,
            **session().form.value(_names_field(name), str, ""),
        )


def _are_names(header: Sequence[str]) -> bool:
    """Whether the owner says so of a first line that nobody can tell from a record."""
    start = session().form.value(_key("names", header), bool, False)
    return st.checkbox("The first line holds the names of the columns", help=words.NAMES_HELP, **start)


def _offer_names(header: tuple[str, ...]) -> None:
    st.caption(words.REMEMBERED)
    if st.button("Take what the names tell", icon=":material/restart_alt:", key=_key("anew", header)):
        owner.forget_columns(header)
        session().reset_columns()
        st.rerun()


def _label(role: str, row: owner.Row | None = None) -> str:
    """A role in words, with the name that commands and the library have for it."""
    if role == "datetime" and row is not None and row.has_no_times:
        return words.ORDER_OF_PLACES
    return f"{words.ROLES[role]} ({role.removeprefix('extra_')})"


def _roles(
    columns: Sequence[owner.Column],
    seen: owner.Inspection | None,
    said: owner.Said | None,
) -> tuple[owner.Row | None, dict[str, str]]:
    """What one row is, if that is known, and the column of every role that has one."""
    header = tuple(column.name for column in columns)
    st.caption(words.ROLES_HELP)
    rows = {row.name: row for row in owner.ROWS}
    nearest = owner.row_of(seen) if seen else owner.nearest_row(header)
    likely = said.row if said and said.row in rows else (nearest.name if nearest else None)
    chosen_row = st.selectbox(
        "What is one row?",
        list(rows),
        format_func=words.ROWS.__getitem__,
        placeholder="Choose what a row is",
        **session().form.option(_key("row", header), list(rows), likely),
    )
    if chosen_row is None:
        return None, {}
    row = rows[chosen_row]
    if said and row.name == said.row:
        known = dict(said.columns)
    else:
        known = dict(seen.needed) if seen and owner.row_of(seen) == row else owner.likely_roles(header)
    person = [role for role in row.optional if role == "uid"]
    chosen = _columns((*person, *row.needed), row, known, header)
    apart = session().form.value(_key("clocks", header), bool, any(role in known for role in row.clocks))
    if row.clocks and not row.has_no_times and st.checkbox(words.CLOCK_APART, help=words.CLOCK_HELP, **apart):
        chosen |= _columns(row.clocks, row, known, header)
    folders = [one.name for one in columns if one.kind == owner.FOLDER]
    people = owner.columns_of_people(header, row.layout, chosen.get("uid"), folders)
    chosen |= _declared(header, people, chosen, known)
    attributes = [role for role in row.optional if role not in person]
    start = session().form.value(_key("attributes", header), bool, False)
    if attributes and st.checkbox("Attributes of a trip", help=words.ATTRIBUTES_HELP, **start):
        return row, chosen | _columns(attributes, row, known, header)
    return row, chosen | {role: known[role] for role in attributes if role in known}


def _declared(
    header: tuple[str, ...], people: Sequence[str], chosen: Mapping[str, str], known: Mapping[str, str]
) -> dict[str, str]:
    """What the owner declares of columns that are not read: that each row is one trip, that some are of no people."""
    shapes = [column for role, column in chosen.items() if role.endswith("geometry")]
    end = chosen.get("ended_at", "")
    lasting = [end] if end and owner.lacks_unit(end) else []
    asked = {
        owner.ONE_TRIP: [
            column for column in owner.counting_columns(header) if column not in chosen.values()
        ],
        owner.NO_PERSON: [one for one in people if one not in chosen.values()],
        owner.LAT_FIRST: shapes,
        **dict.fromkeys(("duration_s", "duration_min", "duration_hhmm", "duration_mmss"), lasting),
    }
    said = {}
    for role, columns in asked.items():
        start = session().form.value(_key(role, header), bool, role in known)
        label = words.DECLARED[role].format(column=plain(", ".join(columns)))
        if columns and st.checkbox(label, help=words.DECLARED_HELP[role], **start):
            said[role] = columns[0]
    return said


def _columns(
    roles: Sequence[str], row: owner.Row, known: Mapping[str, str], header: tuple[str, ...]
) -> dict[str, str]:
    """One select for each role; a role that is not needed may have no column."""
    chosen: dict[str, str] = {}
    for start in range(0, len(roles), _ACROSS):
        for role, cell in zip(roles[start : start + _ACROSS], st.columns(_ACROSS), strict=False):
            free = role not in row.needed
            options = (*([None] if free else []), *header)
            column = cell.selectbox(
                _label(role, row),
                options,
                format_func=lambda name: _NONE if name is None else name,
                placeholder="Choose a column",
                **session().form.option(_key(f"of {role} {row.name}", header), options, known.get(role)),
            )
            if column is not None:
                chosen[role] = column
    return chosen


def _shape(
    file: owner.TripsFile, columns: Sequence[owner.Column], roles: Mapping[str, str], kept: Collection[str]
) -> None:
    """Names and declared types, which are public; the shares of empty fields on a press, which is a look at the trips."""
    header = tuple(column.name for column in columns)
    names = owner.attribute_names(header)
    role_of = {column: _label(role) for role, column in roles.items()}
    role_of |= {column: f"attribute {names[column]}" for column in kept}
    with st.expander(f"Shape of the file: {len(columns):,} columns", icon=":material/table_rows:"):
        rows = [
            {
                "Column": one.name,
                "Type": one.kind,
                "Read as": role_of.get(one.name, "not read"),
            }
            for one in columns
        ]
        asked = _key(f"empty {file.name} {file.size}", header)
        if not st.session_state.get(asked):
            st.caption(f"{plain(file.name)}. {words.SHAPE}")
            show_table(rows, "The columns of the file", width="stretch")
            if st.button("Count the empty fields …", help=words.EMPTY_HELP, key=f"{asked} button"):
                st.session_state[asked] = True
                st.rerun()
            return
        session().looked_ahead(owner.fingerprints([file]), Look.FIELDS)  # before anything is counted
        found = owner.empty_fields(file)
        for number, one in enumerate(rows):
            share = found.share(number)
            one["Empty"] = "not counted" if share is None else percent(share)
        st.caption(f"{OWNER_MARK} {plain(file.name)}. {words.EMPTY.format(records=f'{found.records:,}')}")
        show_table(
            rows, "The columns of the file, with shares of empty fields", mark=OWNER_MARK, width="stretch"
        )


def key_of_order(seen: owner.Inspection) -> str:
    """Key of the widget that says how times are written."""
    return session().form.key(_order_field(seen))


def _order_field(seen: owner.Inspection) -> str:
    return _key(f"times {seen.form} {seen.lasting}", seen.columns)


def _order(seen: owner.Inspection, said: owner.Said | None, usual: owner.Times | None) -> owner.Times | None:
    """The order of day, month and year; None until it is chosen. ``usual``: as the columns tell, None where they do not."""
    start = usual if said is None else said.times if said.times in owner.TIMES else seen.times
    order: owner.Times | None = st.segmented_control(
        "Times are written",
        owner.TIMES,
        format_func=words.ORDERS.__getitem__,
        required=start is not None,
        help=words.ORDER_HELP,
        **session().form.segment(_order_field(seen), owner.TIMES, start),
    )
    return order


def _rule(said: owner.Said | None) -> TripRule | None:
    """How the points of a person become trips: a choice that nobody makes for the owner."""
    known = TripRule.of_text(said.rule) if said and said.rule else None
    st.markdown("**Points become trips**")
    how = st.segmented_control(
        "Cut the points of a person by",
        [_GAP, _STAYS],
        help=words.RULE_HELP,
        **session().form.segment(
            "column rule", [_GAP, _STAYS], None if known is None else (_GAP if known.gap_s else _STAYS)
        ),
    )
    if how is None:
        return None
    left, right = st.columns(2)
    if how == _GAP:
        start = (known and known.gap_s) or _USUAL_GAP_S
        label = "Minutes without a point that end a trip"
        minutes = _number(left, label, "column gap", start, _GAP_S, unit=60)
        rule = TripRule.by_gap(f"{minutes}min")
    else:
        start = (known and known.metres) or _USUAL_STAY_M
        metres = _number(left, "A stay lies within, metres", "column metres", start, _STAY_M)
        start = (known and known.stay_s) or _USUAL_STAY_S
        minutes = _number(right, "A stay lasts at least, minutes", "column stay", start, _STAY_S, unit=60)
        rule = TripRule.by_stays(f"{metres}m,{minutes}min")
    st.caption(rule.words)
    return rule


def _number(
    place: DeltaGenerator, label: str, field: str, start: int, ends: tuple[int, int], *, unit: int = 1
) -> int:
    """A number between two limits; ``unit``: how many of theirs make one of what is asked for."""
    low, high = (end // unit for end in ends)
    shown = session().form.value(field, int, start // unit, between(low, high))
    return int(place.number_input(label, low, high, **shown))
