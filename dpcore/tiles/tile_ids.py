"""Ids of tiles as ledgers keep them, short, and ids that no tile may have."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import takewhile
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError

_DIGITS: Final = 2
"""Of how many characters are those of the id before."""


def shortened(tiles: Iterable[str]) -> list[str]:
    """Sorted tile ids in compact form: each without the leading characters that it shares with the one before.

    >>> shortened(["north 1", "north 12", "west"])
    ['00north 1', '072', '00west']
    """
    before, written = "", []
    for tile in tiles:
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, tile, strict=False)))
        written.append(f"{shared:0{_DIGITS}d}{tile[shared:]}")
        before = tile
    return written


def lengthened(written: Iterable[str]) -> list[str]:
    """The tile ids from what ``shortened`` gave; ValueError for anything else."""
    before, tiles = "", []
    for text in written:
        digits, rest = text[:_DIGITS], text[_DIGITS:]
        if len(digits) < _DIGITS or not (digits.isascii() and digits.isdigit()) or int(digits) > len(before):
            raise ValueError("not a shortened tile id")
        before = before[: int(digits)] + rest
        if len(before) > limits.MAX_TILE_ID_CHARACTERS:
            raise ValueError("not a tile id")
        tiles.append(before)
    return tiles


def must_not_be_a_place(category: str, names: Collection[str]) -> None:
    """Refuse tiles or stations if one has the name of a category; raises PrivacyError.

    Its trips would be mistaken for trips with an unknown place.
    """
    if category in names:
        raise PrivacyError(
            f"a place is called {category!r}, and so is the category of unknown places",
            "tiles",
            "Give that tile another id.",
        )
