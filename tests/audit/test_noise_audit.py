"""The noise tests at sizes that see errors of a tenth of a per cent, and attacks that try to exceed epsilon.

A pass does not prove privacy; it bounds how large an error of these kinds can be. The proofs stand in ``samplers.py``.
"""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

from dpcore.noise.samplers import discrete_laplace, geometric, ladder
from dpcore.noise.sparse import sparse_ladder, threshold_for
from dpcore.privacy import RUNGS
from tests.chance import at_most, classes, must_be_noticed, must_fit, one_count
from tests.halves import coarsen
from tests.noise_law import edges_of, must_have_rate, pair, rung, step_pmf
from tests.table_mechanisms.attacks import must_tell_at_most, must_tell_more_than

pytestmark = pytest.mark.audit

DRAWS = 12_000_000
RHOS = [
    Fraction(text)
    for text in ("5", "1", "0.73", "1/2", "1/10", "1/16", "1/17", "1/100", "3/4000", "3/400000")
]


ONE_PER_CENT = (Fraction(99, 100), Fraction(101, 100))
FINE = 0.03  # of the scale: about a thousand classes


def alone(values, rho):
    return rung(values, rho, edges_of(rho, FINE))


def both(low, high, coarse, fine):
    return pair(low, high, coarse, fine, 0.2, 30)


@pytest.mark.parametrize("rho", RHOS)
def test_noise_has_its_law_and_one_per_cent_off_is_noticed(rho):
    must_have_rate(discrete_laplace(rho, DRAWS), rho, ONE_PER_CENT, fineness=FINE)


@pytest.mark.parametrize("share", [Fraction(1), Fraction(2, 5) / 20])
def test_every_rung_and_pair_of_rungs_of_the_product_has_its_law(share):
    rhos = [share * rung for rung in RUNGS]
    noise = ladder(rhos, 1_000_000)
    must_fit(*(alone(row, rho) for row, rho in zip(noise, rhos, strict=True)))
    for i, j in combinations(range(len(rhos)), 2):
        must_fit(both(noise[i], noise[j], rhos[i], rhos[j]))


def test_up_and_down_have_one_joint_law_on_four_million_cells():
    rhos = [Fraction(1, 4), Fraction(1, 2), Fraction(2)]
    for start in (geometric, None):
        if start is None:
            noise = ladder(rhos, DRAWS // 3)
        else:
            halves = [[start(rhos[-1], DRAWS // 3)] for _ in range(2)]
            for coarse, fine in reversed(list(pairwise(rhos))):
                for half in halves:
                    half.insert(0, coarsen(half[0], fine, coarse))
            noise = np.array(halves[0]) - np.array(halves[1])
        for i, j in combinations(range(3), 2):
            must_fit(both(noise[i], noise[j], rhos[i], rhos[j]))


def test_a_sparse_table_of_ten_billion_cells_has_the_law_of_its_empty_cells():
    size, rhos = 10**10, [Fraction(1, 4), Fraction(1, 2)]
    none = np.zeros(0, np.int64)
    threshold = threshold_for(size, rhos[-1], Fraction(2_000_000))
    cells, values = sparse_ladder(none, none, size, rhos, threshold)
    p = np.exp(-0.5 * threshold) / (1 + np.exp(-0.5))
    above = np.bincount(np.minimum(values[1] - threshold, 59), minlength=60)
    step = np.clip(values[0] - values[1], -150, 150)
    must_fit(
        one_count(len(cells), size, p),
        classes(np.bincount(cells // 10**6, minlength=10**4), np.full(10**4, 1e-4)),
        classes(above, np.append(-np.expm1(-0.5) * np.exp(-0.5 * np.arange(59)), np.exp(-0.5 * 59))),
        classes(np.bincount(step + 150, minlength=301), step_pmf(*rhos, np.arange(-150, 151))),
    )


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
    ("draw", "must"),
    [(honest, must_tell_at_most), *((bug, must_tell_more_than) for bug in (fresh, half, rescaled))],
)
def test_no_attack_on_all_rungs_exceeds_the_highest_epsilon_unless_a_bug_is_planted(draw, must):
    rhos = [Fraction(3, 4), Fraction(1)]
    attacks = [
        (score(draw(rhos, 10**6) + 1, rhos), score(draw(rhos, 10**6), rhos)) for score in SCORES.values()
    ]
    must(float(rhos[-1]), *attacks)


@pytest.mark.parametrize(("factor", "must"), [(1, must_fit), (2, must_be_noticed)])
def test_guessing_canaries_in_one_run_beats_epsilon_only_if_the_noise_is_halved(factor, must):
    # Steinke, Nasr, Jagielski 2023: each of many cells holds a canary or not, by a coin; all are guessed.
    rho, cells = Fraction(1), 20_000
    canary = np.random.default_rng().integers(0, 2, cells)
    released = canary + ladder([rho / 4, factor * rho], cells)[-1]
    correct = int(((released >= 1) == (canary == 1)).sum())
    must(at_most(correct, cells, 1 / (1 + np.exp(-float(rho)))))
