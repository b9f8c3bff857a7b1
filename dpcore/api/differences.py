"""What means something else here than in DpMobilityReport, analysis by analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

_COUNTS: Final = (
    "Tables hold noisy counts, below zero too. Shares and totals are derived from them, with an interval; clamping at 0 "
    "first would lift every total."
)
_QUANTILES: Final = (
    "No smallest and no largest value is given out. Five-number summaries, 5 to 95 of 100, are read off the released bins "
    "with their intervals, for nothing: dpcore.table(release, 'five_numbers'). A plan can buy finer ones (five_numbers)."
)
_BINS: Final = (
    "Bins begin and end at public edges. What lies beyond them is counted in the first or last bin."
)
_ONE_TILE: Final = (
    "A point on a border belongs to exactly one tile; it was counted in each tile that it touches. What lies in no tile "
    "is counted under the key outside, in the same table."
)
_ALL_TRIPS: Final = (
    "People are placed by all of their trips, each in one bin, whatever max_trips_per_user; it was by the sampled trips. "
    "At trip level one trip can move a person from one bin to another, so twice the noise is needed."
)

_BY_ANALYSIS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "ds_statistics": (
            "ds_statistics shares one noise among all of its numbers. Different places (n_locations) are not counted.",
        ),
        "missing_values": (
            (
                "missing_values are counted before any record is left out; they were counted after. Records without uid or "
                "tid are refused, or left out with drop_bad."
            ),
        ),
        "trips_over_time": (
            (
                "trips_over_time covers the dates that you name; other days are counted as before and after. It was from "
                "a noisy first to a noisy last date of the data."
            ),
        ),
        "trips_per_weekday": (),
        "trips_per_hour": (
            "trips_per_hour counts starts and ends, so it gets noise for two points of a trip; it had half of that.",
        ),
        "visits_per_tile": (_ONE_TILE, "A ranking has exactly n tiles, and ties go by the id of the tile."),
        "visits_per_time_tile": (
            _ONE_TILE,
            "visits_per_time_tile has all tiles, windows and both day types; windows that did not occur were left out.",
        ),
        "od_flows": (
            _ONE_TILE,
            (
                "od_flows: of very many pairs, those are left out that are noisy below a stated threshold; it was all pairs "
                "at 0 or less after the noise."
            ),
        ),
        "travel_time": (_BINS, _QUANTILES, "travel_time is the whole duration; 25 hours were taken for one."),
        "jump_length": (_BINS, _QUANTILES),
        "trips_per_user": (_BINS, _QUANTILES, _ALL_TRIPS),
        "user_time_delta": (
            _BINS,
            _QUANTILES,
            (
                "user_time_delta is the time between neighbouring trips among all trips of a person; it was among the "
                "sampled ones, which lie further apart. At trip level it needs three times the noise of a trip."
            ),
        ),
        "radius_of_gyration": (_BINS, _QUANTILES, _ALL_TRIPS),
        "user_tile_count": (_BINS, _QUANTILES, _ALL_TRIPS),
        "mobility_entropy": (_BINS, _QUANTILES, _ALL_TRIPS),
    }
)

USER_LEVEL: Final = (
    "Which trips of a person count is decided by a secret key and that person's own trips. It is the same at every run "
    "on this computer, and no seed is needed."
)
MORE_TRIPS_IGNORED: Final = "max_trips_per_user is ignored at trip level: all trips count there."
NO_DATES: Final = (
    "trips_over_time is left out, and its budget goes to the others: its dates must be public. Name them with period to "
    "have it."
)


def notes_on(analyses: Sequence[str]) -> tuple[str, ...]:
    """What differs in meaning for some analyses, each fact once."""
    found = [_COUNTS, *(note for name in analyses for note in _BY_ANALYSIS[name])]
    return tuple(dict.fromkeys(found))
