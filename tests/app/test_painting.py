"""Strokes on the map of levels: what the browser tells is read strictly, applied once, and never becomes markup."""

from __future__ import annotations

import json
import re
import struct

import pytest
import shapely

from dpcore.synthesis.tree.levels import DESCRIPTORS
from dpcore.views.map_geometry import pack_geometry
from pages.owner.parts.trajectories_choices import Painting
from pages.owner.parts.trajectories_levels import apply
from pages.parts.paint_map import Paint, Stroke, pack_painting, strokes_of
from tests.conftest import ROOT

ASSETS = ROOT / "pages" / "assets"
GEOMETRY = pack_geometry(["a", "b"], ["", "</script>"], [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)])
PAINTS = [Paint("Low", "5", "#ffffff", "#000000"), Paint("Critical", "1", "#000000", "#ffffff")]


def test_the_message_holds_a_header_that_names_its_tiles_and_one_level_for_each():
    message = pack_painting(GEOMETRY, PAINTS, [2, 1], applied=7, alt="map", banner="Demo data")
    (length,) = struct.unpack_from("<I", message)
    head = json.loads(message[4 : 4 + length])
    assert (head["applied"], head["tiles"], head["banner"]) == (7, 2, "Demo data")
    assert [level["name"] for level in head["levels"]] == ["Low", "Critical"]
    assert head["digest"] == GEOMETRY[:16].decode()
    assert list(message[4 + length :]) == [2, 1]
    assert message == pack_painting(GEOMETRY, PAINTS, [2, 1], applied=7, alt="map", banner="Demo data")


@pytest.mark.parametrize(
    "told",
    [
        None,
        "strokes",
        [{"number": 1, "level": 1}],
        [{"number": 1, "level": 1, "tiles": [2]}],
        [{"number": 1, "level": 1, "tiles": [-1]}],
        [{"number": 1, "level": 1, "tiles": ["0"]}],
        [{"number": 1, "level": 0, "tiles": [0]}],
        [{"number": 1, "level": 3, "tiles": [0]}],
        [{"number": True, "level": 1, "tiles": [0]}],
        [{"number": 1.5, "level": 1, "tiles": [0]}],
        [[1, 1, [0]]],
    ],
)
def test_what_is_no_stroke_on_these_tiles_is_left_out(told):
    assert strokes_of(told, tiles=2, levels=2) == []


def test_strokes_are_read_in_their_order():
    told = [{"number": 2, "level": 1, "tiles": [0]}, {"number": 1, "level": 2, "tiles": [0, 1]}]
    assert strokes_of(told, tiles=2, levels=2) == [Stroke(1, 2, (0, 1)), Stroke(2, 1, (0,))]


def test_a_stroke_is_applied_once_and_later_ones_lie_over_earlier_ones():
    painted = Painting("tiles")
    strokes = [Stroke(1, 1, (0, 1)), Stroke(2, 3, (1,))]
    apply(painted, ("a", "b"), strokes)
    assert painted.named == {"a": "Public-ish", "b": "Medium"}
    painted.take({}, DESCRIPTORS)
    apply(painted, ("a", "b"), strokes)  # told again, as they were not answered yet
    assert painted.named == {}
    apply(painted, ("a", "b"), [*strokes, Stroke(3, 2, (1,))])
    assert painted.named == {"b": "Low"}


def test_painting_critical_takes_a_level_away_and_every_step_can_be_taken_back():
    painted = Painting("tiles")
    painted.set(["a", "b"], "Low")
    painted.set(["a"], "Critical")
    assert painted.named == {"b": "Low"}
    painted.set(["a"], "Critical")  # changes nothing, so there is nothing to take back
    painted.undo()
    assert painted.named == {"a": "Low", "b": "Low"}
    painted.undo()
    painted.undo()
    assert painted.named == {}


def test_a_stroke_that_the_browser_takes_away_is_dropped_and_not_told():
    text = (ASSETS / "paint_map.js").read_text(encoding="utf-8")
    (handler,) = re.findall(r'"pointercancel", \(event\) => (\w+)\(', text)
    body = re.search(rf"function {handler}\(.*?\n}}", text, re.DOTALL).group(0)
    assert "s.stroke = null" in body
    assert "takeMessage(s)" in body  # the levels as they were
    assert "tell" not in body
    assert text.count("pointercancel") == 1


def test_no_part_of_the_painting_script_makes_markup_of_data():
    own = sorted(path.name for path in ASSETS.glob("paint_*.js"))
    for name in own:
        text = (ASSETS / name).read_text(encoding="utf-8")
        for risky in ("outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "http"):
            assert risky not in text, name
        assert re.findall(r"innerHTML\s*=\s*(\w+)", text) in ([], ["MARKUP"]), name
    markup = re.search(r"const MARKUP = `(.*?)`;", (ASSETS / "paint_tools.js").read_text(), re.DOTALL)
    assert "${" not in markup.group(1)
