"""Which parts of a release whose tables are split are looked at, and how an address names them.

A part is chosen by categories of each attribute. One category of each is one part, which is shown as a release of its own
(``release.one_part``). Any other choice holds several parts (``several_parts``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote, unquote

from dpcore.measures.attribute import Categories
from dpcore.measures.split import parts_of
from dpcore.release.one_part import split_tables, tables_of
from dpcore.release.release import Release

MOST_BESIDE: Final = 12
"""Parts that are drawn beside each other."""
PartChoice = tuple[tuple[str, str], ...]
"""Attributes with a chosen category, in the order of the plan. An attribute may stand several times, or with none: all of it."""


def text_of_choice(chosen: PartChoice) -> str:
    """How an address names chosen categories.

    >>> text_of_choice((("mode", "bus"), ("mode", "rail"))), text_of_choice((("mode", "a,b:c"),))
    ('mode:bus,mode:rail', 'mode:a%2Cb%3Ac')
    """
    return ",".join(f"{quote(name, safe='')}:{quote(label, safe=' ')}" for name, label in chosen)


def choice_of_text(text: str, splits: Sequence[Categories]) -> PartChoice | None:
    """The categories that an address names, in the order of the plan; None if it names one that there is not."""
    named = {tuple(unquote(one) for one in pair.split(":", 1)) for pair in text.split(",") if pair}
    there = [(one.name, label) for one in splits for label in one.labels]
    return tuple(pair for pair in there if pair in named) if named <= {*there} else None


def one_part(chosen: PartChoice, splits: Sequence[Categories]) -> dict[str, str] | None:
    """The part, where one category of each attribute is chosen; None where there are several parts."""
    return dict(chosen) if [name for name, _ in chosen] == [one.name for one in splits] else None


def numbers_of(chosen: PartChoice, splits: Sequence[Categories]) -> dict[int, str]:
    """Number and name of each part that a choice holds, in the order of ``parts_of``."""
    wanted = {
        one.name: {label for name, label in chosen if name == one.name} or {*one.labels} for one in splits
    }
    return {
        at: ", ".join(part.values())
        for at, part in enumerate(parts_of(splits))
        if all(label in wanted[name] for name, label in part.items())
    }


def largest(release: Release, parts: Mapping[int, str]) -> dict[int, str]:
    """The parts that are drawn beside each other: all, or those with the largest released sums at the finest rung.

    It is one choice for all pictures of a release: by its visits, else by its first split table.
    """
    if len(parts) <= MOST_BESIDE:
        return dict(parts)
    split = split_tables(release)
    tables = tables_of(release, "visits_per_tile" if "visits_per_tile" in split else split[0], parts)
    sizes = {at: int(table.values[-1].sum()) for at, table in tables.items()}
    kept = {*sorted(sizes, key=lambda at: -sizes[at])[:MOST_BESIDE]}
    return {at: name for at, name in parts.items() if at in kept}
