"""A released tree in the Library: its card, walking it, asking it, and what a hostile name or question does."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.synthetic_release import write_bundle
from dpcore.tessellation import Tessellation
from tests.cities import four_tiles
from tests.conftest import ROOT
from tests.synthetic_release.made_tree import day_choices, made_tree

HOSTILE = "<b>Hill</b> [x](javascript:alert(1))"


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trees")
    tiles = four_tiles()
    named = Tessellation(tiles.tile_ids, ("Old town", HOSTILE, "Quay", "=1+1"), tiles.polygons)
    write_bundle(made_tree(id="ways", title=HOSTILE, tessellation=named, number=3_000), folder / "ways")
    write_bundle(made_tree(day_choices(), id="days", title="Days", number=3_000), folder / "days")
    return folder


@pytest.fixture
def library(monkeypatch, bundles):
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(bundles))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/released/library.py")
    app.run()
    assert not app.exception, app.exception
    return app


def seen(app):
    kinds = ("title", "subheader", "markdown", "caption", "error")
    return "\n".join(str(element.value) for kind in kinds for element in getattr(app, kind))


def test_a_tree_has_a_card_with_its_price_and_a_way_in(library):
    text = seen(library)
    assert text.count("A trajectory tree") == 2
    assert text.count("verified") == 2
    assert "Walk and ask: " not in text
    assert {"walk ways", "walk days"} <= {button.key for button in library.button}


def test_a_tree_is_walked_asked_and_left(library):
    library.button(key="walk ways").click().run()
    assert not library.exception, library.exception
    assert "Walk and ask: \\<b\\>Hill" in seen(library)
    assert len(library.get("plotly_chart")) == 1
    drawn = library.get("plotly_chart")[0].proto.spec
    assert "&lt;b&gt;Hill" in drawn.replace("\\u0026", "&")
    assert "<b>" not in drawn.replace("\\u003c", "<").replace("\\u003e", ">")
    library.text_input(key="tree question").input('"Old town" > Quay').run()
    assert "Trajectories that pass Old town, then Quay, others between them or not: **about " in seen(library)
    library.button(key="leave tree").click().run()
    assert "Walk and ask: " not in seen(library)


@pytest.mark.parametrize(
    ("question", "words"),
    [("moon", "tile 'moon'"), ("A, B > C", "mixes signs"), ("[x](javascript:a)", r"\[x\]\(javascript")],
)
def test_a_question_that_is_none_is_refused_as_text_and_the_tree_stays(library, question, words):
    library.button(key="walk ways").click().run()
    library.text_input(key="tree question").input(question).run()
    assert not library.exception, library.exception
    assert words in library.error[0].value
    assert len(library.get("plotly_chart")) == 1


def test_both_promises_are_shown_side_by_side_for_a_persons_days(library):
    library.button(key="walk days").click().run()
    assert not library.exception, library.exception
    prices = next(table.value for table in library.table if "the whole record" in str(table.value))
    assert {"Critical", "High", "Medium", "Low", "Public-ish"} < set(prices["level"])
    assert "Exclusion attack" in seen(library)
