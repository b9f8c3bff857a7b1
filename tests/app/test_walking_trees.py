"""A released tree in the Library: its card, walking it, asking it, and what a hostile name or question does."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import limits
from dpcore.kinds.tree.views import walked as tree_views
from dpcore.kinds.tree.views.walked import BY_LEVEL
from dpcore.release import verify_bundle, write_bundle
from dpcore.tiles import Tessellation
from pages.released.parts import tree_view
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
    days = made_tree(day_choices(), id="days", title="Days", number=3_000, parameters_chosen="after_preview")
    write_bundle(days, folder / "days")
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


def icicles(app):
    return [chart for chart in app.get("plotly_chart") if chart.key == "tree icicle"]


def test_a_tree_is_walked_asked_and_left(library):
    library.button(key="walk ways").click().run()
    assert not library.exception, library.exception
    assert "Walk and ask: \\<b\\>Hill" in seen(library)
    (picture,) = icicles(library)
    drawn = picture.proto.spec
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
    assert len(icicles(library)) == 1


def test_both_promises_are_shown_side_by_side_for_a_persons_days(library):
    library.button(key="walk days").click().run()
    assert not library.exception, library.exception
    prices = next(table.value for table in library.table if "the whole record" in str(table.value))
    assert list(prices["level"])[:-1] == ["Critical", "High", "Medium", "Low", "the whole record"]
    assert "xclusion attack" in seen(library)


def test_the_library_says_when_levels_were_chosen_as_the_release_does(library):
    library.button(key="walk ways").click().run()
    assert "the height, the tiles and their levels were chosen before anyone looked" in seen(library)
    library.button(key="leave tree").click().run()
    library.button(key="walk days").click().run()
    said = seen(library)
    assert "the height, the tiles or their levels were chosen after the owner had looked at a preview" in said
    assert "before any" not in said


def test_a_tree_opens_over_the_page_where_it_is_seen_from_every_card(library):
    assert not library.get("dialog")
    library.button(key="walk ways").click().run()
    (over,) = library.get("dialog")
    assert over.proto.dialog.is_open
    assert "Walk and ask: \\<b\\>Hill" in over.subheader[0].value
    library.button(key="leave tree").click().run()
    assert not library.get("dialog")


def test_a_tree_is_read_once_for_all_visitors_and_its_pictures_are_made_once(library, monkeypatch):
    read, drawn = [], []
    monkeypatch.setattr(tree_view, "_KEPT", type(tree_view._KEPT)())
    monkeypatch.setattr(
        tree_view,
        "read_bundle",
        lambda place, real=tree_view.read_bundle: read.append(place) or real(place),
    )
    for name in ("frequent_patterns", "icicle"):
        made = vars(tree_views)[name]
        monkeypatch.setattr(
            tree_views,
            name,
            lambda *args, made=made, name=name, **rest: drawn.append(name) or made(*args, **rest),
        )
    library.button(key="walk ways").click().run()
    library.text_input(key="tree question").input("A").run()
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    other.switch_page("pages/released/library.py")
    other.run()
    other.button(key="walk ways").click().run()
    assert "Walk and ask: \\<b\\>Hill" in seen(other)
    assert len(read) == 1
    assert sorted(drawn) == ["frequent_patterns", "icicle"]
    assert library.session_state["tree walked"] is other.session_state["tree walked"]


def test_a_tree_that_is_too_large_to_be_walked_is_refused_in_words_and_still_verifies(
    library, monkeypatch, bundles
):
    monkeypatch.setattr(tree_view, "_KEPT", type(tree_view._KEPT)())
    monkeypatch.setattr(limits, "MAX_WALKED_VISITS", 50)
    library.button(key="walk ways").click().run()
    assert not library.exception, library.exception
    assert "too large to be walked" in library.error[0].value
    assert not library.get("dialog")
    assert verify_bundle(bundles / "ways").files


def test_trees_that_were_walked_longest_ago_are_let_go_of(monkeypatch, bundles):
    kept = type(tree_view._KEPT)()
    monkeypatch.setattr(tree_view, "_KEPT_TREES", 1)
    first = kept.read(bundles / "ways")
    assert kept.read(bundles / "ways") is first
    kept.read(bundles / "days")
    assert kept.read(bundles / "ways") is not first


@pytest.mark.parametrize("name", ["ways", "days"])
def test_whom_the_epsilon_of_a_level_is_about_is_said_where_trajectories_are_bounded(library, name):
    library.button(key=f"walk {name}").click().run()
    assert (BY_LEVEL in seen(library)) == (name == "days")
