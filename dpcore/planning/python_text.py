"""Values and calls as Python text, so that a plan can be shown as the code that makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from enum import Enum
from functools import singledispatch

from dpcore.measures.keys import Districts, Period
from dpcore.privacy import ContributionBound

_WIDTH = 88  # letters of a line


def call(name: str, *given: object, **named: object) -> str:
    """A call of the library with its arguments; of those by name, the ones that are None are left out.

    >>> call("dpcore.table", "release", epsilon="1", consistent=None)
    "dpcore.table('release', epsilon='1')"
    """
    said = [literal(value) for value in given]
    said += [f"{key}={literal(value)}" for key, value in named.items() if value is not None]
    flat = f"{name}({', '.join(said)})"
    if len(flat) <= _WIDTH:
        return flat
    inner = ",\n".join(said).replace("\n", "\n    ")
    return f"{name}(\n    {inner},\n)"


class Raw(str):
    """Text that is code already."""

    __slots__ = ()


@singledispatch
def literal(value: object) -> str:
    """A value as Python reads it, with the names of the library.

    >>> literal({"since": date(2024, 3, 4)})
    "{'since': date(2024, 3, 4)}"
    """
    return repr(value)


@literal.register
def _(value: Raw) -> str:
    return str(value)


@literal.register
def _(value: ContributionBound) -> str:
    trips = value.max_trips
    return (
        call("dpcore.ContributionBound.per_trip")
        if trips is None
        else f"dpcore.ContributionBound.per_user({trips})"
    )


@literal.register
def _(value: Period) -> str:
    return call("dpcore.Period", value.first, value.last)


@literal.register
def _(value: Districts) -> str:
    """Of ``tiles``: a halving, or the districts of the file."""
    tiles = Raw("tiles")
    return call("halved", tiles, len(value.names)) if value.by_halving else call("own_districts", tiles)


@literal.register
def _(value: Enum) -> str:
    return literal(value.value)


@literal.register
def _(value: date) -> str:
    return f"date({value.year}, {value.month}, {value.day})"


@literal.register(Mapping)
def _(value: Mapping[object, object]) -> str:
    return "{" + ", ".join(f"{literal(key)}: {literal(one)}" for key, one in value.items()) + "}"


@literal.register(AbstractSet)
def _(value: AbstractSet[object]) -> str:
    return "{" + ", ".join(sorted(map(literal, value))) + "}"


@literal.register(tuple)
@literal.register(list)
def _(value: Sequence[object]) -> str:
    return "[" + ", ".join(map(literal, value)) + "]"
