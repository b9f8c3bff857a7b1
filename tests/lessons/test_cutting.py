"""Lesson 4: cut trips agree with what owners count, errors with what is drawn, and the best bound moves."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpcore.lessons import cutting
from dpcore.lessons.city import city, city_counts
from dpcore.lessons.dice import Dice
from dpcore.privacy import RUNGS

ONE = Fraction(1)


def test_without_a_bound_the_tables_are_those_that_an_owner_counts():
    assert cutting.counts("visits_per_tile").tolist() == city_counts("visits_per_tile").tolist()
    by_day_type = city_counts("trips_per_hour").reshape(2, 2, 24)
    assert cutting.counts("trips_per_hour").tolist() == by_day_type.sum(axis=1).ravel().tolist()
    flows = cutting.counts("od_flows").reshape(city().tiles + 1, -1)
    assert (flows[:-1, :-1] == city().flows).all()


@pytest.mark.parametrize("bound", [1, 8])
def test_the_public_shuffle_cuts_like_the_secret_hash_of_an_owner(bound):
    ours, owners = cutting.counts("visits_per_tile", bound), city_counts("visits_per_tile", bound)
    assert ours.sum() == owners.sum()
    assert (abs(ours - owners) <= 6 * np.sqrt(2 * np.maximum(ours, 9))).all()


@pytest.mark.parametrize("bound", [1, 5, 100])
def test_the_share_of_trips_kept_is_that_of_the_tables(bound):
    kept = cutting.counts("od_flows", bound).sum() / cutting.counts("od_flows").sum()
    assert cutting.share_kept(bound) == pytest.approx(kept)
    by_hand = sum(min(trips, bound) for trips in city().trips_per_person.tolist())
    assert cutting.share_kept(bound) == by_hand / len(city().person)


def test_no_table_counts_more_of_a_person_than_the_bound():
    assert cutting.share_kept(cutting.BOUNDS[-1]) == 1
    for bound in (1, 3, 20):
        kept = np.flatnonzero(cutting._places() < bound)
        assert np.bincount(city().person[kept]).max() == bound


@pytest.mark.parametrize(("table", "ends"), [("visits_per_tile", 2), ("od_flows", 1), ("trips_per_hour", 2)])
def test_the_noise_has_the_scale_of_the_bound_over_epsilon(table, ends):
    assert cutting.rate(table, 20, Fraction(1, 2)) == Fraction(1, 2) / (ends * 20)
    assert cutting.error(table, 20, ONE).noise == pytest.approx(np.sqrt(2) * ends * 20, rel=1e-3)


@pytest.mark.parametrize("seed", [None, 3], ids=["honest noise", "class seed"])
def test_what_is_drawn_is_off_by_what_the_two_errors_say(seed):
    for table, tolerance in (("od_flows", 0.05), ("visits_per_tile", 0.25)):
        off = cutting.draw_once(table, 12, ONE, Dice(seed))
        assert off == pytest.approx(cutting.error(table, 12, ONE).both, rel=tolerance)


def test_the_cut_falls_with_the_bound_and_the_noise_grows():
    for table in cutting.TABLES:
        rows = cutting.errors(table, ONE)
        assert all(one.cut > other.cut and one.noise < other.noise for one, other in pairwise(rows))
        assert rows[-1].cut == 0


def test_the_best_bound_differs_between_tables_and_grows_with_epsilon():
    best = {table: [cutting.best(table, rung).max_trips for rung in RUNGS] for table in cutting.TABLES}
    for bounds in best.values():
        assert bounds == sorted(bounds)
        assert bounds[0] < bounds[-1]
    assert all(flow < visit for flow, visit in zip(best["od_flows"], best["visits_per_tile"], strict=True))
