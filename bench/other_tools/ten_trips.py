"""Ten invented trips, four tiles in Oslo, and what is counted of them with which versions. Each trip makes a difference show."""

from __future__ import annotations

from math import cos, radians
from typing import Any

ZONE = "Europe/Oslo"
TRIPS = """
ann 1: 25T08:00+02:00 59.91 10.72, 25T08:10+02:00 59.914 10.745, 25T08:20+02:00 59.91 10.78
ann 2: 25T17:00+02:00 59.91 10.78, 25T17:25+02:00 59.91 10.72
ben 1: 25T09:00+02:00 59.905 10.71, 26T10:00+02:00 59.93 10.72
ben 2: 26T12:00+02:00 59.92 10.75, 26T12:15+02:00 59.905 10.77
cat 1: 27T02:50+02:00 59.91 10.71, 27T02:05+01:00 59.912 10.73, 27T02:10+01:00 59.912 10.76
cat 2: 27T15:00+01:00 59.912 10.76, 27T15:20+01:00 59.95 10.78
dan 1: 25T07:00+02:00 59.91 10.73, 25T07:15+02:00 59.915 10.73, 25T07:45+02:00 59.925 10.73, 25T08:00+02:00 59.935 10.73
dan 2: 25T12:00+02:00 59.93 10.77
eve 1: 25T10:00+02:00 59.91 10.74, 25T10:10+02:00 59.904 10.73, 25T10:20+02:00 59.91 10.74
eve 2: 25T10:30+02:00 59.91 10.74, 25T10:40+02:00 59.92 10.755, 25T10:50+02:00 59.932 10.765, 25T11:15+02:00 59.932 10.765
"""
"""Person and trip, then its points: day of October 2024 with time and offset, latitude, longitude. Clocks change on the 27th."""
BOX = (10.7, 59.9, 10.8, 59.94)
TILES = {
    "A": (10.7, 59.9, 10.75, 59.92),
    "B": (10.75, 59.9, 10.8, 59.92),
    "C": (10.7, 59.92, 10.75, 59.94),
    "D": (10.75, 59.92, 10.8, 59.94),
}
EMPTY = 100_000
HEXAGON = "870999382ffffff"
PINS = {
    "DpMobilityReport": "dp-mobility-report==0.2.11 numpy==1.26.4 pandas==2.1.4 geopandas==0.14.4 scipy==1.13.1 fiona==1.9.6 shapely==2.0.7 "
    "scikit-learn==1.5.2 matplotlib==3.8.4 opencv-python==4.10.0.84 diffprivlib==0.6.5 setuptools==80.9.0",
    "scikit-mobility": "scikit-mobility==1.3.1 numpy==1.26.4 pandas==1.5.3 geopandas==0.10.2 shapely==1.8.5.post1 rtree==1.4.1 h3==3.7.7",
    "trackintel": "trackintel==1.4.2 pandas==3.1.1 geopandas==1.2.0 shapely==2.2.0",
    "MovingPandas": "movingpandas==0.23.0 pandas==3.1.1 geopandas==1.2.0 shapely==2.2.0",
    "OpenDP": "opendp[polars]==0.16.0 polars==1.36.1",
    "H3 with geopandas": "h3==4.5.0 geopandas==1.2.0 pandas==3.1.1 shapely==2.2.0",
}
"""What is installed for each tool; the tool itself comes first."""
ROWS = {
    "DpMobilityReport": (
        "trips",
        "starts and ends, with those outside the tiles",
        "visits of tile A",
        "flows, with those that leave the tiles",
        "longest travel time of ben, minutes",
        "travel time of cat 1, minutes",
        "analyses of 15 that are made where times have a zone",
    ),
    "scikit-mobility": (
        "flows, from starts and ends",
        "flows within tile B",
        "jumps",
        "radius of gyration of ann, km",
        "ways from stay to stay (200 m, 20 minutes)",
        "width of a square tile of 1,000 m, in metres",
    ),
    "trackintel": (
        "trips cut from points (200 m, 20 minutes)",
        "of these with a stay at both ends",
        "with a stay at both ends by `gap_threshold=1e6, include_last=True`",
    ),
    "MovingPandas": (
        "trips",
        "trips cut from points by gaps of more than 30 minutes",
        "travel time of cat 1, minutes",
        "length of ann 1, km",
    ),
    "OpenDP": (
        "scale of the noise of visits, ε = 1, 2 trips a person: `contributions=2`",
        "the same: `contributions=4`",
        "mean count of an empty tile at scale 4",
        "the same with `dp.len(signed=True)`",
        "keys that are listed where the query names none, δ = 1e-7",
    ),
    "H3 with geopandas": (
        "starts and ends after `sjoin(how='left')`",
        "starts and ends that are in a tile by `predicate='within'`",
        "visits of hexagon 870999382ffffff by `latlng_to_cell`",
        "the same by `cell_to_parent` of cells of resolution 9",
    ),
}


def points(*, zone: bool = True, ends: bool = False, only: str = "") -> Any:  # noqa: ANN401 - a frame of the pandas that is there
    """One row a point; with wall times if not ``zone``, of each trip the first and the last if ``ends``."""
    import pandas as pd

    rows = []
    for line in TRIPS.strip().splitlines():
        trip, _, rest = line.partition(": ")
        told = rest.split(", ")
        for one in dict.fromkeys((told[0], told[-1])) if ends else told:
            time, lat, lng = one.split()
            if trip.startswith(only):
                rows.append((*trip.split(), f"2024-10-{time}", float(lat), float(lng)))
    made = pd.DataFrame(rows, columns=["uid", "tid", "datetime", "lat", "lng"])
    times = pd.to_datetime(made["datetime"], utc=True).dt.tz_convert(ZONE)
    made["datetime"] = times if zone else times.dt.tz_localize(None)
    return made


def tiles(name: str, boxes: dict[str, tuple[float, ...]]) -> Any:  # noqa: ANN401 - a frame of the geopandas that is there
    """Rectangles with their ids in a column of that name."""
    import geopandas as gpd
    from shapely.geometry import box

    return gpd.GeoDataFrame({name: [*boxes]}, geometry=[box(*sides) for sides in boxes.values()], crs=4326)


def width(sides: tuple[float, ...]) -> float:
    """From west to east in metres, half way up, on a sphere."""
    return radians(sides[2] - sides[0]) * cos(radians((sides[1] + sides[3]) / 2)) * 6_371_008.8
