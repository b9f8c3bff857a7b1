"""The slides of a story: one for each step, with its drawing and its words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from dpcore.errors import AtlasError
from dpcore.stories.default import by_author
from dpcore.stories.scene import Find, Scene, scene
from dpcore.stories.story import CHANGE, PROMISE, Story
from dpcore.views.ground.plain import sentence
from dpcore.views.kinds import kind_slide
from dpcore.views.maps.address import address
from dpcore.views.pictures.slide import Slide
from dpcore.views.pictures.views import change_of, promise_of_release, slide_of, view_titles

_LONG_AGO: Final = datetime(1980, 1, 1, tzinfo=UTC)  # the first date that a zip file can hold


def slides(story: Story, find: Find) -> tuple[Slide, ...]:
    """One slide for each step. A step that cannot be shown has its sentence and says why; it hinders no other.

    ``find`` opens a release that the story names, and refuses another one under its id with an AtlasError.
    """
    return tuple(_titled(_slide_of_scene(scene(story, step, find)), story.title) for step in story.steps)


def _titled(slide: Slide, title: str) -> Slide:
    """The slide of a story with a title of its own. It is said last: what is too long for a page is cut at its end."""
    if not title or title in slide.title:
        return slide
    return replace(slide, source=f"{slide.source} From the story: {title}")


def _slide_of_scene(found: Scene) -> Slide:
    """The slide of a step. Beside a sentence of the author stands whose it is, after what must be read first."""
    slide = _slide(found)
    return slide.by_author(found.notes) if by_author(found) else slide


def _slide(found: Scene) -> Slide:
    step, release = found.step, found.release
    if release is None:
        return _slide_of_words(found, found.fault)
    try:
        if not found.is_of_tables:
            made = kind_slide(release, step.view)
            told = " ".join((*found.notes, made.told))
            return replace(made, sentence=step.sentence, told=told)
        if step.view == CHANGE and found.before is not None:
            return change_of(found.before, release, said=step.sentence)
        if step.view == PROMISE:
            return promise_of_release(release, step.sentence)
        at, _ = address({**step.link, "view": step.view}, release)
        return slide_of(release, at, step.sentence, found.notes)
    except AtlasError as error:
        return _slide_of_words(found, f"{sentence(error.what)}. {error.mend}")


def _slide_of_words(found: Scene, fault: str) -> Slide:
    """A slide without a picture: the sentence of the step, and why nothing is shown."""
    created = _LONG_AGO if found.release is None else found.release.created
    title = view_titles().get(found.step.view, sentence(found.step.view))
    return Slide(title, found.step.sentence, fault, f"Release {found.step.release}", fault, None, created)
