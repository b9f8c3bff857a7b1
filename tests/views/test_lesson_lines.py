"""Pictures of lessons 4, 8, 9 and 11: each becomes a picture to take along, and lines differ by more than colour."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dpcore.views.lessons import bill, cutting, export, lines, median, tidying

RISING = np.arange(1.0, 6.0)
PICTURES = {
    "cut and noise": cutting.errors((1, 2, 5, 20, 490), [9, 5, 3, 1, 0], [2, 3, 4, 5, 6], [9, 6, 5, 5, 6], 5),
    "best bound": cutting.optima([0.1, 1, 10], {"Map": [1, 5, 8], "Flows": [1, 2, 3]}, 1),
    "ranks": median.missed(RISING, RISING, 3, 5),
    "chances": median.chances(RISING, RISING / 15, RISING / 15, 3, (1, 5)),
    "among the data": median.among(RISING, RISING / 15, 3, (1, 5)),
    "one bill": bill.spreads([1, 2, 3], [2, 2.5, 2.8], 2),
    "days": bill.people([0, 9, 5, 1], 2),
    "budgets": bill.budgets(["Map", "Flows"], {"yours": [0.5, 0.5], "best": [0.3, 0.7]}),
    "sums": tidying.running(RISING, -RISING, RISING),
    "totals": tidying.totals(["a", "b"], [99.0, 103.0], [2.0, 5.0], 100.5, 100),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_can_be_taken_along(name):
    chart = PICTURES[name]
    drawn = export.svg(chart)
    assert drawn.startswith(b"<svg")
    assert b"NaN" not in drawn
    assert chart.alt
    assert export.csv(chart).count(b"\n") == len(chart.table) + 1


def test_lines_differ_by_dashes_and_not_by_colour_alone():
    layer = lines.layer(["one", "two", "three"], {}, {})
    dashes = layer["encoding"]["strokeDash"]["scale"]["range"]
    assert all(one != other for one, other in pairwise(dashes))
    assert len(dashes) == len(layer["encoding"]["color"]["scale"]["range"]) == 3


def test_only_who_is_in_one_table_is_hidden_as_claimed():
    table = PICTURES["days"].table
    assert table.groupby("whose")["days"].apply(list).to_dict() == {
        "the promise holds": [1],
        "it does not": [2, 3],
    }
