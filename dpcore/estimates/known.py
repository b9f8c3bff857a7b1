"""How much of a map of tiles is known: one definition for every page, file and receipt.

A tile is *known* if the likely range of its estimate reaches at most ``CERTAIN`` of the estimate to either side. *Of 100 visits*
weighs tiles by their estimates: a few busy tiles often hold most visits, and many quiet ones are never known. A tile whose range
holds 0 is nearly empty, or noise hides what it has; the range alone cannot tell which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.estimates.noisy import Numbers
from dpcore.estimates.result import Ranged
from dpcore.noise.expected_estimates import CERTAIN

_SHOWN: Final = 0.5  # what is less is shown as 0


@dataclass(frozen=True)
class Known:
    """How much of the tiles is known."""

    tiles: int
    known: int
    open: int
    """Tiles whose likely range holds 0: nearly empty, or hidden by noise."""
    visits: float | None
    """Share of the estimated visits that lies in known tiles, 0 to 1; None where nothing is estimated."""


def reach(shown: Ranged) -> Numbers:
    """How far each likely range reaches, to its farther side, as a share of the value.

    Infinite for values near none, NaN where no range is known.
    """
    far = np.maximum(shown.high - shown.values, shown.values - shown.low)
    known = far / np.maximum(shown.values, _SHOWN)
    found: Numbers = np.where((shown.values >= _SHOWN) | np.isnan(far), known, np.inf)
    return found


def known_tiles(tiles: Ranged) -> Known:
    """How much is known of some tiles; what lies outside all tiles must not be among them."""
    within, all_visits = reach(tiles) <= CERTAIN, float(tiles.values.sum())
    visits = float(tiles.values[within].sum()) / all_visits if all_visits >= _SHOWN else None
    return Known(len(tiles.values), int(within.sum()), int((tiles.low < _SHOWN).sum()), visits)


def known_words(found: Known) -> str:
    """How much is known, as a sentence.

    >>> known_words(Known(208, 31, 172, 0.923))
    'Of 100 visits, 92 lie in tiles known within 25 %: 31 of 208 tiles. 172 tiles are nearly empty or hidden by noise.'
    >>> known_words(Known(4, 0, 1, None))
    'No tile is known within 25 %. 1 tile is nearly empty or hidden by noise.'
    """
    within = f"known within {CERTAIN:.0%}".replace("%", " %")
    if found.known and found.visits is not None:
        said = (
            f"{visits_words(found.visits)} lie in tiles {within}: {found.known:,} of {found.tiles:,} tiles."
        )
    else:
        said = f"No tile is {within}."
    if not found.open:
        return said
    many = "1 tile is" if found.open == 1 else f"{found.open:,} tiles are"
    return f"{said} {many} nearly empty or hidden by noise."


def visits_words(share: float) -> str:
    """A share of the visits, never rounded to all or none.

    >>> visits_words(0.923), visits_words(0.9996), visits_words(1.0), visits_words(0.0004)
    ('Of 100 visits, 92', 'Of 100 visits, more than 99', 'Of 100 visits, all', 'Of 100 visits, fewer than 1')
    """
    rounded = f"{100 * share:.0f}"
    if share < 1 and rounded == "100":
        rounded = "more than 99"
    elif share > 0 and rounded == "0":
        rounded = "fewer than 1"
    return f"Of 100 visits, {'all' if share == 1 else rounded}"
