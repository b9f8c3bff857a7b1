"""Which parts of a release whose tables are split are looked at, and how an address names them.

A part is chosen by categories of each attribute. One category of each is one part, which is shown as a release of its own
(``release.one_part``). Any other choice holds several parts (``several_parts``).
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote

from dpcore.measures.attribute import Categories
from dpcore.measures.split import parts_of

PartChoice = tuple[tuple[str, str], ...]
"""Attributes with a chosen category, in the order of the plan. An attribute may stand several times, or with none: all of it."""


def written(chosen: PartChoice) -> str:
    """How an address names chosen categories.

    >>> written((("mode", "bus"), ("mode", "rail"))), written((("mode", "a,b:c"),))
    ('mode:bus,mode:rail', 'mode:a%2Cb%3Ac')
    """
    return ",".join(f"{quote(name, safe='')}:{quote(label, safe=' ')}" for name, label in chosen)


def read(text: str, splits: Sequence[Categories]) -> PartChoice | None:
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
