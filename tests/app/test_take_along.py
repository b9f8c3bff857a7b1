"""Pictures of views and files of stories on the pages of viewers: which buttons there are, and that their files are made."""

from __future__ import annotations

from threading import Thread

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import AppTest

from dpcore.release import kind_of, read_bundle, verify_bundle, write_bundle, zipped
from dpcore.stories.story import NamedRelease, Step, Story
from dpcore.views.maps.address import address
from dpcore.views.pictures import view_titles
from pages.released.parts import story_files, take_along
from pages.released.parts.telling import Telling
from pages.released.parts.viewing import Uploaded, Viewing
from tests.conftest import ROOT
from tests.release.made_releases import made_release


@pytest.fixture
def drawn(monkeypatch):
    """What buttons would give, by label."""
    found = {}
    for page in (take_along, story_files):
        monkeypatch.setattr(
            page, "take_away", lambda label, content, name, **_: found.setdefault(label, (name, content))
        )
    return found


def test_a_view_is_taken_along_as_it_is_looked_at(drawn):
    release = made_release()
    at, _ = address({"view": "map", "rung": "0.5", "tile": release.tessellation.tile_ids[0]}, release)
    take_along._both(release, at)
    assert {label: name for label, (name, _) in drawn.items()} == {
        "PNG": f"{release.id}-map.png",
        "SVG": f"{release.id}-map.svg",
    }
    page = drawn["SVG"][1]().decode()
    assert "= 0.5" in page
    assert release.tessellation.tile_ids[0] in page


def test_a_story_is_taken_along_in_three_forms(drawn):
    release = made_release()
    story = Story("A story", (NamedRelease(release.id, "0" * 64),), (Step("promise", release.id, "Safe."),))
    story_files.draw_take_along(story, lambda _: release)
    assert {name for name, _ in drawn.values()} == {"story.pdf", "story.pptx", "story.html"}
    begins = {name: content()[:4] for name, content in drawn.values()}
    assert begins == {"story.pdf": b"%PDF", "story.pptx": b"PK\x03\x04", "story.html": b"<!do"}


@pytest.mark.parametrize("view", ["map", "guarantee", "download", "accuracy"])
def test_the_viewer_offers_pictures_of_what_it_shows(tmp_path, monkeypatch, view):
    write_bundle(made_release(id="made"), tmp_path / "made")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/released/viewer.py")
    app.query_params["view"] = view
    app.run()
    assert not app.exception, app.exception
    labels = [button.proto.label for button in app.get("download_button")]
    assert {"PNG", "SVG"} <= {*labels}
    assert len(labels) == len(set(labels)), "each of them once"


def test_views_that_hold_nothing_to_draw_are_not_offered(tmp_path, monkeypatch):
    write_bundle(made_release(id="made", weights={"visits_per_tile": 1}), tmp_path / "made")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/released/viewer.py")
    app.query_params["view"] = "download"
    app.run()
    assert not app.exception, app.exception
    offered = {
        view_titles()["map"],
        view_titles()["flows"],
        view_titles()["rankings"],
        view_titles()["accuracy"],
        view_titles()["guarantee"],
    }
    assert {*app.selectbox(key="pictured view").options} == offered
    app.query_params["view"] = "rhythm"
    app.run()
    assert "PNG" not in [button.proto.label for button in app.get("download_button")]


def of_no_visitor(make) -> bytes | str:
    """What a download gives as Streamlit makes it: in a thread that belongs to no session."""
    made = []
    thread = Thread(target=lambda: made.append(make()))
    thread.start()
    thread.join()
    return made[0]


def uploaded(folder, name: str) -> Uploaded:
    write_bundle(made_release(id=name, title="Brought along"), folder / name)
    content = zipped(folder / name)
    release = read_bundle(content)
    return Uploaded(kind_of(release.plan).card(release), content, verify_bundle(content), release)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("library", {}),
        ("viewer", {"view": "download"}),
        ("viewer", {"view": "measures"}),
        ("viewer", {"view": "download", "release": "upload:mine"}),
        ("story", {}),
    ],
)
def test_downloads_are_made_without_asking_for_the_visitor(tmp_path, monkeypatch, page, query):
    """Streamlit makes them where it knows no visitor: uploads must be found all the same, and nothing be logged."""
    write_bundle(made_release(id="made"), tmp_path / "shelf" / "made")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "shelf"))
    mine, offered, missed = uploaded(tmp_path, "mine"), {}, []
    named = (NamedRelease("mine", mine.verdict.digest), NamedRelease("made", shelf_digest(tmp_path)))
    steps = (Step("map", "mine", "Brought."), Step("map", "made", "From the shelf."))
    monkeypatch.setattr(
        st, "download_button", lambda _, content, name, *__, **___: offered.update({name: content})
    )
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["viewing"] = Viewing(uploads={"upload:mine": mine})
    app.session_state["story"] = Telling(Story("Mine", named, steps), begun=True)
    app.switch_page(f"pages/released/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    assert offered or page == "library"
    monkeypatch.setattr(
        script_run_context._LOGGER, "warning", lambda *words, **_: missed.append(words), raising=False
    )
    made = {name: of_no_visitor(content) for name, content in offered.items()}
    assert missed == []
    assert all(made.values())
    if "release" in query:
        assert made["mine.zip"] == mine.content
    if page == "story":
        assert "not here" not in made["story.html"].decode()


def shelf_digest(folder) -> str:
    return verify_bundle(folder / "shelf" / "made").digest
