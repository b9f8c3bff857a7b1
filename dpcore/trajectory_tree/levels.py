"""Privacy levels of tiles: a public judgement about places, made before anybody looks at data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InputError, PrivacyError

MAX_DESCRIPTORS: Final = 20
_SHOWN: Final = 40  # signs of a name that nobody knows, in an error


def shortened_name(name: str) -> str:
    """A name as an error quotes it: at most 40 signs of it."""
    return repr(name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "\N{HORIZONTAL ELLIPSIS}")


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A word for how delicate a visit is, and its weight."""

    name: str
    """As people read it, such as ``High``."""
    weight: Fraction
    """More than 0, at most 1; its budget is epsilon over the weight."""


DESCRIPTORS: Final = (
    Descriptor("Public-ish", Fraction(1, 5)),
    Descriptor("Low", Fraction(2, 5)),
    Descriptor("Medium", Fraction(3, 5)),
    Descriptor("High", Fraction(4, 5)),
    Descriptor("Critical", Fraction(1)),
)
"""The default scale, least delicate first; the last one has weight 1 and the budget epsilon itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The level of every tile; make it with ``Levels.of`` or ``Levels.all_critical``."""

    tiles: tuple[str, ...]
    """Names of the tiles; their places here are the symbols of trajectories."""
    descriptors: tuple[Descriptor, ...]
    """The scale, level 1 first."""
    level: NDArray[np.int64]
    """Level of each tile, 1 to K, shape ``(tiles,)``."""

    def __post_init__(self) -> None:
        """Refuse a scale that does not rise to 1, no tiles, or levels off the scale."""
        names = [descriptor.name for descriptor in self.descriptors]
        weights = [descriptor.weight for descriptor in self.descriptors]
        exact = all(isinstance(weight, Fraction) for weight in weights)
        if not 1 <= len(names) <= MAX_DESCRIPTORS or len(set(names)) < len(names):
            raise PrivacyError(
                "a scale of privacy needs descriptors of different names",
                "descriptors",
                f"Give 1 to {MAX_DESCRIPTORS}.",
            )
        if not exact or weights[0] <= 0 or weights[-1] != 1 or sorted(set(weights)) != weights:
            raise PrivacyError(
                "the weights of a scale of privacy must be exact, rise, and end with 1",
                "descriptors",
                "List them from the least delicate to Critical, each more than 0, such as 1/5, 3/5, 1.",
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
        """Levels from tile names to descriptor names; a tile that is not named is Critical.

        No tile need be Critical: end markers are drawn at epsilon all the same, and accounts do not change.

        Raises:
            InputError: a tile that does not exist.
            PrivacyError: a descriptor that does not exist, or a scale without meaning.

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

    @classmethod
    def all_critical(cls, tiles: Sequence[str], descriptors: Sequence[Descriptor] = DESCRIPTORS) -> Levels:
        """Every tile Critical: plain differential privacy."""
        return cls.of(tiles, {}, descriptors)

    @property
    def lowest(self) -> int:
        """The lowest level that a tile has."""
        return int(self.level.min())

    @property
    def present(self) -> tuple[int, ...]:
        """The levels that some tile has, ascending."""
        return tuple(np.unique(self.level).tolist())

    @property
    def critical(self) -> int:
        """K, the number of the highest level."""
        return len(self.descriptors)
