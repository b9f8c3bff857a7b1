"""Which size of tiles is proposed, from public facts alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcore.measures.data_form import DataForm
from dpcore.noise.expected_estimates import visits_forecast
from dpcore.noise.forecast import Facts
from dpcore.planning.default_plan import default_plan
from dpcore.planning.tile_size import MOST, expected_readable, finest_readable
from dpcore.tiles import Box, number_of_squares, square_grid
from dpcore.views.planning.grid import MOST_DRAWN, SQUARES, drawn_words, grid_sheet, readable_words

ONE = Fraction(1)
CITY = Box(9.78, 54.22, 10.03, 54.38)


def tiles_of(metres):
    return number_of_squares(CITY, metres)


@pytest.mark.parametrize("users", [33_000, None], ids=["a person", "a trip"])
def test_what_is_expected_before_the_tiles_exist_is_what_the_plan_on_them_expects(users):
    grid = square_grid(CITY, 1_500.0)
    facts = Facts(300_000, users, len(grid.tile_ids))
    expected = expected_readable(facts, ONE)
    plan = default_plan(expected.bound, ONE, grid, facts, form=DataForm(users=users is not None))
    told = visits_forecast(plan, facts)
    assert expected.tiles == facts.tiles == tiles_of(1_500.0)
    assert expected.share == pytest.approx(told.readable / facts.tiles, abs=0.05)


def test_the_smallest_size_at_which_most_tiles_are_readable_is_proposed():
    facts = Facts(300_000, 33_000, 0)
    found = finest_readable(SQUARES, tiles_of, facts, ONE)
    at = SQUARES.index(found.size)
    assert (
        found.expected.share
        >= MOST
        > expected_readable(Facts(300_000, 33_000, tiles_of(SQUARES[at - 1])), ONE).share
    )
    more = finest_readable(SQUARES, tiles_of, facts, Fraction(5))
    assert more.size < found.size, "more epsilon, smaller tiles"
    assert finest_readable(SQUARES, tiles_of, Facts(500, 300, 0), Fraction("0.1")) is None
    assert finest_readable(SQUARES, tiles_of, Facts(None, 300, 0), ONE) is None


def corners(sheet, line):
    return len(sheet.figure["data"][line]["x"])


def test_the_sheet_draws_every_tile_of_a_grid_or_those_in_its_middle():
    box = Box(0.0, 0.0, 0.6, 0.6)
    loaded, fine = square_grid(box, 40_000.0), square_grid(box, 1_150.0)
    assert len(fine.tile_ids) > MOST_DRAWN
    assert corners(grid_sheet(box, loaded, fine), 1) == 6 * MOST_DRAWN - 1, (
        "five corners each, and gaps between"
    )
    assert corners(grid_sheet(box, loaded, loaded), 1) == 6 * len(loaded.tile_ids) - 1
    assert len(grid_sheet(box, loaded).figure["data"]) == 1
    assert drawn_words(len(fine.tile_ids)).startswith(f"The sheet shows {MOST_DRAWN:,} of")
    assert drawn_words(MOST_DRAWN) == ""


@pytest.mark.parametrize(
    ("users", "said"), [(33_000, "hides a person and counts at most"), (None, "hides one trip")]
)
def test_what_is_expected_says_whom_the_release_hides(users, said):
    expected = expected_readable(Facts(300_000, users, 132), ONE)
    assert said in readable_words(expected, "squares of 1,500 m", "1")
