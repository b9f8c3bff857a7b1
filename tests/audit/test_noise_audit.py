"""The noise tests at sizes that see errors of a tenth of a per cent, and attacks that try to exceed epsilon.

A pass does not prove privacy; it bounds how large an error of these kinds can be. The proofs stand in ``samplers.py``.
"""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy import stats

from dpcore.noise.samplers import discrete_laplace, geometric, ladder
from dpcore.noise.sparse import sparse_ladder, threshold_for
from dpcore.privacy import RUNGS
from tests.halves import coarsen

pytestmark = pytest.mark.audit

LEVEL = (
    1e-9  # fresh randomness cannot be seeded; a hundred tests then fail by chance once in ten million runs
)
ALPHA = 1e-6  # of each bound of the auditors
DRAWS = 8_000_000
RHOS = [
    Fraction(text)
    for text in ("5", "1", "0.73", "1/2", "1/10", "1/16", "1/17", "1/100", "3/4000", "3/400000")
]


def pmf(rho, values):
    q = np.exp(-float(rho))
    return -np.expm1(-float(rho)) / (1 + q) * q ** np.abs(values)


def step_pmf(coarse, fine, values):
    """Law of coarse minus fine noise."""
    q1, q2 = np.exp(-float(coarse)), np.exp(-float(fine))
    still = q2 / q1 * ((1 - q1) / (1 - q2)) ** 2
    return np.where(values == 0, still, 0) + (1 - still) * pmf(coarse, values)


def p_value(observed, expected):
    rare = expected < 100
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    return stats.chi2.sf(((observed - expected) ** 2 / np.maximum(expected, 1e-9)).sum(), len(expected) - 1)


def marginal_fit(values, rho):
    """p-value of noise against its law on about a thousand classes."""
    width = max(1, int(0.03 / rho))
    reach = int(16 / rho) // width + 1
    edges = np.arange(-reach, reach + 1) * width
    q = np.exp(-float(rho))
    upper = np.exp(-float(rho) * np.abs(edges)) / (1 + q)
    share = -np.diff(np.concatenate([[1.0], np.where(edges >= 0, upper, 1 - q * upper), [0.0]]))
    observed = np.bincount(np.searchsorted(edges, values, "right"), minlength=len(share))
    return p_value(observed, share * len(values))


def joint_fit(low, high, coarse, fine):
    """p-value of two rungs against their joint law on up to 3,721 classes."""

    def cut(x, rho):
        return np.clip(np.floor_divide(x, max(1, int(0.2 / rho))), -30, 30) + 30

    reach = np.arange(-int(40 / coarse), int(40 / coarse) + 1)
    expected = np.outer(
        np.bincount(cut(reach, fine), pmf(fine, reach), 61),
        np.bincount(cut(reach, coarse), step_pmf(coarse, fine, reach), 61),
    )
    observed = np.bincount(cut(high, fine) * 61 + cut(low - high, coarse), minlength=61**2)
    return p_value(observed, expected.ravel() * len(low))


@pytest.mark.parametrize("rho", RHOS)
def test_noise_has_its_law_and_one_per_cent_off_is_noticed(rho):
    sample = discrete_laplace(rho, DRAWS)
    assert marginal_fit(sample, rho) > LEVEL
    assert marginal_fit(sample, rho * Fraction(101, 100)) < LEVEL
    assert marginal_fit(sample, rho * Fraction(99, 100)) < LEVEL


@pytest.mark.parametrize("share", [Fraction(1), Fraction(2, 5) / 20])
def test_every_rung_and_pair_of_rungs_of_the_product_has_its_law(share):
    rhos = [share * rung for rung in RUNGS]
    noise = ladder(rhos, 1_000_000)
    for row, rho in zip(noise, rhos, strict=True):
        assert marginal_fit(row, rho) > LEVEL
    for i, j in combinations(range(len(rhos)), 2):
        assert joint_fit(noise[i], noise[j], rhos[i], rhos[j]) > LEVEL


def test_up_and_down_have_one_joint_law_on_four_million_cells():
    rhos = [Fraction(1, 4), Fraction(1, 2), Fraction(2)]
    for start in (geometric, None):
        if start is None:
            noise = ladder(rhos, DRAWS // 2)
        else:
            halves = [[start(rhos[-1], DRAWS // 2)] for _ in range(2)]
            for coarse, fine in reversed(list(pairwise(rhos))):
                for half in halves:
                    half.insert(0, coarsen(half[0], fine, coarse))
            noise = np.array(halves[0]) - np.array(halves[1])
        for i, j in combinations(range(3), 2):
            assert joint_fit(noise[i], noise[j], rhos[i], rhos[j]) > LEVEL


def test_a_sparse_table_of_ten_billion_cells_has_the_law_of_its_empty_cells():
    size, rhos = 10**10, [Fraction(1, 4), Fraction(1, 2)]
    none = np.zeros(0, np.int64)
    threshold = threshold_for(size, rhos[-1], Fraction(2_000_000))
    cells, values = sparse_ladder(none, none, size, rhos, threshold)
    p = np.exp(-0.5 * threshold) / (1 + np.exp(-0.5))
    assert stats.poisson.sf(len(cells), size * p) > LEVEL
    assert stats.poisson.cdf(len(cells), size * p) > LEVEL
    assert stats.chisquare(np.bincount(cells // 10**6, minlength=10**4)).pvalue > LEVEL
    above = np.bincount(values[1] - threshold)
    expected = -np.expm1(-0.5) * np.exp(-0.5 * np.arange(len(above))) * len(cells)
    assert p_value(above, expected) > LEVEL
    step = values[0] - values[1]
    reach = np.arange(step.min(), step.max() + 1)
    assert p_value(np.bincount(step - reach[0]), step_pmf(*rhos, reach) * len(cells)) > LEVEL


def lower_bound(here, there):
    """A bound below epsilon that holds with probability 1 - ALPHA, from scores on two neighbouring data sets.

    The event ``score >= c`` is chosen on 30 % of the runs; Clopper-Pearson bounds are taken on the other 70 %.
    """

    def bound(a, b, c):
        k, m = int((a >= c).sum()), int((b >= c).sum())
        low = stats.beta.ppf(ALPHA / 2, k, len(a) - k + 1) if k else 0.0
        high = stats.beta.isf(ALPHA / 2, m + 1, len(b) - m) if m < len(b) else 1.0
        return np.log(max(low, 1e-300) / high)

    cut = int(len(here) * 0.3)
    cuts = np.unique(np.concatenate([here[:cut], there[:cut]]))
    best = max(cuts, key=lambda c: bound(here[:cut], there[:cut], c))
    return bound(here[cut:], there[cut:], best)


def honest(rhos, n):
    return ladder(rhos, n)


def fresh(rhos, n):
    """Planted bug: new noise at each rung."""
    return np.stack([discrete_laplace(rho, n) for rho in rhos])


def half(rhos, n):
    """Planted bug: noise for half of the sensitivity."""
    return ladder([2 * rho for rho in rhos], n)


def rescaled(rhos, n):
    """Planted bug: one noise, rescaled."""
    base = discrete_laplace(rhos[0], n)
    return np.stack([np.rint(base * float(rhos[0] / rho)).astype(np.int64) for rho in rhos])


SCORES = {
    "highest rung": lambda y, _: y[-1],
    "likelihood as if fresh": lambda y, rhos: sum(
        np.sign(row - 0.5) * float(rho) for row, rho in zip(y, rhos, strict=True)
    ),
    "solved for the count": lambda y, rhos: (
        -np.abs(float(rhos[-1]) * y[-1] - float(rhos[0]) * y[0] - float(rhos[-1] - rhos[0]))
    ),
}


@pytest.mark.parametrize(
    ("draw", "is_honest"), [(honest, True), (fresh, False), (half, False), (rescaled, False)]
)
def test_no_attack_on_all_rungs_exceeds_the_highest_epsilon_unless_a_bug_is_planted(draw, is_honest):
    rhos = [Fraction(3, 4), Fraction(1)]
    found = max(
        lower_bound(score(draw(rhos, 10**6) + 1, rhos), score(draw(rhos, 10**6), rhos))
        for score in SCORES.values()
    )
    assert (found <= float(rhos[-1])) == is_honest


@pytest.mark.parametrize(("factor", "exceeds"), [(1, False), (2, True)])
def test_guessing_canaries_in_one_run_beats_epsilon_only_if_the_noise_is_halved(factor, exceeds):
    # Steinke, Nasr, Jagielski 2023: each of many cells holds a canary or not, by a coin; all are guessed.
    rho, cells = Fraction(1), 20_000
    canary = np.random.default_rng().integers(0, 2, cells)
    released = canary + ladder([rho / 4, factor * rho], cells)[-1]
    correct = int(((released >= 1) == (canary == 1)).sum())
    p = stats.binom.sf(correct - 1, cells, 1 / (1 + np.exp(-float(rho))))
    assert (p < ALPHA) == exceeds
