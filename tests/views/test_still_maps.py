"""Still maps as SVG: one path a class, flows that bend and are thick where they end, words beside the tiles and never as markup."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from dpcore.views.ground.style import DROWNED, FLOW, UNDER_FLOWS
from dpcore.views.ground.themes import on_page
from dpcore.views.maps.drawn_map import Arrows, DrawnMap, Key
from dpcore.views.maps.projection import bow, drawn_tiles, inside, path_of
from dpcore.views.maps.still import Styled, key_html, still_key, still_map
from tests.cities import four_tiles

TILES = four_tiles()
HOSTILE = '"><script>alert(1)</script>'
POINTS = inside(TILES.polygons)
ARROWS = Arrows(POINTS[[0, 1]], POINTS[[1, 0]], np.array([100.0, 1.0]), np.array([True, False]))


def drawn(**more):
    given = {"which": np.array([0, 1, 1, 1]), "colours": (DROWNED, "#123456", "#654321"), "key": None} | more
    return DrawnMap(TILES, **given)


@pytest.mark.parametrize("dark", [False, True])
def test_a_map_has_a_path_for_each_colour_that_occurs_in_the_colours_of_its_page(dark):
    picture = still_map(drawn(), "four tiles", dark=dark)
    fills = dict(re.findall(r'<path fill="(#\w+)" d="(.*?)"', picture))
    assert {fill: path.count("M") for fill, path in fills.items()} == {
        on_page(DROWNED, dark=dark): 1,
        "#123456": 3,
    }
    assert ET.fromstring(picture).get("aria-label") == "four tiles"


def test_no_text_is_markup():
    names = ((HOSTILE, POINTS[0]),)
    picture = still_map(
        drawn(key=Key(HOSTILE, (("#123456", HOSTILE),)), names=names), HOSTILE, title=HOSTILE, mark=HOSTILE
    )
    key = Key(HOSTILE, (("#123456", HOSTILE),))
    for text in (picture, still_key(key, HOSTILE, wide=300), key_html(key)):
        ET.fromstring(text)
        assert "<script" not in text
        assert "&lt;script" in text


@pytest.mark.parametrize("dark", [False, True])
def test_flows_lie_over_the_tiles_the_largest_last_and_those_without_a_range_are_dashed(dark):
    picture = still_map(drawn(which=np.zeros(4, int), colours=(UNDER_FLOWS,), arrows=ARROWS), "", dark=dark)
    small, large = re.findall(r'<path fill="#\w+" fill-opacity[^>]*>', picture)
    assert "stroke-dasharray" in small
    assert "stroke-dasharray" not in large
    assert picture.count(f'fill="{on_page(FLOW, dark=dark)}"') == 2
    assert picture.index(f'fill="{on_page(UNDER_FLOWS, dark=dark)}"') < picture.index(small)


def test_a_flow_and_the_one_back_lie_apart_and_widths_follow_the_size():
    one, other = np.array([0.0, 0.0]), np.array([100.0, 0.0])
    there, back = bow(one, other, 6.0), bow(other, one, 6.0)
    assert there[1, 1] > 10  # to the right of who goes east, on a sheet whose second number grows downwards
    assert back[1, 1] < -10
    assert (there[4] == other).all()
    assert ARROWS.widths[0] / ARROWS.widths[1] == pytest.approx(6.8 / 0.9)
    fixed = Arrows(ARROWS.origins, ARROWS.destinations, ARROWS.sizes, ARROWS.sure, widest=400.0)
    assert fixed.widths[0] == pytest.approx(ARROWS.widths[0] / 2)


def test_a_scale_stands_as_a_strip_with_its_edges_and_the_other_colours_below_it():
    key = Key("", (("#111111", ""), ("#222222", ""), (DROWNED, "nothing")), ("1",), ("less", "more"))
    picture = ET.fromstring(still_key(key, "Colours", wide=200))
    rows = [(part.get("fill"), float(part.get("y"))) for part in picture.iter() if part.tag.endswith("rect")]
    assert [fill for fill, _ in rows] == ["#111111", "#222222", DROWNED]
    assert rows[0][1] == rows[1][1] < rows[2][1] < float(picture.get("height"))
    assert [*picture.itertext()] == ["less", "more", "1", "nothing"]


def test_in_a_file_with_a_style_colours_are_names_of_classes_and_nothing_asks_for_a_font():
    styled = Styled('data-map="visits"', "<use href='#under'/>", "<use href='#over'/>")
    picture = still_map(drawn(colours=("grey", "few", "k0"), arrows=ARROWS), "", styled=styled)
    assert re.findall(r'class="(.*?)"', picture) == ["grey", "few", "flow drowned", "flow"]
    assert (
        picture.index("#under") < picture.index('"grey"') < picture.index("#over") < picture.index('"flow"')
    )
    assert not re.search("fill=|stroke=|font|http", picture)
    assert 'class="grey"' in key_html(Key("visits", (("grey", "none"),)), styled=True)


def test_an_outline_is_drawn_and_a_path_has_whole_steps():
    picture = still_map(drawn(outlined=(TILES.polygons[0],)), "")
    assert picture.count('fill="none"') == 1
    assert re.fullmatch(r"([Ml]-?\d+ -?\d+|z)+", path_of(drawn_tiles(TILES)))
