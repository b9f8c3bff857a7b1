"""Public rules by which an id of a trip may mean a tile although it is written differently.

Spreadsheets drop zeros, numbers get a point, letters are composed or not, and publishers write an id behind a name. A rule gives
each id one written form. An id of a trip is that of a tile if both have the same form. So it depends on the ids of the tiles, which
are public, and on the one cell, and never on other cells. A rule that gives two tiles one form is not offered.

Nothing is matched unless the owner asks for it, and an id that a tile has is always that tile.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Final

from dpcore.errors import InputError

_BRACKETS: Final = re.compile(r".*\(\s*([^()]*[^()\s])\s*\)\s*", re.DOTALL)
_FRACTION: Final = re.compile(r"(.*[0-9])\.([0-9]+)", re.DOTALL)
_CELL: Final = re.compile(r"[0-9]{18,19}")
_H3_CELL: Final = 1
"""The mode of an H3 index that is a cell: its bits 59 to 62, of which bit 63 is always 0 (H3 4, Index Bit Layouts)."""


def _without_leading_zeros(text: str) -> str:
    rest = text.lstrip("0")
    return text if rest == text else rest if rest[:1].isalnum() else f"0{rest}"


def _without_trailing_zeros(text: str) -> str:
    parts = _FRACTION.fullmatch(text)
    return text if parts is None else f"{parts[1]}.{parts[2].rstrip('0')}".rstrip(".")


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _without_capitals(text: str) -> str:
    return _composed(_composed(text).casefold())


def _in_brackets(text: str) -> str:
    inside = _BRACKETS.fullmatch(text)
    return text if inside is None else inside[1]


def _as_cell(text: str) -> str:
    if not _CELL.fullmatch(text):
        return text
    index = int(text)
    return f"{index:x}" if index >> 59 == _H3_CELL else text


@dataclass(frozen=True)
class IdRule:
    """One rule."""

    about: str
    """How ids differ that it takes for one."""
    form: Callable[[str], str]
    """The form that it gives an id."""


RULES: Final[Mapping[str, IdRule]] = MappingProxyType(
    {
        "letters": IdRule("letters that are composed or decomposed", _composed),
        "capitals": IdRule("capital and small letters", _without_capitals),
        "leading-zeros": IdRule("zeros at the beginning", _without_leading_zeros),
        "decimals": IdRule("zeros after a decimal point, such as .0", _without_trailing_zeros),
        "brackets": IdRule("a name before the id, which stands in parentheses", _in_brackets),
        "cells": IdRule("H3 cells that are written as numbers", _as_cell),
    }
)
"""Rules by their names. Of several that are chosen, each is tried alone, in this order; then each two together."""
WAYS: Final = (*((name,) for name in RULES), *combinations(RULES, 2))
"""The rules by which one id may be found: a spreadsheet may take zeros away and add a point, so 007 becomes 7.0."""


def rules_of(tile_ids: Sequence[str]) -> tuple[str, ...]:
    """The rules that keep all these tiles apart."""
    return tuple(name for name in RULES if _by_form(tile_ids, name) is not None)


def read_rules(asked: str | Sequence[str]) -> tuple[str, ...]:
    """The rules of a text such as ``leading-zeros,decimals`` or of a list, in the order in which they are tried; raises InputError."""
    asked = [name.strip() for name in (asked.split(",") if isinstance(asked, str) else asked)]
    for name in asked:
        if name not in RULES:
            raise InputError.unknown("rule for ids", name, [*RULES])
    return tuple(name for name in RULES if name in asked)


class IdMatcher:
    """Finds the tile of an id that no tile has, by some rules.

    Raises InputError for rules that take two tiles for one.
    """

    def __init__(self, tile_ids: Sequence[str], rules: Sequence[str]) -> None:
        self._tiles: list[tuple[tuple[str, ...], Mapping[str, int]]] = []
        for name in rules:
            if _by_form(tile_ids, name) is None:
                raise InputError(
                    f"two tiles have ids that differ only by {RULES[name].about}",
                    f"--match-ids {name}",
                    "Leave this rule out (in a notebook: match_ids). With it, trips of one tile would count for the other.",
                    options=("--match-ids",),
                )
        for way in WAYS:
            tiles = _by_form(tile_ids, *way) if {*way} <= {*rules} else None
            if (
                tiles is not None
            ):  # two rules may be safe alone and yet make one id of two tiles: such a pair is not tried
                self._tiles.append((way, tiles))

    def tile(self, text: str) -> int:
        """The position of the tile; -1 if there is none."""
        return next((tiles[key] for way, tiles in self._tiles if (key := _form(text, way)) in tiles), -1)

    def found_by(self, text: str) -> tuple[tuple[str, ...], ...]:
        """The ways of ``WAYS`` that find a tile."""
        return tuple(way for way, tiles in self._tiles if _form(text, way) in tiles)


def _form(text: str, way: Sequence[str]) -> str:
    for name in reversed(way):  # brackets go before zeros, which go before letters
        text = RULES[name].form(text)
    return text


def _by_form(tile_ids: Sequence[str], *way: str) -> Mapping[str, int] | None:
    """Form -> position of the tile; None if two tiles have one form."""
    forms = {_form(tile, way): position for position, tile in enumerate(tile_ids)}
    return forms if len(forms) == len(tile_ids) else None
