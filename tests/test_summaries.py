"""What a card says of a synthetic release before it is opened."""

from __future__ import annotations

from fractions import Fraction

from dpcore.release import kind_of
from tests.synthetic_release.made_synthetic import made_synthetic, roy_choices
from tests.synthetic_release.made_tree import day_choices, made_tree, tree_choices


def _card(release):
    return kind_of(release.plan).card(release)


def test_a_tree_tells_both_of_its_numbers_and_whether_days_are_bounded():
    trips, days = (_card(made_tree(choices)) for choices in (tree_choices(), day_choices()))
    assert (trips.kind, trips.epsilon, trips.delta) == ("trajectory-tree", Fraction(5, 2), 0)
    assert (trips.delicate, trips.by_day) == (("Critical", 1), False)
    assert (days.epsilon, days.delicate, days.by_day) == (5, ("Critical", 2), True)


def test_synthetic_trips_have_one_number():
    roy = _card(made_synthetic(roy_choices()))
    assert (roy.epsilon, roy.delicate, roy.by_day) == (2, None, False)
