"""Pictures of lessons 4, 8, 9 and 11: each becomes a picture to take along, and lines differ by more than colour."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpcore.lessons import bill, cutting, median, pictures, tidying

RISING = np.arange(1.0, 6.0)
ERRORS = [
    cutting.Error(most, cut, noise)
    for most, cut, noise in zip((1, 2, 5, 20, 490), [9, 5, 3, 1, 0], [2, 3, 4, 5, 6], strict=True)
]
LAW = median.Law(*(np.linspace(-40, 0, len(median.POINTS)) for _ in range(3)))
TOLD = [
    tidying.Told(title, title, 3, drawn, wide, 100.5, 1, 0.0)
    for title, drawn, wide in (("a", 99.0, 2), ("b", 103.0, 5))
]
PICTURES = {
    "cut and noise": cutting.errors_chart(ERRORS, 5),
    "best bound": cutting.optima_chart([0.1, 1, 10], {"Map": [1, 5, 8], "Flows": [1, 2, 3]}, 1),
    "ranks": median.missed_chart(-LAW.score / 20, 3, 5),
    "chances": median.chances_chart(LAW, 3, (1, 5)),
    "among the data": median.among_chart(RISING, RISING / 15, 3, (1, 5)),
    "one bill": bill.spreads_chart(Fraction(1), 1e-6, 3, 2),
    "days": bill.people_chart([0, 9, 5, 1], 2),
    "budgets": bill.budgets_chart(["Map", "Flows"], {"yours": [0.5, 0.5], "best": [0.3, 0.7]}),
    "sums": tidying.running_chart(RISING, -RISING, RISING),
    "totals": tidying.totals_chart(TOLD, 100),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_can_be_taken_along(name):
    chart = PICTURES[name]
    drawn = pictures.svg(chart)
    assert drawn.startswith(b"<svg")
    assert b"NaN" not in drawn
    assert chart.alt
    assert pictures.csv(chart).count(b"\n") == len(chart.table) + 1


def test_lines_differ_by_dashes_and_not_by_colour_alone():
    layer = pictures.line_layer(["one", "two", "three"], {}, {})
    dashes = layer["encoding"]["strokeDash"]["scale"]["range"]
    assert all(one != other for one, other in pairwise(dashes))
    assert len(dashes) == len(layer["encoding"]["color"]["scale"]["range"]) == 3


def test_only_who_is_in_one_table_is_hidden_as_claimed():
    table = PICTURES["days"].table
    assert table.groupby("whose")["days"].apply(list).to_dict() == {
        "the promise holds": [1],
        "it does not": [2, 3],
    }
