"""Which columns have a role by their names, which are times of day beside a date, and what declarations of an owner make of both."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from dpcore.private.source.declared import NO_END, NO_TIMES
from dpcore.private.source.forms import FORMS, UNTIMED, VISITS, Form
from dpcore.private.source.vocabulary import CLOCKS, NAMES, ROLE_OF

Found = dict[str, tuple[int, ...]]
"""Role -> positions of its columns."""
ENDS: Final = ("started_at", "ended_at")
"""Roles of the times of both ends."""
OF_STARTS: Final = (*(role for role in NAMES if role.startswith("start_")), "geometry")
_DATES: Final = frozenset(("date", "fecha", "datum", "tripdate", "traveldate", "servicedate"))
"""Names of a date that may be that of both ends."""


def found_roles(
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
    _share_date(normal, given, found, clocks)
    if "uid" not in given and any(form.headers.keys() == given.keys() for form in FORMS):
        found.pop("uid", None)  # all other roles were named, so the user is left out
    return found, clocks


def _share_date(
    normal: Sequence[str], given: Mapping[str, int], found: Found, clocks: dict[str, int]
) -> None:
    """Let one date be that of both ends, where the names leave no other: that of the start, or the only one, beside two times of day."""
    named = {role: [at for at, name in enumerate(normal) if name in _CLOCK_NAMES[role]] for role in ENDS}
    if any(len(places) != 1 for places in named.values()):
        return
    by_hand = {given[role] for role in ENDS if role in given}
    if "started_at" in clocks and "ended_at" not in {*clocks, *given}:
        days = [*found["started_at"]]
    else:
        days = [at for at, name in enumerate(normal) if name in _DATES]
        if clocks or "datetime" in {*found, *given}:
            return
    if by_hand:
        days = [*by_hand] if {*ENDS} <= given.keys() else []
    elif any(found.get(role) != (places[0],) for role, places in named.items() if role not in clocks):
        return
    if len(days) == 1:
        for role, (clock,) in named.items():
            found[role], clocks[role] = (days[0],), clock


_CLOCK_NAMES: Final = {role: {clock for _, clock in CLOCKS[role]} for role in ENDS}
"""Role of a time -> the names of its time of day."""


def as_declared(
    given: dict[str, int], found: Found, clocks: dict[str, int], positions: Mapping[str, int]
) -> tuple[dict[str, int], Found, dict[str, int], Sequence[Form]]:
    """What is named, what is found, the times of day, and the forms there may be, where no other end or no times are declared.

    ``NO_TIMES`` names the column of the order of the places of a trip; or, where a row is a whole trip, one of its start.
    """
    no_end, named = positions.get(NO_END), positions.get(NO_TIMES)
    gone = {"datetime", "started_at", "ended_at"} if named is not None else {"started_at"}
    if no_end is None and named is None:
        return given, found, clocks, FORMS
    if no_end is not None:  # whatever else its columns tell, the other end is not known
        found = {role: at for role, at in found.items() if not role.startswith("end")}
    found = {role: at for role, at in found.items() if role not in gone}
    if named is None:
        return {"started_at": positions[NO_END]} | given, found, clocks, VISITS
    given = {role: at for role, at in given.items() if role not in gone}
    if any(named == given.get(role) or named in found.get(role, ()) for role in OF_STARTS):
        return given, found, {}, [
            form for form in UNTIMED
            if form.layout == "trips" and form.name.startswith("visits ") is (no_end is not None)
        ]  # fmt: skip
    found = {role: at for role, at in found.items() if named not in at}
    return given | {"datetime": named}, found, {}, [form for form in UNTIMED if form.layout == "records"]
