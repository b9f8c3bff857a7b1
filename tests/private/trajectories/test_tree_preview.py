"""Throw-away trees beside the truth, and questions to both."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.tree import owner as tree_owner
from dpcore.kinds.tree.choices import Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.paths import frequent_patterns
from dpcore.kinds.tree.plan import Strategy
from dpcore.kinds.tree.question import Kind, Question
from dpcore.privacy import ContributionBound
from tests.cities import Trip, four_tiles, private
from tests.synthesis.test_trip_tables import drawn_trips

PER_TRIP = ContributionBound.per_trip()
TILES = four_tiles()
LOW = (("A", "Public-ish"), ("B", "Low"))


@pytest.fixture
def trips():
    return private([*drawn_trips(1_500), Trip("somebody else", "outside", "outside")])


def wanted(bound=PER_TRIP, epsilon="2", height=3, named=LOW, **more):
    return TreeChoices(bound, Fraction(epsilon), height, named, **more)


def test_a_preview_holds_the_truth_and_two_draws_near_it(trips):
    seen = tree_owner.tree_preview(trips, TILES, wanted())
    assert (seen.true.total, seen.counted, seen.origin) == (1_500, 1, "preview")
    assert abs(seen.paths.total - 1_500) < 100
    assert abs(seen.uniform.total - 1_500) < 200
    assert seen.plan.strategy is Strategy.ADAPTIVE
    assert seen.tree.units.max() > seen.uniform_tree.units.max()
    assert set(seen.uniform_tree.units[1:].tolist()) == {2 * 2**16 // 4}  # epsilon over h + 1
    assert seen.price.record == 10


def test_the_study_of_levels_says_what_they_buy_at_each_epsilon_and_at_what_price(trips):
    found = tree_owner.levels_study(trips, TILES, wanted(), epsilons=(Fraction(1, 20), Fraction(5)), runs=4)
    assert [(row.epsilon, row.record) for row in found.rows] == [(Fraction(1, 20), Fraction(1, 4)), (5, 25)]
    little, much = found.rows
    for of in ("levels", "uniform", "same_price"):
        (error, sigma), (small, _) = getattr(little, of), getattr(much, of)
        assert sigma > 0
        assert 4 * small < error, "at a hundred times the epsilon"
    with pytest.raises(InputError, match="out of range"):
        tree_owner.levels_study(trips, TILES, wanted(), runs=1)


def test_the_bound_decides_how_many_count_and_the_truth_stays_all_of_them(trips):
    ten = ContributionBound.per_user(10)
    seen = tree_owner.tree_preview(trips, TILES, wanted(ten, "20"))
    assert seen.counted == pytest.approx(200 / 1_500)  # 20 people with far more than ten trips each
    assert seen.true.total == 1_500
    assert seen.paths.total < 400
    assert seen.price.record == 20 * 5 * 10


def test_days_of_people_and_the_place_outside_have_a_tree(trips):
    making = Making(Source.DAY, 60, Outside.PLACE)
    seen = tree_owner.tree_preview(trips, TILES, wanted(ContributionBound.per_user(14), making=making))
    assert seen.tree.locations == seen.true.locations == 5
    assert seen.plan.levels.tiles == ("A", "B", "C", "D", "outside")
    assert (seen.true.symbols == 4).any()


def test_the_uniform_tree_of_a_uniform_plan_is_the_tree(trips):
    seen = tree_owner.tree_preview(trips, TILES, wanted(strategy=Strategy.UNIFORM))
    assert seen.uniform_tree is seen.tree


def test_each_preview_draws_afresh(trips):
    first, second = (tree_owner.tree_preview(trips, TILES, wanted()) for _ in range(2))
    assert first.tree.y.tolist() != second.tree.y.tolist()
    assert np.array_equal(first.true.weight, second.true.weight)


def test_progress_rises_to_one(trips):
    told = []
    tree_owner.tree_preview(trips, TILES, wanted(), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 5


@pytest.mark.parametrize("rows", [[], [Trip("u", "outside", "outside")]])
def test_trips_that_visit_no_tile_have_no_preview(rows):
    with pytest.raises(InputError, match="no trajectory visits a tile"):
        tree_owner.tree_preview(private(rows), TILES, wanted())


def test_levels_of_unknown_tiles_and_people_where_there_are_none_are_refused(trips):
    with pytest.raises(InputError, match="'Z'"):
        tree_owner.tree_preview(trips, TILES, wanted(named=(("Z", "Low"),)))
    nobody = private([Trip(None, "A", "B")], has_users=False)
    with pytest.raises(PrivacyError, match="no user column"):
        tree_owner.tree_preview(nobody, TILES, wanted(ContributionBound.per_user(2)))


def test_a_preview_is_not_shown_copied_or_stored(trips):
    seen = tree_owner.tree_preview(trips, TILES, wanted())
    compared = tree_owner.compare_queries(seen, [Question(Kind.SET, ("A",))])[0]
    for one in (
        seen,
        compared,
        tree_owner.compare_workload(seen, 40),
        tree_owner.compare_top_patterns(seen, 3),
    ):
        assert repr(one) == f"<{type(one).__name__}>"
        for leave in (pickle.dumps, copy.copy):
            with pytest.raises(PrivacyError, match="cannot be pickled"):
                leave(one)


# Questions.


def share_of(rows, holds):
    return sum(holds(row) for row in rows)


def test_questions_are_answered_beside_the_truth():
    rows = drawn_trips(1_500)
    seen = tree_owner.tree_preview(private(rows), TILES, wanted(epsilon="20"))
    questions = {
        Question(Kind.SET, ("B", "A")): lambda row: {row.origin, row.destination} == {"A", "B"},
        Question(Kind.ORDER, ("A", "B")): lambda row: (row.origin, row.destination) == ("A", "B"),
        Question(Kind.EXACT, ("A", "*", "B")): lambda row: False,  # noqa: ARG005
        Question(Kind.PREFIX, ("C",)): lambda row: row.origin == "C",
    }
    found = tree_owner.compare_queries(seen, list(questions))
    for one, holds in zip(found, questions.values(), strict=True):
        assert one.true == share_of(rows, holds)
        assert one.tree.count == pytest.approx(one.true, abs=15)
        assert one.uniform.count == pytest.approx(one.true, abs=15)
        assert one.error == abs(one.tree.count - one.true) / max(one.true, 1.5)  # a thousandth of 1,500
        assert one.uniform_error == abs(one.uniform.count - one.true) / max(one.true, 1.5)
    with pytest.raises(InputError, match="'Z'"):
        tree_owner.compare_queries(seen, [Question(Kind.SET, ("Z",))])


def test_answers_and_errors_are_about_those_that_count_and_the_truth_of_all_stands_beside(trips):
    seen = tree_owner.tree_preview(trips, TILES, wanted(ContributionBound.per_user(5), "20"))
    assert (seen.true_counted.total, seen.true.total) == (100, 1_500)  # 20 people
    (found,) = tree_owner.compare_queries(seen, [Question(Kind.SET, ("A",))])
    assert 0 < found.true < 101 < found.true_of_all
    assert found.tree.count == pytest.approx(found.true, abs=12)
    assert found.error == abs(found.tree.count - found.true) / found.true < 0.3
    assert found.tree.at_least <= found.true <= found.tree.at_most
    assert tree_owner.compare_workload(seen, 40).tree.mean < 1
    patterns = tree_owner.compare_top_patterns(seen, 4)
    assert list(patterns.true) == frequent_patterns(seen.true_counted, 4)


def test_what_began_at_a_tile_too_rare_to_be_kept_is_counted(trips):
    everything = tree_owner.tree_preview(trips, TILES, wanted(epsilon="20"))
    assert everything.pruned == 0
    few = tree_owner.tree_preview(private([Trip("u", "A", "B")] * 2), TILES, wanted(epsilon="0.01"))
    assert few.pruned == (2 if 0 not in few.tree.symbol[few.tree.depth == 1] else 0)


def test_a_workload_compares_both_trees_on_the_same_queries(trips):
    seen = tree_owner.tree_preview(trips, TILES, wanted(epsilon="0.5"))
    first, again = (tree_owner.compare_workload(seen, 200) for _ in range(2))
    assert (first.queries, first.tree, first.uniform) == (200, again.tree, again.uniform)
    assert len(first.tree.groups) == 4
    assert first.reduction == 1 - first.tree.mean / first.uniform.mean
    same = tree_owner.tree_preview(trips, TILES, wanted(strategy=Strategy.UNIFORM))
    assert tree_owner.compare_workload(same, 40).reduction == 0


def test_the_most_frequent_patterns_stand_beside_the_true_ones(trips):
    seen = tree_owner.tree_preview(trips, TILES, wanted(epsilon="20"))
    found = tree_owner.compare_top_patterns(seen, 4)
    assert list(found.true) == frequent_patterns(seen.true, 4)
    assert {one.tiles for one in found.tree} == {(0,), (1,), (2,), (3,)}
    assert found.comparison.true_positives == found.uniform_comparison.true_positives == 4
    pairs = tree_owner.compare_top_patterns(seen, 3, least_length=2)
    assert all(len(one.tiles) == 2 for one in (*pairs.true, *pairs.tree, *pairs.uniform))
