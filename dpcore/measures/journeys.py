"""Where trips start and end, flows, travel time and distance: measures of the report's sections on places and flows.

Each counts trips (see ``measure``). ``overview`` says how an incomplete trip counts.
"""

from __future__ import annotations

from typing import Final

from dpcore.errors import PrivacyError
from dpcore.measures.bins import Bins, Grid
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts, KeySet, district_axis, plain_axis, tile_axis
from dpcore.measures.measure import NOWHERE, Cells, Kind, Layout, Measure, Section, Value, in_bins
from dpcore.measures.overview import BARS, DAY_TYPE, DAY_TYPES
from dpcore.measures.term import Term
from dpcore.privacy import PrivacyUnit

ONE_TILE: Final = (
    "A point on a border belongs to exactly one tile; DpMobilityReport counts it in each tile that it touches. Points in no "
    "tile are counted under the key outside, in the same table."
)
OTHER_BINS: Final = (
    "Bins begin and end at public edges. Values beyond them are counted in the first or the last bin."
)
OTHER_QUANTILES: Final = (
    "No minimum and no maximum is released. Five-number summaries (5 %, 25 %, 50 %, 75 % and 95 %) with intervals are read "
    "off the released bins at no cost: dpcore.table(release, 'five_numbers'). A plan can purchase finer ones (five_numbers)."
)
KILOMETRES: Final = Bins.at("0.5 1 2 3 4 5 7.5 10 15 20 30 50 100", 1_000)
"""Bins of distances, for an engine that counts metres."""
KILOMETRE_GRID: Final = Grid.of(KILOMETRES, "km", "0 0.1 10 0.2 20 0.5 50 1 100 5 200", lowest="0")
_MINUTES: Final = Bins.at("5 10 15 20 30 45 60 90 120 180 360 1440", 60_000_000)
_MINUTE_GRID: Final = Grid.of(_MINUTES, "minutes", "0 0.5 60 1 120 2 240 5 480 15 1440", lowest="0")


# A trip counts once for its start, once for its end, and once for each of the first k - 2 tiles on its way: at most k
# counts, possibly of one cell. An incomplete trip has no tiles on its way. k = 2 leaves both ends: the usual rule.
def visits_per_tile(choices: KeyChoices) -> Measure:
    """Visits by tile: both ends of a trip and, with a cap, the tiles that it passes between them."""
    cap = choices.visits_cap or 2
    terms = [
        Term("kept", (("tile", "start_tile"),), "complete"),
        Term("kept", (("tile", "end_tile"),)),
        *([Term("kept_via", (("tile", "tile"),), f"place <= {cap - 2}")] if cap > 2 else []),
    ]
    explanation = (
        "How often trips started or ended in each tile. Colours run from dark (few) to light (many). The count of a grey "
        "tile is so small that noise alone could have made it. That does not mean that nobody was there."
    )
    if choices.visits_cap is not None:
        explanation += f" Here the tiles between its ends count too, at most {cap} visits for each trip."
    return Measure(
        name="visits_per_tile",
        title="Visits per tile",
        explanation=explanation,
        section=Section.PLACE,
        counts="visits",
        layout=Layout(Kind.TILES, ("tile_id",), "metres"),
        cells_per_trip=cap,
        keys=lambda tile_ids: KeySet((tile_axis("tile_id", tile_ids),)),
        terms=tuple(terms),
        weight=320,
        weight_of_trips=230,
        reads_via=cap > 2,
        spread=1.3,
        unevenness=2.3,
        readable="Readable tiles",
        differences=(ONE_TILE, "A ranking has exactly n tiles. Equal tiles are ordered by their id."),
    ).counted_by(Cells.VISITS, cap=cap)


def visits_per_time_tile(choices: KeyChoices) -> Measure:
    """Arrivals by day type, time window and tile.

    The day type is that of the calendar day: 00:30 on a Saturday is weekend, in the window that began on Friday.
    """
    return Measure(
        name="visits_per_time_tile",
        title="Arrivals per tile and time of day",
        explanation=(
            "Where trips ended in each part of the day, with weekdays and weekends apart. All small maps have the same colour "
            "scale, so they can be compared. They divide the visits among many more cells than the map above, so more of "
            "their tiles are grey."
        ),
        section=Section.PLACE,
        counts="visits",
        layout=Layout(Kind.TILES, ("day_type", "window", "tile_id"), "metres", ("day_type", "window")),
        needs_times=True,
        cells_per_trip=1,  # a trip counts once, where and when it ends
        keys=lambda tile_ids: KeySet(
            (
                plain_axis("day_type", DAY_TYPES),
                plain_axis("window", _window_names(choices.windows)),
                tile_axis("tile_id", tile_ids),
            )
        ),
        terms=(Term("kept", (*_when(choices.windows), ("tile", "end_tile"))),),
        weight=180,
        weight_of_trips=191,
        spread=1.6,
        differences=(
            ONE_TILE,
            "visits_per_time_tile has all tiles, windows and both day types; DpMobilityReport leaves out windows without trips.",
        ),
    ).counted_by(Cells.WINDOWS, windows=choices.windows)


def _window_names(starts: tuple[int, ...]) -> tuple[str, ...]:
    """Names of the time windows that begin at some hours, such as ``2-6``. The last window runs past midnight."""
    return tuple(f"{start}-{end}" for start, end in zip(starts, (*starts[1:], starts[0]), strict=True))


def _when(windows: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
    """The day type and the time window of the end of a trip, as columns of a key."""
    return ("day_type", DAY_TYPE.format(hour="end_hour")), ("time_window", _window_number(windows))


def _window_number(starts: tuple[int, ...]) -> str:
    """SQL for the number of the window of an end. The hours before the first start belong to the last window."""
    last = len(starts) - 1
    later = " ".join(f"WHEN end_hour % 24 < {start} THEN {number}" for number, start in enumerate(starts[1:]))
    return f"CASE WHEN end_hour % 24 < {starts[0]} THEN {last} {later} ELSE {last} END"


_PAIR: Final = (("start_tile", "start_tile"), ("end_tile", "end_tile"))
_FLOWS: Final = (Term("kept", _PAIR, "complete"),)


def od_flows(_: KeyChoices) -> Measure:
    """Complete trips by the tile of their start and the tile of their end."""
    return Measure(
        name="od_flows",
        title="Flows between tiles",
        explanation=(
            "How many trips went from one tile to another. There are far more pairs of tiles than trips, so noise alone "
            "makes some pairs look like flows. Trust the flows that stand out. Read the others as 'few or none'."
        ),
        section=Section.OD,
        counts="trips",
        layout=Layout(Kind.FLOWS, ("origin", "destination")),
        cells_per_trip=1,
        keys=lambda tile_ids: KeySet((tile_axis("origin", tile_ids), tile_axis("destination", tile_ids))),
        terms=_FLOWS,
        needs_ends=True,
        weight=184,
        usual_at=frozenset({PrivacyUnit.TRIP}),
        sparse=True,
        spread=2.1,
        unevenness=13.0,
        readable="Flows that stand out",
        adds_to="complete_trips",
        differences=(
            ONE_TILE,
            (
                "od_flows leaves out pairs whose noisy count is below a stated threshold; DpMobilityReport leaves out "
                "pairs whose noisy count is 0 or less."
            ),
        ),
    ).counted_by(Cells.FLOWS)


# A complete trip counts once: in the window in which it ends, from the tile of its start to that of its end. So a cell of
# od_flows is the sum of some cells here, and one trip more or less changes one cell by one.
def od_flows_per_window(choices: KeyChoices) -> Measure:
    """Complete trips by day type and time window of their end, tile of the start and tile of the end."""
    return Measure(
        name="od_flows_per_window",
        title="Flows between tiles by time of day",
        explanation=(
            "How many trips went from one tile to another in each part of the day, with weekdays and weekends apart, by the time at "
            "which they ended. There are many times more cells than trips, so only the largest stand out of the noise. Read the "
            "others as 'few or none'."
        ),
        section=Section.OD,
        counts="trips",
        layout=Layout(
            Kind.FLOWS, ("day_type", "window", "origin", "destination"), groups=("day_type", "window")
        ),
        needs_times=True,
        cells_per_trip=1,
        keys=lambda tile_ids: KeySet(
            (
                plain_axis("day_type", DAY_TYPES),
                plain_axis("window", _window_names(choices.windows)),
                tile_axis("origin", tile_ids),
                tile_axis("destination", tile_ids),
            )
        ),
        terms=(Term("kept", (*_when(choices.windows), *_PAIR), "complete"),),
        needs_ends=True,
        weight=184,
        usual_at=NOWHERE,
        sparse=True,
        spread=2.1,
        unevenness=13.0,
    ).counted_by(Cells.FLOWS_BY_WINDOW, windows=choices.windows)


# Each tile lies in one district, and ``outside`` is a district of its own. So a cell here is the sum of some cells of
# od_flows, and each cell of od_flows is in one of these sums: a complete trip counts in one cell, as there. The districts
# are public, so the merging does not depend on the trips.
def od_districts(choices: KeyChoices) -> Measure:
    """Complete trips by the district of their start and the district of their end.

    The engines count flows between tiles, by the same SQL as ``od_flows``. The axes of the key set merge the tiles of a
    district (``keys.Axis.of_tiles``). So stored exact answers do not depend on the districts.
    """
    return Measure(
        name="od_districts",
        title="Flows between districts",
        explanation=(
            "How many trips went from one district to another, or stayed within one. A district is a group of tiles that was "
            "chosen without looking at the trips. There are far fewer pairs of districts than of tiles, so more of their flows "
            "stand out of the noise."
        ),
        section=Section.OD,
        counts="trips",
        layout=Layout(Kind.PAIRS, ("origin", "destination")),
        cells_per_trip=1,
        keys=lambda tile_ids: _district_keys(choices.districts, tile_ids),
        terms=_FLOWS,
        needs_ends=True,
        weight=114,
        weight_of_trips=60,
        spread=1.0,
        unevenness=2.7,
        needs_districts=True,
        readable="Readable district flows",
        adds_to="complete_trips",
    ).counted_by(Cells.FLOWS)


def _district_keys(districts: Districts | None, tile_ids: tuple[str, ...]) -> KeySet:
    """The pairs of districts. Districts of other tiles are refused, because they would be counted in the wrong cells."""
    if districts is None:
        raise PrivacyError(
            "flows between districts need districts",
            "od_districts",
            "Give the district of each tile. It is never read off the trips.",
        )
    if len(tile_ids) != len(districts.of_tiles):
        raise PrivacyError(
            "the districts are not those of these tiles",
            f"od_districts: {len(districts.of_tiles):,} tiles with a district, {len(tile_ids):,} tiles",
            "Take the districts of the tiles on which trips are counted.",
        )
    return KeySet((district_axis("origin", districts), district_axis("destination", districts)))


def travel_time(choices: KeyChoices) -> Measure:
    """Minutes from start to end, with whole days: 25 hours are 1500 minutes."""
    bins = choices.bins("travel_time", _MINUTES)
    return Measure(
        name="travel_time",
        title="Travel time (minutes)",
        explanation=(
            "How many minutes trips took from start to end. A whole day is 1,440 minutes. "
            f"{BARS} The last bin is open: it holds all longer trips."
        ),
        section=Section.OD,
        counts="trips",
        layout=Layout.of_bins("minutes"),
        needs_times=True,
        cells_per_trip=1,
        keys=lambda _: KeySet((bins.axis,)),
        terms=in_bins(bins, "duration_us", "complete"),
        needs_ends=True,
        weight=25,
        whole=False,
        bins=bins,
        grid=_MINUTE_GRID,
        adds_to="complete_trips",
        differences=(
            OTHER_BINS,
            OTHER_QUANTILES,
            "travel_time is the whole duration; DpMobilityReport takes 25 hours for one.",
        ),
    ).counted_by(Cells.BINS_OF_TRIPS, Value.DURATION)


def jump_length(choices: KeyChoices) -> Measure:
    """Great-circle kilometres between start and end."""
    bins = choices.bins("jump_length", KILOMETRES)
    return Measure(
        name="jump_length",
        title="Distance from start to end (km)",
        explanation=(
            "How far apart the start and the end of a trip lie, in kilometres as the crow flies. "
            f"{BARS} The last bin is open, so no single long trip can be seen."
        ),
        section=Section.OD,
        counts="trips",
        layout=Layout.of_bins("km"),
        cells_per_trip=1,
        keys=lambda _: KeySet((bins.axis,)),
        terms=in_bins(bins, "jump_m", "complete"),
        needs_ends=True,
        weight=35,
        needs_points=True,
        whole=False,
        bins=bins,
        grid=KILOMETRE_GRID,
        fine_sql=_MICROMETRES,
        adds_to="complete_trips",
        differences=(OTHER_BINS, OTHER_QUANTILES),
    ).counted_by(Cells.BINS_OF_TRIPS, Value.JUMP)


# Micrometres, from coordinates in 1e-7 degrees. 12742017.6 m is twice the mean radius of the earth.
_MICROMETRES: Final = (
    "SELECT CAST(round(12742017600000 * asin(sqrt(least(1.0, "
    "power(sin(radians((end_lat - start_lat) / 1e7) / 2), 2) + cos(radians(start_lat / 1e7)) * "
    "cos(radians(end_lat / 1e7)) * power(sin(radians((end_lng - start_lng) / 1e7) / 2), 2))))) AS BIGINT) AS value, "
    "count(*) AS n FROM trips WHERE complete GROUP BY 1"
)

ALL: Final = (
    visits_per_tile,
    visits_per_time_tile,
    od_flows,
    od_flows_per_window,
    od_districts,
    travel_time,
    jump_length,
)
"""In the order of the report."""
