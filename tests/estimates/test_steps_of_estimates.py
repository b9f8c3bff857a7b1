"""The steps of an estimate: posteriors, the process, raking and the law of flows, each against a slow sure way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.estimates.law import Law, gravity
from dpcore.estimates.listed import LEAST, _tell_others, listed_flows
from dpcore.estimates.noisy import Below, Noise, Noisy
from dpcore.estimates.pairs import bands_of, pairs_of
from dpcore.estimates.places import GROUP, Geography, geography
from dpcore.estimates.posterior import FLOWS, evidence, fitted, posterior, tabulated
from dpcore.estimates.process import CovarianceSettings, NoisyCounts, Places, fits
from dpcore.estimates.raking import fit_margins, raked, shifted
from dpcore.estimates.totals import totals
from dpcore.measures.keys import Districts, KeySet, plain_axis
from tests.estimates.made_measurements import grid


def summed_exactly(y, noise, mean, spread):
    """Mean and middle 95 % of the posterior, on two million points."""
    logs = np.linspace(-25, 18, 2_000_001)
    x = np.exp(logs)
    middle = np.log(mean) - spread**2 / 2
    usual, far = (logs - middle) / spread, (logs - middle) / (spread + 1)
    prior = 0.9 * np.exp(-usual * usual / 2) / spread + 0.1 * np.exp(-far * far / 2) / (spread + 1)
    log_density = noise.log_density(y - x)
    mass = prior * np.exp(log_density - log_density.max())
    reached = np.cumsum(mass) / mass.sum()
    return (mass * x).sum() / mass.sum(), *np.exp(np.interp([0.025, 0.975], reached, logs))


@pytest.mark.parametrize("cells", [1, 2, 20])
@pytest.mark.parametrize(
    ("y", "mean", "spread"),
    [(100, 80, 0.3), (-30, 5, 1.0), (4000, 20, 0.8), (12, 3000, 0.2), (0, 0.1, 2.0), (50, 50, 0.02)],
)
def test_the_posterior_is_that_of_a_fine_sum(y, mean, spread, cells):
    noise = Noise(0.08, cells)
    found = posterior(np.array([float(y)]), noise, np.array([float(mean)]), np.array([spread]))
    value, low, high = summed_exactly(y, noise, mean, spread)
    scale = (high - low) / 4
    assert abs(found.values[0] - value) < 0.06 * scale + 0.01 * value
    assert abs(found.low[0] - low) < 0.4 * scale
    assert abs(found.high[0] - high) < 0.4 * scale + 0.05 * high


def test_with_little_noise_the_posterior_is_the_count_and_with_much_noise_the_prior():
    y, mean, spread = np.array([700.0]), np.array([100.0]), np.array([0.5])
    sure, vague = (posterior(y, Noise(rate), mean, spread) for rate in (20.0, 1e-7))
    assert sure.values[0] == pytest.approx(700, abs=0.2)
    assert 90 < vague.values[0] < 200


def test_a_count_that_may_be_0_is_0_if_its_noisy_value_says_so():
    y, mean, spread = np.array([0.0, 500.0]), np.full(2, 500.0), np.full(2, 0.3)
    found = posterior(y, Noise(0.1), mean, spread, 0.2)
    assert found.values[0] < 1
    assert found.low[0] == 0
    assert found.values[1] == pytest.approx(500, rel=0.05)


def test_the_evidence_finds_the_spread_of_the_counts():
    rng = np.random.default_rng(0)
    mean = np.full(3000, 200.0)
    y = mean * rng.lognormal(-0.08, 0.4, 3000) + rng.laplace(0, 20, 3000)
    likely = [evidence(y, Noise(0.05), mean, np.full(3000, s)).sum() for s in (0.1, 0.4, 1.3)]
    assert int(np.argmax(likely)) == 1
    spread, empty = fitted(y, Noise(0.05), mean, 2).at(mean)
    assert (empty == 0).all()
    assert 0.3 < np.median(spread) < 0.5


def test_a_table_of_posteriors_reads_as_the_posteriors_themselves():
    rng = np.random.default_rng(1)
    mean = rng.lognormal(1, 2, 5000)
    noise = Noise(0.1)
    y = mean * rng.lognormal(0, 0.6, 5000) + rng.laplace(0, 10, 5000)
    spreads = fitted(y, noise, mean, 4)
    read, direct = tabulated(y, noise, mean, spreads), posterior(y, noise, mean, *spreads.at(mean))
    assert np.abs(read.values - direct.values).sum() < 0.01 * direct.values.sum()
    assert np.mean(np.abs(read.high - direct.high) < 0.1 * direct.high + 0.2) > 0.97


def test_the_noise_has_the_variance_of_its_law():
    for rate in (0.01, 0.5, 3.0):
        n = np.arange(-5000, 5001)
        law = np.exp(-rate * np.abs(n))
        assert Noise(rate).variance == pytest.approx((law * n * n).sum() / law.sum(), rel=1e-6)
        assert Noise(rate).of_sum(7).variance == pytest.approx(7 * Noise(rate).variance)


def test_leaving_one_out_is_what_leaving_it_out_gives():
    """A place whose own noise is endless tells nothing, so its mean is the one that the others give."""
    rng = np.random.default_rng(2)
    xy = rng.uniform(0, 5, (30, 2))
    y = 300 * np.exp(np.sin(xy[:, 0])) + rng.normal(0, 20, 30)
    settings = CovarianceSettings(((0.8, 0.2),), 0.1, 0.0)
    places, offset = Places(xy, np.zeros(30)), np.full(30, np.log(300))
    every = fits(NoisyCounts(y, np.full(30, 400.0), offset), places, settings)[0]
    for one in (0, 7):
        variance = np.full(30, 400.0)
        variance[one] = 1e16
        without = fits(NoisyCounts(y, variance, offset), places, settings)[0]
        assert every.mean[one] == pytest.approx(without.mean[one], rel=0.03)
        assert every.spread[one] == pytest.approx(without.spread[one], rel=0.03)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 9999))
def test_raked_parts_add_up_and_are_not_negative(seed):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 5, 40)
    x, variance, target = rng.normal(3, 10, 40), rng.exponential(5, 40), rng.exponential(50, 5)
    target[0] = 0
    target[np.bincount(group, minlength=5) == 0] = 0
    found = raked(x, variance, group, target)
    assert (found >= 0).all()
    np.testing.assert_allclose(np.bincount(group, found, minlength=5), target, rtol=1e-9, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 9999))
def test_shifted_numbers_keep_their_limits_and_sums(seed):
    rng = np.random.default_rng(seed)
    group, most = rng.integers(0, 3, 30), rng.exponential(20, 30)
    total = rng.uniform(0, 1, 3) * np.bincount(group, most, minlength=3)
    found = shifted(rng.normal(5, 10, 30), rng.exponential(3, 30), most, group, total)
    assert (found >= 0).all()
    assert (found <= most).all()
    np.testing.assert_allclose(np.bincount(group, found, minlength=3), total, rtol=1e-6, atol=1e-6)


def test_fitted_margins_are_met_and_keep_the_odds():
    rng = np.random.default_rng(3)
    table = rng.exponential(1, (6, 9))
    rows, columns = rng.exponential(10, 6), rng.exponential(10, 9)
    columns *= rows.sum() / columns.sum()
    found = fit_margins(table, rows, columns)
    np.testing.assert_allclose(found.sum(axis=1), rows)
    np.testing.assert_allclose(found.sum(axis=0), columns, rtol=1e-6)
    odds = [each[0, 0] * each[1, 1] / (each[0, 1] * each[1, 0]) for each in (table, found)]
    assert odds[0] == pytest.approx(odds[1])


def in_bands(law: Law, on: Geography, edges: np.ndarray) -> np.ndarray:
    """Flows between two different tiles in each band of distances: a class of pairs has the share of a band times its factor."""
    bands, count = bands_of(on, tuple(edges.tolist())), len(law.far) - 1
    inside = law.pairs.far[:count, :count]
    classes = np.concatenate([bands.of_near, bands.of_far[inside]])
    factor = np.concatenate([law.near, law.far[:count, :count][inside]])
    flows = np.concatenate([law.near_flows(), law.far_flows()[:count, :count][inside]])
    held, first = np.unique(classes, return_index=True)
    each = np.linalg.lstsq(bands.in_bands[held], factor[first], rcond=None)[0]
    return each * ((np.bincount(classes, flows)[held] / factor[first]) @ bands.in_bands[held])


def test_neighbours_share_the_short_bands_and_trips_within_a_tile_stay_by_its_size():
    edges = np.array([0.5, 1.0, 1.5])
    rng = np.random.default_rng(5)
    points = rng.random((2, 200_000, 2))
    on = geography(grid(4), None)
    bands, pairs = bands_of(on, tuple(edges.tolist())), pairs_of(on)
    side = float(np.sqrt(np.median(on.area)))
    apart = np.hypot(*(on.xy[pairs.origin] - on.xy[pairs.destination]).T)
    next_door = int(np.argmin(np.abs(apart - side)))
    length = np.hypot(*((points[0] - points[1] + (1, 0)) * side).T)
    true = np.bincount(np.searchsorted(edges, length, side="right"), minlength=4) / 200_000
    np.testing.assert_allclose(bands.in_bands[bands.of_near[next_door]], true, atol=0.05)
    for band, (low, high) in enumerate(((0.0, 0.5), (0.5, 1.0), (1.0, 1.5))):
        far, turn = rng.uniform(low, high, 200_000), rng.uniform(0, 2 * np.pi, 200_000)
        ends = points[0] * side + np.stack([far * np.cos(turn), far * np.sin(turn)], axis=1)
        stays = ((ends >= 0) & (ends <= side)).all(axis=1).mean()
        assert bands.stay[np.argmin(np.abs(on.area - side**2)), band] == pytest.approx(stays, abs=0.01)


@pytest.mark.parametrize("most", [1000, 20])
def test_the_law_of_flows_has_the_margins_the_lengths_and_the_districts_that_it_was_given(most, monkeypatch):
    monkeypatch.setattr("dpcore.estimates.pairs.MOST_SINGLE", most)
    tiles = grid(8)
    count = len(tiles.tile_ids)
    half = np.array([int(number > count / 2) for number in range(count)])
    on = geography.__wrapped__(tiles, Districts(("a", "b"), tuple(int(x) for x in half)))
    rng = np.random.default_rng(4)
    out = rng.exponential(100, count + 1)
    into = rng.permutation(out)
    edges = np.array([1.0, 2.0, 3.0])
    # Lengths that flows of these tiles can have: those of a law of other lengths.
    usual = gravity(out, into, on, edges, np.array([500.0, 2000.0, 2000.0, 1000.0]))
    stay = bands_of(on, tuple(edges.tolist())).stay
    lengths = in_bands(usual, on, edges)
    for _ in range(100):  # the share of each band among all trips, those within a tile among them
        share = lengths / lengths.sum()
        within = (out[:-1, None] * stay * share).sum(axis=0)
        lengths = in_bands(usual, on, edges) + within
    law = gravity(out, into, on, edges, lengths)
    flows = law.table()
    np.testing.assert_allclose(flows.sum(axis=1), out, rtol=1e-2)
    np.testing.assert_allclose(flows.sum(axis=0), into, rtol=1e-5)
    cells = np.arange(law.places**2)
    np.testing.assert_allclose(law.flows(cells).reshape(flows.shape), flows)
    np.testing.assert_allclose(
        np.diag(flows)[:-1], np.minimum(out[:-1] * (stay @ share), 0.9 * np.minimum(out, into)[:-1])
    )
    found = in_bands(law, on, edges) + within
    np.testing.assert_allclose(found / found.sum(), lengths / lengths.sum(), atol=0.01)
    district = np.append(half, 2)
    member = np.eye(3)[district]
    np.testing.assert_allclose(law.between(district), member.T @ flows @ member, rtol=1e-9)
    wanted = fit_margins(
        law.between(district) * rng.lognormal(0, 0.3, (3, 3)),
        np.bincount(district, out),
        np.bincount(district, into),
    )
    law.to_districts(wanted, district, rounds=40)
    np.testing.assert_allclose(law.between(district), wanted, rtol=0.02)
    parts = [*law.largest(5.0)]
    listed = np.zeros(law.places**2)
    for numbers, values in parts:
        listed[numbers] += values
    full = law.table().ravel()
    np.testing.assert_allclose(listed, np.where(full >= 5.0, full, 0.0), rtol=1e-9)


def test_groups_are_parts_of_districts_and_hold_about_twenty_tiles():
    tiles = grid(12)
    half = tuple(int(number > 40) for number in range(len(tiles.tile_ids)))
    on = geography(tiles, Districts(("a", "b"), half))
    np.testing.assert_array_equal(on.district, half)
    assert np.bincount(on.group).max() <= 1.4 * GROUP


def one_number(value, rate=0.1):
    return Noisy(np.array([float(value)]), Noise(rate), KeySet((plain_axis("x", ("x",)),)))


def test_incomplete_trips_are_believed_only_where_they_stand_out():
    lengths = Noisy(np.full(13, 100.0), Noise(0.1), KeySet((plain_axis("x", tuple("abcdefghijklm")),)))
    few = totals({"jump_length": lengths, "incomplete_trips": one_number(15)}, ends_only=True)
    assert few.incomplete == 0
    many = totals({"jump_length": lengths, "incomplete_trips": one_number(400)}, ends_only=True)
    assert many.complete == pytest.approx(1300)
    assert many.incomplete == pytest.approx(400)


def made_law(tiles, trips=30_000.0):
    """The law of a city of two districts, its districts, and what is wanted between them."""
    count = len(tiles.tile_ids)
    half = tuple(int(number > count / 2) for number in range(count))
    on = geography.__wrapped__(tiles, Districts(("a", "b"), half))
    rng = np.random.default_rng(5)
    out = rng.exponential(100, count + 1)
    out *= trips / out.sum()
    into = rng.permutation(out)
    law = gravity(out, into, on, np.array([1.0, 2.0, 4.0]), np.array([5.0, 20.0, 30.0, 20.0]))
    district = np.append(half, 2)
    wanted = fit_margins(
        law.between(district) * np.array([[1.3, 0.7, 1.0], [0.8, 1.2, 1.0], [1.0, 1.0, 0.5]]),
        np.bincount(district, out),
        np.bincount(district, into),
    )
    law.to_districts(wanted, district, rounds=40)
    return law, district, wanted


def test_a_law_stays_finite_where_a_district_has_no_trips_and_is_to_have_some():
    """Its factors would grow in every round."""
    law, district, wanted = made_law(grid(6))
    law.out[district == 0] = 1e-9
    law.into[district == 0] = 1e-9
    law.balance()
    law.to_districts(wanted, district, rounds=9)
    assert np.isfinite(law.near).all()
    assert np.isfinite(law.between(district)).all()


def test_the_law_whose_far_pairs_go_by_groups_is_near_that_of_all_pairs(monkeypatch):
    laws = []
    for most in (1000, 20):
        monkeypatch.setattr("dpcore.estimates.pairs.MOST_SINGLE", most)
        laws.append(made_law(grid(24))[0])
    every, grouped = laws
    assert len(grouped.near) < len(every.near) / 2
    assert np.abs(grouped.table() - every.table()).sum() < 0.1 * every.out.sum()


@pytest.mark.parametrize("most", [20, 1000])
@pytest.mark.parametrize("listed", [30, 500, 100_000])
def test_the_flows_that_are_listed_are_the_largest_of_all(most, listed, monkeypatch):
    monkeypatch.setattr("dpcore.estimates.pairs.MOST_SINGLE", most)
    law, district, _ = made_law(grid(12))
    monkeypatch.setattr("dpcore.estimates.listed.MOST", listed)
    cells, found = listed_flows(law, None, district, None)
    flows = law.table().ravel()
    every = np.flatnonzero(flows >= LEAST)
    wanted = np.sort(every[np.argsort(-flows[every], kind="stable")][:listed])
    np.testing.assert_array_equal(cells, wanted)
    np.testing.assert_allclose(found.values, flows[wanted], rtol=1e-12)
    assert (found.low < found.values).all()
    assert (found.values < found.high).all()


def test_rounding_moves_no_flow_where_nearly_all_pairs_are_told(monkeypatch):
    """Another computer rounds otherwise, and has to find the same flows."""
    monkeypatch.setattr("dpcore.estimates.pairs.MOST_SINGLE", 20)
    rng, found = np.random.default_rng(8), []
    law, *_ = made_law(grid(24))
    told = rng.random(law.places**2) < 0.97
    values = rng.exponential(law.table().ravel()[told])
    for rounding in (0.0, 1e-12):
        law, district, wanted = made_law(grid(24))
        law.destination *= 1 + rounding * np.sin(np.arange(law.places))
        _tell_others(law, np.flatnonzero(told), values, district, wanted)
        found.append(law.table().ravel()[~told])
    np.testing.assert_allclose(*found, rtol=1e-7, atol=1e-9)


def test_not_to_be_listed_tells_what_the_law_of_the_noise_says():
    """The chance that a count stays below a threshold, summed over all values of the noise."""
    rate, threshold = 0.3, 12
    q, noise = np.exp(-rate), np.arange(-400, 401)
    law = (1 - q) / (1 + q) * q ** np.abs(noise)
    for count in (0, 3, 11, 12, 13, 40):
        told = np.exp(Below(rate).log_density(np.array([float(threshold - count)])))[0]
        assert told == pytest.approx(law[count + noise < threshold].sum(), rel=1e-9)


def test_a_flow_that_is_not_listed_is_lowered_as_summing_over_all_counts_says():
    below, expected, spread = Below(0.3), np.array([4.0, 12.0, 40.0]), np.full(3, 0.5)
    found = posterior(np.full(3, 12.0), below, expected, spread, shape=FLOWS)
    assert (found.values < expected).all()
    x = np.linspace(1e-3, 400, 400_000)
    for mean, value in zip(expected, found.values, strict=True):
        z = (np.log(x) - np.log(mean) + FLOWS.log_mean(spread[:1])) / 0.5
        far = z * 0.5 / 1.5
        prior = (
            (1 - FLOWS.unusual)
            * np.exp(-np.square(np.where(z > 0, z / FLOWS.up, z)) / 2)
            / (0.5 * (1 + FLOWS.up) / 2)
        )
        prior += FLOWS.unusual * np.exp(-far * far / 2) / 1.5
        mass = prior / x * np.exp(below.log_density(12.0 - x))
        assert value == pytest.approx((mass * x).sum() / mass.sum(), rel=0.03)


def test_the_prior_of_flows_has_its_mean():
    logs = np.linspace(-30, 20, 1_000_001)
    for spread in (0.1, 0.6, 1.8):
        z = (logs + FLOWS.log_mean(np.array([spread]))) / spread
        mass = np.exp(-np.square(np.where(z > 0, z / FLOWS.up, z)) / 2)
        assert (mass * np.exp(logs)).sum() / mass.sum() == pytest.approx(1.0, rel=1e-6)
