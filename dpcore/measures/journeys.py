"""Where trips start and end, from where to where, how long and how far: measures of the report's sections on places and flows.

Each counts trips, see ``measure``. What an incomplete trip counts as is said in ``overview``.
"""

from __future__ import annotations

from typing import Final

from dpcore.measures.bins import Bins, Grid
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import KeySet, plain_axis, tile_axis
from dpcore.measures.measure import Cells, Kind, Layout, Measure, Section, Value, histogram
from dpcore.measures.overview import BARS, DAY_TYPE, DAY_TYPES

ONE_TILE: Final = (
    "A point on a border belongs to exactly one tile; it was counted in each tile that it touches. What lies in no tile "
    "is counted under the key outside, in the same table."
)
OTHER_BINS: Final = (
    "Bins begin and end at public edges. What lies beyond them is counted in the first or last bin."
)
OTHER_QUANTILES: Final = (
    "No smallest and no largest value is given out. Five-number summaries, 5 to 95 of 100, are read off the released bins "
    "with their intervals, for nothing: dpcore.table(release, 'five_numbers'). A plan can buy finer ones (five_numbers)."
)
KILOMETRES: Final = Bins.at("0.5 1 2 3 4 5 7.5 10 15 20 30 50 100", 1_000)
"""Bins of distances, for an engine that counts metres."""
KILOMETRE_GRID: Final = Grid.of(KILOMETRES, "km", "0 0.1 10 0.2 20 0.5 50 1 100 5 200", lowest="0")
_MINUTES: Final = Bins.at("5 10 15 20 30 45 60 90 120 180 360 1440", 60_000_000)
_MINUTE_GRID: Final = Grid.of(_MINUTES, "minutes", "0 0.5 60 1 120 2 240 5 480 15 1440", lowest="0")


# A trip counts once for its start and its end each, and once for each of the first k - 2 tiles on its way: at most k
# counts, maybe of one cell. An incomplete trip has nothing on its way. With k = 2 both ends are left: the usual rule.
def visits_per_tile(choices: KeyChoices) -> Measure:
    """Visits by tile: both ends of a trip, and with a cap the tiles that it passes between them."""
    cap = choices.visits_cap or 2
    ends = (
        "SELECT start_tile AS tile, count(*) AS n FROM kept WHERE complete GROUP BY 1 "
        "UNION ALL SELECT end_tile AS tile, count(*) AS n FROM kept GROUP BY 1"
    )
    between = f" UNION ALL SELECT tile, count(*) AS n FROM kept_via WHERE place <= {cap - 2} GROUP BY 1"
    explanation = (
        "How often trips started or ended in each tile. Darker to lighter means few to many; a grey tile has a count "
        "that noise alone could have made, which does not say that nobody was there."
    )
    if choices.visits_cap is not None:
        explanation += f" Here the tiles that a trip passes between its ends count as well, at most {cap} visits of each trip."
    return Measure(
        name="visits_per_tile",
        title="Visits per tile",
        explanation=explanation,
        section=Section.PLACE,
        counts="visits",
        layout=Layout(Kind.TILES, ("tile_id",), "metres"),
        cells_per_trip=cap,
        keys=lambda tile_ids: KeySet((tile_axis("tile_id", tile_ids),)),
        sql=(
            "SELECT tile, CAST(sum(n) AS BIGINT) AS n "
            f"FROM ({ends}{between if cap > 2 else ''}) ends GROUP BY 1"
        ),
        weight=100,
        reads_via=cap > 2,
        spread=1.3,
        unevenness=2.3,
        readable="Readable tiles",
        differences=(ONE_TILE, "A ranking has exactly n tiles, and ties go by the id of the tile."),
    ).counted_by(Cells.VISITS, cap=cap)


def visits_per_time_tile(choices: KeyChoices) -> Measure:
    """Arrivals by day type, time window and tile.

    The day type is that of the hour itself: 00:30 on a Saturday is weekend, in the window that began on Friday.
    """
    return Measure(
        name="visits_per_time_tile",
        title="Arrivals per tile and time of day",
        explanation=(
            "Where trips ended in each part of the day, weekdays and weekends apart. All small maps share one colour scale, so "
            "they can be compared. The visits are spread over many more cells than on the map above, so more of them are grey."
        ),
        section=Section.PLACE,
        counts="visits",
        layout=Layout(Kind.TILES, ("day_type", "window", "tile_id"), "metres", ("day_type", "window")),
        cells_per_trip=1,  # a trip counts where and when it ends
        keys=lambda tile_ids: KeySet(
            (
                plain_axis("day_type", DAY_TYPES),
                plain_axis("window", _window_names(choices.windows)),
                tile_axis("tile_id", tile_ids),
            )
        ),
        sql=(
            f"SELECT {DAY_TYPE.format(hour='end_hour')} AS day_type, "
            f"{_window_number(choices.windows)} AS time_window, "
            "end_tile AS tile, count(*) AS n FROM kept GROUP BY 1, 2, 3"
        ),
        weight=100,
        spread=1.6,
        differences=(
            ONE_TILE,
            "visits_per_time_tile has all tiles, windows and both day types; windows that did not occur were left out.",
        ),
    ).counted_by(Cells.WINDOWS, windows=choices.windows)


def _window_names(starts: tuple[int, ...]) -> tuple[str, ...]:
    """Names of the time windows that begin at some hours, such as ``2-6``; the last one runs past midnight."""
    return tuple(f"{start}-{end}" for start, end in zip(starts, (*starts[1:], starts[0]), strict=True))


def _window_number(starts: tuple[int, ...]) -> str:
    """SQL for the number of the window of an end; the hours before the first start belong to the last window."""
    last = len(starts) - 1
    later = " ".join(f"WHEN end_hour % 24 < {start} THEN {number}" for number, start in enumerate(starts[1:]))
    return f"CASE WHEN end_hour % 24 < {starts[0]} THEN {last} {later} ELSE {last} END"


def od_flows(_: KeyChoices) -> Measure:
    """Complete trips by the tile of the start and the tile of the end."""
    return Measure(
        name="od_flows",
        title="Flows between tiles",
        explanation=(
            "How many trips went from one tile to another. There are far more pairs of tiles than trips, so noise alone "
            "makes flows out of nothing: trust those that stand out, and read the others as 'few or none'."
        ),
        section=Section.OD,
        counts="trips",
        layout=Layout(Kind.FLOWS, ("origin", "destination")),
        cells_per_trip=1,
        keys=lambda tile_ids: KeySet((tile_axis("origin", tile_ids), tile_axis("destination", tile_ids))),
        sql="SELECT start_tile, end_tile, count(*) AS n FROM kept WHERE complete GROUP BY 1, 2",
        weight=100,
        sparse=True,
        spread=2.1,
        unevenness=13.0,
        readable="Flows to trust",
        adds_to="complete_trips",
        differences=(
            ONE_TILE,
            (
                "od_flows: of very many pairs, those are left out that are noisy below a stated threshold; it was all pairs "
                "at 0 or less after the noise."
            ),
        ),
    ).counted_by(Cells.FLOWS)


def travel_time(choices: KeyChoices) -> Measure:
    """Minutes from start to end, whole days included: 25 hours are 1500 minutes."""
    bins = choices.bins("travel_time", _MINUTES)
    return Measure(
        name="travel_time",
        title="Travel time (minutes)",
        explanation=(
            "How long trips took from start to end, in minutes, days included. "
            f"{BARS} The last bin is open: whatever took longer is in it."
        ),
        section=Section.OD,
        counts="trips",
        layout=Layout.of_bins("minutes"),
        cells_per_trip=1,
        keys=lambda _: KeySet((bins.axis,)),
        sql=histogram(bins, "duration_us", "kept WHERE complete"),
        weight=26,
        whole=False,
        bins=bins,
        grid=_MINUTE_GRID,
        adds_to="complete_trips",
        differences=(
            OTHER_BINS,
            OTHER_QUANTILES,
            "travel_time is the whole duration; 25 hours were taken for one.",
        ),
    ).counted_by(Cells.BINS_OF_TRIPS, Value.DURATION)


def jump_length(choices: KeyChoices) -> Measure:
    """Great-circle kilometres from start to end."""
    bins = choices.bins("jump_length", KILOMETRES)
    return Measure(
        name="jump_length",
        title="Distance from start to end (km)",
        explanation=(
            "How far apart start and end of a trip lie, in kilometres as the crow flies. "
            f"{BARS} The last bin is open, so no single long trip shows."
        ),
        section=Section.OD,
        counts="trips",
        layout=Layout.of_bins("km"),
        cells_per_trip=1,
        keys=lambda _: KeySet((bins.axis,)),
        sql=histogram(bins, "jump_m", "kept WHERE complete"),
        weight=28,
        needs_points=True,
        whole=False,
        bins=bins,
        grid=KILOMETRE_GRID,
        fine_sql=_MICROMETRES,
        adds_to="complete_trips",
        differences=(OTHER_BINS, OTHER_QUANTILES),
    ).counted_by(Cells.BINS_OF_TRIPS, Value.JUMP)


# Millionths of a metre, from places in 1e-7 degrees; 12742017.6 is twice the mean radius of the earth.
_MICROMETRES: Final = (
    "SELECT CAST(round(12742017600000 * asin(sqrt(least(1.0, "
    "power(sin(radians((end_lat - start_lat) / 1e7) / 2), 2) + cos(radians(start_lat / 1e7)) * "
    "cos(radians(end_lat / 1e7)) * power(sin(radians((end_lng - start_lng) / 1e7) / 2), 2))))) AS BIGINT) AS value, "
    "count(*) AS n FROM trips WHERE complete GROUP BY 1"
)

ALL: Final = (visits_per_tile, visits_per_time_tile, od_flows, travel_time, jump_length)
"""In the order of the report."""
