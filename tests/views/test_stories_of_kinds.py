"""Stories of releases of other kinds than tables: a step is a picture of the release, and says what such a release cannot give."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

import dpcore
from dpcore.errors import InputError, StoryError
from dpcore.release import kind_of, verify_bundle, write_bundle
from dpcore.stories.default import by_author, default_story
from dpcore.stories.file import story_of, story_text
from dpcore.stories.scene import scene
from dpcore.stories.slides import slides
from dpcore.stories.story import NamedRelease, Step, Story
from dpcore.stories.taken import FORMS, slides_file
from dpcore.views.kinds import kind_slide, kind_views
from dpcore.views.pictures.slide import BY_AUTHOR
from tests.release.made_releases import made_release
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices
from tests.synthetic_release.made_tree import made_tree

DIGEST = "0" * 64


@pytest.fixture(scope="module")
def releases():
    return {
        "roy": made_synthetic(),
        "stability": made_synthetic(stability_choices()),
        "tree": made_tree(number=3_000),
    }


def _found(release, _shown):
    return release


def one_step(release, view, sentence="", **more):
    return Story("A story", (NamedRelease(release.id, DIGEST),), (Step(view, release.id, sentence, **more),))


def test_the_views_of_a_release_are_those_that_its_kind_names(releases):
    for release in releases.values():
        assert {*kind_views(release)} <= {*kind_of(release.plan).pictures, "promise"}


def test_the_first_story_shows_the_promise_and_every_view_of_which_something_is_said(releases):
    for release in releases.values():
        told = default_story(release, DIGEST)
        assert told.steps[0].view == "promise"
        assert len(told.steps) > 2
        assert story_of(story_text(told)) == told
        find = partial(_found, release)
        for step, made in zip(told.steps, slides(told, find), strict=True):
            assert made.sentence == step.sentence
            assert made.drawn is not None
            assert BY_AUTHOR not in made.told
            assert not by_author(scene(told, step, find))


@pytest.mark.parametrize(("name", "view"), [("roy", "flows"), ("stability", "map-on"), ("tree", "levels")])
def test_a_step_is_the_picture_of_its_release_with_the_words_of_its_author(releases, name, view):
    release = releases[name]
    told = one_step(release, view, "Look here.")
    (made,) = slides(told, lambda _: release)
    shown = kind_slide(release, view)
    assert (made.sentence, made.source) == ("Look here.", shown.source + " From the story: A story")
    assert BY_AUTHOR in made.told
    assert shown.told in made.told
    assert all(slides_file([made], "A story", form) for form in FORMS)


def test_what_a_kind_cannot_give_is_said(releases):
    roy, tables = releases["roy"], made_release()
    told = one_step(roy, "map", link={"rung": "0.5"})
    found = scene(told, told.steps[0], lambda _: roy)
    assert not found.fault
    assert found.notes == ("Releases of this kind have one stop and no places to choose.",)
    assert found.notes[0] in slides(told, lambda _: roy)[0].told
    wrong = one_step(roy, "levels")
    assert "It has map, flows, rhythm, promise" in scene(wrong, wrong.steps[0], lambda _: roy).fault
    other = one_step(tables, "levels")
    assert "no such view" in scene(other, other.steps[0], lambda _: tables).fault
    both = replace(told, releases=(*told.releases, NamedRelease("x", DIGEST)))
    changed = Step("change", roy.id, "", before="x")
    assert "releases of tables alone" in scene(both, changed, lambda _: roy).fault
    with pytest.raises(StoryError, match="view"):
        story_of(story_text(one_step(roy, "owner")))


def test_library_and_files_tell_of_every_kind(releases, tmp_path):
    for name, release in releases.items():
        write_bundle(release, tmp_path / name)
        text = dpcore.story(tmp_path / name)
        assert verify_bundle(tmp_path / name).digest in text
        assert not dpcore.check_story(text, tmp_path / name)["fault"].any()
        page = dpcore.export_story(text, tmp_path / name, out=tmp_path / f"{name}.html").read_text()
        assert page.count("<section") == len(story_of(text).steps)
    with pytest.raises(InputError, match="releases of tables alone"):
        dpcore.story(tmp_path / "roy", tmp_path / "tree")
