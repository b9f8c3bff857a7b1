"""Measures that count users: each once, in the bin of a number that all of its trips give, see ``dpcore.measure``.

No bound is applied: a user is in one bin whatever the number of trips. So a user changes one count, and a trip more or
less changes two, because it may take its user from one bin to another. Users whom no column names do not count.

Of an incomplete trip the one known record is a point like any other; a point without a place lies in no tile and tells
no distance.
"""

from __future__ import annotations

from typing import Final

from dpcore import public_bins
from dpcore.keys import KeySet
from dpcore.measure import Measure, SharedTable
from dpcore.public_bins import Bins


def _histogram(bins: Bins, value: str, users: str) -> str:
    return f"SELECT {bins.number(value)} AS bin, count(*) AS n FROM ({users}) users GROUP BY 1"


# The one big grouping; tile -1 is outside of all tiles, or a place that is not known.
_USER_TILES: Final = SharedTable(
    "user_tiles",
    "SELECT user_id, tile, count(*) AS points FROM ("
    "SELECT user_id, start_tile AS tile FROM trips WHERE complete "
    "UNION ALL SELECT user_id, end_tile AS tile FROM trips) ends "
    "WHERE user_id IS NOT NULL GROUP BY user_id, tile",
)

_POINTS: Final = (
    "SELECT user_id, start_lat AS lat, start_lng AS lng FROM trips WHERE complete "
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
# In tenths, and a little more, so that rounding puts no user below an edge on which its entropy lies.
_ENTROPY_TENTHS: Final = (
    "SELECT CASE WHEN tiles < 2 THEN 0.0 ELSE 10 * (ln(points) - spread / points) / ln(tiles) + 1e-9 END AS tenths "
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

TRIPS_PER_USER: Final = Measure(
    name="trips_per_user",
    title="Trips per person",
    counts="people",
    cells_per_trip=2,  # one trip more takes its user from one bin to the next
    cells_per_user=1,  # a user is in one bin
    keys=lambda _: KeySet((public_bins.TRIPS_PER_USER.axis,)),
    # it is there to choose the bound, so no bound may touch it
    sql=_histogram(
        public_bins.TRIPS_PER_USER,
        "trips",
        "SELECT count(*) AS trips FROM trips WHERE user_id IS NOT NULL GROUP BY user_id",
    ),
)

# Whoever has no known place at all is in no bin.
RADIUS_OF_GYRATION: Final = Measure(
    name="radius_of_gyration",
    title="How far people range (radius of gyration, km)",
    counts="people",
    cells_per_trip=2,
    cells_per_user=1,
    keys=lambda _: KeySet((public_bins.RADII.axis,)),
    sql=_histogram(public_bins.RADII, "metres", _RADIUS),
    tables=(_USER_CENTRES,),
    needs_points=True,
    whole=False,
)

USER_TILE_COUNT: Final = Measure(
    name="user_tile_count",
    title="Different tiles per person",
    counts="people",
    cells_per_trip=2,
    cells_per_user=1,
    keys=lambda _: KeySet((public_bins.TILE_COUNTS.axis,)),
    sql=_histogram(public_bins.TILE_COUNTS, "tiles", _IN_TILES),
    tables=(_USER_TILES,),
)

MOBILITY_ENTROPY: Final = Measure(
    name="mobility_entropy",
    title="How evenly people visit their tiles (entropy, 0 to 1)",
    counts="people",
    cells_per_trip=2,
    cells_per_user=1,
    keys=lambda _: KeySet((public_bins.ENTROPIES.axis,)),
    sql=_histogram(public_bins.ENTROPIES, "tenths", _ENTROPY_TENTHS),
    tables=(_USER_TILES,),
    whole=False,
)
