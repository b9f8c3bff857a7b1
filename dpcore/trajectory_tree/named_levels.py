"""The scale of privacy and the tiles that are on it, written short enough for one line of a ledger.

The tiles of a descriptor are sorted, and each is written as two digits (how many signs it begins with as the one before it
does) and the rest: neighbours in a grid share most of their id, so ten thousand tiles fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile
from typing import Final

from dpcore import limits
from dpcore.trajectory_tree.levels import MAX_DESCRIPTORS, Descriptor
from dpcore.written_choices import fraction_of, texts_of

_DIGITS: Final = 2
Named = tuple[tuple[str, str], ...]


def shortened(tiles: Iterable[str]) -> list[str]:
    """Sorted tile ids, each without what it shares with the one before it.

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
    """What was shortened; ValueError for what never was."""
    before, tiles = "", []
    for text in written:
        digits, rest = text[:_DIGITS], text[_DIGITS:]
        if len(digits) < _DIGITS or not (digits.isascii() and digits.isdigit()) or int(digits) > len(before):
            raise ValueError("no shortened tile id")
        before = before[: int(digits)] + rest
        if len(before) > limits.MAX_TILE_ID_CHARACTERS:
            raise ValueError("no tile id")
        tiles.append(before)
    return tiles


def named_terms(named: Named) -> dict[str, object]:
    """The tiles of each descriptor that has some; ``named`` is sorted by tile."""
    found: dict[str, list[str]] = {}
    for tile, name in named:
        found.setdefault(name, []).append(tile)
    return {name: shortened(tiles) for name, tiles in found.items()}


def named_of(terms: object) -> Named:
    """What ``named_terms`` wrote; TypeError or ValueError for anything else."""
    if not isinstance(terms, Mapping) or len(terms) > MAX_DESCRIPTORS:
        raise TypeError("levels")
    return tuple(
        (tile, name)
        for name, written in terms.items()
        for tile in lengthened(texts_of(written, limits.MAX_TILES + 1))
    )


def scale_terms(descriptors: Sequence[Descriptor]) -> list[object]:
    """Name and weight of each descriptor, least delicate first."""
    return [[one.name, str(one.weight)] for one in descriptors]


def scale_of(terms: object) -> tuple[Descriptor, ...]:
    """What ``scale_terms`` wrote; TypeError or ValueError for anything else."""
    if not isinstance(terms, list | tuple) or len(terms) > MAX_DESCRIPTORS:
        raise TypeError("descriptors")
    return tuple(_descriptor(*texts_of(one, 2)) for one in terms)


def _descriptor(name: str, weight: str) -> Descriptor:
    return Descriptor(name, Fraction(fraction_of(weight)))
