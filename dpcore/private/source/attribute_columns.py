"""Which column holds each declared attribute: the one that the owner names, or else the one whose name tells it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from dpcore.errors import InputError
from dpcore.measures.attribute import MISSING, OTHER, RESERVED, Attribute, distinct
from dpcore.private.source.attributes import Kept
from dpcore.private.source.extras import ROLE
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.vocabulary import ATTRIBUTES, NAMES, attributes_in, normal_name

_LONGEST: Final = 28
"""Letters of a name that is made of that of a column; so there is room for more."""


def columns_apart(
    mapping: Mapping[str, str], attributes: Sequence[Attribute]
) -> tuple[dict[str, str], dict[str, str]]:
    """What an owner said of columns: those of roles, as ``inspect`` takes them, and those of declared attributes."""
    declared = {one.name for one in attributes}
    roles = {role: column for role, column in mapping.items() if role not in declared}
    return roles, {name: column for name, column in mapping.items() if name in declared}


def recognised_attributes(columns: Sequence[str], taken: Collection[str] = ()) -> dict[str, str]:
    """Attribute -> its column, by the names of the columns alone, without those that are taken."""
    normal = [*map(normal_name, columns)]
    found = attributes_in(normal, {at for at, column in enumerate(columns) if column in taken})
    return {name: columns[at] for name, at in found.items()}


def attribute_names(columns: Sequence[str]) -> dict[str, str]:
    """Column -> the name of the attribute that it may hold: that of ``vocabulary.ATTRIBUTES``, or one made of its own name.

    No two columns have one name, and none is taken by a role or by tables.
    """
    named = {column: name for name, column in recognised_attributes(columns).items()}
    taken = {*RESERVED, OTHER, MISSING, *NAMES, *ATTRIBUTES}
    for column in columns:
        if column in named:
            continue
        plain = re.sub(r"[^a-z0-9]+", "_", column.casefold()).strip("_")[:_LONGEST]
        own = f"column_{plain}".rstrip("_")
        tried = (plain, own, *(f"{own}_{number}" for number in range(2, len(columns) + 3)))
        named[column] = next(one for one in tried if one[:1].isalpha() and one not in taken)
        taken.add(named[column])
    return named


def with_attributes(
    file: str, seen: Inspection, attributes: Sequence[Attribute], columns: Mapping[str, str]
) -> Inspection:
    """The inspection of a file that keeps some attributes of its trips.

    Args:
        file: its name, for messages.
        seen: what its header says.
        attributes: declared by the owner.
        columns: name of an attribute -> column, where the owner said it. Otherwise a column is found by the name of the attribute,
            or by the names that the field has for it (``vocabulary.ATTRIBUTES``).

    Raises:
        InputError: no column or several for an attribute, a column that has a role already, or points that a rule cuts.

    """
    if not attributes:
        return seen
    if seen.layout == "points":
        raise InputError(
            "attributes are not kept of points without trip ids",
            f"{file}, form {seen.form}",
            "Leave --attribute out, or name the column of the trip id, with --column tid=NAME.",
            options=("--attribute", "--column"),
        )
    taken = {column for role, column in seen.needed.items() if not role.startswith(ROLE)}
    found: list[Kept] = []
    for one in distinct(attributes):
        if one.name in NAMES:
            raise InputError(
                "a role is no attribute",
                f"--attribute {one.name}",
                f"Call it otherwise, such as my_{one.name}.",
            )
        column = _column(file, seen, one.name, columns.get(one.name))
        if column in taken:
            raise InputError(
                "one column for a role and an attribute, or for two attributes",
                f"{file}, column {column}",
                f"Name another column: --column {one.name}=NAME.",
                options=("--column",),
            )
        taken.add(column)
        found.append(Kept(one, column))
    return replace(seen, kept=tuple(found))


def _column(file: str, seen: Inspection, name: str, said: str | None) -> str:
    """The column of an attribute, as the header writes it."""
    names = (said,) if said is not None else (name, *ATTRIBUTES.get(name, ()))
    normal = [normal_name(column) for column in seen.columns]
    first = next((one for one in map(normal_name, names) if one in normal), None)
    if first is None:
        raise InputError(
            f"no column holds the attribute {name}" if said is None else "unknown column",
            file if said is None else f"{file}, {said!r}",
            f"Name its column: --column {name}=NAME.",
            options=("--column",),
        )
    if normal.count(first) > 1:
        raise InputError(
            "two columns have the same name",
            f"{file}, column {seen.columns[normal.index(first)]}",
            "Keep one.",
        )
    return seen.columns[normal.index(first)]
