"""Trajectories written out one by one, end to end in one array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """Trajectory i is ``symbols[offsets[i]:offsets[i + 1]]``."""

    symbols: NDArray[np.int32]
    """Tile numbers."""
    offsets: NDArray[np.int64]
    """Shape ``(n + 1,)``."""
    ending: NDArray[np.int8]
    """An ``Ending`` each: complete, cut at the height, or with an unknown rest."""

    def __len__(self) -> int:
        """How many."""
        return len(self.ending)
