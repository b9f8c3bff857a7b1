"""Synthetic trips and large counts as pictures and tables: one scale for both sides, names of people, prices as they are."""

import math
import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import numpy as np
import pytest

from dpcore.kinds.roy import views as synthesis
from dpcore.kinds.roy.association import Association, Proposal
from dpcore.kinds.roy.figure import figure
from dpcore.kinds.stability import views as stability
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.totals import DELTA, published_totals, totals
from dpcore.privacy import ContributionBound, Loss
from tests.cities import four_tiles
from tests.synthesis.small import domain, opal_plan, plan, some_trips

TILES = four_tiles()
HOSTILE = '"><script>alert(1)</script>'


def test_equal_shares_have_equal_colours_whatever_the_other_side_holds():
    even = synthesis.visits_svg(TILES, np.full(4, 0.25), "Original", "Demo data")
    lone = synthesis.visits_svg(TILES, np.array([0.25, 0.75, 0.0, 0.0]), "Synthetic", "Demo data")
    of_even, of_lone = (re.findall(r'<path fill="(#[0-9a-f]{6})" d=', one) for one in (even, lone))
    assert len(of_even) == 1
    assert of_even[0] in of_lone
    assert synthesis.DROWNED in of_lone  # nothing at all
    assert even.count("\N{MULTIPLICATION SIGN}") == lone.count("\N{MULTIPLICATION SIGN}") == 7


def test_routes_are_drawn_between_two_different_tiles_and_the_busy_ones_wider():
    routes = np.zeros((4, 4))
    routes[0, 0], routes[0, 1], routes[1, 2] = 0.9, 0.01, 0.0001
    drawn = synthesis.routes_svg(TILES, routes, "Original", "")
    heads = re.findall(r'd="M[^L]*L([0-9]+) ([0-9]+) [0-9]+ [0-9]+ ([0-9]+) ([0-9]+)', drawn)
    widths = [math.dist((float(a), float(b)), (float(c), float(d))) for a, b, c, d in heads]
    assert len(widths) == 2
    assert max(widths) > 3 * min(widths)
    assert "2 busiest routes" in drawn


@pytest.mark.parametrize("draw", [synthesis.visits_svg, synthesis.routes_svg])
def test_title_and_mark_stand_above_the_map(draw):
    shares = np.full(4, 0.25) if draw is synthesis.visits_svg else np.full((4, 4), 1 / 16)
    picture = ET.fromstring(draw(TILES, shares, "Original", "Not private"))
    _, top, _, high = map(int, picture.attrib["viewBox"].split())
    above = [part for part in picture if part.tag.endswith("text")]
    assert [part.text for part in above] == ["Original", "Not private"]
    assert all(top < float(part.attrib["y"]) < -4 for part in above)
    assert high > 460 - top


@pytest.mark.parametrize("draw", [synthesis.visits_svg, synthesis.routes_svg])
def test_texts_of_files_are_no_markup_and_no_trips_are_a_picture(draw):
    nothing = np.zeros(4) if draw is synthesis.visits_svg else np.zeros((4, 4))
    picture = draw(TILES, nothing, HOSTILE, HOSTILE)
    ET.fromstring(picture)
    assert "<script" not in picture


def test_popular_places_and_routes_have_the_names_that_people_use():
    of = domain()
    found = figure(some_trips(200, of), of)
    names = {"a": "Old *town*", "b": "Harbour", "c": "=1+1"}
    tables = synthesis.popular_tables(found, found, of, names)
    assert list(tables) == ["Busiest starts", "Busiest ends", "Busiest days", "Busiest routes"]
    assert set(tables["Busiest starts"][""]) == {
        "Old *town*",
        "Harbour",
        "'=1+1",
    }  # no formula for a spreadsheet
    assert all(" to " in route for route in tables["Busiest routes"][""])
    assert tables["Busiest starts"]["original"] == tables["Busiest starts"]["synthetic"]


def test_shares_of_epsilon_are_exact_and_add_up():
    table = synthesis.shares_table(plan(epsilon="2"))
    assert sum(Fraction(one) for one in table["ε of its own"]) == pytest.approx(2, abs=1e-5)
    assert table["counted together"][0] == "start and end"


def test_four_ways_to_noise_say_where_no_epsilon_holds():
    rows = [("every cell", 0.2, 2_000, Fraction(9, 2), Fraction(9, 4)), ("occupied", 0.5, 0, None, None)]
    table = synthesis.variants_table(0.55, 1_000, rows)
    assert table["ε, replace one"] == ["\N{EM DASH}", "4.5", "not private"]
    assert table["for each true trip"] == ["\N{EM DASH}", "2.00", "0.00"]


def test_published_thresholds_and_ours_stand_side_by_side():
    table = stability.thresholds_table(DELTA, (Fraction(1), Fraction(2)))
    assert table["threshold"] == ["34.18", "34", "32", "17", "17.59", "18", "17", "9"]
    assert table["smallest count"] == ["34", "34", "32", "17", "18", "18", "17", "9"]


def test_a_promise_about_one_trip_is_said_for_a_person_and_void_where_it_is():
    table = stability.persons_table(Loss(published_totals()[0].epsilon, published_totals()[0].delta))
    assert table["ε for the person"] == ["8", "none", "none", "none"]
    assert table["δ for the person"][1:] == ["void: nothing is promised"] * 3
    person = opal_plan(Variant.USER, bound=ContributionBound.per_user(10))
    assert stability.totals_table(totals(person))["hidden"] == ["one person"]


def test_a_delta_in_words_never_sounds_smaller_than_it_is():
    assert "one chance in 3 " in stability.chance_words(Fraction(2, 7))


def test_a_sweep_is_a_table_for_each_metric_with_a_column_for_each_epsilon():
    rows = [
        ("EMD", mode, "Days", "days", Fraction(epsilon), 1.25, 0.5)
        for mode in ("sound", "paper")
        for epsilon in ("0.1", "1")
    ]
    found = synthesis.sweep_tables([*rows, ("TP", "sound", "Days", "%", Fraction(1), 95.0, 1.0)])
    assert found["EMD"] == {
        "mode": ["sound", "as published"],
        "table": ["Days", "Days"],
        "in": ["days", "days"],
        "ε 0.1": ["1.25 \N{PLUS-MINUS SIGN} 0.5"] * 2,
        "ε 1": ["1.25 \N{PLUS-MINUS SIGN} 0.5"] * 2,
    }
    assert list(found) == ["EMD", "TP"]


def test_associations_that_noise_hides_are_a_dash():
    told = Proposal(
        (
            Association(("hour", "mode"), 0.3, 0.1, "hour+mode"),
            Association(("start", "mode"), None, None, "start+mode"),
        ),
        (("hour", "mode"),),
    )
    assert synthesis.associations_table(told) == {
        "attributes": ["hour and mode", "start and mode"],
        "association": ["0.30", "\N{EM DASH}"],
        "by chance": ["0.10", "\N{EM DASH}"],
        "proposed": ["yes", ""],
    }
