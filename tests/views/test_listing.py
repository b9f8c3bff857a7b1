"""Which flows are listed, in words and tables: from the size of the table and of the noise alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.noise.sparse import threshold_for
from dpcore.release import statements
from dpcore.views.numbers import flows, sentences
from tests.release.made_releases import made_release

ONE_FLOW = {"weights": {"od_flows": 1}, "sparse": True, "period": None}


@pytest.fixture(scope="module")
def usual():
    return made_release(**ONE_FLOW)


@pytest.fixture(scope="module")
def generous():
    return made_release(**ONE_FLOW, false_flows=Fraction(10_000))


def test_the_table_of_a_plan_tells_thresholds_and_chances_of_true_flows():
    table = flows.thresholds_of_plan(Fraction(1, 10), 400_000_000, Fraction(100))
    assert table["false flows (about)"] == ["1", "10", "100 (chosen)", "1,000", "10,000"]
    assert table["listed from"] == [
        f"{threshold_for(400_000_000, Fraction(1, 10), many):,}" for many in flows.NUMBERS_OF_FALSE_FLOWS
    ]
    assert table["listed from"][0] == "192"
    assert table["listed from"][2] == "146"
    assert table["a flow of 100 is listed"][2] == "under 1 %"  # e**-4.6 / 1.905 = 0.5 %
    assert table["a flow of 100 is listed"][4] == "52 %"  # the threshold is 100 there: 1 / 1.905


def test_a_number_of_the_command_line_gets_its_own_row():
    table = flows.thresholds_of_plan(Fraction(1), 400_000_000, Fraction(1, 10))
    assert table["false flows (about)"][0] == "0.1 (chosen)"
    assert len(table["listed from"]) == 6


def test_thresholds_by_size_are_those_of_the_exact_formula():
    table = flows.thresholds_by_size()
    assert table["noise 1: 1 / 100 false"] == ["14 / 9", "17 / 13", "20 / 15"]
    assert table["noise 10: 1 / 100 false"] == ["132 / 86", "164 / 118", "192 / 146"]


def test_words_name_the_number_of_false_flows_wherever_flows_are_shown(usual, generous):
    few, many = usual.measurements["od_flows"], generous.measurements["od_flows"]
    assert many.threshold < few.threshold
    assert flows.by_chance(few) == "about one"
    assert "about 10,000 got into the list by chance" in sentences.absent_pairs(many)
    assert "about one got into the list by chance" in sentences.absent_pairs(few)
    assert "at most about 10,000 whose count is zero are listed by chance" in statements.absent(many)
    assert "about one whose count is zero is listed by chance" in statements.absent(few)


def test_a_raised_list_says_that_no_flow_was_added(usual):
    flows = usual.measurements["od_flows"]
    assert "no pair was added" not in sentences.absent_pairs(flows)
    raised = replace(
        flows,
        rungs=(*flows.rungs, Fraction(5)),
        half_widths=(*flows.half_widths, 1),
        values=np.concatenate([flows.values, flows.values[-1:]]),
    )
    said = sentences.absent_pairs(raised)
    assert "made at ε = 2. When the release was raised" in said
    assert f"more than about {flows.threshold + flows.half_widths[-1]:,}." in said  # of the rung that decided
