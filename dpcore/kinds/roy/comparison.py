"""What can be compared of synthetic trips: the measures whose cells count the same as in a release of tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dpcore.comparison.tables import VISITS_OF_A_TRIP, Side, side_of_tables
from dpcore.kinds.roy.figure import trip_tables
from dpcore.kinds.roy.kind import trips_of
from dpcore.measures.keys import OUTSIDE
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import AnyRelease

_NOTE: Final = (
    "Synthetic trips are drawn from noisy tables; none is that of a real person. They have both ends, within the tiles and the dates, and "
    "take a minute to a day, while a release of tables may count other trips too. Their distances are not compared: they are those "
    "between tiles. No range is known: noise may have made any difference."
)
_BETWEEN_TILES: Final = "jump_length"
_LACKS: Final = frozenset({OUTSIDE, "before", "after"})


def side(release: AnyRelease, name: str) -> Side:
    """Visits, flows, arrivals, dates, weekdays, hours and durations of its trips, which are drawn again from their public seed."""
    counted = trip_tables(trips_of(release), release.drawn.tables.plan.domain)
    found = side_of_tables(
        f"{name} (synthetic)", {one: table for one, table in counted.items() if one != _BETWEEN_TILES}
    )
    meaning = {VISITS: {VISITS_OF_A_TRIP: "its two ends"}}
    tables = {
        one: replace(table, lacks=_LACKS, ranged=False, meaning=meaning.get(one, {}))
        for one, table in found.tables.items()
    }
    return replace(found, tables=tables, notes=(_NOTE,))
