"""Estimates of split tables and of flows by window: their ranges hold, they are nearer to the truth than what was drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpcore
from dpcore import demo, limits
from dpcore.estimates import estimate
from dpcore.estimates.by_part import MOST_PARTS
from dpcore.estimates.flows_by_window import KnownFlows, flows_by_window
from dpcore.estimates.noisy import Noise, Noisy
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import KeySet, plain_axis
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.split import parts_of
from dpcore.privacy import ContributionBound
from tests.cities import four_tiles

MODES = {"mode": ["walk", "bike", "bus", "rail"]}
TRIP = ContributionBound.per_trip()
BY_WINDOW = "od_flows_per_window"


def town(folder, trips, tiles, seed=29):
    demo.write_city(folder, trips, tiles, seed)
    ground = dpcore.load_tiles(folder / "tiles.geojson")
    return dpcore.load_trips(
        folder / "trips.parquet", ground, timezone=demo.DEMO_TIMEZONE, attributes=MODES
    ), ground


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return town(tmp_path_factory.mktemp("small"), 20_000, 30)


def previewed(place, weights, *, bound=TRIP, epsilon="1", splits=None):
    """A preview with the truth of the trips that count or not, and its estimates."""
    trips, tiles = place
    plan = Plan(bound, weights, (Fraction(epsilon),), KeyChoices(splits=splits or ()))
    drawn = dpcore.preview(trips, plan)
    return drawn, estimate(plan, drawn.measurements, tiles)


def held(ranged, truth):
    return (np.floor(ranged.low) <= truth) & (truth <= np.ceil(ranged.high))


def error(values, truth):
    return np.abs(values - truth).sum() / truth.sum()


def truth_of(drawn, name, found):
    """The true counts of the listed cells of an estimate."""
    table, listed = drawn.truth[name], drawn.measurements[name].cells
    if listed is None:
        return table[found.cell_numbers]
    return table[np.searchsorted(listed, found.cell_numbers)]


def test_each_part_is_nearer_to_the_truth_than_drawn_and_its_ranges_hold(small):
    weights = {"visits_per_tile": 2, "visits_per_time_tile": 2, "trips_per_hour": 1}
    drawn, found = previewed(small, weights, splits=MODES)
    assert found.share.low == 1
    assert not found.why_not_all
    for name in ("visits_per_tile", "visits_per_time_tile"):
        truth, counted = drawn.truth[name], found.tables[name].counted
        assert error(counted.values, truth) < error(drawn.measurements[name].values[-1], truth), name
        assert held(counted, truth).mean() > 0.9, name
        assert found.tables[name].all_trips is not None
    cells = found.tables["visits_per_tile"].keys.size // len(parts_of(drawn.plan.choices.splits))
    flows = found.tables["od_flows"]
    assert flows.keys.columns == ("mode", "origin", "destination")
    assert (np.diff(flows.cell_numbers) > 0).all()
    assert cells == 31


def test_flows_by_window_share_what_all_windows_tell(small):
    weights = {BY_WINDOW: 2, "visits_per_tile": 1, "visits_per_time_tile": 1}
    drawn, found = previewed(small, weights)
    truth, table = drawn.truth[BY_WINDOW], found.tables[BY_WINDOW]
    assert table.cells is None
    assert error(table.counted.values, truth) < 0.6 * error(drawn.measurements[BY_WINDOW].values[-1], truth)
    assert held(table.counted, truth).mean() > 0.93
    largest = np.argsort(-truth)[: len(truth) // 100]
    assert held(table.counted, truth)[largest].mean() > 0.85
    assert not found.as_drawn


def test_alone_they_have_their_own_sums_and_profile(small):
    drawn, found = previewed(small, {BY_WINDOW: 1})
    truth, table = drawn.truth[BY_WINDOW], found.tables[BY_WINDOW]
    assert error(table.counted.values, truth) < error(drawn.measurements[BY_WINDOW].values[-1], truth)
    assert not found.as_drawn


@pytest.mark.parametrize(
    "more", [{}, {"visits_per_tile": 1, "trips_per_hour": 1}, {"od_flows": 1, "visits_per_tile": 1}]
)
def test_listed_flows_by_window_keep_a_range_that_holds_noise_and_estimate(small, more, monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 5_000)
    drawn, found = previewed(small, {BY_WINDOW: 2, **more}, epsilon="2")
    table, one = found.tables[BY_WINDOW], drawn.measurements[BY_WINDOW]
    assert one.cells is not None
    assert {*table.cell_numbers.tolist()} <= {*one.cells.tolist()}
    assert (table.counted.values >= 0.5).all()
    values = one.values[-1][np.searchsorted(one.cells, table.cell_numbers)]
    assert (table.counted.high >= values).all()
    assert held(table.counted, truth_of(drawn, BY_WINDOW, table)).mean() > 0.9
    assert found.as_drawn == ()


def test_of_an_empty_list_nothing_is_told():
    keys = measure_named(BY_WINDOW).keys(("A", "B"))
    table = Noisy(np.zeros(0), Noise(0.5), keys, np.zeros(0, np.int64))
    cells, flows = flows_by_window(table, None, None)
    assert cells is not None
    assert len(cells) == len(flows.values) == 0
    known = KnownFlows(3, np.array([1, 4]), np.array([7.0, 9.0]), None)
    assert known.at(np.array([0, 1, 4])).tolist() == [0.25, 7.0, 9.0]


def test_under_a_bound_a_part_has_no_estimate_for_all_trips(small):
    _, found = previewed(small, {"visits_per_tile": 1}, bound=ContributionBound.per_user(3), splits=MODES)
    assert found.share is None
    assert "nothing tells which share" in found.why_not_all
    assert found.tables["visits_per_tile"].all_trips is None


@pytest.mark.audit
@pytest.mark.parametrize("bound", [TRIP, ContributionBound.per_user(4)], ids=["trip", "user"])
@pytest.mark.parametrize("epsilon", ["0.5", "1"])
def test_ranges_of_parts_hold_on_a_larger_city(tmp_path, bound, epsilon):
    """Of counted trips: on average of six draws at least 93 % of the cells, at trip level where the preview knows them."""
    place = town(tmp_path, 100_000, 150)
    weights = {"visits_per_tile": 3, "visits_per_time_tile": 2, "trips_per_hour": 1}
    hold: dict[str, list[float]] = {}
    for _ in range(6):
        drawn, found = previewed(place, weights, bound=bound, epsilon=epsilon, splits=MODES)
        exact = drawn.truth
        if bound.max_trips is not None:
            exact = {name: counted_truth(place, name, bound, drawn.plan.choices) for name in weights}
        for name in weights:
            hold.setdefault(name, []).append(held(found.tables[name].counted, exact[name]).mean())
    assert all(np.mean(found) > 0.92 for found in hold.values()), hold


def counted_truth(place, name, bound, choices):
    return dpcore.exact_table(place[0], name, bound=bound, choices=choices)["value"].to_numpy()


@pytest.mark.audit
def test_ranges_of_flows_by_window_hold_on_a_larger_city(tmp_path):
    place = town(tmp_path, 100_000, 60)
    weights = {BY_WINDOW: 2, "visits_per_tile": 1, "visits_per_time_tile": 1}
    hold = []
    for _ in range(6):
        drawn, found = previewed(place, weights)
        hold.append(held(found.tables[BY_WINDOW].counted, drawn.truth[BY_WINDOW]).mean())
    assert np.mean(hold) > 0.92, hold


def test_few_rows_of_very_many_cells_take_little_memory():
    """A bundle of anyone may list few cells of a table that would fill petabytes."""
    axis = plain_axis("tile_id", tuple(map(str, range(4_000))))
    modes = {"mode": [f"c{number}" for number in range(MOST_PARTS)]}
    choices = KeyChoices(splits=modes, sums={"fare": "0:10:1"}, by="od_flows")
    plan = Plan.up_to(TRIP, {"sum_fare": 1, "od_flows": 1}, "1", choices)
    huge = {name: listing(plan, name, KeySet((axis,) * 4)) for name in plan.weights}
    found = estimate(plan, huge, four_tiles())
    assert found.tables["sum_fare"].counted.values.tolist() == [90, 0]
    assert found.tables["sum_fare"].counted.high[0] > 90
    unsplit = plan.of_parts
    alike = {
        name: listing(unsplit, name, measure_named("od_flows").keys(four_tiles().tile_ids))
        for name in plan.weights
    }
    alike["sum_fare"] = huge["sum_fare"]
    assert [*estimate(unsplit, alike, four_tiles(), of=["od_flows"]).tables] == ["od_flows"]


def listing(plan, name, keys):
    """A table that lists two of its cells."""
    return Measurement(
        origin="release",
        measure=name,
        counts="trips",
        keys=keys,
        bound=plan.bound,
        sensitivity=1,
        rungs=plan.rungs,
        share=plan.share(name),
        half_widths=(9,) * len(plan.rungs),
        values=np.array([[90, -2]] * len(plan.rungs)),
        cells=np.array([3, 8]),
        threshold=1,
        listed_at=plan.rungs[-1],
    )
