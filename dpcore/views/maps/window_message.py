"""Several pictures of the same tiles as one message to the maps of a page, which go from one to another without the server.

They are the time windows of one stop. Compare sends its two sides in the same form.

The counts of a window are arrivals of the whole period: those of all weekdays (or weekends) added up. Colours are the same in all
windows and at every stop, so that pictures of two times can be compared. Equal input gives equal bytes. True counts are an
optional part, which only an owner's page has. Layout, in whole numbers as ``map_geometry.varints`` writes them::

    u32 length of the header, little-endian, the header as JSON
    released counts                                   windows x tiles
    estimates, then how far their ranges reach        windows x tiles each   (if the header has "estimate";
    below and above them                                                      no reach without its "ranged")
    true counts less the released ones                windows x tiles        (if the header has "truth")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Estimates, Ranged
from dpcore.estimates.words import ASSUMPTION
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.privacy import decimal_text
from dpcore.views.charts.plots import window_name
from dpcore.views.ground.reading import colour_breaks, difference_breaks, trusted_from
from dpcore.views.ground.shown import ranged, spoken_of
from dpcore.views.maps.map_geometry import packed_json, varints
from dpcore.views.numbers.area import ARRIVALS
from dpcore.views.numbers.estimated import doubtful, share_text

Counts = NDArray[np.int64]

VERSION: Final = 2
"""Raised when the layout changes; the browser refuses another one."""
COUNTS: Final = "arrivals"
"""What its counts are called on the map, where the whole period shows visits: both ends of trips."""


def windows_of(plan: Plan) -> tuple[str, ...]:
    """How an address names the windows of a plan, or of each part of it, in the order of the cells: ``weekday.6-10``; none without the measure."""
    if ARRIVALS not in plan.weights:
        return ()
    *_, day_types, windows, _ = (
        plan.measure(ARRIVALS).keys(()).axes
    )  # before them the parts, where tables are split
    return tuple(f"{day}.{window}" for day in day_types.inside for window in windows.inside)


def window_names(plan: Plan) -> tuple[str, ...]:
    """How people read the windows, in the order of the cells: day type and hours."""
    parted = (name.split(".") for name in windows_of(plan))
    return tuple(f"{day.capitalize()}s, {window_name(window)}" for day, window in parted)


def in_windows(values: NDArray[Any], arrivals: Measurement) -> NDArray[Any]:
    """Cells of the measure as an array of shape (windows, tiles), without those outside all tiles."""
    return values.reshape(-1, len(arrivals.keys.axes[-1].labels))[:, :-1]


@dataclass(frozen=True, eq=False)
class Pictures:
    """Counts of the same tiles, several times over, in one scale of colours."""

    names: Sequence[str]
    counts: str
    """What a number counts."""
    values: Counts
    """Shape (pictures, tiles); noisy ones may be negative."""
    half_widths: Sequence[int]
    """95 % half width of the noise of one tile, for each picture; of a share that of an empty tile."""
    grey_below: Sequence[int]
    """For each picture the smallest count that stands out of the noise."""
    breaks: Sequence[int]
    difference: int | None = None
    """95 % half width of the noise of a difference between two pictures; None if no law gives it."""
    growing: Sequence[float] = ()
    """For each picture how much the half width grows with the number: so it does of shares. Without any: 0, as of counts."""
    least: int | None = None
    """What no number can be without noise: 0 of shares. None of noisy counts, whose ranges are those of the noise."""

    def header(self, link: str, epsilon: str) -> dict[str, object]:
        """The header without estimates and truth. ``epsilon``: the stop of the maps at which the pictures are shown."""
        return {
            "version": VERSION,
            "names": list(self.names),
            "link": link,
            "epsilon": epsilon,
            "counts": self.counts,
            "count": self.values.shape[1],
            "half_widths": [int(wide) for wide in self.half_widths],
            "growing": [*self.growing] or [0] * len(self.names),
            "least": self.least,
            "difference": self.difference,
            "grey_below": [int(least) for least in self.grey_below],
            "breaks": [int(edge) for edge in self.breaks],
            "difference_breaks": [int(size) for size in difference_breaks(tuple(self.breaks))],
            "estimate": None,
            "truth": False,
        }

    def packed(self, link: str, epsilon: str) -> bytes:
        """The message of these pictures alone."""
        return packed_json(self.header(link, epsilon)) + varints(self.values)


def pack_windows(
    link: str,
    plan: Plan,
    arrivals: Measurement,
    estimates: Estimates,
    *,
    breaks: Sequence[int],
    truth: Counts | None = None,
) -> bytes:
    """The message of the stop that the estimates are of; of released counts alone where there are none.

    ``link``: the maps that listen to it; ``breaks``: colour breaks of the estimates, the same at every stop; ``truth``: true
    counts of the cells of ``arrivals`` (owner pages only).
    """
    rung, table = estimates.rung, estimates.tables.get(ARRIVALS)
    drawn = in_windows(arrivals.values[rung], arrivals)
    names = window_names(plan)
    pictures = Pictures(
        names,
        COUNTS,
        drawn,
        half_widths=[arrivals.half_widths[rung]] * len(names),
        grey_below=[trusted_from(arrivals, rung)] * len(names),
        breaks=colour_breaks(arrivals),
        # Of two windows: their noise is drawn apart, and that of a difference has the law of that of a sum.
        difference=half_width_of_sum(arrivals.rho(rung), 2),
    )
    header = pictures.header(link, decimal_text(arrivals.rungs[rung])) | {"truth": truth is not None}
    parts = [varints(drawn)]
    if table is not None:
        known = _of_tiles(ranged(table), arrivals)
        header["estimate"] = {
            "about": spoken_of(table),
            "share": share_text(estimates),
            "first": ASSUMPTION if doubtful(estimates) else "",
            "ranged": known.is_ranged,
            "breaks": [int(edge) for edge in breaks],
        }
        parts += _number_parts(known)
    if truth is not None:
        parts.append(varints(in_windows(truth, arrivals) - drawn))
    return b"".join([packed_json(header), *parts])


def _of_tiles(shown: Ranged, arrivals: Measurement) -> Ranged:
    return Ranged(*(in_windows(numbers, arrivals) for numbers in shown.columns))


def _number_parts(known: Ranged) -> list[bytes]:
    """Whole numbers; the ends of a range by their distance, which mostly takes one byte."""
    middle, low, high = (np.rint(numbers) for numbers in known.columns)
    if not known.is_ranged:
        return [varints(middle.astype(np.int64))]
    return [varints(numbers.astype(np.int64)) for numbers in (middle, middle - low, high - middle)]
