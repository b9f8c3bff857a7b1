"""What is known of a table: one definition for every page, file and receipt.

A tile or a flow is *known* if the likely range of its estimate reaches at most ``CERTAIN`` of the estimate to either side. *Of 100 visits*
weighs tiles by their estimates: a few busy tiles often hold most visits, and many quiet ones are never known. A tile whose range
holds 0 is nearly empty, or noise hides what it has; the range alone cannot tell which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates.noisy import Numbers
from dpcore.estimates.result import Estimated, Ranged
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


def are_known(shown: Ranged) -> NDArray[np.bool_]:
    """Which are known; never one without a range."""
    return np.asarray(reach(shown) <= CERTAIN)


def of_tiles(table: Estimated, shown: Ranged) -> Ranged:
    """The counts of a table over tiles without those of what lies outside all tiles: the last place, of each window or part."""
    places = table.keys.shape[-1]
    return Ranged(*(column.reshape(-1, places)[:, :-1].ravel() for column in shown.columns))


def known_tiles(tiles: Ranged) -> Known:
    """How much is known of some tiles; what lies outside all tiles must not be among them (``of_tiles``)."""
    within, all_visits = are_known(tiles), float(tiles.values.sum())
    visits = float(tiles.values[within].sum()) / all_visits if all_visits >= _SHOWN else None
    return Known(len(tiles.values), int(within.sum()), int((tiles.low < _SHOWN).sum()), visits)


def known_words(found: Known) -> str:
    """How much is known, as a sentence: the tiles add up to all of them.

    >>> known_words(Known(208, 31, 172, 0.923))
    'Of 100 visits, 92 lie in tiles known within 25 %: 31 of 208 tiles; 5 are known less well, 172 nearly empty or hidden by noise.'
    >>> known_words(Known(4, 0, 1, None))
    'No tile of 4 is known within 25 %; 3 are known less well, 1 nearly empty or hidden by noise.'
    """
    within = f"known within {CERTAIN:.0%}".replace("%", " %")
    roughly = max(found.tiles - found.known - found.open, 0)
    if found.known and found.visits is not None:
        said = f"Of 100 visits, {of_hundred(found.visits)} lie in tiles {within}: {found.known:,} of {found.tiles:,} tiles"
    else:
        said = f"No tile of {found.tiles:,} is {within}"
    rest = [(roughly, "known less well"), (found.open, "nearly empty or hidden by noise")]
    told = ", ".join(f"{many:,} {what}" for many, what in rest if many)
    verb = "is" if (roughly or found.open) == 1 else "are"
    return f"{said}; {told.replace(' ', f' {verb} ', 1)}." if told else f"{said}."


def of_hundred(share: float) -> str:
    """How many of 100 a share is, never rounded to all or none.

    >>> of_hundred(0.923), of_hundred(0.9996), of_hundred(1.0), of_hundred(0.0004)
    ('92', 'more than 99', 'all', 'fewer than 1')
    """
    rounded = f"{100 * share:.0f}"
    if share < 1 and rounded == "100":
        return "more than 99"
    if share > 0 and rounded == "0":
        return "fewer than 1"
    return "all" if share == 1 else rounded
