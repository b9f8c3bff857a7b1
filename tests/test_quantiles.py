"""The mechanism behind bought quantiles against its exact law, and against the definition of privacy."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from math import exp, inf, log, prod

import numpy as np
import pytest

from dpcore.measures import GRIDS
from dpcore.measures.bins import LEVELS
from dpcore.measures.bought import most_missed, noise_scale, score_change
from dpcore.noise import exponential as mechanism
from dpcore.noise.exponential import scores, winner
from tests.chance import Looks, at_most, classes, must_be_noticed, must_fit, state
from tests.draws import OPENDP, noisy_maximum

pytestmark = pytest.mark.usefixtures("opendp")

COUNTS = np.array([2, 0, 3, 1, 0])
EPSILON = Fraction(3, 2)


def law(counts: np.ndarray, level: int, sensitivity: int, epsilon: Fraction) -> list[float]:
    """The exact law of the largest score after exponential noise, by inclusion and exclusion over the others."""
    listed = scores(counts, level)
    scale = float(noise_scale(sensitivity, epsilon))
    behind = [exp((score - max(listed)) / scale) for score in listed]
    return [
        own
        * sum(
            (-1) ** size / (size + 1) * sum(prod(some) for some in itertools.combinations(rest, size))
            for size in range(len(rest) + 1)
        )
        for number, own in enumerate(behind)
        for rest in [behind[:number] + behind[number + 1 :]]
    ]


def looks(drawn: Counter, expected: list[float]) -> Looks:
    return classes([drawn[i] for i in range(len(expected))], expected)


def drawn(draws: int, level: int, sensitivity: int, epsilon: Fraction) -> Counter:
    return Counter(winner(COUNTS, level, sensitivity=sensitivity, epsilon=epsilon) for _ in range(draws))


@pytest.mark.parametrize("of", [OPENDP, noisy_maximum], ids=["opendp", "seeds of tests"])
@pytest.mark.parametrize("level", [1, 10])
def test_the_winner_has_the_declared_law_no_sharper_and_no_blunter(level, of, monkeypatch):
    monkeypatch.setattr(mechanism, "_mechanism", of)
    change = score_change(1, 0, level)
    found = drawn(12_000, level, change, EPSILON)
    right = looks(found, law(COUNTS, level, change, EPSILON))
    must_fit(right)
    for wrong in (2, Fraction(1, 2)):  # half the noise, and twice as much
        must_be_noticed(looks(found, law(COUNTS, level, change, EPSILON * wrong)), drawn_from=right)


def small_data_sets() -> list[np.ndarray]:
    return [np.array(counts) for counts in itertools.product(range(4), repeat=3)]


def worst_ratio(law_of, level: int) -> float:
    """The largest loss over all small data sets and the same with one value more, in both directions."""
    change, worst = score_change(1, 0, level), 0.0
    for counts in small_data_sets():
        for point in range(3):
            more = counts.copy()
            more[point] += 1
            for here, there in itertools.permutations(
                (law_of(counts, level, change), law_of(more, level, change))
            ):
                worst = max(
                    worst,
                    *(
                        inf if a and not b else log(a / b) if a else 0
                        for a, b in zip(here, there, strict=True)
                    ),
                )
    return worst


@pytest.mark.parametrize("level", LEVELS.values())
def test_no_neighbour_makes_an_answer_likelier_by_more_than_epsilon(level):
    worst = worst_ratio(lambda counts, k, change: law(counts, k, change, EPSILON), level)
    assert 0.5 * EPSILON < worst <= EPSILON + 1e-9


def test_candidates_from_the_data_are_caught():
    """The planted bug: only values that occur can win, so an answer may tell that its value occurs."""

    def among_the_values(counts, level, change):
        occurring = np.flatnonzero(counts)
        if not len(occurring):
            return [1.0, 0.0, 0.0]
        some = law(counts[occurring], level, change, EPSILON)
        return [some[list(occurring).index(i)] if i in occurring else 0.0 for i in range(3)]

    assert worst_ratio(among_the_values, 10) == inf


def test_half_of_the_sensitivity_is_caught():
    assert worst_ratio(lambda counts, k, change: law(counts, k, max(1, change // 2), EPSILON), 1) > EPSILON


def test_every_point_can_win_whatever_the_data():
    here, there = np.array([0, 50, 0, 0]), np.array([0, 50, 0, 1])
    tiny = Fraction(1, 1000)
    for counts in (here, there):
        state(sum((1 - chance) ** 300 for chance in law(counts, 10, 10, tiny)))
        won = {winner(counts, 10, sensitivity=10, epsilon=tiny) for _ in range(300)}
        assert won == {0, 1, 2, 3}


def test_opendp_says_that_a_draw_costs_what_we_say():
    for change, epsilon in ((19, Fraction(1, 10)), (95, Fraction(1, 3)), (20, Fraction(7, 1000))):
        said = mechanism._mechanism(mechanism._rounded_up(noise_scale(change, epsilon))).map(change)
        assert said == pytest.approx(float(epsilon), rel=1e-12)


def test_noise_is_never_rounded_down():
    for scale in (Fraction(1, 3), Fraction(2, 3), Fraction(10**20 + 1, 7), Fraction(5)):
        up = mechanism._rounded_up(scale)
        assert Fraction(up) >= scale
        assert up == pytest.approx(float(scale), rel=1e-15)


def test_with_much_epsilon_the_winner_is_the_quantile():
    values = np.sort(np.random.default_rng(3).integers(0, 300, 5_001))
    counts = np.bincount(values, minlength=GRIDS["travel_time"].size)
    for level in LEVELS.values():
        at = winner(counts, level, sensitivity=score_change(1, 0, level), epsilon=Fraction(10**6))
        assert (values < at).sum() <= level / 20 * len(values) <= (values <= at).sum()


def test_the_stated_bound_on_ranks_holds():
    counts = np.bincount(np.random.default_rng(4).integers(0, 60, 3_000), minlength=353)
    epsilon, level, draws = Fraction(1, 20), 5, 1_500
    most = most_missed(score_change(1, 0, level), epsilon, len(counts), 0.95)
    found = scores(counts, level)

    def missed(epsilon):
        won = [winner(counts, level, sensitivity=15, epsilon=epsilon) for _ in range(draws)]
        return at_most(sum(-found[one] / 20 > most for one in won), draws, 0.05)

    must_fit(missed(epsilon))
    must_be_noticed(missed(epsilon / 10))  # planted: a bound for a tenth of the noise


def test_nothing_is_drawn_for_nothing():
    for counts, epsilon in ((COUNTS, Fraction(0)), (np.array([], np.int64), Fraction(1))):
        with pytest.raises(ValueError, match="epsilon"):
            winner(counts, 10, sensitivity=10, epsilon=epsilon)
    assert winner(np.zeros(4, np.int64), 10, sensitivity=10, epsilon=Fraction(1)) in range(4)
