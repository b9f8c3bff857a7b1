"""The loop that finds who visits all tiles of a set, compiled by numba."""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np


def _stays_off(symbols: Any, row: Any, tile: Any) -> bool:  # noqa: ANN401 -- plain arrays, compiled by numba
    for place in range(symbols.shape[1]):  # noqa: SIM110 -- numba compiles a loop, not a generator in `all`
        if symbols[row, place] == tile:
            return False
    return True


_off: Final = nb.njit(nogil=True, cache=True)(_stays_off)


def _visit_loop(visitors: Any, path: Any, flat: Any, *rest: Any) -> None:  # noqa: ANN401 -- as above
    """For each set, take the visitors of its rarest tile and add up those that visit all other tiles too."""
    starts, symbols, weight, out = rest
    for query in range(len(starts) - 1):
        tiles = flat[starts[query] : starts[query + 1]]
        if len(tiles) == 0:
            continue
        rare = tiles[np.argmin(visitors[tiles + 1] - visitors[tiles])]
        total = 0.0
        for row in path[visitors[rare] : visitors[rare + 1]]:
            every = True
            for tile in tiles:
                if _off(symbols, row, tile):
                    every = False
                    break
            if every:
                total += weight[row]
        out[query] = total


visit: Final = nb.njit(nogil=True, cache=True)(_visit_loop)
