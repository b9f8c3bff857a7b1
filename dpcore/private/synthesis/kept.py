"""Trips, their tables and their pictures on this side of the wall: the public types, sealed.

What is worked out of synthetic trips is worked out of true ones by the same public formulas. What holds true trips, or
trips that nobody paid for, is of a type of this module instead: it shows no value, and nothing serialises it.
"""

from __future__ import annotations

from typing import Self

from dpcore.comparison import Side
from dpcore.private.sealed import Sealed
from dpcore.synthesis.domain import TripColumns
from dpcore.synthesis.figure import Figure


class PrivateColumns(Sealed, TripColumns):
    """Trips that may not leave; some of them are such trips again."""

    @classmethod
    def of(cls, trips: TripColumns) -> Self:
        """The same columns, sealed."""
        return cls(**vars(trips))


class PrivateFigure(Sealed, Figure):
    """The tables of trips that may not leave."""

    @classmethod
    def of(cls, figure: Figure) -> Self:
        """The same tables, sealed."""
        return cls(**vars(figure))


class PrivateSide(Sealed, Side):
    """One side of a comparison that may not leave."""

    @classmethod
    def of(cls, side: Side) -> Self:
        """The same side, sealed."""
        return cls(**vars(side))
