"""The samplers give exactly the declared law: neither less noise (privacy) nor more (use)."""

import ast
import inspect
import itertools
from decimal import Decimal, localcontext
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest

from dpcore.noise import samplers as noise
from dpcore.noise import sparse as sparse_noise
from dpcore.noise.samplers import (
    below,
    bernoulli_exp,
    certified,
    coin,
    discrete_laplace,
    exp_bounds,
    geometric,
)
from tests.chance import classes, independence, must_be_noticed, must_fit, one_count, two_samples
from tests.noise_law import edges_of, must_have_rate, rung

DRAWS = 200_000

RHOS = [
    Fraction(text) for text in ("3", "1", "0.73", "1/2", "1/8", "1/10", "1/16", "1/17", "1/100", "3/4000")
]


@pytest.mark.parametrize("m", [2, 3, 7, 1000, 2**16, 70_001, 2**32 + 1, 3 * 2**40, 2**63 - 1])
def test_uniform_integers_are_uniform_and_in_range(m):
    drawn = below(m, DRAWS)
    parts = min(m, 16)
    edges = [-(-m * i // parts) for i in range(parts + 1)]
    shares = np.array([(b - a) / m for a, b in itertools.pairwise(edges)])
    assert drawn.min() >= 0
    assert drawn.max() < m
    must_fit(classes(np.histogram(drawn, np.array(edges, np.float64))[0], shares))


def test_a_range_of_one_integer_gives_zeros_and_no_draws_give_none():
    assert below(1, 5).tolist() == [0] * 5
    assert len(below(10, 0)) == len(geometric(Fraction(1, 100), 0)) == 0


@pytest.mark.parametrize(("u", "t"), [(0, 1), (1, 1), (1, 3), (5, 7), (10**6, 2**40), (2**52, 2**52)])
def test_a_coin_shows_true_with_probability_exp_of_minus_u_over_t(u, t):
    heads = int(bernoulli_exp(np.full(DRAWS, u), t).sum())
    must_fit(one_count(heads, DRAWS, min(1.0, float(np.exp(-u / t)))))


@pytest.mark.parametrize("x", ["0", "1/1000000007", "1/3", "1", "7/5", "2", "41/2", "100", "3000"])
@pytest.mark.parametrize("bits", [64, 127, 300])
def test_bounds_of_the_exponential_hold_the_true_value_tightly(x, bits):
    x = Fraction(x)
    low, high = exp_bounds(x, bits)
    with localcontext(prec=200):
        true = (Decimal(-x.numerator) / x.denominator).exp() * 2**bits
    assert low <= true <= high
    assert high - low < 2**20


def test_digits_are_certified_only_when_the_bounds_agree():
    third, asked = Fraction(1, 3), []

    def rough(bits):
        asked.append(bits)
        error = 2 ** max(0, 200 - bits) + 1
        return int(third * 2**bits) - error * 2**60, int(third * 2**bits) + error * 2**60

    assert certified(rough, 50) == 2**50 // 3
    assert len(asked) > 1


@pytest.mark.parametrize("rho", [Fraction(1, 16), Fraction(2, 3), Fraction(5)])
def test_edges_do_not_depend_on_spare_digits_and_are_the_true_tails(rho):
    edges = noise._geometric_steps(rho)._edges
    assert np.array_equal(noise._geometric_steps(rho, 63, 6)._edges, edges)
    with localcontext(prec=80):
        true = [
            int((-Decimal(rho.numerator) * y / rho.denominator).exp() * 2**63)
            for y in range(1, len(edges) + 1)
        ]
    assert true[::-1] == edges.tolist()


@pytest.mark.parametrize("bits", [16, 17, 20])
@pytest.mark.parametrize("rho", [Fraction(1, 10), Fraction(2)])
@pytest.mark.parametrize("batch", [1_000, DRAWS])
def test_ties_of_leading_bits_are_settled_by_more_bits(bits, rho, batch):
    # With so few leading bits ties are common: were one settled wrongly, the law would be visibly off.
    steps = noise._geometric_steps(rho, bits)
    sample = np.concatenate(
        [steps.draw(batch) for _ in range(DRAWS // batch // (10 if batch < 2_000 else 1))]
    )
    must_have_rate(sample, rho, two_sided=False)


@pytest.mark.parametrize(("last", "draw"), [(0, 4), (2**64 - 1, 3)])
def test_a_tie_that_lasts_is_settled_by_the_first_bits_that_differ(monkeypatch, last, draw):
    # The uniform agrees with P(Y >= 4) on 63 and on 127 bits; then its bits are all 0, or all 1.
    steps = noise._geometric_steps(Fraction(1, 2))
    words = iter([steps._digits(4, 63) << 1, steps._digits(4, 127) % 2**64, last])
    monkeypatch.setattr(noise, "_random_words", lambda n, _: np.array([next(words)] * n, np.uint64))
    assert steps.draw(1).tolist() == [draw]


def test_a_coin_of_certified_digits_has_its_probability_in_small_and_large_batches():
    for bits in (16, 63):
        fair = coin(lambda b: exp_bounds(Fraction(1, 3), b), bits)
        heads = int(fair.draw(DRAWS).sum()) + sum(int(fair.draw(1000).sum()) for _ in range(50))
        must_fit(one_count(heads, DRAWS + 50_000, float(np.exp(-1 / 3))))


@pytest.mark.parametrize("rho", RHOS)
def test_a_half_is_geometric_and_thirty_per_cent_off_is_noticed(rho):
    sample = geometric(rho, DRAWS)
    assert sample.dtype == np.int64
    assert sample.min() == 0
    must_have_rate(sample, rho, two_sided=False)


@pytest.mark.parametrize("rho", RHOS)
def test_noise_has_the_declared_scale_and_thirty_per_cent_off_is_noticed(rho):
    must_have_rate(discrete_laplace(rho, DRAWS), rho)


def test_many_small_batches_have_the_law_of_a_large_one():
    for rho in (Fraction(1, 2), Fraction(1, 300)):
        sample = np.concatenate([discrete_laplace(rho, 24) for _ in range(3_000)])
        must_have_rate(sample, rho)


@pytest.mark.parametrize(
    "bug",
    [
        lambda rho, n: discrete_laplace(2 * rho, n),  # half of the noise
        geometric,  # one half instead of two
        lambda rho, n: discrete_laplace(rho, n // 2).repeat(2) // 2,  # scaled down afterwards
        lambda rho, n: np.maximum(discrete_laplace(rho, n), -5),  # clipped
    ],
)
def test_planted_bugs_are_caught(bug):
    must_be_noticed(rung(bug(Fraction(1, 2), DRAWS), Fraction(1, 2)))


@pytest.mark.parametrize("rho", [Fraction(1, 2), Fraction(1, 200)])
def test_neighbouring_draws_are_independent(rho):
    def pairs(sample):
        cut = np.clip(np.round(sample * float(rho)), -3, 3).astype(int) + 3
        table = np.zeros((7, 7))
        np.add.at(table, (cut[0::2], cut[1::2]), 1)
        return independence(table)

    sample = discrete_laplace(rho, DRAWS)
    must_fit(pairs(sample))
    sample[1::20] = sample[0::20]  # planted: one pair of ten has a single draw
    must_be_noticed(pairs(sample))


@pytest.mark.parametrize("scale", [1, 7])
def test_noise_has_the_law_of_opendp(scale):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs = np.array(dp.m.make_laplace(*space, scale=float(scale))([0] * 50_000))
    ours = discrete_laplace(Fraction(1, scale), 50_000)
    edges = edges_of(Fraction(1, scale))

    def counted(sample):
        return np.bincount(np.searchsorted(edges, sample), minlength=len(edges) + 1)

    must_fit(two_samples(counted(ours), counted(theirs)))
    must_be_noticed(two_samples(counted(ours), counted(discrete_laplace(Fraction(7, 10 * scale), 50_000))))


def test_all_randomness_is_the_operating_systems(monkeypatch):
    def replay():
        blocks = itertools.count()

        def words(n):
            size = -(-n // 32)
            return b"".join(sha256(next(blocks).to_bytes(8)).digest() for _ in range(size))[:n]

        monkeypatch.setattr("dpcore.noise.samplers.os.urandom", words)
        return noise.ladder([Fraction(1, 100), Fraction(1, 3)], 5_000)

    assert np.array_equal(replay(), replay())


@pytest.mark.parametrize("module", [noise, sparse_noise])
def test_no_float_and_no_other_source_of_randomness_stands_in_the_code(module):
    tree = ast.parse(inspect.getsource(module))
    numbers = [
        node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, float)
    ]
    divisions = [node for node in ast.walk(tree) if isinstance(node, ast.Div)]
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not numbers
    assert not names & {"random", "secrets", "float", "float64", "log", "exp", "sqrt"}
    # Slashes divide Fractions only: no array and no float comes near.
    assert len(divisions) == (0 if module is noise else 1)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: below(0, 1), "range"),
        (lambda: below(2**63, 1), "range"),
        (lambda: bernoulli_exp(np.array([3]), 2), "0 <= u <= t"),
        (lambda: bernoulli_exp(np.array([-1]), 2), "0 <= u <= t"),
        (lambda: geometric(0.5, 1), "never a float"),
        (lambda: geometric(Fraction(0), 1), "positive"),
        (lambda: geometric(Fraction(-1, 2), 1), "positive"),
        (lambda: geometric(Fraction(1, 2**52), 1), "below 2"),
        (lambda: geometric(Fraction(2**53, 3), 1), "below 2"),
    ],
)
def test_what_cannot_be_drawn_exactly_is_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_the_smallest_and_largest_rates_are_drawn():
    small = geometric(Fraction(1, 2**52 - 1), 1_000)
    assert 0.8 < small.mean() / 2**52 < 1.2  # six standard deviations
    assert not discrete_laplace(Fraction(2**52 - 1, 3), 10_000).any()
