"""Privacy levels of tiles: a public judgement about places, made before anybody looks at data.

The levels are also stored in a compact form that fits into one line of a ledger. The tiles of a descriptor are sorted. Each is
stored as two digits (how many leading characters it shares with the tile before it) and the rest. Neighbours in a grid
share most of their id, so ten thousand tiles fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.exact_json import at_most, read_as
from dpcore.release.terms import fraction_of, texts_of
from dpcore.tiles.tile_ids import lengthened, shortened

Named = tuple[tuple[str, str], ...]
MAX_DESCRIPTORS: Final = 20
_SHOWN: Final = 40  # characters of an unknown name in an error


def shortened_name(name: str) -> str:
    """A name as an error quotes it: at most 40 characters."""
    return repr(name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "\N{HORIZONTAL ELLIPSIS}")


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A name for how delicate a visit is, and its weight."""

    name: str
    """As people read it, such as ``High``."""
    weight: Fraction
    """Above 0, at most 1. The budget of the level is epsilon over its weight."""


DESCRIPTORS: Final = (
    Descriptor("Public-ish", Fraction(1, 5)),
    Descriptor("Low", Fraction(2, 5)),
    Descriptor("Medium", Fraction(3, 5)),
    Descriptor("High", Fraction(4, 5)),
    Descriptor("Critical", Fraction(1)),
)
"""The default scale, least delicate first. The last one has weight 1, so its budget is epsilon."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The level of every tile, made by ``Levels.of``."""

    tiles: tuple[str, ...]
    """Ids of the tiles; their positions are the symbols of trajectories."""
    descriptors: tuple[Descriptor, ...]
    """The scale, level 1 first."""
    level: NDArray[np.int64]
    """Level of each tile, 1 to K, shape ``(tiles,)``."""

    def __post_init__(self) -> None:
        names = [descriptor.name for descriptor in self.descriptors]
        weights = [descriptor.weight for descriptor in self.descriptors]
        exact = all(isinstance(weight, Fraction) for weight in weights)
        if not 1 <= len(names) <= MAX_DESCRIPTORS or len(set(names)) < len(names):
            raise PrivacyError(
                "a scale of privacy needs descriptors with different names",
                "descriptors",
                f"Give 1 to {MAX_DESCRIPTORS}.",
            )
        if not exact or weights[0] <= 0 or weights[-1] != 1 or sorted(set(weights)) != weights:
            raise PrivacyError(
                "the weights of a scale of privacy must be exact, rise, and end with 1",
                "descriptors",
                "List them from the least delicate to Critical, each above 0, such as 1/5, 3/5, 1.",
            )
        if not self.tiles:
            raise InputError("there is no tile", "levels", "A trajectory needs a tessellation.")
        if self.level.shape != (len(self.tiles),) or not (
            1 <= int(self.level.min()) <= int(self.level.max()) <= len(names)
        ):
            raise ValueError("every tile needs one level, from 1 to the number of descriptors")

    @classmethod
    def of(
        cls,
        tiles: Sequence[str],
        named: Mapping[str, str],
        descriptors: Sequence[Descriptor] = DESCRIPTORS,
    ) -> Levels:
        """Levels from a mapping of tile ids to descriptor names; a tile that is not named is Critical.

        There may be no Critical tile. End markers are drawn at epsilon all the same, and accounts do not change. Raises
        InputError for an unknown tile, PrivacyError for an unknown descriptor or an invalid scale.
        """
        scale = tuple(descriptors)
        number = {descriptor.name: level for level, descriptor in enumerate(scale, 1)}
        place = {tile: at for at, tile in enumerate(tiles)}
        level = np.full(len(place), len(scale), np.int64)
        for tile, name in named.items():
            if tile not in place:
                raise InputError(
                    "a privacy level names a tile that does not exist",
                    f"tile {shortened_name(tile)}",
                    "Use the tile ids of the tessellation, or leave the line out.",
                )
            if name not in number:
                raise PrivacyError(
                    "unknown privacy level",
                    f"{shortened_name(name)} of tile {shortened_name(tile)}",
                    f"Choose one of: {', '.join(number)}.",
                )
            level[place[tile]] = number[name]
        return cls(tuple(place), scale, level)

    @property
    def lowest(self) -> int:
        """The lowest level that a tile has."""
        return int(self.level.min())

    @property
    def present(self) -> tuple[int, ...]:
        """The levels that occur, ascending."""
        return tuple(np.unique(self.level).tolist())

    @property
    def critical(self) -> int:
        """K, the number of the highest level."""
        return len(self.descriptors)


def named_terms(named: Named) -> dict[str, object]:
    """The tiles of each descriptor that occurs, in compact form; ``named`` is sorted by tile."""
    found: dict[str, list[str]] = {}
    for tile, name in named:
        found.setdefault(name, []).append(tile)
    return {name: shortened(tiles) for name, tiles in found.items()}


def named_of(terms: object) -> Named:
    """The pairs from what ``named_terms`` gave; TypeError or ValueError for anything else."""
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
    """The scale from what ``scale_terms`` gave; TypeError or ValueError for anything else."""
    pairs = read_as(Annotated[tuple[tuple[str, str], ...], at_most(MAX_DESCRIPTORS)], terms)
    return tuple(Descriptor(name, fraction_of(weight)) for name, weight in pairs)
