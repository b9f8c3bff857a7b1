"""Flows of a sparse table stand over the law, and single numbers have ranges as wide as their guarantee."""

from fractions import Fraction

import numpy as np
import pytest

from dpcore.estimates import estimate
from dpcore.estimates.all_trips import share_of
from dpcore.estimates.noisy import Noise, Noisy
from dpcore.estimates.totals import Totals
from dpcore.measures.keys import KeySet, plain_axis
from dpcore.noise.accuracy import half_width
from tests.estimates.made_measurements import OF_BEFORE, OF_NOW, city, grid, measured, plan

TILES = grid(25)
PLACES = len(TILES.tile_ids) + 1
NAMES = (
    "trips_over_time",
    "visits_per_tile",
    "visits_per_time_tile",
    "od_districts",
    "od_flows",
    "jump_length",
)


def sparse(epsilon, trips=400_000, seed=0, names=NAMES):
    made = city(PLACES, trips, seed)
    drawn = measured(plan(names, TILES, epsilon, None), TILES, made, seed)
    found = estimate(plan(names, TILES, epsilon, None), drawn, TILES)
    return made, drawn["od_flows"], found


def on_all_pairs(table):
    full = np.full((3, PLACES * PLACES), np.nan)
    full[:, table.cell_numbers] = table.counted.values, table.counted.low, table.counted.high
    full[0] = np.nan_to_num(full[0])
    return full


def error(values, truth):
    return np.abs(values - truth).sum() / truth.sum()


@pytest.fixture(scope="module", params=["5", "1"])
def found(request):
    return request.param, *sparse(request.param)


def test_flows_of_a_sparse_table_are_as_near_to_the_truth_as_the_drawn_ones(found):
    epsilon, made, drawn, estimates = found
    listed, truth = drawn.cells, made.flows.ravel()[drawn.cells]
    values = on_all_pairs(estimates.tables["od_flows"])[0, listed]
    assert error(values, truth) < (1.2 if epsilon == "5" else 1.0) * error(drawn.values[0], truth)


def test_flows_of_a_sparse_table_have_ranges_and_those_of_the_law_have_wide_ones(found):
    _, made, drawn, estimates = found
    values, low, high = on_all_pairs(estimates.tables["od_flows"])
    paid = np.zeros(PLACES * PLACES, bool)
    paid[drawn.cells] = True
    assert np.isfinite(low[paid & (values > 0)]).all()
    others = ~paid & (values > 0)
    assert (low[others] < values[others]).all()
    assert np.mean((low <= made.flows.ravel())[others] & (made.flows.ravel() <= high)[others]) > 0.9
    real = made.flows.ravel()[drawn.cells]
    some = real > 0  # a pair without trips is listed only if its noise is far out
    assert np.mean((low[drawn.cells] <= real)[some] & (real <= high[drawn.cells])[some]) > 0.93


def test_flows_over_the_law_add_up_to_starts_and_arrivals(found):
    """Flows below 0.5 are not listed, so that much is missing at most for each of them."""
    _, _, _, estimates = found
    flows = on_all_pairs(estimates.tables["od_flows"])[0].reshape(PLACES, PLACES)
    visits = estimates.tables["visits_per_tile"].counted.values
    arrivals = estimates.tables["visits_per_time_tile"].counted.values.reshape(-1, PLACES).sum(axis=0)
    for axis, wanted in ((0, arrivals), (1, visits - arrivals)):
        missing = wanted - flows.sum(axis=axis)
        close = 0.01 * wanted + 1
        assert (missing > -close).all()
        assert (missing <= 0.5 * (flows == 0).sum(axis=axis) + close).all()


@pytest.mark.parametrize("names", [OF_BEFORE, ("od_flows", "visits_per_tile"), ("od_flows",)])
@pytest.mark.parametrize("trips", [0, 300])
def test_flows_of_few_trips_are_sound(names, trips):
    _, _, estimates = sparse("10", trips, names=names)
    shown = estimates.tables["od_flows"].counted
    known = ~np.isnan(shown.low)
    assert np.isfinite(shown.values).all()
    assert (shown.low[known] <= shown.values[known]).all()
    assert (shown.values[known] <= shown.high[known]).all()


def one_number(value, rate):
    return Noisy(np.array([float(value)]), Noise(rate), KeySet((plain_axis("x", ("x",)),)))


@pytest.mark.parametrize("rate", [0.001, 0.004])
def test_the_range_of_the_share_holds_the_share_in_as_many_draws_as_it_aims_at(rate):
    rng = np.random.default_rng(0)
    counted, everything, error = 12_000.0, 20_000.0, 60.0
    held = []
    for _ in range(600):
        totals = Totals(counted + rng.normal(0, error), counted, error**2)
        share = share_of(totals, one_number(everything + round(rng.laplace(0, 1 / rate)), rate))
        held.append(share.low <= counted / everything <= share.high)
    assert np.mean(held) >= 0.93


def test_the_range_of_all_trips_is_no_narrower_than_the_guarantee():
    asked = plan(OF_NOW, TILES, "1")
    found = estimate(asked, measured(asked, TILES, city(PLACES, 9_000, 6)), TILES, of=("total_trips",))
    rho = Fraction(1) * asked.share("total_trips") / asked.measure("total_trips").sensitivity(asked.bound)
    shown = found.tables["total_trips"].counted
    assert shown.high[0] - shown.values[0] == half_width(rho)
