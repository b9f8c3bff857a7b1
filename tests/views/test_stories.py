"""Stories: what a stranger's file may hold, what a first story says, and which steps cannot be shown."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest

import dpcore
from dpcore import limits
from dpcore.errors import AtlasError, BundleError, StoryError
from dpcore.measures import MEASURES, keys
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.privacy import decimal_text
from dpcore.release import kind_of, write_bundle
from dpcore.release.estimates import estimates_of
from dpcore.release.one_part import part_of
from dpcore.stories.default import by_author, default_story, earlier_of
from dpcore.stories.file import FORMAT, story_of, story_text
from dpcore.stories.scene import must_be_meant, scene
from dpcore.stories.slides import slides
from dpcore.stories.story import LINKED, STORY_VIEWS, NamedRelease, Step, Story
from dpcore.stories.taken import FORMS, slides_file
from dpcore.views.ground.selection import NOTHING
from dpcore.views.ground.shown import estimated_numbers
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.maps.address import UNKNOWN_RUNG, UNKNOWN_TILE, Address, address
from dpcore.views.maps.drawn_map import DrawnMap
from dpcore.views.maps.window_message import windows_of
from dpcore.views.pictures import slide_of
from dpcore.views.pictures.maps import NO_FLOW
from dpcore.views.pictures.sentences import sentence_of
from dpcore.views.pictures.slide import BY_AUTHOR
from tests.release.made_releases import WEEK, made_release, with_trips_of_other_days

DIGEST, OTHER = "0a" * 32, "b1" * 32
SCRIPT = "<script>alert(1)</script> [x](javascript:alert(1)) ![i](http://a.b/c.png) $x$"
NEXT_WEEK = Period(date(2024, 4, 8), date(2024, 4, 14))


def story(*steps: Step, title: str = "Two weeks") -> Story:
    return Story(title, (NamedRelease("new", DIGEST), NamedRelease("old", OTHER)), steps)


WHOLE = story(
    Step("map", "new", f"Line one\n{SCRIPT}", {"rung": "0.5", "tile": "A"}),
    Step("change", "new", "It fell.", before="old"),
    Step("promise", "old", ""),
)


def document(**changes) -> dict:
    return {**json.loads(story_text(WHOLE)), **changes}


def step(**changes) -> dict:
    return document(steps=[{**json.loads(story_text(WHOLE))["steps"][0], **changes}])


def refused(found: object) -> StoryError:
    text = found if isinstance(found, (str, bytes)) else json.dumps(found)
    with pytest.raises(StoryError) as error:
        story_of(text)
    return error.value


def test_a_story_is_read_as_it_was_written_and_keeps_scripts_as_text():
    assert story_of(story_text(WHOLE)) == WHOLE
    assert story_of(story_text(WHOLE).encode()) == WHOLE
    assert json.loads(story_text(WHOLE))["format"] == FORMAT


def test_every_view_can_be_a_step_and_no_other():
    for view in STORY_VIEWS:
        before = "old" if view == "change" else ""
        one = story(Step(view, "new", "x", before=before))
        assert story_of(story_text(one)) == one
    for view in ("", "owner", "Map", "../map", None, 3, ["map"]):
        assert "view" in refused(step(view=view)).where


@pytest.mark.parametrize(
    "found",
    [
        b"\xff\xfe",
        "",
        "[]",
        "null",
        "{",
        '{"format": 1.5}',
        '{"format": "epsilon-atlas story 1", "format": "x"}',
        "[" * 100_000,
        '{"format": "epsilon-atlas story 2"}',
        json.dumps({"format": FORMAT, "title": "x" * limits.MAX_STORY_BYTES}),
        "\ud800",
    ],
    ids=lambda found: repr(found[:24]),
)
def test_what_is_no_story_is_refused_in_one_sentence(found):
    error = refused(found)
    assert "x" * 50 not in str(error)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"title": None}, "title"),
        ({"title": "x" * (limits.MAX_TITLE_CHARACTERS + 1)}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"title": "a\u202eb"}, "title"),
        ({"releases": []}, "releases"),
        ({"releases": "new"}, "releases"),
        ({"releases": [{"id": "new", "digest": DIGEST}] * 2}, "releases"),
        ({"releases": [{"id": "new", "digest": DIGEST.upper()}]}, "digest"),
        ({"releases": [{"id": str(n), "digest": DIGEST} for n in range(21)]}, "releases"),
        ({"steps": {}}, "steps"),
        ({"steps": ["map"]}, "steps 1"),
        ({"script": "alert(1)"}, "story"),
    ],
)
def test_a_faulty_member_is_named_by_its_place(changes, where):
    assert where in str(refused(document(**changes)).__notes__)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"release": "../../etc/passwd"}, "release"),
        ({"release": ["new"]}, "release"),
        ({"sentence": 3}, "sentence"),
        ({"sentence": "x" * (limits.MAX_SENTENCE_CHARACTERS + 1)}, "sentence"),
        ({"sentence": "a\x00b"}, "sentence"),
        ({"link": "rung=1"}, "link"),
        ({"link": {"rung": 1}}, "link"),
        ({"link": {"release": "old"}}, "link"),
        ({"link": {"present": "1"}}, "link"),
        ({"link": {"tiles": "A," * 40_000}}, "link"),
        ({"before": "old"}, "before"),
        ({"view": "change", "link": {}}, "before"),
        ({"view": "change", "link": {}, "before": "new"}, "before"),
        ({"view": "change", "before": "old"}, "link"),
        ({"view": "promise"}, "link"),
        ({"count": 12}, "steps 1"),
    ],
)
def test_a_faulty_step_is_named_by_its_place(changes, where):
    error = refused(step(**changes))
    assert where in str(error.__notes__)
    assert "passwd" not in str(error)


def test_all_faults_are_told_at_once_and_none_repeats_the_file():
    steps = [{"view": SCRIPT, "release": SCRIPT, "sentence": 1, SCRIPT: 2} for _ in range(9)]
    error = refused(document(title=SCRIPT + "\x00", steps=steps))
    assert len(error.__notes__) == 21, "twenty faults, and how many more there are"
    assert re.search(r"And \d+ more\.", str(error))
    assert "script>" not in str(error) + str(error.__notes__)


def test_ten_thousand_steps_are_refused_before_they_are_looked_at():
    short = {"view": "map", "release": "new"}
    error = refused(document(steps=[short] * 9_000))
    assert "too large" in error.what or "entries" in error.what
    error = refused(document(steps=[{}] * 10_000))
    assert "1 to 200 entries" in error.what
    assert len(error.__notes__) == 1
    most = story(*[WHOLE.steps[0]] * limits.MAX_STORY_STEPS)
    assert len(story_of(story_text(most)).steps) == limits.MAX_STORY_STEPS


@pytest.fixture(scope="module")
def weeks():
    """An earlier release, and a later one that may be compared with it."""
    old = made_release(id="old", title="Old week", unit="trip", period=WEEK, epsilon="4")
    later = datetime(2024, 6, 1, tzinfo=UTC)
    new = made_release(id="new", title=SCRIPT, unit="trip", period=NEXT_WEEK, epsilon="4", created=later)
    return with_trips_of_other_days(old, 0), with_trips_of_other_days(new, 0)


def find_among(*releases):
    there = {release.id: release for release in releases}

    def find(shown):
        if shown.id not in there:
            raise StoryError("its release is not here", "x", "Open its bundle.")
        return there[shown.id]

    return find


def test_a_step_shows_its_release_and_notes_what_its_link_does_not_find(weeks):
    old, new = weeks
    asked = Step("map", "new", "x", {"rung": "9", "tile": "Z"})
    shown = scene(story(asked), asked, find_among(new))
    assert shown.release is new
    assert shown.notes == (UNKNOWN_RUNG, UNKNOWN_TILE)
    change = WHOLE.steps[1]
    assert scene(WHOLE, change, find_among(old, new)).before is old


def test_a_step_that_cannot_be_shown_says_why_and_the_others_play(weeks):
    _, new = weeks
    shown = [scene(WHOLE, one, find_among(new)) for one in WHOLE.steps]
    assert [bool(one.fault) for one in shown] == [False, True, True]
    assert shown[1].fault == "Its release is not here. Open its bundle."
    people = replace(made_release(id="old", period=WEEK), title="Other unit")
    apart = scene(WHOLE, WHOLE.steps[1], find_among(people, new))
    assert apart.release is None
    assert "count different trips" in apart.fault
    swapped = replace(WHOLE.steps[1], release="old", before="new")
    assert "goes back in time" in scene(story(swapped), swapped, find_among(*weeks)).fault
    with pytest.raises(StoryError, match="not the one that the story was made of"):
        must_be_meant(NamedRelease("new", DIGEST), OTHER)


def test_a_first_story_tells_promise_map_flows_and_rhythm_with_ranges(weeks):
    _, new = weeks
    told = default_story(new, DIGEST)
    assert [one.view for one in told.steps][:4] == ["promise", "map", "flows", "rhythm"]
    assert told.releases == (NamedRelease("new", DIGEST),)
    promise, at_map, flows, rhythm, *_ = (one.sentence for one in told.steps)
    assert promise.startswith("Can my own trips be found here? One trip")
    assert "is right at most 99 of 100 times instead of 50, and whether 20 trips of yours are, " in promise
    for said in (at_map, flows):
        assert "range" in said or "surely" in said
    assert "range" in rhythm or "begins" in rhythm
    assert story_of(story_text(told)) == told


@pytest.mark.parametrize("unit", ["user", "trip"])
@pytest.mark.parametrize("districts", [True, False])
def test_the_flows_that_are_told_are_those_that_the_picture_lists(unit, districts):
    weights = {"visits_per_tile": 1, "od_flows": 1, **({"od_districts": 1} if districts else {})}
    release = made_release(id="new", unit=unit, epsilon="10", weights=weights)
    strong = {
        name: replace(
            one, values=one.values + 5_000 * (np.arange(one.keys.size) == {"od_flows": 3}.get(name, 1))
        )
        for name, one in release.measurements.items()
    }
    release = replace(release, drawn=replace(release.drawn, measurements=strong))
    told = {one.view: one.sentence for one in default_story(release, DIGEST).steps}["flows"]
    drawn = slide_of(release, address({"view": "flows"}, release)[0]).drawn
    names = [name for name, _ in drawn.listed.rows]
    assert any(name in told for name in names), told
    assert (
        drawn.listed.title.removeprefix("The strongest ").removesuffix(", trips").replace("flows", "flow")
        in told
    )


def test_with_an_earlier_release_the_change_comes_first(weeks):
    old, new = weeks
    told = default_story(new, DIGEST, (old, OTHER))
    assert told.steps[0].view == "change"
    assert told.steps[0].before == "old"
    assert re.search(r"\(.+ to .+ %\)|noise hides", told.steps[0].sentence)
    assert told.steps[0].sentence.endswith("Compared with Old week, 2024-04-01 to 2024-04-07.")
    assert story_of(story_text(told)) == told
    people = made_release(id="people", period=WEEK)
    alone = default_story(new, DIGEST, (people, OTHER))
    assert [one.id for one in alone.releases] == ["new"], "what must not be compared is not told"


def test_the_earlier_release_is_the_latest_of_those_that_may_be_compared(weeks):
    old, new = weeks
    older = replace(old, id="older", created=datetime(2024, 1, 1, tzinfo=UTC))
    people = made_release(id="people", period=WEEK)
    assert among(new, older, old, people, new) == ("old", old)
    assert among(old, new, people) is None


def test_an_earlier_release_that_cannot_be_opened_is_left_out_and_later_ones_stay_closed(weeks):
    old, new = weeks
    gone = replace(old, id="gone", created=datetime(2024, 5, 20, tzinfo=UTC))
    assert among(new, old, gone, closed=("gone",)) == ("old", old)
    assert among(new, gone, closed=("gone",)) is None


def test_releases_that_cannot_fit_are_not_opened(weeks):
    old, new = weeks
    elsewhere = replace(old, id="elsewhere", dataset="another one")
    same_days = replace(old, id="same days", plan=new.plan)
    later = replace(new, id="later", created=datetime(2034, 1, 1, tzinfo=UTC))
    opened = []
    assert among(new, elsewhere, same_days, later, old, opened=opened) == ("old", old)
    assert set(opened) == {"old", new.id}


def among(release, *others, closed=(), opened=None):
    """The earlier one of others; those that are closed cannot be opened. ``opened``: notes which were."""
    known = {one.id: one for one in (*others, release)}
    cards = {name: kind_of(one.plan).card(one) for name, one in known.items()}

    def find(name):
        if name in closed:
            raise BundleError("a bundle was changed", name, "Reload the list.")
        if opened is not None:
            opened.append(name)
        return known[name]

    return earlier_of(release.id, cards, find)


@pytest.mark.parametrize(
    "made",
    [
        {"weights": {"trips_per_user": 1}, "period": None},
        {"weights": {"visits_per_tile": 1}, "period": None},
        {"weights": {"trips_over_time": 1}},
        {"sparse": True, "period": None, "epsilon": "1"},
        {"weights": dict.fromkeys(MEASURES, 1)},
        {
            "weights": {"sum_fare": 1, "mean_fare": 1},
            "choices": KeyChoices(sums={"fare": "0:20:0.5"}, by="visits_per_tile"),
        },
    ],
    ids=["people", "visits", "dates", "sparse", "every", "sums"],
)
def test_every_release_has_a_first_story_that_can_be_read_and_played(made):
    release = made_release(id="new", title="", **made)
    told = default_story(release, DIGEST)
    assert story_of(story_text(told)) == told
    assert told.title == "new"
    for one in told.steps:
        assert one.sentence
        assert not scene(told, one, find_among(release)).fault


def test_the_first_sentence_of_an_added_view_is_that_of_what_is_chosen(weeks):
    _, new = weeks
    tile = sentence_of(new, address({"view": "map", "tile": "B", "rung": "1"}, new)[0])
    assert tile.startswith("B")
    assert "likely range" in tile
    assert sentence_of(new, address({"view": "accuracy"}, new)[0]) == ""
    assert "of 100 times instead of 50" in sentence_of(new, address({"view": "guarantee"}, new)[0])


def test_an_added_view_is_said_at_its_stop_and_as_it_is_shown(weeks):
    _, new = weeks

    def said(**link):
        return sentence_of(new, address(link, new)[0])

    of_all = ("map", "flows", "rhythm")
    finest = {one.view: one.sentence for one in default_story(new, DIGEST).steps}
    assert [said(view=view) for view in of_all] == [finest[view] for view in of_all]
    rungs = [decimal_text(rung) for rung in new.plan.rungs]
    for view in ("map", "rhythm"):  # each stop has noise of its own; two may agree by chance
        assert len({said(view=view, rung=rung) for rung in rungs}) > 1
    for rung in rungs:
        drawn = slide_of(new, address({"view": "flows", "rung": rung}, new)[0]).drawn
        first = dict(drawn.listed.rows[:1])
        told = said(view="flows", rung=rung)
        assert (
            all(name in told and words in told for name, words in first.items()) if first else told == NO_FLOW
        )
    found = estimates_of(new, 3, of=("visits_per_tile",))
    assert estimated_numbers(found.tables["visits_per_tile"]).told(1) in said(
        view="map", tile="B", rung="0.5"
    )
    counted = said(view="map", tile="B", rung="0.5", numbers="released")
    assert drawn_of(new.measurements["visits_per_tile"], 3).told(1) in counted
    assert "released count about" in counted
    assert said(view="map", tiles="A,B") == said(view="flows", tile="B") == ""


@pytest.mark.parametrize(
    ("step", "said"),
    [(keys.Step.DAY, "busiest day is 2024-04-0"), (keys.Step.WEEK, "busiest week begins on 2024-04-01")],
)
def test_the_busiest_of_a_series_is_called_what_its_counts_cover(step, said):
    made = made_release(weights={"trips_over_time": 1}, choices=KeyChoices(WEEK, step=step))
    assert said in sentence_of(made, Address("rhythm", len(made.plan.rungs) - 1))


@pytest.mark.parametrize("view", ["map", "flows"])
def test_what_may_be_chance_says_of_which_trips_it_is(view):
    """Each number has its meaning: without a count of all trips it is of those that count."""
    for weights in ({"visits_per_tile": 1}, {"visits_per_tile": 1, "total_trips": 1}):
        made = made_release(weights=weights, epsilon="0.3")
        for at in (Address(view, 1), Address(view, 1, released=True)):
            told = sentence_of(made, at)
            if told and told != NO_FLOW:
                counted = "total_trips" not in weights or at.released
                assert ("of the trips that count" in told) == counted, told
                assert told.startswith("By "), told


def test_no_sentence_of_the_whole_period_stands_beside_a_time_window():
    release = made_release(weights={"visits_per_tile": 1, "visits_per_time_tile": 1})
    at, notes = address({"view": "map", "tile": "B", "window": windows_of(release.plan)[1]}, release)
    assert not notes
    assert sentence_of(release, at) == sentence_of(release, replace(at, chosen=NOTHING)) == ""


def test_a_map_of_sums_is_a_step_that_keeps_its_colours():
    sums = {
        "weights": {"sum_fare": 1, "mean_fare": 1},
        "choices": KeyChoices(sums={"fare": "0:20:0.5"}, by="visits_per_tile"),
    }
    alone = made_release(id="new", **sums)
    assert [one.view for one in default_story(alone, DIGEST).steps][:2] == ["promise", "map"]
    both = made_release(id="new", **{**sums, "weights": {**sums["weights"], "visits_per_tile": 1}})
    at, notes = address({"view": "map", "colours": "mean_fare"}, both)
    assert not notes
    assert sentence_of(both, at).startswith("Mean of fare by tile: ")
    link = {name: text for name, text in at.link(both, "x").items() if name in LINKED}
    assert link["colours"] == "mean_fare"
    told = Story("T", (NamedRelease("new", DIGEST),), (Step("map", "new", "", link),))
    assert story_of(story_text(told)) == told


def test_each_of_the_largest_parts_of_split_tables_is_a_map_with_a_range():
    modes = tuple(f"mode{at}" for at in range(6))
    splits = (Categories("mode", modes),)
    split = made_release(
        id="new", weights={"visits_per_tile": 1, "trips_per_hour": 1}, choices=KeyChoices(WEEK, splits=splits)
    )
    told = default_story(split, DIGEST)
    assert story_of(story_text(told)) == told
    assert [one.view for one in told.steps] == ["promise", "map", "map", "map", "map"]
    sums = {
        mode: int(part_of(split, {"mode": mode}).measurements["visits_per_tile"].values[-1].sum())
        for mode in modes
    }
    largest = [one.link["part"].removeprefix("mode:") for one in told.steps[1:]]
    assert largest == sorted(largest)
    assert sorted(sums[mode] for mode in largest) == sorted(sums.values())[-4:], "of equal parts any"
    for mode, one in zip(largest, told.steps[1:], strict=True):
        shown = scene(told, one, find_among(split))
        assert not shown.fault
        assert not shown.notes
        assert not by_author(shown)
        assert one.sentence.startswith(f"Mode {mode}: ")
        assert "likely range" in one.sentence
        assert "surely" not in one.sentence, "findings keep their level over one table"
    drawn = slides(told, find_among(split))
    assert all(isinstance(one.drawn, DrawnMap) for one in drawn[1:])
    assert not any(BY_AUTHOR in one.told for one in drawn)


def test_parts_without_tiles_and_of_two_attributes_are_told_and_people_have_no_parts():
    splits = (Categories("mode", ("bus", "rail")), Categories("purpose", ("work",)))
    hours = made_release(id="new", weights={"trips_per_hour": 1}, choices=KeyChoices(WEEK, splits=splits))
    told = default_story(hours, DIGEST)
    assert [(one.view, one.link) for one in told.steps[1:]] == [
        ("rhythm", {"part": f"mode:{mode},purpose:work"}) for mode in ("bus", "rail")
    ]
    assert told.steps[1].sentence.startswith(
        "Mode bus, purpose work: By estimate the busiest hour of weekdays begins at "
    )
    people = made_release(id="new", weights={"trips_per_user": 1}, choices=KeyChoices(WEEK, splits=splits))
    assert [one.view for one in default_story(people, DIGEST).steps] == ["promise"]


def test_what_an_author_wrote_is_told_from_what_the_release_makes(weeks):
    old, new = weeks
    told = default_story(new, DIGEST, (old, OTHER))
    find = find_among(old, new)
    for one in told.steps:
        assert not by_author(scene(told, one, find)), one.view
        assert by_author(scene(told, replace(one, sentence=f"{one.sentence} "), find))
        assert not by_author(scene(told, replace(one, sentence=""), find))
    at_map = next(one for one in told.steps if one.view == "map")
    assert by_author(scene(told, replace(at_map, link={"rung": "0.5"}), find)), "a sentence of another stop"
    assert by_author(scene(told, at_map, find_among())), "nothing vouches for it"
    marked = slides(replace(told, steps=(at_map, replace(at_map, sentence="Mine."))), find)
    assert [BY_AUTHOR in one.told for one in marked] == [False, True]
    for form in FORMS:
        assert slides_file(marked, "x", form)


@pytest.fixture(scope="module")
def bundles(weeks, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    for release in weeks:
        write_bundle(release, folder / release.id)
    return folder


def test_the_library_writes_and_checks_what_the_pages_play(bundles):
    text = dpcore.story(bundles / "new", bundles / "old")
    told = story_of(text)
    assert told.releases[0].digest == dpcore.verify(bundles / "new").digest
    checked = dpcore.check_story(text, bundles / "new", bundles / "old")
    assert [*checked["view"]] == [one.view for one in told.steps]
    assert (checked["fault"] == "").all()
    alone = dpcore.check_story(text, bundles / "new")
    assert alone["fault"][0] == "Its release is not here. Give its bundle too."
    assert (alone["fault"][1:] == "").all()
    swapped = text.replace(told.releases[0].digest, OTHER)
    assert dpcore.check_story(swapped, bundles / "new")["fault"].str.contains("not the one").all()


def test_two_releases_that_must_not_be_compared_make_no_story(bundles, tmp_path):
    write_bundle(made_release(id="people", period=WEEK), tmp_path / "people")
    with pytest.raises(AtlasError, match="single trips"):
        dpcore.story(bundles / "new", tmp_path / "people")


def test_a_story_holds_sentences_and_links_and_no_table(weeks):
    _, new = weeks
    told = json.loads(story_text(default_story(new, DIGEST)))
    assert {*told} == {"format", "title", "releases", "steps"}
    assert all({*one} <= {"view", "release", "sentence", "link", "before"} for one in told["steps"])
    assert not any(
        isinstance(value, (int, float, np.number)) for one in told["steps"] for value in one.values()
    )


def test_without_a_count_of_all_trips_the_busiest_is_told_of_the_trips_that_count():
    release = made_release(weights={"visits_per_tile": 1}, epsilon="8")
    visits = release.measurements["visits_per_tile"]
    close = np.broadcast_to(np.array([90_000, 90_001, 400, 300, 0]), visits.values.shape)
    drawn = replace(release.drawn, measurements={"visits_per_tile": replace(visits, values=close)})
    steps = default_story(replace(release, drawn=drawn), DIGEST).steps
    told = next(one.sentence for one in steps if one.view == "map")
    assert told == "The busiest tile of the trips that count is B or A: noise hides which."
