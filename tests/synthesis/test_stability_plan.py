"""Plans of stability histograms: refused where they contradict themselves, priced for trips and for people."""

import csv
import json
from dataclasses import replace
from fractions import Fraction

import pytest

import dpcore
from dpcore.errors import PrivacyError
from dpcore.kinds.stability.kind import KIND as STABILITY
from dpcore.kinds.stability.plan import Combination, Neighbours, Variant
from dpcore.kinds.stability.totals import published_totals, totals, variant_rows
from dpcore.privacy import ContributionBound
from tests.synthesis.small import opal_plan

TEN = ContributionBound.per_user(10)


def made(variant):
    return opal_plan(variant, bound=TEN if variant is Variant.USER else None)


def test_the_preset_has_four_modes_on_fourteen_days_and_six_combinations():
    plan = opal_plan()
    assert len(plan.partitions) == 56
    assert len(plan.combinations) == 6
    assert (plan.epsilon, plan.delta) == (8, Fraction(6, 8_000_000))


@pytest.mark.parametrize(
    ("variant", "thresholds"),
    [(Variant.OPAL, (34, 18)), (Variant.TIGHT, (32, 17)), (Variant.ADD_REMOVE, (17, 9))],
)
def test_thresholds_of_the_preset_are_those_computed_by_hand(variant, thresholds):
    plan = made(variant)
    found = [plan.threshold(one) for one in plan.combinations]
    assert found == [thresholds[0]] * 4 + [thresholds[1]] * 2


@pytest.mark.parametrize("variant", Variant)
def test_the_certified_delta_never_exceeds_the_one_that_was_named(variant):
    plan = made(variant)
    for one in plan.combinations:
        threshold = plan.threshold(one)
        assert Fraction(plan.certified_delta(one, threshold)) <= one.delta
        assert threshold > plan.bound.trips
    assert all(total.delta <= plan.delta for total in totals(plan))
    named = next(total for total in totals(plan) if total.neighbours is variant.neighbours)
    assert named.epsilon == plan.epsilon


def test_a_column_gets_the_share_of_epsilon_that_its_owner_chose_and_the_terms_keep_it():
    asked = dpcore.stability_plan(
        ContributionBound.per_trip(),
        "8",
        delta="1e-6",
        combinations=["on_time", "on_loc", "on_time+on_loc"],
        shares={"on_loc": 3},
    )
    assert [one.epsilon for one in asked.plan().combinations] == [1, 3, 4]
    assert asked.plan().epsilon == 8
    assert type(asked).of_terms(json.loads(json.dumps(asked.terms()))) == asked
    usual = replace(asked, shares=())
    assert [one.epsilon for one in usual.plan().combinations] == [2, 2, 4]
    assert "shares" not in usual.terms(), "as releases of earlier versions have them"
    assert STABILITY.options(asked)[-2:] == ["--shares", "on_loc=3"]
    assert "shares={'on_loc': 3}" in STABILITY.python(asked)
    for wrong in (
        {"on_loc": 0},
        {"on_loc": 1_001},
        {"on_loc": 1.5},
        {"off_loc": 2},
        {"zip": 2},
        {"on_loc": True},
    ):
        with pytest.raises(PrivacyError, match="shares of epsilon"):
            dpcore.stability_plan(asked.bound, "8", combinations=["on_loc"], shares=wrong)
    with pytest.raises(TypeError):
        type(asked).of_terms({**asked.terms(), "shares": [["on_loc", 3]]})


def test_totals_are_said_for_both_relations():
    here = {total.neighbours: total for total in totals(opal_plan())}
    assert here[Neighbours.REPLACE_ONE].epsilon == 8
    assert here[Neighbours.ADD_REMOVE].epsilon == 4
    lighter = {total.neighbours: total.epsilon for total in totals(made(Variant.ADD_REMOVE))}
    assert lighter == {Neighbours.ADD_REMOVE: 8, Neighbours.REPLACE_ONE: 16}
    (person,) = totals(made(Variant.USER))
    assert (person.unit, person.epsilon) == ("person", 8)
    claimed, real, lower = published_totals()
    assert (claimed.epsilon, float(claimed.delta)) == (8, 7.5e-7)
    assert real.delta == lower.delta == claimed.delta / 4
    assert (lower.neighbours, lower.epsilon) == (Neighbours.ADD_REMOVE, 4)


@pytest.mark.parametrize("epsilon", [1, 2])
def test_the_table_of_variants_holds_published_and_own_numbers(epsilon):
    rows = {row.name: row for row in variant_rows(Fraction(epsilon))}
    assert list(rows) == ["as published", "opal", "tight", "add-remove"]
    assert [row.smallest for row in rows.values()] == {1: [34, 34, 32, 17], 2: [18, 18, 17, 9]}[epsilon]
    assert all(row.delta <= Fraction(1, 8_000_000) for row in rows.values())


def test_the_smallest_count_of_the_real_release_is_its_rounded_threshold(shared):
    with shared("real/opal_release/location_20160808-14.csv").open(encoding="utf-8") as file:
        counts = [int(row["count"]) for row in csv.DictReader(file) if (row["count"] or "").isdigit()]
    smallest = variant_rows(Fraction(1))[0].smallest
    assert len(counts) > 8_000
    assert min(counts) == 34 == smallest == opal_plan().threshold(opal_plan().combinations[0])


ONE = Combination(("a",), Fraction(1), Fraction(1, 10**7))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"combinations": ()}, "combinations"),
        ({"combinations": (ONE, ONE)}, "combinations"),
        (
            {"combinations": (replace(ONE, columns=("a", "b")), replace(ONE, columns=("b", "a")))},
            "order makes no difference",
        ),
        ({"combinations": (replace(ONE, columns=()),)}, "combinations"),
        ({"combinations": (replace(ONE, columns=("a", "a")),)}, "combinations"),
        ({"combinations": (replace(ONE, epsilon=Fraction(0)),)}, "epsilon"),
        ({"combinations": (replace(ONE, epsilon=Fraction(-1)),)}, "epsilon"),
        ({"combinations": (replace(ONE, epsilon=1.0),)}, "epsilon"),
        ({"combinations": (replace(ONE, epsilon=Fraction(21)),)}, "too much"),
        ({"combinations": (replace(ONE, delta=Fraction(0)),)}, "delta"),
        ({"combinations": (replace(ONE, delta=Fraction(1)),)}, "delta"),
        ({"combinations": (replace(ONE, delta=1e-7),)}, "delta"),
        ({"combinations": (replace(ONE, delta=Fraction(1, 10**4)),)}, "too much"),
        ({"partitions": ()}, "parts"),
        ({"partitions": (("bus",),)}, "parts"),
        ({"partitions": (("bus", "1"), ("bus", "1"))}, "parts"),
        ({"minutes": {"on_time": 7}}, "divide a day"),
        ({"minutes": {"on_time": 0}}, "divide a day"),
        ({"minutes": {"on_time": 1}}, "5 to 720 minutes"),
        ({"minutes": {"on_time": 1_440}}, "5 to 720 minutes"),
        ({"bound": TEN}, "privacy unit"),
        ({"variant": Variant.USER}, "privacy unit"),
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(changes, says):
    with pytest.raises(PrivacyError, match=says):
        replace(opal_plan(), **changes)


def test_data_without_parts_are_one_part():
    plan = replace(opal_plan(), partition_by=(), partitions=((),))
    assert plan.threshold(plan.combinations[0]) == 34
