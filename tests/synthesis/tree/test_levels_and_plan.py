"""Public parameters: what is refused, and with which words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.tree.levels import DESCRIPTORS, Descriptor, Levels
from dpcore.kinds.tree.plan import MAX_HEIGHT, Definition, Strategy, TreePlan
from tests.synthesis.tree.growing import levels_of, planned


def test_tiles_that_are_not_named_are_critical():
    levels = Levels.of(("a", "b", "c"), {"b": "Low", "c": "Public-ish"})
    assert levels.level.tolist() == [5, 2, 1]
    assert Levels.of(("a", "b"), {}).level.tolist() == [5, 5]


def test_the_default_scale_gives_exact_budgets():
    plan = planned(Levels.of(("a",), {}), "0.5")
    assert [plan.budget(level) for level in range(1, 6)] == [
        Fraction(5, 2), Fraction(5, 4), Fraction(5, 6), Fraction(5, 8), Fraction(1, 2),
    ]  # fmt: skip
    assert [one.name for one in DESCRIPTORS] == ["Public-ish", "Low", "Medium", "High", "Critical"]


def test_a_tile_or_a_descriptor_that_does_not_exist_is_refused_by_name():
    with pytest.raises(InputError, match="'z'"):
        Levels.of(("a",), {"z": "Low"})
    with pytest.raises(PrivacyError, match="Choose one of: Public-ish, Low"):
        Levels.of(("a",), {"a": "low"})
    with pytest.raises(InputError, match="no tile"):
        Levels.of((), {})


def test_levels_without_a_critical_tile_are_levels():
    levels = Levels.of(("a", "b"), {"a": "Low", "b": "Medium"})
    assert (levels.lowest, levels.critical) == (2, 5)


@pytest.mark.parametrize(
    "weights", [(), ("1/2",), ("0", "1"), ("1/2", "1/2", "1"), ("1", "1/2"), ("1/2", "2")]
)
def test_a_scale_must_rise_to_one(weights):
    scale = [Descriptor(str(at), Fraction(text)) for at, text in enumerate(weights)]
    with pytest.raises(PrivacyError, match="scale"):
        Levels.of(("a",), {}, scale)


def test_a_float_weight_and_two_descriptors_of_one_name_are_refused():
    with pytest.raises(PrivacyError, match="exact"):
        Levels.of(("a",), {}, (Descriptor("x", 0.5), Descriptor("y", Fraction(1))))
    with pytest.raises(PrivacyError, match="different names"):
        Levels.of(("a",), {}, (Descriptor("x", Fraction(1, 2)), Descriptor("x", Fraction(1))))


@pytest.mark.parametrize("level", [np.array([0]), np.array([3]), np.array([1, 1])])
def test_levels_off_the_scale_are_a_fault_of_the_program(level):
    with pytest.raises(ValueError, match="every tile needs one level"):
        Levels(("a",), levels_of(1).descriptors, level)


@pytest.mark.parametrize("height", [0, -1, True, 2.0, MAX_HEIGHT + 1])
def test_a_height_of_nothing_or_too_much_is_refused(height):
    with pytest.raises(PrivacyError, match="height"):
        TreePlan(levels_of(1), Fraction(1), height)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1), 0.5, "1"])
def test_an_epsilon_that_is_no_exact_positive_number_is_refused(epsilon):
    with pytest.raises(PrivacyError, match="exact number above 0"):
        TreePlan(levels_of(1), epsilon, 2)


def test_an_epsilon_too_small_to_draw_is_refused_and_the_smallest_published_one_is_not():
    with pytest.raises(PrivacyError, match="too small"):
        planned(levels_of(1), "0.0001", 10)
    planned(levels_of(1), "0.001", 20)


@pytest.mark.parametrize("eta", [Fraction(0), Fraction(1), 0.3])
def test_false_children_must_die_out(eta):
    with pytest.raises(PrivacyError, match="false children"):
        planned(levels_of(1), false_children=eta)


@pytest.mark.parametrize(
    ("definition", "strategy"),
    [
        (Definition.RECORD, Strategy.NON_ADAPTIVE),
        (Definition.RECORD, Strategy.ADAPTIVE),
        (Definition.LOCATION, Strategy.RECORD),
    ],
)
def test_an_allocation_without_a_proof_for_the_promise_is_refused(definition, strategy):
    with pytest.raises(PrivacyError, match="does not keep the promise"):
        planned(levels_of(1), definition=definition, strategy=strategy)
