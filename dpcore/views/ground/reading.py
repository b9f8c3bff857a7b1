"""How much of a measurement can be read: which cells stand out of the noise, its colours, its axes, and by how much it errs.

Colour breaks and ranges of axes are made from noisy values, those of the highest rung first: colours that followed the
slider would hide the noise, and a range made from true counts would leak them. Breaks are the same at every epsilon. An
axis holds what is drawn, and grows at a rung whose intervals need more room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import stands_out_from
from dpcore.noise.expected_estimates import CERTAIN
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release.release import Release
from dpcore.views.ground.plain import number, percent, plus_minus

Counts = NDArray[np.int64]


CLASSES: Final = 8
"""Colour classes of a map."""
BY_NOISE: Final = "noise alone could have made it"
"""What grey means on a map of released counts."""
RANGE_AS_WIDE: Final = "half of the likely range is as wide as the number"
"""What grey means on a map of estimates."""


_MOSTLY: Final = 0.85  # of the drawn visits


def _round_numbers() -> list[int]:
    """1, 2, 5, 10, 20, 50 and so on, up to 5e17."""
    return [digit * 10**power for power in range(18) for digit in (1, 2, 5)]


def colour_breaks(measurement: Measurement, readable_from: int | None = None) -> tuple[int, ...]:
    """Seven rising round numbers that part the noisy counts of the highest rung into eight classes.

    ``readable_from``: for a picture that shows counts from there on alone. Where most cells are noise their classes would
    be wasted; without one that can be read it is as usual.
    """
    finest = measurement.values[-1]
    if readable_from is not None and (finest >= readable_from).any():
        finest = finest[finest >= readable_from]
    return breaks_of_counts(finest)


def breaks_of_counts(finest: Counts) -> tuple[int, ...]:
    """Seven rising round numbers that part public counts of the highest rung into eight classes."""
    high = int(np.quantile(finest, 0.98)) if finest.size else 0
    below = [number for number in _round_numbers() if number <= max(high, 1)]
    wanted = CLASSES - 1
    start = max(0, len(below) - wanted)
    return tuple(_round_numbers()[start : start + wanted])


def breaks_of(measurement: Measurement) -> tuple[int, ...]:
    """The colour breaks of a measure on maps that draw nothing below what stands out at the highest rung; one for all rungs."""
    return colour_breaks(measurement, coloured_from(measurement, len(measurement.rungs) - 1))


def class_words(edges: Sequence[int]) -> list[str]:
    """The classes between some edges in words, such as ``10 to 19``, the lowest first."""
    between = [
        f"{number(low)} to {number(high - 1)}" if high - low > 1 else number(low)
        for low, high in pairwise(edges)
    ]
    return [f"under {number(edges[0])}", *between, f"{number(edges[-1])} or more"]


def few_below(breaks: Sequence[int]) -> int:
    """What is few on a map of these colours: its second break, a fortieth or so of its busiest tiles if they have 100 or more.

    A count whose 95 % range ends below it is known to be small, though noise could have made it
    (``ladder_colours.js`` has the same rule).
    """
    return breaks[1]


def difference_breaks(breaks: tuple[int, ...]) -> tuple[int, ...]:
    """Three rising sizes of a difference, from the breaks of the counts themselves."""
    return breaks[1], breaks[3], breaks[5]


def round_up(wanted: int) -> int:
    """The smallest number of two digits and zeros that is no smaller, and at least 1."""
    step = 10 ** max(0, len(str(wanted)) - 2)
    return int(max(1, -(-wanted // step) * step))


def trusted_from(measurement: Measurement, rung: int) -> int:
    """Smallest noisy count that stands out of the noise at a rung.

    Chosen so that among all cells of the table about one empty one reaches it by chance. A sparse
    measurement never trusts less than its publishing threshold.
    """
    return stands_out_from(measurement.rho(rung), measurement.keys.size, measurement.threshold)


def coloured_from(measurement: Measurement, rung: int) -> int:
    """Smallest noisy count that a map draws in a colour at a rung: it stands out of the noise, and is at least 1."""
    return max(1, trusted_from(measurement, rung))


def trusted(measurement: Measurement, rung: int) -> NDArray[np.bool_]:
    """Which listed cells stand out of the noise at a rung."""
    return np.asarray(measurement.values[rung] >= trusted_from(measurement, rung))


def drawn_is_nearer(visits: Measurement, rung: int) -> bool:
    """Whether pages open on drawn values and not on estimates: a public rule of noise against size.

    It holds where no trip is left out, and ``_MOSTLY`` of the drawn visits lie in tiles whose noise reaches at most ``CERTAIN`` of
    their count. There a typical tile with visits was off by no more than its estimate (bikes, check-ins, taxis and the built-in
    city, by trip, epsilon 0.1 to 2). Where most tiles are empty it was off by a third less: estimates draw small counts towards these.
    """
    if visits.bound.unit is not PrivacyUnit.TRIP:
        return False
    counts = np.maximum(
        visits.values[rung][visits.cell_numbers % visits.keys.shape[-1] != visits.keys.shape[-1] - 1], 0
    )
    known = counts[visits.half_widths[rung] <= CERTAIN * counts]
    return bool(counts.any() and known.sum() >= _MOSTLY * counts.sum())


def few_or_none(visits: Measurement, rung: int, few: int) -> NDArray[np.bool_]:
    """Which listed cells are known to be empty or nearly so: they do not stand out, and their 95 % range ends below ``few``.

    Noise wider than ``few`` tells no such thing, however far below zero it drew a count.
    ``few``: what is few on the map (``few_below``). What neither stands out nor is few is drowned by noise.
    """
    half = visits.half_widths[rung]
    return np.asarray(~trusted(visits, rung) & (visits.values[rung] + half < few) & (half < few))


def touches_a_tile(keys: KeySet, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which cells of flows, of any time window, have an end that is not outside: from outside to outside is no flow of the map."""
    pairs = keys.shape[-1] ** 2
    return np.asarray(cells % pairs != pairs - 1)


def trusted_flows(flows: Measurement, rung: int) -> NDArray[np.bool_]:
    """Which listed flows stand out of the noise and touch a tile."""
    return np.asarray(trusted(flows, rung) & touches_a_tile(flows.keys, flows.cell_numbers))


@dataclass(frozen=True)
class SeriesError:
    """How wrong a whole view is at a rung, beside the truth (owner pages only)."""

    noise: int
    """95 % half width of one cell's noise."""
    typical: float
    """Median absolute error of a cell."""
    worst: int
    """Largest absolute error of a cell."""


def series_error(
    measurement: Measurement, rung: int, truth: Counts, of: NDArray[np.bool_] | None = None
) -> SeriesError:
    """Errors of the listed cells (or of some of them) at a rung, noise and bounding together."""
    cells = slice(None) if of is None else of
    wrong = np.abs(measurement.values[rung] - truth)[cells]
    return SeriesError(
        noise=measurement.half_widths[rung],
        typical=float(np.median(wrong)) if wrong.size else 0.0,
        worst=int(wrong.max(initial=0)),
    )


def accuracy_table(release: Release, rung: int) -> dict[str, list[str]]:
    """The noise of each measure at a rung and what can be read of it, as columns."""
    rows = []
    for name, measurement in release.measurements.items():
        cells, seen = len(measurement.cell_numbers), int(trusted(measurement, rung).sum())
        rows.append(
            (
                release.plan.measure(name).title,
                plus_minus(measurement.half_widths[rung], measurement.counts),
                f"{number(trusted_from(measurement, rung))} or more",
                f"{seen:,} of {cells:,}",
                percent(float(release.plan.share(name))),
                f"{float(measurement.epsilon(rung)):.3g}",
                f"{measurement.sensitivity:,}",
            )
        )
    names = (
        "measure",
        "noise of one count (95 %)",
        "can be read from",
        "counts that can be read",
        "share of ε",
        "ε of its own",
        "sensitivity",
    )
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def ladder_table(release: Release) -> dict[str, list[str]]:
    """The noise of one count of each measure at every rung, as columns."""
    columns = {"ε": [decimal_text(rung) for rung in release.plan.rungs]}
    for name, measurement in release.measurements.items():
        columns[release.plan.measure(name).title] = [plus_minus(wide) for wide in measurement.half_widths]
    return columns
