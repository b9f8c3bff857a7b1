"""Agreement: exactly weighted least squares, unbiased, with the saving that it states, and quick."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import linalg

from dpcore.comparison.agreement import agreed, consistent, consistent_table, said, savings
from dpcore.comparison.identities import LINKED, Stack, identities
from dpcore.errors import InputError, PrivacyError
from dpcore.measures.keys import Districts
from dpcore.privacy import ContributionBound
from tests.consistency.made_tables import (
    CHOICES,
    TILES,
    WEIGHTS,
    made_plan,
    made_trips,
    noisy,
    true_tables,
)
from tests.release.made_releases import made_release


@pytest.fixture(scope="module")
def city(own_home_of_module):  # noqa: ARG001 - no test reads the data folder of the person who runs it
    plan = made_plan()
    return plan, true_tables(made_trips(5), plan)


@pytest.fixture(scope="module")
def own_home_of_module(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def dense(found, choices=CHOICES):
    """The same by dense matrices: the nearest point of the null space, and the covariance of that."""
    stack = found.stack
    a = np.vstack([one.rows.toarray() for one in identities(stack, choices).known])
    basis = linalg.null_space(a)
    root = np.sqrt(stack.variances)
    projector = basis @ np.linalg.pinv(basis / root[:, None]) / root
    return projector @ stack.values, projector @ np.diag(stack.variances) @ projector.T


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
@pytest.mark.parametrize(
    "bound", [ContributionBound.per_user(3), ContributionBound.per_user(50), ContributionBound.per_trip()]
)
def test_agreement_is_dense_least_squares(city, bound, epsilon):
    plan = made_plan(bound=bound, epsilon=epsilon)
    found = agreed(noisy(city[1], plan, seed=3), CHOICES)
    values, covariance = dense(found)
    scale = np.abs(values).max()
    assert found.estimate.values == pytest.approx(values, rel=1e-9, abs=1e-9 * scale)
    assert found.estimate.variances == pytest.approx(np.diag(covariance), rel=1e-8)
    for name in found.names:
        part = found.stack.part(name)
        whole = covariance[part, part]
        assert found.deviation_of_sum(name) == pytest.approx(np.sqrt(whole.sum()), rel=1e-7)
        some = np.array([cell for cell in (0, 2, 3) if cell < len(whole)])
        assert found.deviation_of_sum(name, some) == pytest.approx(
            np.sqrt(whole[np.ix_(some, some)].sum()), rel=1e-7
        )


@pytest.mark.parametrize("names", [("trips_per_hour",), ("visits_per_tile", "od_flows"), tuple(LINKED)[:4]])
def test_unequal_weights_of_a_few_measures_agree_too(city, names):
    weights = {name: 10**number for number, name in enumerate((*names, "trips_per_weekday", "ds_statistics"))}
    plan = made_plan(weights=weights)
    found = agreed(noisy(city[1], plan, seed=4), CHOICES)
    values, _ = dense(found)
    assert found.estimate.values == pytest.approx(values, rel=1e-7, abs=1e-7 * np.abs(values).max())


def test_equal_totals_are_equal_afterwards(city):
    plan, truth = city
    found = agreed(noisy(truth, plan, seed=6), CHOICES)
    sums = {name: table.values.sum() for name, table in found.tables.items()}
    trips = pytest.approx(found.totals["trips"].value, rel=1e-9)
    for name in ("trips_over_time", "trips_per_weekday", "visits_per_time_tile"):
        assert sums[name] == trips
    for name in ("od_flows", "travel_time", "jump_length"):
        assert sums[name] == pytest.approx(found.totals["complete_trips"].value, rel=1e-9)
    assert sums["visits_per_tile"] == pytest.approx(found.totals["records"].value, rel=1e-9)
    for name in ("trips_per_user", "user_tile_count", "mobility_entropy"):
        assert sums[name] == pytest.approx(found.totals["users"].value, rel=1e-9)
    flows = found.tables["od_flows"].values.reshape(5, 5)
    ends = found.tables["visits_per_time_tile"].values.reshape(2, 6, 5).sum(axis=(0, 1))
    assert found.tables["visits_per_tile"].values == pytest.approx(flows.sum(axis=1) + ends, rel=1e-9)


def test_the_truth_is_left_alone(city):
    plan, truth = city
    drawn = noisy(truth, plan, seed=0)
    exact = {
        name: replace(one, values=np.stack([truth[name]] * len(one.rungs))) for name, one in drawn.items()
    }
    found = agreed(exact, CHOICES)
    for name, table in found.tables.items():
        assert table.values == pytest.approx(truth[name], abs=1e-6)


def test_estimates_are_unbiased_save_what_is_stated_and_their_half_widths_cover(city):
    plan, truth = replace(city[0], rungs=city[0].rungs[-1:]), city[1]
    runs = 600
    errors: dict[str, list[np.ndarray]] = {}
    for seed in range(runs):
        found = agreed(noisy(truth, plan, seed=1000 + seed), CHOICES)
        for name in found.names:
            errors.setdefault(name, []).append(found.tables[name].values - truth[name])
    for one in savings(found):
        seen = np.array(errors[one.measure])
        table = found.tables[one.measure]
        # unbiased: the mean error of each cell is within six of its own standard deviations
        assert (np.abs(seen.mean(axis=0)) < 6 * table.deviations / np.sqrt(runs)).all(), one.measure
        # the mean squared error is the stated one
        assert np.square(seen).mean() == pytest.approx(one.after, rel=0.15), one.measure
        assert one.after < one.before
        cover = (np.abs(seen) <= table.half_widths).mean()
        assert 0.94 < cover < 0.99, (one.measure, cover)
        if one.total_after is not None:
            sums = seen.sum(axis=1)
            assert sums.std() == pytest.approx(one.total_after, rel=0.2), one.measure
            assert one.total_after < one.total_before


def test_no_cell_and_no_total_becomes_worse(city):
    plan, truth = city
    for rung in range(len(plan.rungs)):
        found = agreed(noisy(truth, plan, seed=8), CHOICES, rung)
        assert (found.estimate.variances <= found.stack.variances * (1 + 1e-12)).all()
        for one in savings(found):
            assert 0 < one.share < 1
        people = found.tables["ds_statistics"].deviations[0]
        assert people < 0.35 * np.sqrt(found.stack.variance("ds_statistics"))  # others tell them far better


def test_estimates_are_not_clipped_so_their_sums_stay_right(city):
    plan, truth = city
    table = agreed(noisy(truth, plan, seed=9), CHOICES).tables["od_flows"]
    assert table.values.min() < 0
    assert np.maximum(table.values, 0).sum() > table.values.sum()


def test_five_hundred_tiles_and_all_their_flows_take_less_than_two_seconds():
    tiles = tuple(f"{number:03}" for number in range(500))
    districts = Districts(tuple(f"{number:02}" for number in range(25)), tuple(n // 20 for n in range(500)))
    weights = {name: weight for name, weight in WEIGHTS.items() if name in LINKED}
    plan = made_plan(weights=weights, choices=replace(CHOICES, districts=districts))
    empty = {measure.name: np.zeros(measure.keys(tiles).size, np.int64) for measure in plan.measures}
    drawn = noisy(empty, plan, seed=2, tiles=tiles)
    begun = time.process_time()
    found = agreed(drawn, plan.choices)
    list(savings(found))
    assert time.process_time() - begun < 2 * 2  # two threads may share the work of two seconds
    flows = found.tables["od_flows"].values.reshape(501, 501)
    ends = found.tables["visits_per_time_tile"].values.reshape(2, 6, 501).sum(axis=(0, 1))
    visits = found.tables["visits_per_tile"].values
    assert np.abs(visits - flows.sum(axis=1) - ends).max() < 1e-6
    merged = flows[:500, :500].reshape(25, 20, 25, 20).sum(axis=(1, 3))
    assert np.abs(found.tables["od_districts"].values.reshape(26, 26)[:25, :25] - merged).max() < 1e-6


def test_a_release_is_made_to_agree_at_any_rung_and_told_in_words():
    weights = {"ds_statistics": 1, "trips_per_weekday": 1, "trips_per_hour": 2, "user_time_delta": 1}
    release = made_release(weights=weights)
    fine, coarse = consistent(release), consistent(release, 0)
    assert fine.tables["trips_per_hour"].deviations[0] < coarse.tables["trips_per_hour"].deviations[0]
    lines = said(consistent(release))
    assert lines == said(fine)
    assert any("people" in line or "trips" in line for line in lines)
    assert lines[-1].startswith("Time between trips")
    assert "as drawn" in lines[-1]
    assert said(consistent(made_release(weights={"trips_per_hour": 1, "user_time_delta": 1}))) == ()


def test_columns_hold_the_estimate_in_decimals():
    release = made_release()
    columns, table, _ = consistent_table(release, "visits_per_tile", None)
    assert list(columns) == ["tile_id", "value", "half_width_95"]
    assert [float(text) for text in columns["value"]] == pytest.approx(table.values, abs=1e-6)
    printed = np.array([float(text) for text in columns["half_width_95"]])
    assert (printed >= table.half_widths).all()
    assert printed == pytest.approx(table.half_widths, abs=1.1e-3)
    lower, _, _ = consistent_table(release, "visits_per_tile", Fraction(1, 2))
    assert lower != columns
    with pytest.raises(InputError):
        consistent_table(release, "travel_time", None)
    with pytest.raises(PrivacyError):
        consistent_table(release, "visits_per_tile", Fraction(7))


def test_cells_of_the_stack_stand_side_by_side(city):
    plan, truth = city
    stack = Stack(noisy(truth, plan, seed=1), -1)
    assert stack.size == sum(len(one) for one in truth.values())
    assert (
        stack.values[stack.part("jump_length")].tolist()
        == stack.measurements["jump_length"].values[-1].tolist()
    )
    assert Stack({}, -1).values.shape == Stack({}, -1).variances.shape == (0,)
    assert TILES == ("A", "B", "C", "D")
