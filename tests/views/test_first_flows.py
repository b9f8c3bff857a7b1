"""Every list of flows: those between two places first, of these what is known; trips within a place apart; each with its range."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dpcore.estimates import Ranged
from dpcore.estimates.words import LIKELY
from dpcore.measures import MEASURES, measure_named
from dpcore.release.estimates import estimates_of
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.shown import released_numbers as drawn
from dpcore.views.numbers import flows
from dpcore.views.numbers.ranking import ranking_of, strongest_between
from dpcore.views.report import report_html
from tests.cities import four_tiles
from tests.release.made_releases import made_release
from tests.views.made import CHOICES, measurement

KEYS = MEASURES["od_flows"].keys(("A", "B", "C", "D"))
DISTRICTS = measure_named("od_districts", CHOICES)
NAMES = {"A": "Harbour", "B": "Old town", "C": "Harbour", "D": "Mills"}


def estimates(values, low, high, measure="od_flows", keys=KEYS) -> Shown:
    numbers = Ranged(*(np.asarray(column, np.float64) for column in (values, low, high)))
    return Shown(measure, "trips", keys, np.arange(len(numbers.values)), numbers, "all trips", LIKELY)


def invented(seed: int) -> Shown:
    """A table of all pairs: some known, some wide, some without a range."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 500, KEYS.size).astype(float)
    wide = values * rng.choice([0.1, 0.25, 0.3, 2.0, np.nan], KEYS.size)
    return estimates(values, values - wide, values + wide)


def by_hand(shown: Shown) -> tuple[list[int], list[int]]:
    """The two lists, cell by cell."""
    between, apart = [], []
    for at, cell in enumerate(shown.cells.tolist()):
        origin, destination = divmod(cell, 5)
        value, low, high = shown.numbers.cell(at)
        known = value >= 0.5 and max(high - value, value - low) <= 0.25 * value
        row = (not known, -value, at)
        if origin != destination and 4 not in (origin, destination):
            between.append(row)
        elif (origin, destination) != (4, 4):
            apart.append(row)
    return [row[-1] for row in sorted(between)], [row[-1] for row in sorted(apart)]


@pytest.mark.parametrize("seed", range(20))
def test_the_order_is_the_one_that_is_sorted_by_hand(seed):
    shown = invented(seed)
    between, apart = by_hand(shown)
    found = flows.first_flows(shown, 7, 3)
    assert strongest_between(shown, 7).tolist() == sorted(
        at for at in between[:7] if shown.numbers.values[at]
    )
    assert found.between.tolist() == between[:7]
    assert found.apart.tolist() == apart[:3]
    assert ranking_of(shown, four_tiles()).shown.cells.tolist() == between[:10]


def test_a_known_flow_stands_before_a_larger_one_that_only_the_model_tells():
    values = np.zeros(KEYS.size)
    values[[1, 2, 3, 0]] = 900, 100, 400, 5_000
    wide = np.where(values == 100, 10.0, np.nan)
    shown = estimates(values, values - wide, values + wide)
    found = flows.first_flows(shown, 3)
    table = flows.flows_table(shown, NAMES, found.between)
    assert table["to"].tolist() == ["Harbour", "Old town", "Mills"]
    assert table[LIKELY].tolist() == ["90 to 110", "no range is known", "no range is known"]
    assert found.said == "The first is known within 25 %. The others have wider likely ranges."
    within = flows.flows_table(shown, NAMES, found.apart, apart=True)
    assert within["where"][0] == "within Harbour"
    assert "from" not in within
    assert ranking_of(shown, four_tiles()).said.startswith("The first is known within 25 %.")


def test_two_tiles_of_one_name_are_not_one_place():
    shown = estimates(np.arange(KEYS.size), np.zeros(KEYS.size), np.full(KEYS.size, 99))
    listed = flows.listed_flows(shown, NAMES, np.array([0, 2]), apart=True)
    assert listed["where"].tolist() == ["within Harbour", "Harbour \N{RIGHTWARDS ARROW} Harbour"]


def test_what_stands_apart_is_called_by_what_it_is():
    cells = np.arange(KEYS.size)
    assert flows.title_apart(KEYS, cells[:1]) == "Trips within a tile"
    assert flows.title_apart(KEYS, cells[:5]) == "Trips within a tile, and from or to the outside"
    districts = DISTRICTS.keys(("A", "B", "C"))
    assert flows.title_apart(districts, np.array([0])) == "Trips within a district"


@pytest.mark.parametrize(
    ("known", "drawn_ones", "said"),
    [
        ([], False, flows.NONE_LISTED),
        ([True, True], False, "All listed flows are known within 25 %."),
        ([False], False, "No flow is known within 25 %: all have wider likely ranges."),
        ([True, True, False], True, "The first 2 stand out of the noise. The others may be noise alone."),
        ([False, False], True, "No flow stands out of the noise: all may be noise alone."),
    ],
)
def test_a_list_says_which_part_of_it_is_known(known, drawn_ones, said):
    assert flows.known_first(np.array(known, bool), drawn=drawn_ones) == said


def test_drawn_flows_are_known_where_they_stand_out():
    od = measurement("od_flows", [9_000, 1, 50, 2, 3, 8_000, 4, 2, 60, 1, 7_000, 2, 3, 4, 5, 6])
    shown = drawn(od, 2)
    found = flows.first_flows(shown, 10)
    values = shown.numbers.values
    assert values[found.between].tolist() == sorted(values[found.between], reverse=True)
    assert set(values[found.apart][:3]) == {9_000, 8_000, 7_000}
    assert (shown.known == shown.readable).all()


def test_a_report_lists_trips_within_a_tile_apart_for_both_sides_of_the_switch():
    page = report_html(made_release(), static=True)
    for kind in ("estimated", "noisy"):
        first, apart = (
            re.search(f'<table data-rows="{kind} flows{which}">(.*?)</table>', page, re.DOTALL)
            for which in ("", " apart")
        )
        assert first is not None
        assert apart is not None
        assert "within" not in first[1]
        assert "outside" not in first[1]
        assert "Trips within a tile" in apart[1]
        assert "within " in apart[1].split("</caption>")[1]
    assert "several times too large" not in page


def test_no_list_of_estimates_is_without_ranges():
    release = made_release(sparse=True)
    table = estimates_of(release, 7).tables["od_flows"]
    shown = estimates(*table.counted.columns, keys=table.keys)
    assert LIKELY in flows.listed_flows(shown, {}, np.arange(3))
