"""What a reader is shown of one table at one stop: drawn counts with the range of their noise, or estimates with likely ranges.

Rankings, tables and charts take a ``Shown`` and need not know which of the two it is: what differs on purpose, it says itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Estimated, Estimates, Ranged
from dpcore.estimates.known import are_known
from dpcore.estimates.words import LIKELY, likely
from dpcore.estimates.words import rounded as likely_rounded
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.views.ground import plain
from dpcore.views.ground.plain import number, rounded
from dpcore.views.ground.reading import coloured_from, round_up

ALL: Final = "all trips"
COUNTED: Final = "the trips that count"
NOISE: Final = "noise"
_Cells = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Shown:
    """The numbers of one table at one stop, each with its range."""

    measure: str
    unit: str
    """What one unit of a cell is, such as ``visits``."""
    keys: KeySet
    cells: _Cells
    """The number of each cell that is listed."""
    numbers: Ranged
    about: str
    """Which trips they are about."""
    note: str
    """What the ranges are: ``NOISE`` or ``LIKELY``."""
    coloured_from: int = 0
    """Smallest drawn count that stands out of the noise; 0 for estimates."""
    rate: Fraction | None = None
    """Rate of the noise of drawn counts; None for estimates."""
    finest: Ranged | None = None
    """Drawn counts at the highest rung, for which an axis has room at every rung; None for estimates."""
    epsilon: Fraction | None = None
    """Total epsilon of the rung of drawn counts; None for estimates."""
    released: Shown | None = None
    """Of estimates, the drawn counts of the same table; None where it was not released."""

    @property
    def head(self) -> str:
        """The head of their column in a table."""
        return f"{self.unit} (95 %)" if self.is_drawn else f"estimate, {self.about}"

    @property
    def axis(self) -> str:
        """The title of their axis in a picture."""
        return self.unit if self.is_drawn else f"{self.unit}, {self.about}"

    @property
    def in_words(self) -> str:
        """What the numbers and their ranges are, for who does not see the picture."""
        if self.is_drawn:
            return f"{self.unit} with their 95 % intervals"
        known = len(self.cells) > 0 and bool(np.isfinite(self.numbers.high).all())
        ranges = "with their likely ranges" if known else "without ranges, which are not known"
        return f"estimated {self.unit} of {self.about}, {ranges}"

    @property
    def is_drawn(self) -> bool:
        """Whether they are drawn counts, and no estimates."""
        return self.note == NOISE

    @property
    def kind(self) -> str:
        """What they are, before their unit."""
        return "noisy" if self.is_drawn else "estimated"

    @property
    def readable(self) -> NDArray[np.bool_]:
        """Which stand out of the noise; of estimates those whose likely range is not as wide to each side, or not known."""
        if self.is_drawn:
            return np.asarray(self.numbers.values >= self.coloured_from)
        return np.asarray(~(self.numbers.high - self.numbers.low >= 2 * self.numbers.values))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which are known: drawn counts that stand out of the noise, and estimates by the one rule of ``dpcore.estimates.known``."""
        return self.readable if self.is_drawn else are_known(self.numbers)

    @property
    def whose(self) -> str:
        """What one unit counts: of estimates also which trips they are about, unless they count trips."""
        return self.unit if self.is_drawn else counted_of(self.unit, self.about)

    def guessed(self, numbers: Ranged, about: str) -> Shown:
        """Estimates of the same cells, beside these drawn counts."""
        return replace(self, numbers=numbers, about=about, note=LIKELY, rate=None, finest=None, released=self)

    def at(self, positions: _Cells) -> Shown:
        """Some of the numbers, in this order."""
        finest = None if self.finest is None else self.finest.at(positions)
        return replace(self, cells=self.cells[positions], numbers=self.numbers.at(positions), finest=finest)

    def of(self, cells: _Cells) -> Shown:
        """Some cells, in this order; one that is not listed is none, and nothing tells a range of it."""
        found = Ranged.without_range(np.zeros(len(cells)))
        place = np.searchsorted(self.cells, cells)
        listed = place < len(self.cells)
        listed[listed] = self.cells[place[listed]] == cells[listed]
        place = place[listed]
        for column, numbers in zip(found.columns, self.numbers.columns, strict=True):
            column[listed] = numbers[place]
        return replace(self, cells=cells, numbers=found, finest=None)

    def part(self, keys: KeySet, number: int) -> Shown:
        """One part of a split table, as ``Measurement.part`` has it."""
        begin, end = np.searchsorted(self.cells, (number * keys.size, (number + 1) * keys.size)).tolist()
        found, released = self.at(np.arange(begin, end)), self.released
        cells = found.cells - number * keys.size
        return replace(found, keys=keys, cells=cells, released=released and released.part(keys, number))

    def largest(self, part: _Cells, most: int) -> _Cells:
        """The positions of the largest of some numbers, largest first."""
        return np.asarray(part[np.argsort(-self.numbers.values[part], kind="stable")[:most]], np.int64)

    def first(self, part: _Cells, most: int) -> _Cells:
        """The positions of the first of some numbers: what is known, then what is not, each the largest first."""
        order = np.lexsort((-self.numbers.values[part], ~self.known[part]))
        return np.asarray(part[order[:most]], np.int64)

    @property
    def half_width(self) -> int:
        """How far the range of a drawn count reaches to either side: the same for all of them."""
        return int((self.numbers.high - self.numbers.values).max(initial=0))

    def rounded(self, at: int) -> tuple[str, str, str]:
        """One number and its ends, with no more digits than its range allows; empty ends where no range is known."""
        value, low, high = self.numbers.cell(at)
        if not self.is_drawn:
            return likely_rounded(value, low, high)
        middle, *ends = (number(rounded(int(one), int(high - value))) for one in (value, low, high))
        return middle, ends[0], ends[1]

    def words(self, at: int) -> str:
        """One number with its range, as maps word it too."""
        if not self.is_drawn:
            return likely(*self.numbers.cell(at))
        middle, low, high = self.rounded(at)
        return f"about {middle} ({low} to {high})"

    def told(self, at: int, *, range_named: bool = True) -> str:
        """One number with its range, what it counts, and of which trips; ``range_named``: drawn counts also say what the range holds."""
        if not self.is_drawn:
            return likely(*self.numbers.cell(at), self.whose)
        middle, low, high = self.rounded(at)
        whose = f" of {self.about}" if self.about == COUNTED else ""
        return f"about {middle} {self.unit}{whose} ({plain.noise_range(low, high) if range_named else f'{low} to {high}'})"

    def pointed(self, at: int, unit: str = "", gap: str = "<br>") -> str:
        """What a pointer reads of one number: drawn counts as they were released. ``gap``: a break of the line."""
        cell, unit = self.numbers.cell(at), unit or self.unit
        return plain.about(*cell, unit, gap) if self.is_drawn else likely(*cell, unit)

    def exact(self, cells: _Cells) -> tuple[str, ...]:
        """The drawn counts of some cells as they were released, each with the range of its noise."""
        at = np.minimum(np.searchsorted(self.cells, cells), max(len(self.cells) - 1, 0))
        listed = self.cells[at] == cells if len(self.cells) else np.zeros(len(cells), bool)
        told = ([number(one) for one in self.numbers.cell(place)] for place in at[listed])
        words = iter(f"{value} ({low} to {high})" for value, low, high in told)
        return tuple(next(words) if one else "not listed" for one in listed)

    def limits(self, of: slice | _Cells = slice(None), truth: _Cells | None = None) -> tuple[int, int]:
        """The ends of an axis that holds some numbers with their ranges, and 0: of drawn counts those of the highest rung too.

        With ``truth`` (owner pages only) it makes room for the true values beside them.
        """
        here = self.numbers.at(of)
        if self.is_drawn:
            held = [here, *([] if self.finest is None else [self.finest.at(of)])]
            ends = [np.maximum(one.values, 1) + one.high - one.values for one in held]
        else:
            ends = [here.values, np.nan_to_num(here.high)]
        ends += [] if truth is None else [truth[of].astype(np.float64)]
        lowest = int(here.low.min(initial=0)) if self.is_drawn else 0
        top = round_up(int(np.ceil(max(end.max(initial=1) for end in ends))))
        return -round_up(-lowest) if lowest < 0 else 0, top


def released_numbers(measurement: Measurement, rung: int) -> Shown:
    """The noisy counts of a table."""
    here, finest = (
        Ranged(values, values - wide, values + wide)
        for values, wide in (
            (measurement.values[at].astype(np.float64), measurement.half_widths[at]) for at in (rung, -1)
        )
    )
    return Shown(
        measurement.measure,
        measurement.counts,
        measurement.keys,
        measurement.cell_numbers,
        here,
        ALL if measurement.bound.max_trips is None else COUNTED,
        NOISE,
        coloured_from(measurement, rung),
        measurement.rho(rung),
        finest,
        measurement.rungs[rung],
    )


def estimated_numbers(
    table: Estimated, released: Shown | None = None, *, all_trips: bool | None = None
) -> Shown:
    """The estimates of a table: for all trips wherever there are such, or as ``all_trips`` says."""
    every = table.all_trips is not None if all_trips is None else all_trips
    return Shown(
        table.measure,
        table.counts,
        table.keys,
        table.cell_numbers,
        table.of(every),
        ALL if every else COUNTED,
        LIKELY,
        released=released,
    )


def shown(
    measurements: Mapping[str, Measurement], measure: str, rung: int, estimates: Estimates | None = None
) -> Shown:
    """What is shown of a table of a release or a preview: its estimates, or what was drawn where none are given."""
    found = released_numbers(measurements[measure], rung) if measure in measurements else None
    if estimates is not None:
        return estimated_numbers(estimates.tables[measure], found)
    if found is None:
        raise KeyError(measure)
    return found


def ranged(table: Estimated) -> Ranged:
    """What is shown of a table: the estimate for all trips, or for those that count where there is no other."""
    return table.counted if table.all_trips is None else table.all_trips


def spoken_of(table: Estimated) -> str:
    """Which trips ``ranged`` is about."""
    return COUNTED if table.all_trips is None else ALL


def counted_of(counts: str, whose: str) -> str:
    """What a number counts and of which trips; trips are not said twice.

    >>> counted_of("visits", "all trips"), counted_of("trips", "all trips")
    ('visits of all trips', 'of all trips')
    """
    return f"of {whose}" if counts == "trips" else f"{counts} of {whose}"
