"""The rungs of a ladder have the right laws alone and together, so together they cost the highest one."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

from dpcore.noise.samplers import climb, coarsening, discrete_laplace, geometric, ladder, refine
from tests.chance import must_be_noticed, must_fit, two_samples
from tests.halves import coarsen
from tests.noise_law import must_have_rate, pair, pmf, rung, step_pmf

CELLS = 200_000

LADDERS = [
    [Fraction(text) for text in ("1/10", "1/4", "1/2", "1", "2")],
    [Fraction(text) for text in ("1/200", "1/100", "1/20")],
    [Fraction(text) for text in ("0.3", "0.35", "5")],
]


def down(rhos, n):
    """The same ladder by theorem (b), from fine to coarse."""
    plus, minus = geometric(rhos[-1], n), geometric(rhos[-1], n)
    rows = [plus - minus]
    for coarse, fine in reversed(list(pairwise(rhos))):
        plus, minus = coarsen(plus, fine, coarse), coarsen(minus, fine, coarse)
        rows.append(plus - minus)
    return np.stack(rows[::-1])


def later(rhos, n):
    """The same ladder bought in three steps: the finer rungs are drawn when only the noise is left."""
    rows = ladder(rhos[:1], n)
    rows = np.concatenate([rows, climb(rows[-1], rhos[0], rhos[1:2])])
    return np.concatenate([rows, climb(rows[-1], rhos[1], rhos[2:])]) if rhos[2:] else rows


@pytest.mark.parametrize("rhos", LADDERS)
@pytest.mark.parametrize("draw", [ladder, down, later])
def test_each_rung_alone_has_its_declared_law_and_thirty_per_cent_off_is_noticed(draw, rhos):
    noise = draw(rhos, CELLS)
    assert noise.shape == (len(rhos), CELLS)
    assert noise.dtype == np.int64
    for row, rho in zip(noise, rhos, strict=True):
        must_have_rate(row, rho)


@pytest.mark.parametrize("rhos", LADDERS)
@pytest.mark.parametrize("draw", [ladder, down, later])
def test_each_pair_of_rungs_has_its_declared_joint_law(draw, rhos):
    noise = draw(rhos, CELLS)
    must_fit(*(pair(noise[i], noise[j], rhos[i], rhos[j]) for i, j in combinations(range(len(rhos)), 2)))


@pytest.mark.parametrize("other", [down, later])
def test_drawing_up_at_once_and_in_other_ways_give_one_law_of_three_rungs(other):
    rhos = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 2)]
    codes = []
    for draw in (ladder, other):
        noise = np.clip(draw(rhos, 3 * CELLS), -6, 6) + 6
        shape = (13, 13, 13)
        codes.append(np.bincount(np.ravel_multi_index(tuple(noise), shape), minlength=13**3).reshape(shape))
    must_fit(two_samples(*codes))


def test_climbing_with_halves_that_forget_the_noise_is_noticed():
    coarse, fine = Fraction(1, 3), Fraction(1)
    noise = ladder([coarse], CELLS)[0]
    must_fit(pair(noise, climb(noise, coarse, [fine])[0], coarse, fine))
    shared = geometric(coarse, CELLS)  # the law of a half, and not of the smaller one
    plus, minus = np.maximum(noise, 0) + shared, np.maximum(-noise, 0) + shared
    wrong = refine(plus, coarse, fine) - refine(minus, coarse, fine)
    must_be_noticed(pair(noise, wrong, coarse, fine))
    must_be_noticed(pair(noise, discrete_laplace(fine, CELLS), coarse, fine))


def test_climbing_refuses_what_is_no_higher_rung():
    noise = np.zeros(3, np.int64)
    for finer in ([], [Fraction(1, 3)], [Fraction(1), Fraction(1, 2)], [0.5]):
        with pytest.raises(ValueError):
            climb(noise, Fraction(1, 3), finer)


def test_refining_halves_drawn_down_keeps_the_joint_law():
    coarse, fine = Fraction(1, 3), Fraction(1)
    half = geometric(coarse, CELLS)
    refined = refine(half, coarse, fine) - refine(other := geometric(coarse, CELLS), coarse, fine)
    must_fit(pair(half - other, refined, coarse, fine))


def joint_law(rhos, reach, show):
    """Probabilities of noise at all rungs, by enumeration of both halves of theorem (a); noise within ``show``."""
    q = [np.exp(-float(rho)) for rho in rhos]
    halves = (1 - q[0]) * q[0] ** np.arange(reach[0])
    for i, rho in enumerate(np.diff([float(rho) for rho in rhos])):
        r, last = np.exp(-rho), np.arange(reach[i])
        fine = np.arange(reach[i + 1])
        # P(fine half | coarse half): below it the geometric itself, at it all that is left
        step = np.where(
            fine < last[:, None], (1 - r) * r**fine, np.where(fine == last[:, None], r**fine, 0.0)
        )
        halves = halves[..., None] * step
    law = np.zeros((2 * show + 1,) * len(rhos))
    for index in np.ndindex(law.shape):
        shift = [i - show for i in index]
        plus = tuple(slice(max(s, 0), n + min(s, 0)) for s, n in zip(shift, reach, strict=True))
        minus = tuple(slice(max(-s, 0), n + min(-s, 0)) for s, n in zip(shift, reach, strict=True))
        law[index] = (halves[plus] * halves[minus]).sum()
    return law


@pytest.mark.parametrize(
    ("rungs", "reach", "show"),
    [(("1/2", "1"), (100, 60), 6), (("1/5", "2"), (220, 40), 6), (("1/2", "1", "2"), (80, 45, 25), 3)],
)
def test_all_rungs_together_lose_exactly_the_highest_epsilon(rungs, reach, show):
    rhos = [Fraction(text) for text in rungs]
    law = joint_law(rhos, reach, show)
    here, there = law[(slice(1, None),) * law.ndim], law[(slice(None, -1),) * law.ndim]
    assert np.abs(np.log(here / there)).max() == pytest.approx(float(rhos[-1]), abs=1e-12)
    if len(rhos) == 2:
        values = np.arange(-show, show + 1)
        steps = step_pmf(*rhos, values[:, None] - values)
        assert np.allclose(law, pmf(rhos[1], values) * steps, rtol=1e-11, atol=0)


def fresh(rhos, n):
    """Planted bug: new noise for each rung; averaging them removes it."""
    return np.stack([discrete_laplace(rho, n) for rho in rhos])


def rescaled(rhos, n):
    """Planted bug: one noise, rescaled for each rung; two rungs give the count away."""
    base = discrete_laplace(rhos[0], n)
    return np.stack([np.rint(base * float(rhos[0] / rho)).astype(np.int64) for rho in rhos])


def one_sided(rhos, n):
    """Planted bug: one half is refined, the other one is not."""
    plus, minus = geometric(rhos[0], n), geometric(rhos[0], n)
    return np.stack([plus - minus, refine(plus, *rhos) - minus])


def half_noise(rhos, n):
    """Planted bug: noise for half of the sensitivity."""
    return ladder([2 * rho for rho in rhos], n)


def wrong_step(rhos, n):
    """Planted bug: the minimum is taken with the finer rate, not with the difference of rates."""
    plus, minus = geometric(rhos[0], n), geometric(rhos[0], n)
    fine = [np.minimum(g, geometric(rhos[1], n)) for g in (plus, minus)]
    return np.stack([plus - minus, fine[0] - fine[1]])


@pytest.mark.parametrize("bug", [fresh, rescaled, one_sided, half_noise, wrong_step])
def test_planted_bugs_are_caught(bug):
    rhos = [Fraction(1, 2), Fraction(1)]
    low, high = bug(rhos, CELLS)
    must_be_noticed(pair(low, high, *rhos), rung(low, rhos[0]), rung(high, rhos[1]))


def test_a_ladder_may_have_one_rung_and_any_number_of_cells():
    rho = Fraction(1, 7)
    assert ladder([rho], 0).shape == (1, 0)
    assert ladder([rho, 2 * rho], 1).shape == (2, 1)
    must_fit(rung(ladder([rho], 70_001)[0], rho))


def test_cells_on_both_sides_of_an_internal_boundary_are_drawn_alike():
    rows = ladder([Fraction(1, 50), Fraction(1, 5)], 2 * 2**15 + 10)
    for part in (rows[:, : 2**15], rows[:, 2**15 :]):
        must_fit(rung(part[1], Fraction(1, 5)))


def test_halves_fall_going_up_and_grow_going_down_and_inputs_stay_as_they_were():
    coarse, fine = Fraction(1, 9), Fraction(1, 3)
    half = geometric(coarse, 1_000)
    before = half.copy()
    assert (refine(half, coarse, fine) <= half).all()
    assert (coarsen(half, fine, coarse) >= half).all()
    assert np.array_equal(half, before)
    assert len(coarsening(fine, coarse, 0)) == 0


@pytest.mark.parametrize(
    ("rhos", "text"),
    [
        ([], "needs a rung"),
        ([Fraction(1), Fraction(1)], "rise strictly"),
        ([Fraction(2), Fraction(1)], "rise strictly"),
        ([Fraction(1), 2.0], "never a float"),
        ([Fraction(1, 2**30), Fraction(1, 2**30 - 1)], "step between rungs"),
    ],
)
def test_a_ladder_without_meaning_is_refused(rhos, text):
    with pytest.raises(ValueError, match=text):
        ladder(rhos, 3)


def test_a_step_in_the_wrong_direction_is_refused():
    for step in (refine, lambda half, low, high: coarsen(half, high, low)):
        with pytest.raises(ValueError, match="rise strictly"):
            step(np.zeros(3, np.int64), Fraction(2), Fraction(1))
