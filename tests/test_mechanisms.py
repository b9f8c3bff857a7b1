"""The joint between noise and sensitivity: each rung of a measurement is noised at share * rung / sensitivity.

The rates that are expected here are written down by hand and never asked of the package.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from dpcore import limits
from dpcore.measures import MEASURES as ALL_MEASURES
from dpcore.measures import Measure, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts, KeySet, Period, plain_axis
from dpcore.measures.plan import Plan
from dpcore.noise import mechanisms
from dpcore.noise.mechanisms import measured, raised
from dpcore.noise.samplers import discrete_laplace, ladder
from dpcore.noise.sparse import sparse_ladder
from dpcore.privacy import ContributionBound
from tests.chance import classes, must_be_noticed, must_fit, one_count, state, two_samples
from tests.noise_law import THIRTY_PER_CENT, must_have_rate, pair, pmf, rung, step_pmf

CELLS = 26_000
TILE_IDS = tuple(f"{i:03}" for i in range(60))
CHOICES = KeyChoices(
    Period(date(2024, 1, 1), date(2024, 12, 31)), districts=Districts(("a", "b"), (0, 1) * 30), most_trips=25
)
MEASURES = {name: measure_named(name, CHOICES) for name in ALL_MEASURES}
RUNGS = (Fraction(1, 2), Fraction(1), Fraction(2))
WEIGHTS = {name: weight for weight, name in enumerate(MEASURES, 1)}
SHARES = {
    "ds_statistics": Fraction(1, 190),
    "total_trips": Fraction(2, 190),
    "incomplete_trips": Fraction(3, 190),
    "missing_values": Fraction(4, 190),
    "trips_over_time": Fraction(5, 190),
    "trips_per_weekday": Fraction(6, 190),
    "trips_per_hour": Fraction(7, 190),
    "visits_per_tile": Fraction(8, 190),
    "visits_per_time_tile": Fraction(9, 190),
    "od_flows": Fraction(10, 190),
    "od_flows_per_window": Fraction(11, 190),
    "od_districts": Fraction(12, 190),
    "travel_time": Fraction(13, 190),
    "jump_length": Fraction(14, 190),
    "trips_per_user": Fraction(15, 190),
    "user_time_delta": Fraction(16, 190),
    "radius_of_gyration": Fraction(17, 190),
    "user_tile_count": Fraction(18, 190),
    "mobility_entropy": Fraction(19, 190),
}
MOVED_BY_A_TRIP = {
    "ds_statistics": 5,
    "total_trips": 1,
    "incomplete_trips": 1,
    "missing_values": 6,
    "trips_over_time": 1,
    "trips_per_weekday": 1,
    "trips_per_hour": 2,
    "visits_per_tile": 2,
    "visits_per_time_tile": 1,
    "od_flows": 1,
    "od_flows_per_window": 1,
    "od_districts": 1,
    "travel_time": 1,
    "jump_length": 1,
    "trips_per_user": 2,
    "user_time_delta": 3,
    "radius_of_gyration": 2,
    "user_tile_count": 2,
    "mobility_entropy": 2,
}
MOVED_BY_A_USER = {
    "ds_statistics": 21,
    "total_trips": 25,
    "incomplete_trips": 5,
    "missing_values": 30,
    "trips_over_time": 5,
    "trips_per_weekday": 5,
    "trips_per_hour": 10,
    "visits_per_tile": 10,
    "visits_per_time_tile": 5,
    "od_flows": 5,
    "od_flows_per_window": 5,
    "od_districts": 5,
    "travel_time": 5,
    "jump_length": 5,
    "trips_per_user": 1,
    "user_time_delta": 5,
    "radius_of_gyration": 1,
    "user_tile_count": 1,
    "mobility_entropy": 1,
}
USER, TRIP = ContributionBound.per_user(5), ContributionBound.per_trip()

every_measure = pytest.mark.parametrize("name", MEASURES)
every_unit = pytest.mark.parametrize("bound", [USER, TRIP], ids=["user", "trip"])
every_table = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])


def plan_of(bound):
    return Plan(bound, WEIGHTS, RUNGS)


def rates(name, bound):
    """Rate of the noise at each rung, from the numbers written above."""
    sensitivity = MOVED_BY_A_USER[name] if bound is USER else MOVED_BY_A_TRIP[name]
    return [SHARES[name] * rung / sensitivity for rung in RUNGS]


def many_keys(measure):
    """The key set of the measure as often as it takes to have enough cells."""
    keys = measure.keys(TILE_IDS)
    copies = tuple(str(i) for i in range(-(-CELLS // keys.size)))
    return KeySet((plain_axis("copy", copies), *keys.axes))


def noise_of(name, bound, sparse, monkeypatch):
    """A measurement and its noise: the published values minus the counts."""
    measure = MEASURES[name]
    keys = many_keys(measure)
    if sparse:  # counts far above any threshold, so that no noise is cut off
        monkeypatch.setattr(limits, "MAX_DENSE_CELLS", keys.size - 1)
        cells, counts = keys.all_cells, 10**6 + keys.all_cells % 7
    else:  # every third cell occurs, the others are empty and noised alike
        cells = keys.all_cells[::3]
        counts = cells % 11 + 1
    measurement = measured(measure, keys, cells, counts, plan_of(bound), origin="preview")
    exact = np.zeros(keys.size, np.int64)
    exact[cells] = counts
    assert (measurement.cells is not None) == sparse
    assert np.array_equal(measurement.cell_numbers, keys.all_cells)
    return measurement, measurement.values - exact


def looks_at(noise, rhos):
    """Looks at every rung, and at every two rungs together."""
    alone = [rung(row, rho) for row, rho in zip(noise, rhos, strict=True)]
    return [*alone, *(pair(noise[i], noise[j], rhos[i], rhos[j]) for i, j in ((0, 1), (0, 2), (1, 2)))]


@every_measure
@every_unit
@every_table
def test_each_rung_is_noised_at_share_times_rung_over_sensitivity(name, bound, sparse, monkeypatch):
    _, noise = noise_of(name, bound, sparse, monkeypatch)
    rhos = rates(name, bound)
    must_fit(*looks_at(noise, rhos))
    for row, rho in zip(noise, rhos, strict=True):
        must_have_rate(row, rho)


@every_measure
@every_unit
@every_table
def test_raised_rungs_continue_the_ladder_as_if_it_had_been_drawn_at_once(name, bound, sparse, monkeypatch):
    monkeypatch.setattr("tests.test_mechanisms.RUNGS", RUNGS[:1])
    measurement, noise = noise_of(name, bound, sparse, monkeypatch)
    monkeypatch.undo()
    counts = (measurement.values - noise)[0]
    higher = raised(raised(measurement, counts, RUNGS[1:2]), counts, RUNGS[2:])
    assert (higher.rungs, higher.listed_at) == (RUNGS, RUNGS[0] if sparse else None)
    assert np.array_equal(higher.values[0], measurement.values[0])  # what was published stays
    assert (
        higher.half_widths
        == measured(
            MEASURES[name], higher.keys, counts[:0], counts[:0], plan_of(bound), origin="preview"
        ).half_widths
    )
    must_fit(*looks_at(higher.values - counts, rates(name, bound)))


def test_cells_listed_by_noise_alone_climb_like_dense_ones_that_reached_the_threshold():
    low, high, size = Fraction(1, 2), Fraction(1), 400_000
    keys = KeySet((plain_axis("cell", tuple(str(i) for i in range(size))),))
    measure = MEASURES["trips_per_weekday"]
    plan = Plan(TRIP, {"trips_per_weekday": 1}, (low,), false_flows=Fraction(8_000))
    none = np.zeros(0, np.int64)
    listed = measured(measure, keys, none, none, plan, origin="release")
    threshold = listed.threshold
    climbed = raised(listed, np.zeros(len(listed.cells), np.int64), [high]).values
    dense = ladder([low, high], size)
    dense = dense[:, dense[0] >= threshold]
    assert len(listed.cells) > 4_000
    must_fit(both(climbed, dense, threshold))
    forgotten = np.stack([climbed[0], discrete_laplace(high, len(listed.cells))])
    must_be_noticed(both(forgotten, dense, threshold))


def both(one, other, threshold):
    """Looks at two sets of pairs of rungs that should have one joint law."""
    codes = [np.clip(low - threshold, 0, 7) * 24 + np.clip(high, -4, 19) + 4 for low, high in (one, other)]
    return two_samples(*(np.bincount(code, minlength=192).reshape(8, 24) for code in codes))


@every_measure
@every_unit
@every_table
def test_a_measurement_states_the_rates_and_half_widths_of_its_noise(name, bound, sparse, monkeypatch):
    measurement, _ = noise_of(name, bound, sparse, monkeypatch)
    rhos = rates(name, bound)
    assert [measurement.rho(rung) for rung in range(3)] == rhos
    assert (measurement.measure, measurement.bound, measurement.rungs) == (name, bound, RUNGS)
    assert measurement.counts == MEASURES[name].counts
    for rho, width in zip(rhos, measurement.half_widths, strict=True):
        within = pmf(rho, np.arange(-width, width + 1)).sum()
        assert within >= 0.95 > within - 2 * pmf(rho, width)


@pytest.fixture
def false_positives(monkeypatch):
    """Draws an empty table of a quarter of a million cells sparsely, with so many false cells that laws show."""

    def draw(name, bound):
        measure = MEASURES[name]
        keys = KeySet((plain_axis("cell", tuple(map(str, range(250_000)))),))
        none = np.zeros(0, np.int64)
        plan = replace(plan_of(bound), false_flows=Fraction(CELLS))
        return measured(measure, keys, none, none, plan, origin="preview")

    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 1_000)
    return draw


def false_positives_of(measurement, rhos):
    """Looks at an empty sparse table: how many cells it lists, their tail, the steps between rungs."""
    top, values, threshold = float(rhos[-1]), measurement.values, measurement.threshold
    chance = np.exp(-top * threshold) / (1 + np.exp(-top))
    width = max(1, int(0.1 / top))
    tail = np.exp(-top * width * np.arange(40))
    above = np.bincount(np.minimum((values[-1] - threshold) // width, 39), minlength=40)
    looks = [
        one_count(values.shape[1], measurement.keys.size, chance),
        classes(above, -np.diff(tail, append=0)),
    ]
    for coarse, fine in ((0, 1), (0, 2), (1, 2)):
        step = values[coarse] - values[fine]
        width = max(1, int(0.3 / rhos[coarse]))
        reach = np.arange(-int(25 / rhos[coarse]), int(25 / rhos[coarse]) + 1)
        shares = step_pmf(rhos[coarse], rhos[fine], reach)
        cut = [np.clip(np.floor_divide(x, width), -12, 12) + 12 for x in (reach, step)]
        looks.append(classes(np.bincount(cut[1], minlength=25), np.bincount(cut[0], shares, 25)))
    return looks


@every_measure
@every_unit
def test_false_cells_of_a_sparse_table_have_the_tail_and_the_steps_of_the_same_rates(
    name, bound, false_positives
):
    measurement, rhos = false_positives(name, bound), rates(name, bound)
    assert measurement.values[-1].min() == measurement.threshold
    assert (measurement.values[0] < measurement.threshold).any()  # a lower rung is not cut again
    must_fit(*false_positives_of(measurement, rhos))
    for factor in THIRTY_PER_CENT:
        must_be_noticed(*false_positives_of(measurement, [factor * rho for rho in rhos]))


def test_an_empty_sparse_table_lists_about_one_false_cell():
    keys = MEASURES["od_flows"].keys(tuple(f"{i:03}" for i in range(600)))
    none = np.zeros(0, np.int64)
    listed = 0
    for _ in range(50):
        measurement = measured(MEASURES["od_flows"], keys, none, none, plan_of(USER), origin="preview")
        assert (measurement.values[-1] >= measurement.threshold).all()
        listed += len(measurement.cells)
    threshold, rho = measurement.threshold, float(rates("od_flows", USER)[-1])
    chance = np.exp(-rho * threshold) / (1 + np.exp(-rho))
    assert 0.9 < keys.size * chance <= 1
    must_fit(one_count(listed, 50 * keys.size, chance))
    state(np.exp(-50 * keys.size * chance))
    assert listed > 0


@every_table
def test_every_measurement_draws_anew_and_leaves_the_counts_as_they_were(sparse, monkeypatch):
    first, noise = noise_of("visits_per_tile", USER, sparse, monkeypatch)
    second, again = noise_of("visits_per_tile", USER, sparse, monkeypatch)
    assert not np.array_equal(first.values, second.values)
    rho = rates("visits_per_tile", USER)[-1]
    # two independent draws lie within one pair of rungs of a ladder only by chance
    must_be_noticed(pair(noise[0], again[-1], rates("visits_per_tile", USER)[0], rho))
    cells, counts = np.arange(7), np.arange(7)
    keys = MEASURES["trips_per_weekday"].keys(TILE_IDS)
    measured(MEASURES["trips_per_weekday"], keys, cells, counts, plan_of(USER), origin="preview")
    assert cells.tolist() == counts.tolist() == list(range(7))


def without_sensitivity(patch):
    patch.setattr(Measure, "sensitivity", lambda *_: 1)


def for_one_trip_only(patch):
    patch.setattr(Measure, "sensitivity", lambda measure, _: measure.cells_per_trip)


def for_one_end_only(patch):
    patch.setattr(Measure, "sensitivity", lambda _, bound: bound.trips)


def without_share(patch):
    patch.setattr(Plan, "share", lambda *_: Fraction(1))


def an_equal_share_for_all(patch):
    patch.setattr(Plan, "share", lambda plan, _: Fraction(1, len(plan.weights)))


def fresh_noise_for_each_rung(patch):
    def sparse(cells, counts, size, rhos, threshold):
        shown, values = sparse_ladder(cells, counts, size, rhos, threshold)
        hidden = values[-1] - (10**6 + cells % 7) if len(cells) else values[-1]
        lower = [values[-1] - hidden + discrete_laplace(rho, len(shown)) for rho in rhos[:-1]]
        return shown, np.stack([*lower, values[-1]])

    patch.setattr(mechanisms, "ladder", lambda rhos, n: np.stack([discrete_laplace(rho, n) for rho in rhos]))
    patch.setattr(mechanisms, "sparse_ladder", sparse)


def one_rung_for_all(patch):
    def sparse(cells, counts, size, rhos, threshold):
        shown, values = sparse_ladder(cells, counts, size, rhos, threshold)
        return shown, np.repeat(values[-1:], len(rhos), axis=0)

    patch.setattr(mechanisms, "ladder", lambda rhos, n: np.repeat(ladder(rhos[-1:], n), len(rhos), axis=0))
    patch.setattr(mechanisms, "sparse_ladder", sparse)


every_bug = pytest.mark.parametrize(
    "bug",
    [
        without_sensitivity,
        for_one_trip_only,
        for_one_end_only,
        without_share,
        an_equal_share_for_all,
        fresh_noise_for_each_rung,
        one_rung_for_all,
    ],
)


@every_bug
@every_table
def test_planted_bugs_are_noticed(bug, sparse, monkeypatch):
    bug(monkeypatch)
    _, noise = noise_of("visits_per_tile", USER, sparse, monkeypatch)
    must_be_noticed(*looks_at(noise, rates("visits_per_tile", USER)))


@every_bug
def test_planted_bugs_are_noticed_in_false_cells(bug, false_positives, monkeypatch):
    bug(monkeypatch)
    measurement = false_positives("visits_per_tile", USER)
    must_be_noticed(*false_positives_of(measurement, rates("visits_per_tile", USER)))


def test_fresh_noise_is_noticed_although_each_rung_alone_is_right(monkeypatch):
    fresh_noise_for_each_rung(monkeypatch)
    _, noise = noise_of("od_flows", USER, False, monkeypatch)
    rhos = rates("od_flows", USER)
    must_fit(*(rung(row, rho) for row, rho in zip(noise, rhos, strict=True)))
    must_be_noticed(pair(noise[0], noise[-1], rhos[0], rhos[-1]))
