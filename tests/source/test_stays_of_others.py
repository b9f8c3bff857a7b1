"""Stays beside those of trackintel 1.4.2 and scikit-mobility 1.3.1: what is alike, and what the docs say differs.

These two are no packages of ours, so `make audit` compares where they are installed. What our rule does is tested everywhere.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpcore.private.source.stays_kernel import stays
from dpcore.tiles.distance import distance_m

HERE, THERE = (52.5, 13.4), (52.6, 13.4)
START = pd.Timestamp("2024-03-05 08:00")
TRACKS = {
    "a stay of exactly 20 minutes": [(0, HERE), (10, HERE), (20, THERE), (21, HERE)],
    "a stay of 21 minutes": [(0, HERE), (10, HERE), (21, THERE), (22, HERE)],
    "a last stay of 30 minutes": [(0, THERE), (1, HERE), (10, HERE), (20, HERE), (31, HERE)],
    "a hole of an hour": [(0, HERE), (60, HERE), (65, THERE), (66, HERE)],
}
"""By name, minutes and places of one person."""
OURS = dict(zip(TRACKS, ([0], [0], [1], [0]), strict=True))
"""Minutes at which stays begin by our rule."""
TRACKINTEL = OURS | {"a last stay of 30 minutes": [], "a hole of an hour": []}
SKMOB = OURS | {"a stay of exactly 20 minutes": []}


def frame_of(track) -> pd.DataFrame:
    minutes, places = zip(*track, strict=True)
    times = [START + pd.Timedelta(minutes=one) for one in minutes]
    return pd.DataFrame(
        {"uid": 1, "datetime": times, "lat": [a for a, _ in places], "lng": [b for _, b in places]}
    )


def ours(track) -> list[int]:
    points = frame_of(track)
    us = ((points["datetime"] - START) // pd.Timedelta("1us")).to_numpy(np.int64)
    first, last = (np.zeros(len(us), np.int64) for _ in range(2))
    lat, lng = points["lat"].to_numpy(), points["lng"].to_numpy()
    found = stays(np.zeros(len(us), np.int64), us, lat, lng, 200.0, 20 * 60_000_000, first, last)
    return [int(us[one] // 60_000_000) for one in first[:found]]


def minutes_of(times) -> list[int]:
    return [int((pd.Timestamp(one).tz_localize(None) - START) // pd.Timedelta("1min")) for one in times]


def of_trackintel(track, **options) -> list[int]:
    trackintel = pytest.importorskip("trackintel", exc_type=ImportError)
    geopandas = pytest.importorskip("geopandas")
    points = frame_of(track)
    shapes = geopandas.points_from_xy(points["lng"], points["lat"], crs=4326)
    columns = {"user_id": points["uid"], "tracked_at": points["datetime"].dt.tz_localize("UTC")}
    fixes = trackintel.Positionfixes(geopandas.GeoDataFrame(columns, geometry=shapes))
    asked = {"method": "sliding", "dist_threshold": 200, "time_threshold": 20, **options}
    _, found = fixes.generate_staypoints(**asked)
    return minutes_of(found["started_at"]) if len(found) else []


def of_skmob(track) -> list[int]:
    skmob = pytest.importorskip("skmob", exc_type=ImportError)
    detection = pytest.importorskip("skmob.preprocessing.detection", exc_type=ImportError)
    found = detection.stay_locations(
        skmob.TrajDataFrame(frame_of(track)), minutes_for_a_stop=20.0, spatial_radius_km=0.2
    )
    return minutes_of(found["datetime"])


@pytest.mark.parametrize("track", TRACKS)
def test_stays_begin_where_the_rule_says(track):
    assert ours(TRACKS[track]) == OURS[track]


@pytest.mark.audit
@pytest.mark.parametrize("track", TRACKS)
def test_trackintel_drops_the_last_stay_and_cuts_at_gaps_unless_it_is_told(track):
    assert of_trackintel(TRACKS[track]) == TRACKINTEL[track]
    assert of_trackintel(TRACKS[track], include_last=True, gap_threshold=10_000) == OURS[track]


@pytest.mark.audit
@pytest.mark.parametrize("track", TRACKS)
def test_scikit_mobility_wants_more_than_the_minutes_that_are_given(track):
    assert of_skmob(TRACKS[track]) == SKMOB[track]


def ours_m(there: float) -> float:
    return float(distance_m(*(np.array([one]) for one in (*HERE, there, HERE[1])))[0])


def test_distances_are_on_a_sphere_that_is_a_little_larger_than_theirs():
    north = HERE[0] + 5_000 / 111_195.0802335329
    assert ours_m(north) == pytest.approx(5_000, abs=1e-3)
    assert ours_m(north) * 6_371 / 6_371.0088 == pytest.approx(4_999.993, abs=1e-3)


@pytest.mark.audit
def test_trackintel_measures_on_its_sphere():
    distances = pytest.importorskip("trackintel.geogr.distances", exc_type=ImportError)
    north = HERE[0] + 5_000 / 111_195.0802335329
    theirs = distances.point_haversine_dist(HERE[1], HERE[0], HERE[1], north, float_flag=True)
    assert theirs == pytest.approx(4_999.993, abs=1e-3)


@pytest.mark.audit
def test_scikit_mobility_measures_on_its_sphere():
    gislib = pytest.importorskip("skmob.utils.gislib", exc_type=ImportError)
    north = HERE[0] + 5_000 / 111_195.0802335329
    assert 1_000 * gislib.getDistance(HERE, (north, HERE[1])) == pytest.approx(4_999.993, abs=1e-3)
