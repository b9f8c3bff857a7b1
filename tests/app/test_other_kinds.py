"""Releases of other kinds than tables in the Viewer: by a card, by a link, by an upload; and what a hostile link does."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.release import kind_of, shelf, write_bundle, zipped
from dpcore.views.ground.plain import plain
from dpcore.views.numbers.guarantee import can_you_be_found
from tests.conftest import ROOT
from tests.release.made_releases import made_release
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices
from tests.synthetic_release.made_tree import made_tree

LIBRARY, VIEWER = "pages/released/library.py", "pages/released/viewer.py"
HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1))"


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    write_bundle(made_synthetic(id="roy", title=HOSTILE), folder / "roy")
    write_bundle(made_synthetic(stability_choices(), id="large", title="Same"), folder / "large")
    write_bundle(made_tree(id="ways", title="Same", number=3_000), folder / "ways")
    return folder


@pytest.fixture(scope="module")
def all_bundles(kinds):
    write_bundle(made_release(id="tables", title="Tables"), kinds / "tables")
    return kinds


def opened(monkeypatch, folder, **query):
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(folder))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(VIEWER)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def seen(app):
    kinds = ("title", "markdown", "caption", "error", "info", "warning")
    return "\n".join(str(element.value) for kind in kinds for element in getattr(app, kind))


def query(app):
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}


def views(app):
    return app.segmented_control[0]


def test_without_tables_the_viewer_shows_a_release_of_another_kind(monkeypatch, kinds):
    app = opened(monkeypatch, kinds)
    assert views(app).value == "map-on"
    assert "Large counts" in seen(app)
    assert query(app)["release"] == "large"
    assert query(app)["view"] == "map-on"


@pytest.mark.parametrize(
    ("name", "view", "said"),
    [
        ("roy", "flows", "synthetic trips"),
        ("large", "rankings", "not listed"),
        ("ways", "levels", "more noise hides"),
        ("ways", "promise", "Whoever guesses"),
    ],
)
def test_a_link_opens_one_view_with_all_that_must_be_read_beside_it(
    monkeypatch, all_bundles, name, view, said
):
    app = opened(monkeypatch, all_bundles, release=name, view=view)
    assert views(app).value == view
    text = seen(app)
    assert said in text
    assert "No number is exact" in text
    assert "<script>" not in text


@pytest.mark.parametrize("name", ["roy", "large", "ways"])
def test_every_kind_says_whether_a_reader_can_be_found(monkeypatch, kinds, name):
    app = opened(monkeypatch, kinds, release=name)
    promise = kind_of(shelf.opened_any(name).plan).promised(shelf.opened_any(name).plan)
    assert "You in this data" in seen(app)
    assert plain(can_you_be_found(promise)[0]) in seen(app)


def test_another_view_and_another_release_are_in_the_link(monkeypatch, all_bundles):
    app = opened(monkeypatch, all_bundles, release="roy")
    views(app).set_value("rhythm").run()
    assert query(app)["view"] == "rhythm"
    choice = next(one for one in app.selectbox if one.key == "other release chosen")
    assert sorted(choice.options)[-2:] == ["Same (large)", "Same (ways)"]
    choice.set_value("ways").run()
    assert (query(app)["release"], views(app).value) == ("ways", "ways")
    assert any(button.key == "walk ways" for button in app.button)


def test_a_view_that_is_not_there_gives_the_first_and_a_release_that_is_not_there_is_said(
    monkeypatch, all_bundles
):
    assert views(opened(monkeypatch, all_bundles, release="roy", view="../etc")).value == "map"
    app = opened(monkeypatch, all_bundles, release="../roy")
    assert "Tables" in seen(app)


def test_who_comes_back_to_the_viewer_finds_what_was_looked_at(monkeypatch, all_bundles):
    app = opened(monkeypatch, all_bundles, release="roy", view="rhythm")
    app.switch_page(LIBRARY).run()
    app.query_params.clear()
    app.switch_page(VIEWER).run()
    assert query(app)["release"] == "roy"


def test_a_bundle_that_is_brought_is_shown_and_its_tree_walked(monkeypatch, kinds, tmp_path):
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "none"))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(LIBRARY).run()
    app.file_uploader[0].set_value(("ways.zip", zipped(kinds / "ways"), "application/zip")).run()
    app.switch_page(VIEWER).run()
    assert query(app) == {"release": "upload:ways", "view": "ways"}
    app.button(key="walk upload:ways").click().run()
    assert not app.exception, app.exception
    assert "Walk and ask: Same" in [one.value for one in app.subheader]
