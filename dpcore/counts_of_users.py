"""Measures that count users: each once, in the bin of a number that all of its trips give, see ``dpcore.measure``.

No bound is applied: a user is in one bin whatever the number of trips. So a user changes one count, and a trip more or
less changes two, because it may take its user from one bin to another. Users whom no column names do not count.

Of an incomplete trip the one known record is a point like any other; a point without a place lies in no tile and tells
no distance.
"""

from __future__ import annotations

from typing import Final

from dpcore.counting_rule import Cells, Value
from dpcore.key_choices import KeyChoices
from dpcore.keys import KeySet
from dpcore.measure import Measure, SharedTable

# The one big grouping; tile -1 is outside of all tiles, or a place that is not known.
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

# Mean of the coordinates in radians; sums of integers, so that the order of rows does not matter.
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

# With p the shares of a user's points in its k tiles: -sum(p log p) / log(k), which no choice of logarithm changes.
# In thousandths, and a little more, so that rounding puts no user below an edge on which its entropy lies.
_ENTROPY: Final = (
    "SELECT CASE WHEN tiles < 2 THEN 0.0 ELSE 1000 * (ln(points) - spread / points) / ln(tiles) + 1e-7 END AS thousandths "
    f"FROM ({_IN_TILES}) tiles_of_user"
)

_HALF: Final = (
    "power(sin((radians(p.lat / 1e7) - c.lat) / 2), 2) + "
    "cos(c.lat) * cos(radians(p.lat / 1e7)) * power(sin((radians(p.lng / 1e7) - c.lng) / 2), 2)"
)
# Root of the mean square distance from the centre, in metres; 12742017.6 is twice the mean radius of the earth.
_RADIUS: Final = (
    f"SELECT sqrt(avg(power(12742017.6 * asin(sqrt(least(1.0, {_HALF}))), 2))) AS metres FROM ({_POINTS}) p "
    "JOIN user_centres c ON p.user_id = c.user_id GROUP BY p.user_id"
)


def _of_users(
    choices: KeyChoices,
    name: str,
    *,
    title: str,
    value: str,
    binned: Value,
    users: str,
    tables: tuple[SharedTable, ...] = (),
    whole: bool = True,
    needs_points: bool = False,
) -> Measure:
    """A histogram of users by a value that a query gives for each of them."""
    bins = choices.bins(name)
    return Measure(
        name=name,
        title=title,
        counts="people",
        cells_per_trip=2,  # one trip more may take its user from one bin to another
        cells_per_user=1,  # a user is in one bin
        keys=lambda _: KeySet((bins.axis,)),
        sql=f"SELECT {bins.number(value)} AS bin, count(*) AS n FROM ({users}) users GROUP BY 1",
        tables=tables,
        whole=whole,
        needs_points=needs_points,
    ).counted_by(Cells.BINS_OF_USERS, binned, bins)


def trips_per_user(choices: KeyChoices) -> Measure:
    """People by their number of trips. It is there to choose the bound, so no bound may touch it."""
    return _of_users(
        choices,
        "trips_per_user",
        title="Trips per person",
        value="trips",
        binned=Value.TRIPS,
        users="SELECT count(*) AS trips FROM trips WHERE user_id IS NOT NULL GROUP BY user_id",
    )


def radius_of_gyration(choices: KeyChoices) -> Measure:
    """People by how far they range; whoever has no known place at all is in no bin."""
    return _of_users(
        choices,
        "radius_of_gyration",
        title="How far people range (radius of gyration, km)",
        value="metres",
        binned=Value.RADIUS,
        users=_RADIUS,
        tables=(_USER_CENTRES,),
        whole=False,
        needs_points=True,
    )


def user_tile_count(choices: KeyChoices) -> Measure:
    """People by the number of different tiles they were in."""
    return _of_users(
        choices,
        "user_tile_count",
        title="Different tiles per person",
        value="tiles",
        binned=Value.TILES,
        users=_IN_TILES,
        tables=(_USER_TILES,),
    )


def mobility_entropy(choices: KeyChoices) -> Measure:
    """People by how evenly they visit their tiles."""
    return _of_users(
        choices,
        "mobility_entropy",
        title="How evenly people visit their tiles (entropy, 0 to 1)",
        value="thousandths",
        binned=Value.ENTROPY,
        users=_ENTROPY,
        tables=(_USER_TILES,),
        whole=False,
    )
