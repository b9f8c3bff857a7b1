"""Curves that were worked out, against noise that was drawn."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from dpcore.comparison import curves
from dpcore.comparison.curves import Cells, _noise_at, _noisy_tables, line_moments, noise_law
from dpcore.comparison.formulas import grouped_emd, groups_of, jensen_shannon, kl_divergence, shares, smape

RATES = [Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(2)]


def noise(rng, rho, size):
    p = -np.expm1(-float(rho))
    return rng.geometric(p, size) - rng.geometric(p, size)


def skewed(rng, size, mean):
    return rng.poisson(rng.gamma(0.5, mean / 0.5, size)).astype(np.int64)


@pytest.mark.parametrize("rho", [Fraction(1, 2000), *RATES, Fraction(5)])
def test_the_law_of_the_noise_has_its_moments_even_in_pieces(rho):
    values, chance = noise_law(rho)
    q = np.exp(-float(rho))
    assert len(values) <= 1_201
    assert chance.sum() == pytest.approx(1)
    assert values @ chance == pytest.approx(0, abs=1e-9)
    assert np.abs(values) @ chance == pytest.approx(2 * q / (1 - q * q), rel=1e-6)
    assert values**2 @ chance == pytest.approx(2 * q / (1 - q) ** 2, rel=1e-3)
    assert chance[len(values) // 2] == pytest.approx((1 - q) / (1 + q))


@pytest.mark.parametrize("rho", RATES)
def test_mean_and_band_of_sums_over_cells_are_those_of_simulated_noise(rho):
    rng = np.random.default_rng(11)
    truth = skewed(rng, 2000, 30)
    counted = rng.binomial(truth, 0.8).astype(np.int64)
    worked_out = curves.share_bands(Cells.of(truth, counted), {Fraction(1): rho})
    drawn = {"smape": [], "jsd": [], "kld": []}
    for _ in range(200):
        noisy = (counted + noise(rng, rho, truth.size)).astype(float)
        p, q = shares(truth.astype(float)), shares(noisy)
        drawn["smape"].append(smape(p, q))
        drawn["jsd"].append(jensen_shannon(p, q))
        drawn["kld"].append(kl_divergence(truth.astype(float), noisy))
    for name, values in drawn.items():
        (band,) = worked_out[name]
        assert band.mean == pytest.approx(np.mean(values), rel=0.015), name
        covered = np.mean([band.low <= value <= band.high for value in values])
        assert covered >= 0.88, name
        assert (band.high - band.low) / 2 / 1.96 == pytest.approx(np.std(values), rel=0.35), name


def test_numbers_are_compared_as_they_stand():
    truth = np.array([4, 100, 0], np.int64)
    rng = np.random.default_rng(3)
    (band,) = curves.number_bands(Cells.of(truth), {Fraction(1): Fraction(1, 5)})["smape"]
    values = [
        smape(truth.astype(float), truth + noise(rng, Fraction(1, 5), 3).astype(float)) for _ in range(4000)
    ]
    assert band.mean == pytest.approx(np.mean(values), rel=0.02)


@pytest.mark.parametrize("rho", [Fraction(1, 50), Fraction(1, 5), Fraction(1)])
def test_the_distance_along_a_line_is_that_of_simulated_noise(rho):
    rng = np.random.default_rng(5)
    truth = (1000 * np.exp(-(np.linspace(-2, 2, 48) ** 2))).astype(np.int64)
    counted = (truth * np.linspace(1, 0.8, 48)).astype(np.int64)
    at = np.tile(np.arange(24.0), 2)
    groups = groups_of([np.repeat(["a", "b"], 24)], 48)
    (band,) = curves.line_bands(truth, counted, at, groups, {Fraction(1): rho})
    values = [
        grouped_emd(truth.astype(float), (counted + noise(rng, rho, 48)).astype(float), at, groups)
        for _ in range(1000)
    ]
    assert near(band.mean, np.array(values), 0.005)
    assert (band.high - band.low) / 2 / 1.96 == pytest.approx(np.std(values), rel=0.1)
    assert np.mean([band.low <= value <= band.high for value in values]) >= 0.92


def test_the_distance_between_two_cells_without_bound_or_clipping_is_the_known_formula():
    truth, rho = np.array([500_000, 500_000], np.int64), Fraction(1, 2)
    (band,) = curves.line_bands(truth, truth, np.arange(2.0), [np.arange(2)], {Fraction(1): rho})
    _, chance = noise_law(rho)
    difference = np.convolve(chance, chance)  # of the noise of both cells
    reach = len(difference) // 2
    known = np.abs(np.arange(-reach, reach + 1)) @ difference / 2 / truth.sum()
    assert band.mean == pytest.approx(known, rel=5e-3)


@pytest.mark.parametrize("cells", [60, 365, 1096])
def test_the_distance_along_a_long_line_is_that_of_simulated_noise(cells):
    rng, rho = np.random.default_rng(cells), Fraction(1, 5)
    truth = rng.poisson(50, cells).astype(float)
    mean, deviation = line_moments(truth, truth, np.arange(cells * 1.0), [np.arange(cells)], rho)
    values = []
    for _ in range(20):
        noisy = np.maximum(truth + noise(rng, rho, (250, cells)), 0)
        share = np.cumsum(noisy, axis=1) / noisy.sum(axis=1, keepdims=True)
        values.append(np.abs(share - np.cumsum(truth) / truth.sum())[:, :-1].sum(axis=1))
    values = np.concatenate(values)
    assert near(mean, values, 0.01)
    assert deviation == pytest.approx(values.std(), rel=0.1)


FAR_BINS = np.r_[np.arange(1.5, 5), 7.5, 11, 17, 26, 41, 88.5, 176, 401, 601]
FEW = np.r_[0, 30, 30, 25, 0, 0, 0, 0, 0, 0, 0, 0, 0].astype(np.int64)


@pytest.fixture(scope="module")
def few_people():
    """Noisy tables of a few people whose far bins are empty, by rate, with their distances from the truth."""
    rng = np.random.default_rng(20)
    return {
        rho: np.maximum(FEW + noise(rng, rho, (40_000, len(FEW))), 0).astype(float)
        for rho in (Fraction(1, 14), Fraction(2, 7), Fraction(8, 7))
    }


def distances(tables):
    """Earth mover's distance of each row from the truth, where anything is left of it."""
    p = np.cumsum(FEW / FEW.sum())
    q = np.cumsum(tables[tables.sum(axis=1) > 0], axis=1)
    return (np.abs(q / q[:, -1:] - p)[:, :-1] * np.diff(FAR_BINS)).sum(axis=1)


def near(mean, values, allowed=0.005):
    """Whether the mean of draws is what was worked out: five standard errors and rounding apart at most."""
    return abs(mean - values.mean()) <= allowed * mean + 5 * values.std() / len(values) ** 0.5


def test_the_distance_of_few_people_with_far_empty_bins_is_that_of_simulated_noise(few_people, monkeypatch):
    where = FAR_BINS, [np.arange(len(FEW))]
    for rho, tables in few_people.items():
        values = distances(tables)
        (band,) = curves.line_bands(FEW, FEW, *where, {Fraction(1): rho})
        assert near(band.mean, values)
        assert (band.high - band.mean) / 1.96 == pytest.approx(values.std(), rel=0.15)
        assert np.mean((values >= band.low) & (values <= band.high)) >= 0.9
    with monkeypatch.context() as patch:
        # planted: a normal law of the same spread for the noise of one cell
        spread = (2 * np.exp(-float(rho))) ** 0.5 / (1 - np.exp(-float(rho)))
        patch.setattr(curves, "_noise_at", lambda shares, _: spread * special.ndtri(shares))
        (band,) = curves.line_bands(FEW, FEW, *where, {Fraction(1): rho})
        assert band.mean > 1.15 * values.mean()


def test_shares_of_a_small_table_have_the_metrics_of_simulated_noise(few_people, monkeypatch):
    for rho, tables in few_people.items():
        drawn = {"smape": [], "jsd": [], "kld": []}
        p = shares(FEW.astype(float))
        for noisy in tables[:6000][tables[:6000].sum(axis=1) > 0]:
            q = shares(noisy)
            drawn["smape"].append(smape(p, q))
            drawn["jsd"].append(jensen_shannon(p, q))
            drawn["kld"].append(kl_divergence(FEW.astype(float), noisy))
        worked_out = curves.share_bands(Cells.of(FEW), {Fraction(1): rho})
        for name, values in drawn.items():
            assert near(worked_out[name][0].mean, np.array(values)), (name, rho)
    # planted: of five cells under strong noise the total is taken for its mean
    truth, rho, rng = np.array([0, 0, 1, 3, 9]), Fraction(1, 50), np.random.default_rng(21)
    tables = np.maximum(truth + noise(rng, rho, (6000, 5)), 0).astype(float)
    jsd = np.array([jensen_shannon(shares(truth.astype(float)), shares(y)) for y in tables if y.any()])
    (band,) = curves.share_bands(Cells.of(truth), {Fraction(1): rho})["jsd"]
    assert near(band.mean, jsd)
    monkeypatch.setattr(curves, "_SMALL", 0)
    (band,) = curves.share_bands(Cells.of(truth), {Fraction(1): rho})["jsd"]
    assert not near(band.mean, jsd)


def test_noisy_tables_and_their_sums_have_the_means_and_variances_of_drawn_ones():
    rng, rho = np.random.default_rng(22), Fraction(1, 5)
    counted = np.array([0.0, 0, 4, 100, 7, 0])
    drawn = np.maximum(counted + noise(rng, rho, (200_000, 6)), 0)
    tables = np.concatenate(list(_noisy_tables(counted, rho, 20_000)))
    for one, other in (
        (tables, drawn),
        (np.cumsum(tables, axis=1), np.cumsum(drawn, axis=1)),
        (tables.sum(axis=1, keepdims=True) - tables, drawn.sum(axis=1, keepdims=True) - drawn),
    ):
        assert one.shape[1] == other.shape[1]
        assert one.mean(axis=0) == pytest.approx(other.mean(axis=0), abs=0.1)
        assert one.std(axis=0) == pytest.approx(other.std(axis=0), rel=0.02)


@pytest.mark.parametrize("rho", [*RATES, Fraction(40)])
def test_every_share_of_draws_has_the_noise_of_the_law(rho):
    values, chance = noise_law(rho)
    upper = np.cumsum(chance)
    listed = (chance > 1e-6) & (np.abs(values % 1) < 1e-9)
    middles = (upper - chance / 2)[listed]
    if len(values) < 1_201:  # else some values stand for several
        assert _noise_at(middles, rho) == pytest.approx(values[listed])
    even = (np.arange(200_000) + 0.5) / 200_000
    q = np.exp(-float(rho))
    assert _noise_at(even, rho).mean() == pytest.approx(0, abs=1e-9)
    assert (_noise_at(even, rho) ** 2).mean() == pytest.approx(2 * q / (1 - q) ** 2, rel=2e-2, abs=1e-5)


def test_ten_years_of_days_are_worked_out_without_a_table_of_all_pairs():
    """13 million pairs of days: one table of them would take 107 MB."""
    days = 3653
    truth = np.random.default_rng(6).poisson(300, days).astype(float)
    tracemalloc.start()
    mean, deviation = line_moments(truth, truth, np.arange(days * 1.0), [np.arange(days)], Fraction(1, 5))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 60e6
    assert 0 < deviation < mean


def test_the_moments_do_not_depend_on_how_many_cells_are_held_at_a_time(monkeypatch):
    truth = np.random.default_rng(7).poisson(50, 90).astype(float)
    asked = (
        truth,
        np.floor(truth * 0.9),
        np.arange(90.0),
        [np.arange(60), np.arange(60, 90)],
        Fraction(1, 3),
    )
    whole = line_moments(*asked)
    monkeypatch.setattr(curves, "_AT_ONCE", 500_000)
    assert line_moments(*asked) == pytest.approx(whole, rel=1e-9)


def test_a_sparse_table_leaves_out_what_is_small():
    rng = np.random.default_rng(2)
    truth, rho, empty = skewed(rng, 500, 20), Fraction(1, 2), 100_000
    truth = truth[truth > 0]
    cells = Cells.of(truth, empty=empty, false_flows=Fraction(1))
    threshold = cells.threshold(rho)
    assert threshold == 23
    (band,) = curves.share_bands(cells, {Fraction(1): rho})["smape"]
    values = []
    for _ in range(60):
        noisy = np.r_[truth, np.zeros(empty, np.int64)] + noise(rng, rho, len(truth) + empty)
        noisy = np.where(noisy >= threshold, noisy, 0)
        listed = (np.r_[truth, np.zeros(empty)] > 0) | (noisy > 0)
        p, q = (shares(side[listed].astype(float)) for side in (np.r_[truth, np.zeros(empty)], noisy))
        values.append(smape(p, q))
    assert band.mean == pytest.approx(np.mean(values), rel=0.02)


def test_more_epsilon_is_more_alike_and_the_rungs_are_kept():
    truth = skewed(np.random.default_rng(1), 400, 50)
    rungs = {Fraction(n): Fraction(n, 20) for n in (1, 2, 5, 10)}
    for bands in curves.share_bands(Cells.of(truth), rungs).values():
        assert [band.epsilon for band in bands] == list(rungs)
        assert sorted((band.mean for band in bands), reverse=True) == [band.mean for band in bands]


def test_nothing_to_share_out_has_no_curve():
    empty = np.zeros(5, np.int64)
    assert curves.share_bands(Cells.of(empty), {Fraction(1): Fraction(1)}) == {}
    assert curves.line_bands(empty, empty, np.arange(5.0), [np.arange(5)], {Fraction(1): Fraction(1)}) == ()


def test_a_band_of_draws_covers_one_more_draw():
    rng = np.random.default_rng(4)
    covered = []
    for _ in range(2000):
        drawn = rng.normal(0.5, 0.05, 11)
        band = curves.drawn_band(Fraction(1), drawn[:10], 0, 1)
        covered.append(band.low <= drawn[10] <= band.high)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
    assert curves.drawn_band(Fraction(1), [0.0, 1.0], 0, 1).low == 0
    with pytest.raises(ValueError, match="two draws"):
        curves.drawn_band(Fraction(1), [0.5], 0, 1)
    reach = curves.drawn_band(Fraction(1), [0.4, 0.6], -9, 9).high - 0.5
    assert reach == pytest.approx(stats.t.ppf(0.975, 1) * np.std([0.4, 0.6], ddof=1) * 1.5**0.5)
