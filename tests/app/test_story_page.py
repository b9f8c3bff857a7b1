"""Stories on the pages: put together in the Viewer, edited, played, from the shelf and from strangers. Nothing private enters one."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import limits
from dpcore.errors import BundleError, StoryError
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.release import shelf, write_bundle, zipped
from dpcore.stories.file import story_of, story_text
from dpcore.views.maps.address import UNKNOWN_RUNG, UNKNOWN_TILE
from dpcore.views.numbers.guarantee import promise_of, you_in_this_data
from dpcore.views.pictures.slide import BY_AUTHOR
from pages.owner.parts.compare.sources import Source
from pages.released.parts import telling, words
from tests.app.sent import answered
from tests.app.test_pages import texts as all_texts
from tests.conftest import ROOT
from tests.release.made_releases import WEEK, made_release, with_trips_of_other_days

COMPARE = "pages/owner/compare.py"
LIBRARY, VIEWER, STORY = (f"pages/released/{name}.py" for name in ("library", "viewer", "story"))
SCRIPT = "<script>alert(1)</script> [x](javascript:alert(1)) $x$ :smile:"
SEEN = {"old": made_release(id="old", title="Old week", unit="trip", period=WEEK, epsilon="4")}
SEEN["new"] = made_release(
    id="new",
    title=SCRIPT,
    unit="trip",
    period=Period(date(2024, 4, 8), date(2024, 4, 14)),
    epsilon="4",
    created=datetime(2024, 6, 1, tzinfo=UTC),
)
SEEN = {name: with_trips_of_other_days(release, 0) for name, release in SEEN.items()}


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    for name, release in SEEN.items():
        write_bundle(release, folder / name)
    return folder


@pytest.fixture(autouse=True)
def on_shelf(bundles, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(bundles))
    yield bundles
    for told in bundles.glob("*.json"):
        told.unlink()


def opened(page=STORY, **query) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    return visited(app, page, **query)


def visited(app: AppTest, page=STORY, **query) -> AppTest:
    app.switch_page(page)
    for name, value in query.items():
        app.query_params[name] = value
    return fine(app.run())


def fine(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def press(app: AppTest, words_or_key: str) -> AppTest:
    button = next(one for one in app.button if words_or_key in {one.label, one.key})
    return fine(button.click().run())


def told(app: AppTest):
    return app.session_state["story"].story


def texts(app: AppTest) -> str:
    return all_texts(app).replace("\\", "").replace("\N{WORD JOINER}", "")


def at_step(app: AppTest) -> str:
    return (
        app.query_params["step"][0]
        if isinstance(app.query_params["step"], list)
        else app.query_params["step"]
    )


def started(app: AppTest, name: str = "new") -> AppTest:
    app.selectbox(key="story from").set_value(name)
    return press(app, words.START)


def uploaded(content: bytes) -> AppTest:
    app = opened()
    return fine(app.file_uploader[0].set_value(("story.json", content, "application/json")).run())


def a_story(**changes) -> bytes:
    return story_file({name: shelf.verdict(name).digest for name in SEEN}, **changes)


def story_file(digests: dict[str, str], **changes) -> bytes:
    steps = [
        {"view": "change", "release": "new", "before": "old", "sentence": "It changed."},
        {
            "view": "map",
            "release": "new",
            "sentence": f"Look.\n{SCRIPT}",
            "link": {"rung": "0.5", "tile": "B"},
        },
        {"view": "promise", "release": "old", "sentence": ""},
    ]
    releases = [{"id": name, "digest": digest} for name, digest in digests.items()]
    made = {"format": "epsilon-atlas story 1", "title": SCRIPT, "releases": releases, "steps": steps}
    return json.dumps({**made, **changes}).encode()


def test_without_a_story_the_page_says_how_to_begin():
    app = opened()
    assert "list of views" in texts(app)
    assert not any(one.label == words.PLAY for one in app.button)


def test_a_view_of_the_viewer_becomes_a_step_with_its_stop_and_choice():
    app = opened(VIEWER, release="new", view="map", tile="B", rung="0.5")
    press(app, words.ADD_VIEW)
    (step,) = told(app).steps
    assert (step.view, step.release) == ("map", "new")
    assert step.link == {"rung": "0.5", "tile": "B"}
    assert "likely range" in step.sentence
    assert told(app).releases[0].digest == shelf.verdict("new").digest
    assert story_of(story_text(told(app))) == told(app)
    visited(app, VIEWER, release="old", view="guarantee")
    press(app, words.ADD_VIEW)
    assert [(one.view, one.release) for one in told(app).steps] == [("map", "new"), ("promise", "old")]


def test_what_is_downloaded_is_no_step_and_owners_have_no_button():
    app = opened(VIEWER, release="new", view="download")
    assert next(one for one in app.button if one.label == words.ADD_VIEW).disabled
    for path in (ROOT / "pages" / "owner").rglob("*.py"):
        assert "telling" not in path.read_text(encoding="utf-8"), path
    app = fine(AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run())
    assert words.ADD_VIEW not in [one.label for one in app.button]


def test_steps_are_moved_said_and_left_out():
    app = started(opened())
    before = told(app).steps
    assert before[0].view == "change", "an earlier release is on the shelf"
    assert [one.view for one in before[1:5]] == ["promise", "map", "flows", "rhythm"]
    press(app, f"{words.DOWN} 0")
    assert told(app).steps[:2] == (before[1], before[0])
    press(app, f"{words.UP} 1")
    assert told(app).steps == before
    app.text_area[1].set_value(f"{SCRIPT}\x00\u202e\n\n\n second").run()
    assert told(fine(app)).steps[1].sentence == f"{SCRIPT}\n\nsecond"
    app.text_input[0].set_value(SCRIPT).run()
    assert told(fine(app)).title == SCRIPT
    press(app, "drop 0")
    assert [one.id for one in told(app).releases] == ["new"], "no step names the earlier one any more"
    assert app.text_area[0].value == told(app).steps[0].sentence, "the field follows its step"
    assert story_of(story_text(told(app))) == told(app)


def test_what_is_left_out_comes_back_to_its_place_whatever_was_done_since():
    app = started(opened())
    before = told(app)
    press(app, "drop 0")
    assert told(app).steps == before.steps[1:]
    app.text_area[0].set_value("Mine.").run()
    visited(visited(app, LIBRARY))
    press(app, "undo")
    assert told(app).steps[0] == before.steps[0]
    assert told(app).steps[1].sentence == "Mine."
    assert {*told(app).releases} == {*before.releases}, "the earlier release came back with its step"
    assert not any(one.key == "undo" for one in app.button)
    mine = told(app)
    for _ in before.steps:
        press(app, "drop 0")
    press(app, "undo")
    assert told(app).steps == before.steps[-1:], "of an empty story too"
    for _ in before.steps[1:]:
        press(app, "undo")
    assert told(app).steps == mine.steps, "one after the other, the last one first"


def test_a_story_that_is_replaced_comes_back_and_so_does_the_other():
    app = started(opened())
    app.text_area[0].set_value("Mine.").run()
    mine = told(app)
    press(app, words.START)
    assert "Mine." not in story_text(told(app))
    press(app, f"{words.DOWN} 0")
    other = told(app)
    press(app, "undo")
    assert told(app) == mine
    press(app, "undo")
    assert told(app) == other
    fine(app.file_uploader[0].set_value(("s.json", a_story(), "application/json")).run())
    opened_file = told(app)
    assert opened_file.title == SCRIPT
    press(app, "undo")
    assert told(app) == other
    press(app, "drop 1")
    press(app, "undo")
    press(app, "undo")
    assert told(app) == mine, "the one before it too"
    press(app, "undo")
    assert told(app) == opened_file
    press(app, "undo")
    assert told(app) == other, "none of them is out of reach"


def test_one_chooses_the_earlier_release_and_reads_why_others_are_not_offered(tmp_path, monkeypatch):
    older = replace(SEEN["old"], id="older", title="Older", created=datetime(2024, 4, 20, tzinfo=UTC))
    people = made_release(id="people", title="People", period=WEEK)
    modes = KeyChoices(WEEK, splits={"mode": ["bus", "rail"]})
    split = made_release(id="split", title="By mode", unit="trip", choices=modes)
    for one in (*SEEN.values(), older, people, split):
        write_bundle(one, tmp_path / one.id)
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    app = opened()
    app.selectbox(key="story from").set_value("new").run()
    offered = app.selectbox(key="story compared").options
    assert offered == [words.LATEST, words.NO_EARLIER, "Old week", "Older"]
    assert "People: One release hides people and the other hides single trips" in texts(app)
    assert "By mode: Tables are split by category" in texts(app)
    app.selectbox(key="story compared").set_value("older").run()
    press(app, words.START)
    assert (told(app).steps[0].view, told(app).steps[0].before) == ("change", "older")
    app.selectbox(key="story compared").set_value("old").run()
    press(app, words.ADD_CHANGE)
    assert [one.before for one in told(app).steps if one.view == "change"] == ["older", "old"]
    assert "Compared with Old week" in told(app).steps[-1].sentence
    assert story_of(story_text(told(app))) == told(app)
    app.selectbox(key="story compared").set_value("no release").run()
    assert next(one for one in app.button if one.label == words.ADD_CHANGE).disabled
    press(app, words.START)
    assert told(app).steps[0].view == "promise"
    app.selectbox(key="story from").set_value("old").run()
    assert words.LATER in texts(app), "a later release is no earlier one"


def test_a_copy_of_the_tab_that_cannot_be_read_is_kept_and_can_be_taken_away(monkeypatch):
    """Such as of a newer version, after which the server was put back to this one."""
    kept = a_story(format="epsilon-atlas-story-99").decode()
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(telling, "_mount", lambda **given: sent.append(given["data"]))
    monkeypatch.setattr(telling, "hear", lambda _key, ear: ear.take({"text": kept, "lost": []}))
    app = opened()
    assert words.UNREAD in texts(app)
    assert sent[-1] == {"text": kept, "lost": [], "begun": True}, "the tab goes on keeping it"
    started(app)
    assert words.UNREAD in texts(app), "also beside another story"
    press(app, words.DISCARD)
    assert words.UNREAD not in texts(app)


@pytest.mark.parametrize(
    "kept", [7, ["x"], {"lost": 5}, {"text": 5, "lost": [[1]]}, {"text": "{", "lost": {}}]
)
def test_whatever_a_tab_kept_no_page_breaks(kept, monkeypatch):
    monkeypatch.setattr(telling, "hear", lambda _key, ear: ear.take(kept))
    app = opened()
    assert not app.session_state["story"].story.steps
    started(app)


def test_the_shelf_is_looked_through_as_often_for_many_steps_as_for_one(monkeypatch):
    looks = []
    look = shelf.bundles
    app = started(opened())
    monkeypatch.setattr(shelf, "bundles", lambda: looks.append(1) or look())
    fine(app.run())
    few, steps = len(looks), [*told(app).steps]
    app.session_state["story"].change([*steps, *steps, *steps])
    looks.clear()
    fine(app.run())
    assert len(looks) == few
    press(app, words.PLAY)
    press(app, "story-last")
    looks.clear()
    fine(app.run())
    assert len(looks) <= 1, "a step that is played is opened once"


def test_of_many_later_releases_none_takes_the_place_of_an_earlier_one_that_is_checked(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    weights = {"visits_per_tile": 1}
    for day in range(1, 15):
        later = Period(date(2024, 5, day), date(2024, 5, day))
        write_bundle(
            made_release(id=f"later-{day}", weights=weights, period=later), tmp_path / f"later-{day}"
        )
    write_bundle(made_release(id="mine", weights=weights), tmp_path / "mine")
    before = Period(date(2024, 3, 4), date(2024, 3, 10))
    write_bundle(made_release(id="trips", unit="trip", weights=weights, period=before), tmp_path / "trips")
    app = opened()
    app.selectbox(key="story from").set_value("mine").run()
    assert "trips" not in app.selectbox(key="story compared").options
    assert "the other hides single trips" in texts(app)


def test_a_change_of_which_nothing_can_be_told_is_refused_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    for name, weights, month in (("one", {"mobility_entropy": 1}, 3), ("two", {"visits_per_tile": 1}, 4)):
        week = Period(date(2024, month, 1), date(2024, month, 7))
        write_bundle(made_release(id=name, weights=weights, period=week), tmp_path / name)
    app = opened()
    app.selectbox(key="story from").set_value("two").run()
    app.selectbox(key="story compared").set_value("one").run()
    for button in (words.START, words.ADD_CHANGE):
        press(app, button)
        assert "Nothing can be told of what changed" in texts(app)
        assert "A did not release visits_per_tile" in texts(app)
        assert not told(app).steps


def test_the_latest_release_is_offered_first_and_viewer_and_compare_follow_the_story():
    app = visited(opened(VIEWER, release="old", view="accuracy"))
    assert app.selectbox(key="story from").value == "new"
    press(app, words.START)
    visited(app, VIEWER)
    assert app.session_state["viewing"].name == "new"
    visited(app, COMPARE)
    for letter, name in (("A", "old"), ("B", "new")):
        app.selectbox(key=f"compare {letter}").set_value(Source.LIBRARY)
        fine(app.run())
        assert app.selectbox(key=f"compare {letter} release").value == name
    fine(app.selectbox(key="compare B release").set_value("old").run())
    assert app.selectbox(key="compare B release").value == "old", "then the list is the owner's"


@pytest.mark.parametrize("query", [{"release": "new", "before": "old"}, {"release": "old", "before": "new"}])
def test_a_link_of_compare_chooses_both_releases_and_adds_nothing_by_itself(query):
    app = opened(STORY, **query)
    assert app.selectbox(key="story from").value == "new"
    assert app.selectbox(key="story compared").value == "old"
    assert not told(app).steps
    press(app, words.ADD_CHANGE)
    assert [(one.view, one.release, one.before) for one in told(app).steps] == [("change", "new", "old")]
    app.selectbox(key="story compared").set_value("no release").run()
    assert fine(app).selectbox(key="story compared").value == "no release", "then the lists are the reader's"


@pytest.mark.parametrize(
    "query", [{"release": SCRIPT, "before": "old"}, {"release": "new", "before": "new"}, {"before": "old"}]
)
def test_a_link_that_asks_for_something_else_is_no_choice(query):
    app = opened(STORY, **query)
    assert app.selectbox(key="story compared").value == "latest that fits"
    assert SCRIPT not in texts(app)


def test_the_words_of_an_author_are_told_apart_from_those_that_are_made():
    app = started(opened())
    press(app, words.PLAY)
    many = len(told(app).steps)
    for number in range(many):
        assert BY_AUTHOR not in texts(app), f"step {number + 1}"
        if number < many - 1:
            press(app, "story-next")
    press(app, "story-exit")
    for at in range(many):
        app.text_area[at].set_value(f"{told(app).steps[at].sentence} Surely.").run()
    press(app, words.PLAY)
    for number in range(many):
        assert texts(app).count(BY_AUTHOR) == 1, f"step {number + 1}"
        if number < many - 1:
            press(app, "story-next")


def test_the_limit_of_a_file_is_told_before_it_is_chosen():
    (uploader,) = opened().file_uploader
    assert "at most 1 MB" in uploader.label
    assert uploader.proto.max_upload_size_mb * 2**20 == limits.MAX_STORY_BYTES
    with pytest.raises(StoryError, match="at most 1 MB"):
        story_of(b"x" * (limits.MAX_STORY_BYTES + 1))
    step = replace(story_of(a_story()).steps[2], sentence="\U0001f6b2" * limits.MAX_SENTENCE_CHARACTERS)
    full = replace(story_of(a_story()), steps=(step,) * limits.MAX_STORY_STEPS)
    assert story_of(story_text(full)) == full, "a full story in any letters can be opened again"


def test_a_story_is_played_step_by_step_and_ends_where_it_began():
    app = started(opened())
    many = len(told(app).steps)
    press(app, words.PLAY)
    seen = []
    for number in range(1, many + 1):
        assert at_step(app) == str(number)
        seen.append(texts(app))
        assert f"step {number} of {many}" in seen[-1]
        assert "of 100 times" in seen[-1], "the promise stands at every step"
        if told(app).steps[number - 1].view == "promise":
            box = you_in_this_data(promise_of(shelf.release_of_tables("new")), estimated=True)
            assert [one for one in box if one not in seen[-1]] == [], "the box of a reader is whole"
        assert not app.warning
        assert not app.error
        disabled = {one.key for one in app.button if one.disabled}
        assert ("story-back" in disabled) == (number == 1)
        if number < many:
            press(app, "story-next")
    press(app, "story-first")
    assert at_step(app) == "1"
    press(app, "story-last")
    press(app, "story-back")
    assert at_step(app) == str(many - 1)
    press(app, "story-exit")
    assert "step" not in app.query_params
    assert told(app).steps
    assert not app.session_state["viewing"].at.present, "the Viewer has its controls"


def test_a_step_opens_at_its_stop_and_a_move_of_the_slider_stays(on_shelf):
    (on_shelf / "new.story.json").write_bytes(a_story())
    app = opened(STORY, story="new", step="2")
    assert app.session_state["viewing"].at.rung == 3
    assert "Shown at ε = 0.5" in texts(app)
    assert answered(app, "epsilon") == ["0.5"], "and the slider hears of it"
    press(app, "story-next")
    press(app, "story-back")
    assert app.session_state["viewing"].at.rung == 3, "each visit begins at the stop of the step"


def test_an_address_that_a_browser_tells_late_does_not_take_a_step_back(on_shelf):
    def played() -> None:
        import streamlit as st

        from pages.released.parts.story_play import play
        from pages.released.parts.telling import telling

        telling().at = ("new", 1)
        st.query_params["step"] = "3"
        play()

    (on_shelf / "new.story.json").write_bytes(a_story())
    assert "step 1 of 3" in texts(fine(AppTest.from_function(played, default_timeout=60).run()))


def test_a_step_that_is_played_again_shows_its_own_view_whatever_the_viewer_showed_since(on_shelf):
    (on_shelf / "new.story.json").write_bytes(a_story())
    app = opened(STORY, story="new", step="2")
    at = app.session_state["viewing"].at
    visited(app, VIEWER, release="new", view="accuracy")
    assert app.session_state["viewing"].at.view == "accuracy"
    app.query_params.clear()
    visited(app, STORY, story="new", step="2")
    assert app.session_state["viewing"].at == at


def test_a_story_of_the_shelf_is_offered_and_its_steps_have_links(on_shelf):
    assert words.PLAY_SHELF not in [one.proto.label for one in opened(LIBRARY).get("page_link")]
    (on_shelf / "new.story.json").write_bytes(a_story())
    links = [one.proto for one in opened(LIBRARY).get("page_link")]
    assert [one.label for one in links].count(words.PLAY_SHELF) == 1
    app = opened(STORY, story="new", step="3")
    assert "step 3 of 3" in texts(app)
    assert "Trips of an invented" not in texts(app)
    assert "step 3 of 3" in texts(opened(STORY, story="new", step="999")), "the last one there is"
    for strange in ("0", "-1", "x", "9" * 5000, "\u0663"):
        assert "step 1 of 3" in texts(opened(STORY, story="new", step=strange))


@pytest.mark.parametrize("name", ["../../etc/passwd", SCRIPT, "none", "x" * 10_000])
def test_a_link_to_a_story_that_is_not_there_is_refused_and_says_nothing_of_it(name):
    app = opened(STORY, story=name, step="1")
    assert app.error
    assert name not in texts(app)


def test_a_link_to_a_step_of_an_own_story_says_in_another_tab_where_it_lives():
    app = opened(STORY, step="2")
    assert [one.value for one in app.info] == [words.NO_STORY]
    assert app.title[0].value == "Story"
    press(app, words.TO_STORY)
    assert words.BEGIN in [one.label for one in app.expander]


def test_scripts_are_shown_as_text_while_a_story_plays(on_shelf):
    (on_shelf / "new.story.json").write_bytes(a_story())
    for step in "12":
        app = opened(STORY, story="new", step=step)
        for one in (*app.markdown, *app.caption):
            assert "<script>" not in one.value.replace("\\<", "")
            assert "](" not in one.value.replace("\\](", "").replace("]\\(", "")
        assert not any(one.allow_html for one in app.markdown)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps": [{}] * 10_000}, "1 to 200 entries"),
        ({"format": "2"}, "no story"),
        ({"releases": []}, "a list of 1 to 20 entries"),
        ({"steps": [{"view": "owner", "release": "new", "sentence": ""}]}, "should be one of the views"),
        ({"x": "y" * limits.MAX_STORY_BYTES}, "too large"),
    ],
    ids=["steps", "format", "releases", "view", "large"],
)
def test_a_faulty_file_is_refused_and_the_story_stays(changes, said):
    app = started(opened())
    before = told(app)
    app.file_uploader[0].set_value(("s.json", a_story(**changes), "application/json")).run()
    assert said in texts(fine(app))
    assert told(app) == before


def test_all_faults_of_a_file_stand_in_one_message():
    app = uploaded(a_story(steps=[{"view": "owner", "release": "new", "sentence": ""}] * 4))
    (said,) = app.error
    assert (
        said.value.count("This should be one of the views")
        + said.value.count("this should be one of the views")
        == 4
    )
    assert not [one for one in app.expander if one.label == "All that was found"]
    app = uploaded(a_story(steps=[{"view": "owner", "release": "new", "sentence": ""}] * 40))
    (said,) = app.error
    assert "And 39 more" in said.value.replace("\\", "")
    assert len(said.value.splitlines()) == 12, "the first one, a line between, and ten more"


def test_a_step_of_another_release_says_so_and_the_rest_plays():
    releases = [{"id": "new", "digest": shelf.verdict("new").digest}, {"id": "old", "digest": "0a" * 32}]
    app = uploaded(a_story(releases=releases))
    assert len(app.warning) == 2, "the change and the promise of the other one"
    press(app, words.PLAY)
    assert "not the one that the story was made of" in app.warning[0].value
    press(app, "story-next")
    assert not app.warning
    assert "likely range" in texts(app)


def test_releases_that_must_not_be_compared_are_not(tmp_path, monkeypatch):
    write_bundle(made_release(id="old", period=WEEK), tmp_path / "old")
    write_bundle(SEEN["new"], tmp_path / "new")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    app = uploaded(a_story())
    press(app, words.PLAY)
    assert "count different trips" in app.warning[0].value.replace("\\", "")
    press(app, "story-next")
    assert not app.warning


def test_an_unknown_tile_and_stop_are_noted_and_a_default_is_shown():
    step = {"view": "map", "release": "new", "sentence": "x", "link": {"tile": SCRIPT, "rung": "77"}}
    app = uploaded(a_story(steps=[step]))
    press(app, words.PLAY)
    (noted,) = app.info
    assert noted.value == f"- {UNKNOWN_RUNG}\n- {UNKNOWN_TILE}"
    assert SCRIPT not in texts(app).replace("City", "").split("step 1 of 1")[1]


def test_another_release_that_changed_meanwhile_does_not_hinder_a_first_story(monkeypatch):
    def changed(name, *there):
        if name == "old":
            raise BundleError("a file was changed", name, "Ask for the bundle again.")
        return open_(name, *there)

    open_ = shelf.release_of_tables
    monkeypatch.setattr(shelf, "release_of_tables", changed)
    app = started(opened())
    assert not app.error
    assert [one.view for one in told(app).steps][:2] == ["promise", "map"]


def test_a_view_in_the_colours_of_a_mean_is_a_step_in_these_colours(tmp_path, monkeypatch):
    choices = KeyChoices(sums={"fare": "0:20:0.5"}, by="visits_per_tile")
    weights = {"visits_per_tile": 1, "mean_fare": 1}
    write_bundle(made_release(id="fares", weights=weights, choices=choices), tmp_path / "fares")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    app = opened(VIEWER, release="fares", view="map", colours="mean_fare")
    press(app, words.ADD_VIEW)
    (step,) = told(app).steps
    assert step.link["colours"] == "mean_fare"
    assert step.sentence.startswith("Mean of fare by tile: ")
    visited(app)
    press(app, words.PLAY)
    assert not app.warning
    assert app.session_state["viewing"].at.colours == "mean_fare"


def test_a_release_that_a_visitor_brought_can_be_told_of(bundles, tmp_path, monkeypatch):
    content = zipped(bundles / "new")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "none"))
    app = opened(LIBRARY)
    app.file_uploader[0].set_value(("new.zip", content, "application/zip")).run()
    visited(app, VIEWER)
    assert next(one for one in app.button if one.label == words.ADD_VIEW).disabled, (
        "each view tells its own part of the page to read"
    )
    next(one for one in app.button_group if one.label == "View").set_value("map").run()
    press(app, words.ADD_VIEW)
    assert told(app).releases[0].id == "new"
    visited(app)
    press(app, words.PLAY)
    assert "step 1 of 1" in texts(app)
    assert not app.warning
