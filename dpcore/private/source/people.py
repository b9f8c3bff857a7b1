"""Columns that may be of people: which they are, and what an owner must say of them before trips are read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from shlex import quote
from typing import Final

from dpcore.errors import InputError
from dpcore.private.source.declared import NO_PERSON
from dpcore.private.source.forms import Layout
from dpcore.private.source.vocabulary import (
    HOUSEHOLDS,
    MAY_BE_PEOPLE,
    PERSON_NUMBERS,
    VEHICLES,
    may_be_of_people,
    normal_name,
)

MAX_SHOWN: Final = 30
"""A refusal shows no more names of columns."""


def possible_people(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that may be of people, as their names say, where none is known to be."""
    normal = [*map(normal_name, columns)]
    ridden = not VEHICLES.isdisjoint(normal)  # then a device is that of a vehicle
    return tuple(
        column
        for column, name in zip(columns, normal, strict=True)
        if name in MAY_BE_PEOPLE and not (ridden and name.startswith("device"))
    )


def columns_of_people(
    columns: Sequence[str], layout: Layout, uid: str | None, folders: Collection[str] = ()
) -> list[str]:
    """The columns of which an owner must say whether they tell people apart.

    Records are one trip by their person and trip id. Without a person, ids of trips may start again for each value of another column.
    With one, numbers of people may start again in each household. ``folders``: the columns whose values folders tell. Nobody reads a
    folder as a person, so without a person they are asked about in every layout.
    """
    if uid is not None:
        numbered = normal_name(uid) in PERSON_NUMBERS
        return [name for name in columns if numbered and normal_name(name) in HOUSEHOLDS]
    return [
        name
        for name in columns
        if (may_be_of_people(name) and (layout == "records" or name in folders))
        or (layout == "records" and normal_name(name) in VEHICLES)
    ]


def must_tell_people_apart(file: str, columns: Sequence[str], layout: Layout, uid: str | None) -> None:
    """Refuse columns by which two people, or their trips, may be taken for one; raises InputError."""
    unsaid = columns_of_people(columns, layout, uid)
    if not unsaid:
        return
    if uid is not None:
        raise InputError(
            "the numbers of people may start again in each household",
            f"{file}, columns {unsaid[0]} and {uid}",
            "Write one column that names a person, such as both joined by a hyphen, and name it: --column uid=NAME. If each number "
            f"is one person in all households, say so: --column {quote(f'{NO_PERSON}={unsaid[0]}')}.",
            options=(f"--column {NO_PERSON}",),
        )
    people = [column for column in unsaid if normal_name(column) not in VEHICLES]
    _must_be_no_people(
        "ids of trips may start again for each person, and a column may name people", file, people
    )
    raise InputError(
        "ids of trips may start again for each vehicle",
        f"{file}, column {unsaid[0]}",
        "Write ids that name vehicle and trip together. If no id stands for trips of two vehicles, say so: "
        f"--column {quote(f'{NO_PERSON}={unsaid[0]}')}.",
        options=(f"--column {NO_PERSON}",),
    )


def must_not_be_folders_of_people(file: str, folders: Collection[str]) -> None:
    """Refuse folders that may name people, where no column does and nobody says that they do not; raises InputError."""
    people = [name for name in folders if may_be_of_people(name)]
    _must_be_no_people("folders may name people", file, people, "=")


def _must_be_no_people(what: str, file: str, people: Sequence[str], mark: str = "") -> None:
    """Refuse columns that may be of people, if there are any; raises InputError. ``mark``: what stands behind the last name."""
    if people:
        uid = quote(f"uid={people[0]}") if len(people) == 1 else "uid=NAME"
        raise InputError(
            what,
            f"{file}: {', '.join(people[:MAX_SHOWN])}{mark}",
            f"Say which names the person: --column {uid}; or that none does: --column {quote(f'{NO_PERSON}={people[0]}')}. Then only single "
            "trips can be hidden.",
            options=(f"--column {NO_PERSON}",),
        )
