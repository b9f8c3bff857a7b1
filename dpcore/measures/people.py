"""How people differ in what they do: measures of the report's section on users.

All but ``user_time_delta`` count users. Each user counts once, in the bin of a number that follows from all trips of that
user (see ``measure``). No bound is applied, because a user is in one bin whatever the number of trips. So one user
changes one count. One trip changes two, because it may move its user from one bin to another. Users without an id do not
count.

The one known record of an incomplete trip is a point like any other. A point without a place lies in no tile and has no
distance.
"""

from __future__ import annotations

from typing import Final

from dpcore.measures.bins import Bins, Grid
from dpcore.measures.choices import KeyChoices
from dpcore.measures.journeys import KILOMETRE_GRID, KILOMETRES, OTHER_BINS, OTHER_QUANTILES
from dpcore.measures.keys import KeySet
from dpcore.measures.measure import Cells, Layout, Measure, Section, SharedTable, Value, in_bins
from dpcore.measures.overview import BARS

_EACH_ONCE: Final = "Each person counts once, whatever the number of trips. So one person changes one bar by one, and the noise is small."
_ALL_TRIPS: Final = (
    "A person is in one bin by all trips of that person, whatever max_trips_per_user; DpMobilityReport takes the sampled "
    "trips. At trip level one trip can move a person from one bin to another, so twice the noise is needed."
)

# Every bin but the last ends right after a bound that an owner would choose (1, 2, 3, 5, 8, 12, 20 and so on). So
# everybody in the bins above such a bound M made more than M trips, of which the bound keeps exactly M.
_TRIPS: Final = Bins.at("2 3 4 6 9 13 21 31 51 76 101 151 201 301 501")
_TRIP_GRID: Final = Grid.of(_TRIPS, "trips", "1 1 50 2 100 5 200 10 500 25 1000", lowest="1")
# Values below 0: a trip began before the one before it ended.
_GAPS: Final = Bins.at("0 0.25 0.5 1 2 4 8 12 16 24 48 72 168", 3_600_000_000, least=None)
_GAP_GRID: Final = Grid.of(_GAPS, "hours", "-24 1 -4 0.25 0 0.1 12 0.25 24 0.5 72 2 168 6 336")
# The first bin holds people who were in no tile.
_TILES: Final = Bins.at("1 2 3 4 5 6 8 11 16 21 31 51")
_TILE_GRID: Final = Grid.of(_TILES, "tiles", "0 1 50 2 100 5 200 10 500", lowest="0")
_ENTROPIES: Final = Bins.at("0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9", 1_000, most=1)
_ENTROPY_GRID: Final = Grid.of(_ENTROPIES, "", "0 0.01 1", lowest="0", highest="1")

# This grouping is the large one. Tile -1 is outside of all tiles, or a place that is not known.
_USER_TILES: Final = SharedTable(
    "user_tiles",
    "SELECT user_id, tile, count(*) AS points FROM ("
    "SELECT user_id, start_tile AS tile FROM trips WHERE complete "
    "UNION ALL SELECT user_id, end_tile AS tile FROM trips) ends "
    "WHERE user_id IS NOT NULL GROUP BY user_id, tile",
)

_POINTS: Final = (
    "SELECT user_id, start_lat AS lat, start_lng AS lng FROM trips WHERE complete AND start_lat IS NOT NULL "
    "UNION ALL SELECT user_id, end_lat AS lat, end_lng AS lng FROM trips WHERE end_lat IS NOT NULL"
)

# Mean of the coordinates in radians. The sums are of integers, so the order of rows does not matter.
_USER_CENTRES: Final = SharedTable(
    "user_centres",
    "SELECT user_id, radians(CAST(sum(lat) AS DOUBLE) / count(*) / 1e7) AS lat, "
    f"radians(CAST(sum(lng) AS DOUBLE) / count(*) / 1e7) AS lng FROM ({_POINTS}) points GROUP BY user_id",
)

_IN_TILES: Final = (
    "SELECT user_id, sum(CASE WHEN tile >= 0 THEN 1 ELSE 0 END) AS tiles, "
    "sum(CASE WHEN tile >= 0 THEN points ELSE 0 END) AS points, "
    "sum(CASE WHEN tile >= 0 THEN points * ln(points) ELSE 0.0 END) AS spread "
    "FROM user_tiles GROUP BY user_id"
)

# With p the shares of a user's points in its k tiles: -sum(p log p) / log(k). The base of the logarithm cancels. It is in
# thousandths, plus a tiny amount, so that rounding puts no user below an edge that its entropy equals.
_ENTROPY: Final = (
    "SELECT CASE WHEN tiles < 2 THEN 0.0 ELSE 1000 * (ln(points) - spread / points) / ln(tiles) + 1e-7 END AS thousandths "
    f"FROM ({_IN_TILES}) tiles_of_user"
)

_HALF: Final = (
    "power(sin((radians(p.lat / 1e7) - c.lat) / 2), 2) + "
    "cos(c.lat) * cos(radians(p.lat / 1e7)) * power(sin((radians(p.lng / 1e7) - c.lng) / 2), 2)"
)
# Root of the mean square distance from the centre, in metres. 12742017.6 m is twice the mean radius of the earth.
_RADIUS: Final = (
    f"SELECT sqrt(avg(power(12742017.6 * asin(sqrt(least(1.0, {_HALF}))), 2))) AS metres FROM ({_POINTS}) p "
    "JOIN user_centres c ON p.user_id = c.user_id GROUP BY p.user_id"
)


def _of_users(
    choices: KeyChoices,
    name: str,
    *,
    title: str,
    explanation: str,
    unit: str,
    value: str,
    binned: Value,
    bins: Bins,
    grid: Grid,
    users: str,
    weight: int,
    spread: float,
    tables: tuple[SharedTable, ...] = (),
    whole: bool = True,
    needs_points: bool = False,
    everybody_in_a_bin: bool = True,
) -> Measure:
    """A histogram of users by a value that a query gives for each of them.

    ``everybody_in_a_bin``: so that its cells add up to all people, as those of other tables do.
    """
    bins = choices.bins(name, bins)
    return Measure(
        name=name,
        title=title,
        explanation=explanation,
        section=Section.USER,
        counts="people",
        layout=Layout.of_bins(unit),
        cells_per_trip=2,  # one trip more may move its user from one bin to another
        cells_per_user=1,  # a user is in one bin
        keys=lambda _: KeySet((bins.axis,)),
        sql=f"SELECT {bins.number(value)} AS bin, count(*) AS n FROM ({users}) users GROUP BY 1",
        weight=weight,
        tables=tables,
        whole=whole,
        needs_points=needs_points,
        bins=bins,
        grid=grid,
        spread=spread,
        adds_to="users" if everybody_in_a_bin else "",
        differences=(OTHER_BINS, OTHER_QUANTILES, _ALL_TRIPS),
    ).counted_by(Cells.BINS_OF_USERS, binned)


def trips_per_user(choices: KeyChoices) -> Measure:
    """People by their number of trips. It serves to choose the contribution bound, so no bound applies to it."""
    return _of_users(
        choices,
        "trips_per_user",
        title="Trips per person",
        explanation=(
            f"How many trips people made. The height of a bar is a number of people. {_EACH_ONCE} All trips of a person count "
            "here, also those that the contribution bound leaves out of other tables."
        ),
        unit="trips",
        value="trips",
        binned=Value.TRIPS,
        bins=_TRIPS,
        grid=_TRIP_GRID,
        users="SELECT count(*) AS trips FROM trips WHERE user_id IS NOT NULL GROUP BY user_id",
        weight=20,
        spread=0.8,
    )


def user_time_delta(choices: KeyChoices) -> Measure:
    """Hours from the end of a person's trip to the start of the next. The gap is counted with the trip after it.

    A counted trip has at most one gap before it, so a user changes at most M counts. At trip level, a trip that is
    removed takes its own gap with it, and the gap of the user's next trip is replaced by another: 1 + 2 = 3. Under a
    bound on users, an added trip may also displace a counted one with its gap: 4. If M = 1 it is 2, because the added
    trip and the trip after it cannot both count.
    """
    bins = choices.bins("user_time_delta", _GAPS)
    return Measure(
        name="user_time_delta",
        title="Time between trips of a person (hours)",
        explanation=(
            "How many hours pass between the end of a trip and the start of the same person's next trip. "
            f"{BARS} A negative time means that a trip began before the one before it had ended."
        ),
        section=Section.USER,
        counts="trips",
        layout=Layout.of_bins("hours"),
        needs_times=True,
        cells_per_trip=1,
        cells_moved_by_trip=3,
        cells_moved_under_bound=4,
        keys=lambda _: KeySet((bins.axis,)),
        terms=in_bins(bins, "gap_us", "gap_us IS NOT NULL"),
        weight=27,
        reads_gaps=True,
        whole=False,
        bins=bins,
        grid=_GAP_GRID,
        differences=(
            OTHER_BINS,
            OTHER_QUANTILES,
            (
                "user_time_delta is the time between neighbouring trips among all trips of a person. DpMobilityReport takes "
                "the sampled trips, which lie further apart. At trip level it needs three times the noise of a trip."
            ),
        ),
    ).counted_by(Cells.BINS_OF_TRIPS, Value.GAP)


def radius_of_gyration(choices: KeyChoices) -> Measure:
    """People by how far they range. People without any known place are in no bin."""
    return _of_users(
        choices,
        "radius_of_gyration",
        title="How far people range (radius of gyration, km)",
        explanation=(
            "How far people range: the typical distance of a person's places from their centre, in kilometres. "
            f"{_EACH_ONCE}"
        ),
        unit="km",
        value="metres",
        binned=Value.RADIUS,
        bins=KILOMETRES,
        grid=KILOMETRE_GRID,
        users=_RADIUS,
        weight=22,
        spread=0.5,
        tables=(_USER_CENTRES,),
        whole=False,
        needs_points=True,
        everybody_in_a_bin=False,  # people without a known place are in none
    )


def user_tile_count(choices: KeyChoices) -> Measure:
    """People by the number of different tiles in which they were."""
    return _of_users(
        choices,
        "user_tile_count",
        title="Different tiles per person",
        explanation=f"In how many different tiles a person's trips started or ended. {_EACH_ONCE}",
        unit="tiles",
        value="tiles",
        binned=Value.TILES,
        bins=_TILES,
        grid=_TILE_GRID,
        users=_IN_TILES,
        weight=28,
        spread=1.3,
        tables=(_USER_TILES,),
    )


def mobility_entropy(choices: KeyChoices) -> Measure:
    """People by how evenly they visit their tiles."""
    return _of_users(
        choices,
        "mobility_entropy",
        title="How evenly people visit their tiles (entropy, 0 to 1)",
        explanation=(
            "How evenly people divide their visits among their tiles. 0: always the same tile. 1: all tiles equally often. "
            f"{_EACH_ONCE}"
        ),
        unit="of 1",
        value="thousandths",
        binned=Value.ENTROPY,
        bins=_ENTROPIES,
        grid=_ENTROPY_GRID,
        users=_ENTROPY,
        weight=25,
        spread=1.1,
        tables=(_USER_TILES,),
        whole=False,
    )


ALL: Final = (trips_per_user, user_time_delta, radius_of_gyration, user_tile_count, mobility_entropy)
"""In the order of the report."""
