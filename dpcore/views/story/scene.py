"""A step of a story beside the releases that it names: what is shown, or in a sentence why it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpcore.comparison.change import must_be_comparable
from dpcore.errors import AtlasError, StoryError
from dpcore.release import Release
from dpcore.views.ground.plain import sentence
from dpcore.views.maps.address import address
from dpcore.views.story.story import CHANGE, STORY_VIEWS, NamedRelease, Step, Story

Find = Callable[[NamedRelease], Release]
"""Opens the release that a story means, or refuses with an AtlasError."""


@dataclass(frozen=True, repr=False, eq=False)
class Scene:
    """What a step shows. Where ``fault`` says why nothing can be shown, there is no release."""

    step: Step
    release: Release | None = None
    before: Release | None = None
    """The earlier release of a change."""
    notes: tuple[str, ...] = ()
    """What the link names and the release does not have; a default is shown instead."""
    fault: str = ""
    """A sentence that repeats nothing of the story."""


def scene(story: Story, step: Step, find: Find) -> Scene:
    """What one step of a story shows. It raises no AtlasError: one step that cannot be shown hinders no other."""
    known = {shown.id: shown for shown in story.releases}
    try:
        if step.view not in STORY_VIEWS or not {step.release} <= known.keys():
            raise StoryError("this is no step of the story", "step", "Choose another step.")
        release = find(known[step.release])
        if step.view != CHANGE:
            notes = address({**step.link, "view": step.view}, release)[1] if step.link else ()
            return Scene(step, release, notes=notes)
        if step.before not in known:
            raise StoryError("this change has no earlier release", "step", "Choose another step.")
        before = find(known[step.before])
        _must_be_earlier(before, release)
        must_be_comparable(before, release)
        return Scene(step, release, before)
    except AtlasError as error:
        return Scene(step, fault=f"{sentence(error.what)}. {error.mend}")


def _must_be_earlier(before: Release, release: Release) -> None:
    first, then = before.plan.choices.period, release.plan.choices.period
    if first is not None and then is not None and first.first > then.first:
        raise StoryError(
            "this change goes back in time: its earlier release tells of later days",
            "step",
            "Name the two releases in the order of their days.",
        )


def must_be_meant(shown: NamedRelease, digest: str) -> None:
    """Refuse a release under the id of another one, with a StoryError; ``digest``: SHA-256 of the manifest that is here."""
    if digest != shown.digest:
        raise StoryError(
            "the release of this id is not the one that the story was made of",
            "releases of the story",
            "Ask whoever made the story for its bundle.",
        )
