"""Structural similarity of two maps: whether they show the same picture, bright and dark in the same places.

The index of Wang, Bovik, Sheikh and Simoncelli (IEEE Transactions on Image Processing 13, 2004) on a raster of the
public tiles, each pixel as bright as the share of its tile. Their window and constants are kept: a Gaussian window of
1.5 tiles, ``C1 = (0.01 L)**2`` and ``C2 = (0.03 L)**2``, where L is the largest share of either map. Pixels without a
tile are no part of the picture: windows are averaged over what they hold of it. Image libraries cannot leave pixels
out, which is why these few lines are written here.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.similarity.geography import PIXELS_PER_TILE

Numbers = NDArray[np.float64]

_WINDOW: Final = 1.5 * PIXELS_PER_TILE  # pixels
_REACH: Final = 3.5  # windows end there, in their own width


def structural_similarity(p: Numbers, q: Numbers, raster: NDArray[np.int64]) -> float:
    """Mean structural similarity of two lists of shares of the tiles: 1 (the same picture) down to -1.

    ``raster``: number of the tile of each pixel, -1 where none is. 1 where no pixel lies in a tile.
    """
    inside = raster >= 0
    if not inside.any():
        return 1.0
    one, other = (np.where(inside, side[np.maximum(raster, 0)], 0.0) for side in (p, q))
    weight = _blurred(inside.astype(float))

    def window(picture: Numbers) -> Numbers:
        return _blurred(picture)[inside] / weight[inside]

    mean, mean_too = window(one), window(other)
    variance = np.maximum(window(one * one) - mean * mean, 0.0)
    variance_too = np.maximum(window(other * other) - mean_too * mean_too, 0.0)
    together = window(one * other) - mean * mean_too
    brightest = max(float(one.max()), float(other.max()))
    if not brightest:  # all that counts lies in tiles too small to be seen
        return 1.0
    level, contrast = (0.01 * brightest) ** 2, (0.03 * brightest) ** 2
    likeness = (2 * mean * mean_too + level) * (2 * together + contrast)
    most = (mean * mean + mean_too * mean_too + level) * (variance + variance_too + contrast)
    return float(np.clip(np.mean(likeness / most), -1.0, 1.0))


def _blurred(picture: Numbers) -> Numbers:
    from scipy import ndimage  # noqa: PLC0415 - slow to load, and few commands need it

    blurred: Numbers = ndimage.gaussian_filter(picture, _WINDOW, mode="constant", truncate=_REACH)
    return blurred
