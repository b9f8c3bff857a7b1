"""Associations are read off noisy tables: near the truth, rarely out of nothing, and groups follow from them."""

import numpy as np
import pytest

from dpcore.kinds.roy.association import (
    DECLARED,
    Association,
    Proposal,
    associations,
    measured,
    proposed,
)
from dpcore.kinds.roy.domain import PLACE_AND_TIME
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.roy.private.station_trips import exact_tables
from dpcore.kinds.roy.workload import usual_parents
from tests.synthesis.small import plan, private
from tests.synthesis.test_own_groups import owned, trips_of

ORDER = (*PLACE_AND_TIME, "zip", "mode", "fare")


def table(n, rows, columns, strength, seed=0):
    """A table with Cramer's V of about ``strength``."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, rows, n)
    y = np.where(rng.random(n) < strength, x % columns, rng.integers(0, columns, n))
    return np.bincount(x * columns + y, minlength=rows * columns).reshape(rows, columns).astype(float)


def test_cramers_v_by_hand():
    """Chi squared of [[30, 10], [10, 30]] is 20, less one for the degree of freedom: V = sqrt(19 / 80)."""
    strength, by_chance = measured(np.array([[30.0, 10.0], [10.0, 30.0]]), 0.0)
    assert strength == pytest.approx(np.sqrt(19 / 80))
    assert 0 < by_chance < 0.35


@pytest.mark.parametrize("strength", [0.3, 0.6])
@pytest.mark.parametrize("sd", [0.0, 10.0])
def test_noise_does_not_move_it_on_average(strength, sd):
    rng, true = np.random.default_rng(1), table(20_000, 5, 5, strength)
    found = [measured(true + sd * rng.standard_normal(true.shape), sd**2)[0] for _ in range(20)]
    assert np.mean(found) == pytest.approx(strength, abs=0.02)


def test_no_association_rarely_stands_out():
    rng, often = np.random.default_rng(2), 0
    for seed in range(100):
        noisy = table(5_000, 4, 6, 0.0, seed) + 15 * rng.standard_normal((4, 6))
        strength, by_chance = measured(noisy, 225.0)
        often += strength > by_chance
    assert often <= 14  # 5 are expected; more than 14 come once in ten thousand times


def test_noise_larger_than_all_counts_hides_it():
    assert measured(table(100, 10, 10, 0.9), 1e8) == (None, None)
    assert measured(np.zeros((3, 3)), 1.0) == (None, None)
    assert measured(-np.ones((3, 3)), 1.0) == (None, None)


def test_a_margin_that_noise_turned_negative_is_unknown():
    noisy = np.array([[1_000.0, 1_000, -500], [-5, -5, 500]])
    assert measured(noisy, 1.0) == (None, None)
    assert measured(noisy.T, 1.0) == (None, None)


def test_rare_values_are_put_together_and_common_ones_stay():
    many = table(20_000, 200, 4, 0.5)
    noisy = many + 60 * np.random.default_rng(3).standard_normal(many.shape)
    assert measured(noisy, 3_600.0)[0] is not None


def test_every_pair_that_a_release_counts_together_is_told():
    of = owned("start,mode", "mode,fare", measured=["hour+mode"])
    found = plan(of, "8")
    tables = noisy_tables(
        exact_tables(private(trips_of(20_000, of), of), found).counts, found, origin="preview"
    )
    told = {one.attributes: one for one in associations(tables)}
    assert ("hour", "mode") in told
    assert ("start", "end") in told
    assert told["day_type", "hour"].source == "start+hour+day_type"
    assert told["start", "mode"].strength == pytest.approx(0.75, abs=0.1)
    assert told["mode", "fare"].stands_out
    assert ("mode", "fare") in proposed(associations(tables), of.order, usual=usual_parents(of))


def association(first, second, strength, by_chance=0.05, source="table"):
    return Association((first, second), strength, by_chance, source)


def test_each_attribute_goes_with_the_one_that_it_is_associated_with_most():
    found = [
        association("start", "mode", 0.4),
        association("hour", "mode", 0.2),
        association("mode", "fare", 0.7),
        association("start", "fare", 0.3),
    ]
    assert proposed(found, ORDER) == (("start", "mode"), ("mode", "fare"))
    assert proposed(found, ORDER, at_least=0.5) == (("mode", "fare"),)


@pytest.mark.parametrize(
    "one",
    [
        association("start", "mode", 0.05),
        association("start", "mode", 0.3, 0.4),
        association("start", "mode", None, None),
        association("band", "duration", 0.9),
        association("day_type", "hour", 0.9),
        association("day_type", "date", 0.9),
        association("start", "end", 0.9),
    ],
)
def test_what_is_weak_hidden_or_drawn_anyway_makes_no_group(one):
    assert proposed([one], ORDER) == ()


def test_what_the_owner_declares_counts_more_than_what_was_measured():
    low = association("start", "mode", 0.0, None, DECLARED)
    assert proposed([low, association("start", "mode", 0.8)], ORDER) == ()
    assert proposed([association("start", "zip", 0.6)], ORDER, usual={"zip": {"start"}}) == ()


def test_where_no_pair_is_worth_a_group_every_association_is_counted_under_its_reason():
    found = (
        Association(("hour", "mode"), 0.05, 0.01, "flows"),  # weak
        Association(("hour", "zip"), None, None, "flows"),  # hidden
        Association(("mode", "zip"), 0.03, 0.04, "flows"),  # chance
        Association(("hour", "start"), 0.7, 0.01, "flows"),  # counted together anyway
        Association(("mode", "fare"), 0.02, None, DECLARED),  # weak
    )
    assert Proposal(found, (), at_least=0.1).words == (
        "no group is proposed; associations weaker than 0.1: 2, hidden by the noise: 1, no stronger than chance: 1, used by the "
        "usual tables anyway: 1"
    )
    assert Proposal(found, (("hour", "start"),)).words == ""
    assert Proposal((), ()).words == "no group is proposed; no two attributes are counted together"
