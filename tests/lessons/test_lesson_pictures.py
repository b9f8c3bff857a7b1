"""Pictures of lessons: plotly draws each as it is, its numbers can be taken along, and lines differ by more than colour."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import chain, pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

from dpcore.estimates import Ranged
from dpcore.lessons import (
    asking,
    attacks,
    bill,
    contribution,
    cutting,
    differencing,
    estimating,
    ghosts,
    hiding,
    machines,
    median,
    pictures,
    places,
    shapes,
    tidying,
    tiny_bits,
)
from dpcore.lessons import trips_nobody_made as nobody
from dpcore.views.charts import charts
from dpcore.views.charts.charts import styled

RISING = np.arange(1.0, 6.0)
ERRORS = [
    cutting.Error(most, cut, noise)
    for most, cut, noise in zip((1, 2, 5, 20, 490), [9, 5, 3, 1, 0], [2, 3, 4, 5, 6], strict=True)
]
LAW = median.Law(*(np.linspace(*ends, len(median.POINTS)) for ends in ((-40, 0), (0, 1), (0, 1))))
TOLD = [
    tidying.Told(title, title, 3, drawn, wide, 100.5, 1, 0.0)
    for title, drawn, wide in (("a", 99.0, 2), ("b", 103.0, 5))
]
SHAPES = shapes.shapes(1.0, 1e-6, 20.0)
RECKONED = [ghosts.Reckoning(ghost, 9.0, lost, 5.0) for ghost, lost in ((90.0, 1.0), (9.0, 2.0), (0.2, 3.0))]
FINDING = attacks.Finding(
    attacks.Event("answer", ">=", 3.0), 5, "with", {}, {}, {}, 0.5, {"with": RISING, "without": RISING - 1}
)
TILES = np.arange(96)
SEEN = estimating.TilesSeen(
    TILES, TILES, TILES, 3, Ranged(TILES + 1.0, TILES - 2.0 + TILES % 2 * 2.5, TILES + 4.0), None
)
MADE = nobody.Made(5, tuple(0.01 * place for place in range(9)), np.arange(28))
PICTURES = {
    "noise at two stops": asking.against_chart(RISING, -RISING, "0.5", "1"),
    "asked again": asking.estimates_chart(np.array([4, 6]), np.array([4.0, 5.0]), 5, "starts"),
    "asked once": asking.estimates_chart(np.array([4]), np.array([4.0]), 5, "starts"),
    "tiles hit": asking.hits_chart(RISING / 5, RISING / 6),
    "guesses": differencing.guesses_chart(
        differencing.Game((Fraction(1, 2), Fraction(1)), np.array([0.5, 0.6]), np.array([0.55, 0.7])),
        Fraction(1),
        100,
    ),
    "people by trips": hiding.people_chart(np.array([1, 1, 2, 60]), 2, 2),
    "nobody can be told": hiding.people_chart(np.array([1, 1, 2, 60]), None, 2),
    "moved": contribution.moved_chart(["D001 to D002", "outside"], [3, 1]),
    "sizes": contribution.norms_chart([2, 4, 2.8, 3], [16, 16, 11.3, 16]),
    "sizes without a bound": contribution.norms_chart([2, 4, 2.8, 3], None),
    "densities": shapes.densities_chart(SHAPES),
    "log ratios": shapes.log_ratios_chart(SHAPES, 1.0),
    "many counts": shapes.spreads_chart([1, 2, 3], RISING[:3], RISING[:3], 2),
    "alarms": shapes.alarms_chart(
        [("geometric", RISING / 5, RISING / 5), (shapes.BOUND, RISING / 5, RISING / 5)]
    ),
    "ghosts and losses": ghosts.tradeoff_chart(RECKONED, RECKONED, 2),
    "corner": ghosts.corner_chart(np.array([0, 1, 2, 0]), np.array([0, 1]), 2, 2),
    "two combs": tiny_bits.combs_chart(tiny_bits.reachable(6, 1.0).onwards(0.5, 9), 3),
    "two ways": places.two_ways_chart(places.Told(20, 18, 9, 25, 30)),
    "which noise": nobody.shares_chart(["all cells, scale 1/ε", "dates alone, sound"], [0.3, 0.5], 0.52),
    "two worlds": machines.worlds_chart(FINDING),
    "cut and noise": cutting.errors_chart(ERRORS, 5),
    "best bound": cutting.optima_chart([0.1, 1, 10], {"Map": [1, 5, 8], "Flows": [1, 2, 3]}, 1),
    "ranks": median.missed_chart(-LAW.score / 20, 3, 5),
    "chances": median.chances_chart(LAW, 3, (1, 5)),
    "among the data": median.among_chart(RISING, RISING / 15, 3, (1, 5)),
    "one bill": bill.spreads_chart(Fraction(1), 1e-6, 3, 2),
    "days": bill.people_chart([0, 9, 5, 1], 2),
    "budgets": bill.budgets_chart(["Map", "Flows"], {"yours": [0.5, 0.5], "best": [0.3, 0.7]}),
    "sums": tidying.running_chart(RISING, -RISING, RISING),
    "estimates": estimating.against_truth(SEEN),
    "totals": tidying.totals_chart(TOLD, 100),
}


def certainty():
    judged = [
        places.judged(places.NAMES[4], places.NAMES[0], times, Fraction(1, 2)) for times in places.TIMES
    ]
    return places.certainty_chart(judged, 0.6, 5)


# These read the built-in city, so they are drawn in their tests and not while tests are collected.
OF_THE_CITY = {
    "certainty": certainty,
    "what survives": lambda: nobody.survival_chart(MADE),
    "one date": lambda: nobody.one_date_chart(MADE.event),
}


@pytest.fixture(params=[*PICTURES, *OF_THE_CITY])
def name(request):
    return request.param


@pytest.fixture
def chart(name):
    return OF_THE_CITY[name]() if name in OF_THE_CITY else PICTURES[name]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_plotly_draws_every_picture_as_it_is(chart, dark):
    drawn = styled(chart, dark=dark)
    assert go.Figure(drawn).to_plotly_json()["data"], "plotly refuses what it does not know"
    assert json.dumps(drawn, allow_nan=False)


def test_every_picture_can_be_told_and_its_numbers_taken_along(chart):
    assert chart.alt
    assert pictures.csv(chart).count(b"\n") == len(chart.table) + 1


def test_a_pointer_reads_words_or_nothing(chart):
    for trace in chart.figure["data"]:
        if trace.get("hoverinfo") != "skip":
            read = trace["hovertemplate"].removesuffix("<extra></extra>")
            assert [*trace["hovertext"]] if read == "%{hovertext}" else " " in read, read


def test_a_pointer_reads_true_minus_signs(chart):
    """Plotly writes a hyphen where a template has a number below zero, so such numbers come as words."""
    for trace in chart.figure["data"]:
        if not re.search(r"%\{[xy]", read := trace.get("hovertemplate", "")):
            words = [*trace.get("hovertext", ()), *chain(*trace.get("customdata", ()))]
            assert not re.search(r"(?<![\w-])-\d", " ".join([read, *words]))
        else:
            numbers = [one for one in (*trace["x"], *trace["y"]) if isinstance(one, int | float)]
            assert min(numbers, default=0) >= 0


def test_lines_differ_by_dashes_and_dots_by_shape_and_not_by_colour_alone(chart, name):
    traces = [trace for trace in chart.figure["data"] if trace.get("showlegend", True)]
    lines = [trace for trace in traces if "lines" in trace.get("mode", "")]
    dots = [trace for trace in traces if trace.get("mode") == "markers"]
    dashes = [trace["line"].get("dash", "solid") for trace in lines]
    assert len(dashes) == len({*dashes})
    if name not in ("two ways", "two combs"):  # there the rows tell them apart
        assert len(dots) == len({trace["marker"].get("symbol", "circle") for trace in dots})


def test_many_lines_have_looks_of_their_own():
    names = ["one", "two", "three", "four"]
    drawn = charts.lines([1, 2], {name: [1.0, 2.0] for name in names}, "%{y} trips")
    assert [trace["name"] for trace in drawn] == names
    for one, other in pairwise(drawn):
        assert one["line"]["color"] != other["line"]["color"]
        assert one["line"]["dash"] != other["line"]["dash"]


def test_only_who_is_in_one_table_is_hidden_as_claimed():
    table = PICTURES["days"].table
    assert table.groupby("whose")["days"].apply(list).to_dict() == {
        "the promise holds": [1],
        "it does not": [2, 3],
    }
