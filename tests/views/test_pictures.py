import json
from types import SimpleNamespace

import numpy as np
import pytest
import shapely

from dpcore.tiles import Tessellation
from dpcore.views.charts import plots, series
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.maps.tile_map import MapGeometry, counted_flows, flows_map, visits_map
from tests.views.made import measurement
from tests.views.read_map import ReadMap

DAYS = measurement("trips_over_time", [0, 900, 800, 700, 0])
WEEK = measurement("trips_per_weekday", [10, 20, 30, 40, 50, 60, 70])
HOURS = measurement("trips_per_hour", np.arange(96))
CHARTS = {
    "days": (series.over_time, DAYS, {}),
    "week": (plots.whole, WEEK, {}),
    "hours": (series.per_hour, HOURS, {"kind": "end", "day_type": "weekend"}),
}


@pytest.mark.parametrize("name", CHARTS)
def test_the_axis_holds_every_interval_at_every_rung(name):
    draw, measured, more = CHARTS[name]
    for clipped in (False, True):
        for rung in range(3):
            for truth in (None, np.full(measured.keys.size, 5_000)):
                chart = draw(drawn_of(measured, rung), truth, "x", clipped=clipped, **more)
                low, high = chart.figure["layout"]["yaxis"]["range"]
                drawn = chart.table.drop(columns="at")
                drawn = drawn[["drawn", "bottom", "top"]] if clipped else drawn
                assert low <= drawn.min().min()
                assert drawn.max().max() <= high


@pytest.mark.parametrize("name", CHARTS)
def test_the_truth_is_in_a_chart_only_if_it_is_given(name):
    draw, measured, more = CHARTS[name]
    without = draw(drawn_of(measured, 1), None, "", **more)
    assert "true" not in without.table
    assert series.TRUE_NAME not in json.dumps(without.figure)
    truth = np.full(measured.keys.size, 7)
    chart = draw(drawn_of(measured, 1), truth, "Demo data", **more)
    assert set(chart.table["true"]) == {7}
    assert series.TRUE_NAME in json.dumps(chart.figure)
    assert chart.figure["layout"]["title"]["text"] == "Demo data"


def test_hours_show_the_cells_of_their_kind_and_day():
    table = series.per_hour(drawn_of(HOURS, 2), kind="end", day_type="weekend").table
    assert table["noisy"].tolist() == list(range(72, 96))
    assert (table["high"] - table["low"]).unique().tolist() == [6]


def test_days_beyond_the_period_are_not_drawn():
    assert series.over_time(drawn_of(DAYS, 2)).table["noisy"].tolist() == [900, 800, 700]


@pytest.fixture
def geometry():
    boxes = [shapely.box(x, 0, x + 1, 1) for x in range(3)]
    return MapGeometry.of(Tessellation.of(["A", "B", "C"], ["Harbour", "", ""], boxes, "made"))


def test_a_map_packs_the_same_bytes_twice_and_no_truth_unless_given(geometry):
    visits = measurement("visits_per_tile", [5000, 700, 2, 10])
    first = visits_map(geometry, visits, start_rung=1, mark="Demo data")
    assert visits_map(geometry, visits, start_rung=1, mark="Demo data") == first
    canary = np.array([123_456_789, 7, 7, 7])
    assert ReadMap(first).truth is None
    assert ReadMap(first).at == len(first), "nothing follows"
    with_truth = ReadMap(visits_map(geometry, visits, start_rung=1, truth=canary))
    assert with_truth.truth.tolist() == canary[:3].tolist()


def test_flows_follow_the_map_of_visits(geometry):
    flows = measurement("od_flows", [0, 50, 0, 1, 2000, 70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    message = flows_map(
        geometry, counted_flows(flows), SimpleNamespace(rungs=flows.rungs, bound=flows.bound), start_rung=1
    )
    assert f'"link":"{geometry.link}"'.encode() in message
    assert b'"slider":false' in message
