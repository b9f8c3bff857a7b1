"""Files as they were published, untouched, where they are at hand: what a person types, and what is read."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pandas as pd
import pytest

from tests.formats.door import table_of, tiles_of
from tests.formats.tiles_index import TilesCase
from tests.formats.trips_index import NEW_YORK, TripsCase

TRIPS = {
    "citibike_jersey_city/JC-201711-citibike-tripdata.csv": 23_582,
    "nyc_taxi/raw_taxis.csv": 6_500,
}
"""File -> its trips."""
TILES = {
    "nyc_taxi/taxi_zones.geojson": ("--merge-ids", 260),
    "boston/Boston_Neighborhoods.geojson": ("", 26),
    "boston/cambridge.geo.json": ("", 32),
    "boston/hubway_stations.csv": ("", 142),
}
"""File -> options and number of tiles."""


@pytest.mark.parametrize("path", TRIPS)
def test_a_published_file_of_trips_is_read_untouched(path, shared):
    file = shared(f"real/{path}")
    assert table_of(TripsCase(file.name, "", NEW_YORK), file.read_bytes()).num_rows == TRIPS[path]


@pytest.mark.parametrize("path", TILES)
def test_a_published_file_of_tiles_is_read_untouched(path, shared, tmp_path):
    options, number = TILES[path]
    file = shared(f"real/{path}")
    assert (
        len(tiles_of(TilesCase(file.name, "", options=options), file.read_bytes(), tmp_path).tile_ids)
        == number
    )


def test_published_check_ins_are_cut_into_the_trips_that_pandas_finds(shared):
    file = shared("real/foursquare_nyc/checkins.csv.gz")
    case = TripsCase(file.name, "", NEW_YORK, options="--trip-gap 12h")
    read = Counter(table_of(case, file.read_bytes())["user_id"].to_pylist())
    frame = pd.read_csv(file, dtype={"uid": str}, parse_dates=["datetime"]).sort_values(["uid", "datetime"])
    # an hour that occurs twice is read as its first occurrence, and gaps are lengths of time, not of clock readings
    frame["at"] = frame["datetime"].dt.tz_localize(NEW_YORK, ambiguous=True, nonexistent="shift_forward")
    apart = frame.sort_values(["uid", "at"]).groupby("uid")["at"].diff()
    begins = apart.isna() | (apart > timedelta(hours=12))
    assert read == Counter(frame.loc[begins, "uid"])
