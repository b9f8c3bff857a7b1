"""The open ends of a growing tree, whose children come next; their budgets are indexes (``budgets``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """The kept tiles of one depth, whose children come next; in the order of the tree."""

    node: Integers
    """Their rows."""
    state: Integers
    """Their budgets."""

    def __len__(self) -> int:
        """How many."""
        return len(self.node)


@dataclass(frozen=True, slots=True, eq=False)
class Siblings:
    """New nodes below a frontier, in no order yet."""

    parent: Integers
    """Place of the parent in the frontier."""
    symbol: Integers
    """Tile or end marker."""
    units: Integers
    """Drawn rate."""
    y: Integers
    """Noisy count."""
    state: Integers
    """Budget; of an end marker that of its parent, whose level it shares."""

    def __len__(self) -> int:
        """How many."""
        return len(self.parent)

    def largest(self, most: int) -> Siblings:
        """At most so many, those with the largest noisy counts; of equal ones the first by parent and symbol.

        A function of noisy counts and public names alone: neither the order of the columns nor who is real plays a part.
        """
        if len(self) <= most:
            return self
        order = np.lexsort((self.symbol, self.parent, -self.y))[:most]
        return Siblings(
            self.parent[order], self.symbol[order], self.units[order], self.y[order], self.state[order]
        )

    @classmethod
    def joined(cls, *parts: Siblings) -> Siblings:
        """All of them, by parent and symbol: an order that does not tell who is real."""
        parent, symbol = (
            np.concatenate(column)
            for column in ([part.parent for part in parts], [part.symbol for part in parts])
        )
        order = np.lexsort((symbol, parent))
        return cls(
            parent[order],
            symbol[order],
            np.concatenate([part.units for part in parts])[order],
            np.concatenate([part.y for part in parts])[order],
            np.concatenate([part.state for part in parts])[order],
        )
