"""The page Story with releases of other kinds than tables: begun, added to from the Viewer, and played."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.release import verify_bundle, write_bundle
from dpcore.stories.default import default_story
from dpcore.stories.file import story_text
from tests.conftest import ROOT
from tests.synthetic_release.made_synthetic import made_synthetic
from tests.synthetic_release.made_tree import made_tree

LIBRARY, VIEWER, STORY = (f"pages/released/{name}.py" for name in ("library", "viewer", "story"))
SEEN = {
    "trips": made_synthetic(id="trips", title="Invented trips"),
    "ways": made_tree(id="ways", title="Ways", number=3_000),
}


@pytest.fixture(autouse=True)
def shelf(tmp_path, monkeypatch):
    for name, release in SEEN.items():
        write_bundle(release, tmp_path / name)
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    return tmp_path


def visited(app, page, **query):
    app.switch_page(page)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def pressed(app, label):
    next(one for one in app.button if one.label == label).click().run()
    assert not app.exception, app.exception
    return app


def app():
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)


def test_a_view_of_the_viewer_becomes_a_step_and_a_first_story_begins():
    seen = pressed(visited(app(), VIEWER, release="trips", view="flows"), "Add this view")
    (step,) = seen.session_state["story"].story.steps
    assert (step.view, step.release, dict(step.link)) == ("flows", "trips", {})
    visited(seen, STORY)
    assert "**1. Flows**, Invented trips" in [one.value for one in seen.markdown]
    chosen = next(one for one in seen.selectbox if one.key == "story from")
    assert set(chosen.options) == {"Invented trips", "Ways"}
    chosen.set_value("ways").run()
    pressed(seen, "Start")
    assert [one.view for one in seen.session_state["story"].story.steps] == ["promise", "ways", "levels"]


def test_a_story_of_the_shelf_plays_its_pictures(shelf):
    for name, release in SEEN.items():
        told = default_story(release, verify_bundle(shelf / name).digest)
        (shelf / f"{name}.story.json").write_text(story_text(told))
        assert "Play the story" in [one.label for one in visited(app(), LIBRARY).get("page_link")]
        seen = app()
        for number, step in enumerate(told.steps, 1):
            visited(seen, STORY, story=name, step=str(number))
            assert not seen.warning
            assert f"## {step.sentence}" in [one.value.replace("\\", "") for one in seen.markdown]
            assert any("No number is exact" in one.value for one in seen.caption)
