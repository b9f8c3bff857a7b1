"""A step of a story beside the releases that it names: what is shown, or in a sentence why it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dpcore.comparison.change import must_be_comparable
from dpcore.errors import AtlasError, StoryError
from dpcore.release import AnyRelease, Release, kind_of
from dpcore.release.kinds import must_be_tables
from dpcore.stories.story import CHANGE, STORY_VIEWS, NamedRelease, Step, Story
from dpcore.views.ground.plain import sentence
from dpcore.views.kinds import kind_views
from dpcore.views.maps.address import address

Find = Callable[[NamedRelease], AnyRelease]
"""Opens the release that a story means, or refuses with an AtlasError."""


_NO_STOPS: Final = "Releases of this kind have one stop and no places to choose."


@dataclass(frozen=True, repr=False, eq=False)
class Scene:
    """What a step shows. Where ``fault`` says why nothing can be shown, there is no release."""

    step: Step
    release: AnyRelease | None = None
    before: Release | None = None
    """The earlier release of a change."""
    notes: tuple[str, ...] = ()
    """What the link names and the release does not have; a default is shown instead."""
    fault: str = ""
    """A sentence that repeats nothing of the story."""

    @property
    def is_of_tables(self) -> bool:
        """Whether the release has stops and places to choose. Views of other kinds are pictures."""
        return self.release is not None and kind_of(self.release.plan).in_viewer


def scene(story: Story, step: Step, find: Find) -> Scene:
    """What one step of a story shows. It raises no AtlasError: one step that cannot be shown hinders no other."""
    known = {shown.id: shown for shown in story.releases}
    try:
        if step.release not in known:
            raise StoryError("this is no step of the story", "step", "Choose another step.")
        release = find(known[step.release])
        if not kind_of(release.plan).in_viewer:
            return _of_another_kind(step, release)
        if step.view not in STORY_VIEWS:
            raise StoryError("this release has no such view", "step", "Choose another step.")
        if step.view != CHANGE:
            notes = address({**step.link, "view": step.view}, release)[1] if step.link else ()
            return Scene(step, release, notes=notes)
        if step.before not in known:
            raise StoryError("this change has no earlier release", "step", "Choose another step.")
        before = must_be_tables(find(known[step.before]))
        _must_be_earlier(before, release)
        must_be_comparable(before, release)
        return Scene(step, release, before)
    except AtlasError as error:
        return Scene(step, fault=f"{sentence(error.what)}. {error.mend}")


def _of_another_kind(step: Step, release: AnyRelease) -> Scene:
    """A picture of a release that has no stops, or a StoryError that says what there is instead."""
    if step.view == CHANGE:
        raise StoryError(
            "what changed is told of releases of tables alone", "step", "Show a view of each release instead."
        )
    views = kind_views(release)
    if step.view not in views:
        raise StoryError("this release has no such view", "step", f"It has {', '.join(views)}.")
    return Scene(step, release, notes=(_NO_STOPS,) if step.link else ())


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
