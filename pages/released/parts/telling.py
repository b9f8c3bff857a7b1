"""The one owner of a visitor's story: its steps, and where it is kept. It knows released views alone.

The session holds the story. The browser tab keeps a copy of its file, so that a reload loses nothing; what comes back from there
is read as from a stranger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from dpcore import limits
from dpcore.errors import AtlasError, StoryError
from dpcore.release import Release, shelf
from dpcore.release.texts import one_line, several_lines
from dpcore.views.plain import sentence
from dpcore.views.story import PROMISE, NamedRelease, Step, Story
from dpcore.views.story.default import default_story, earlier_of, sentence_of
from dpcore.views.story.file import LINKED, story_of, story_text
from dpcore.views.story.scene import must_be_meant
from pages.parts.ladder_map import joined
from pages.parts.roles import Role, require
from pages.released.parts import words
from pages.released.parts.viewing import Viewing, cards, in_the_viewer, opened, verdict

NOT_TOLD: Final = ("download",)
"""Views that are no step."""
_PROMISED: Final = "guarantee"
"""The view whose step is the promise."""
_EMPTY: Final = Story("", (), ())


@dataclass(repr=False)
class Telling:
    """The story that this visitor makes."""

    story: Story = _EMPTY
    begun: bool = False
    """Whether this session changed it: until then the copy of the tab comes first."""
    upload_seen: str = ""
    """Id of the file that was read last."""
    played: tuple[object, ...] = ()
    """The step that is played; opened once, so that its slider and map can be moved."""

    def name(self, title: str) -> None:
        """Another title."""
        self.tell(replace(self.story, title=one_line(title, limits.MAX_TITLE_CHARACTERS)))

    def change(self, steps: Sequence[Step]) -> None:
        """Other steps. Releases that no step names any more are left out."""
        named = {name for step in steps for name in (step.release, step.before)}
        releases = tuple(one for one in self.story.releases if one.id in named)
        self.tell(replace(self.story, releases=releases, steps=tuple(steps)))

    def tell(self, story: Story) -> None:
        """Another story in place of this one."""
        self.story, self.begun = story, True

    def add(self, step: Step, shown: NamedRelease, title: str) -> None:
        """One step more at the end.

        Raises StoryError if the story is full, or if it holds another release of the same id.
        """
        if len(self.story.steps) >= limits.MAX_STORY_STEPS:
            raise StoryError("the story is full", "story", f"It has at most {limits.MAX_STORY_STEPS} steps.")
        known = {one.id: one for one in self.story.releases}
        if shown.id in known:
            must_be_meant(known[shown.id], shown.digest)
        elif len(known) >= limits.MAX_STORY_RELEASES:
            most = limits.MAX_STORY_RELEASES
            raise StoryError("the story is full", "story", f"It tells of at most {most} releases.")
        releases = (*known.values(), *(() if shown.id in known else (shown,)))
        self.tell(Story(self.story.title or title, releases, (*self.story.steps, step)))

    def move(self, at: int, by: int) -> None:
        """Move a step up or down."""
        steps = [*self.story.steps]
        to = at + by
        if 0 <= at < len(steps) and 0 <= to < len(steps):
            steps[at], steps[to] = steps[to], steps[at]
            self.change(steps)

    def drop(self, at: int) -> None:
        """Leave a step out."""
        self.change((*self.story.steps[:at], *self.story.steps[at + 1 :]))

    def say(self, at: int, text: str) -> None:
        """Another sentence of a step, without characters that nobody sees."""
        steps = [*self.story.steps]
        steps[at] = replace(steps[at], sentence=several_lines(text, limits.MAX_SENTENCE_CHARACTERS))
        self.change(steps)


def telling() -> Telling:
    """This visitor's story; made at the first visit."""
    mine: Telling = st.session_state.setdefault("story", Telling())
    return mine


def add_button(mine: Viewing, release: Release) -> None:
    """The button that puts the view that is looked at into the story."""
    st.button(
        words.ADD_VIEW,
        icon=":material/playlist_add:",
        help=words.ADD_HELP,
        disabled=mine.at.view in NOT_TOLD,
        on_click=_add,
        args=(mine, release),
    )
    keep_in_tab()


def _add(mine: Viewing, release: Release) -> None:
    shown = NamedRelease(release.id, verdict(mine.name).digest)
    if mine.at.view == _PROMISED:
        step = Step(PROMISE, release.id, sentence_of(release, mine.at))
    else:
        link = mine.at.link(release, mine.name)
        where = {name: value for name, value in link.items() if name in LINKED}
        step = Step(mine.at.view, release.id, sentence_of(release, mine.at), where)
    try:
        telling().add(step, shown, one_line(release.title or release.id, limits.MAX_TITLE_CHARACTERS))
    except StoryError as error:
        st.toast(f"{sentence(error.what)}. {error.mend}", icon=":material/block:")
        return
    st.toast(words.ADDED.format(many=len(telling().story.steps)), icon=":material/check:")


def name_of(shown: NamedRelease) -> str:
    """The name here of the release that a story means, of this visitor's uploads or of the shelf.

    Raises StoryError if it is not here, or only another one under its id.
    """
    require(Role.VIEWER)
    there = in_the_viewer()
    names = [name for name in (f"upload:{shown.id}", shown.id) if name in there]
    if not names:
        raise StoryError(
            "its release is not here", "releases of the story", "Open its bundle in the Library first."
        )
    found = {verdict(name).digest: name for name in reversed(names)}
    if shown.digest not in found:
        must_be_meant(shown, next(iter(found)))
    return found[shown.digest]


def find(shown: NamedRelease) -> Release:
    """The release that a story means; raises as ``name_of``."""
    return opened(name_of(shown))


def story_of_shelf(name: str) -> Story:
    """The story beside a bundle of the shelf, by the release's id; StoryError if there is none, or it is faulty."""
    require(Role.VIEWER)
    return story_of(shelf.story_of(name))


def first_story(name: str) -> Story:
    """The default story of a release; an earlier one that may be compared begins it."""
    others = {other: card for other, card in cards().items() if other != name}
    release = opened(name)
    earlier = earlier_of(release, others, lambda other: (opened(other), verdict(other).digest))
    return default_story(release, verdict(name).digest, earlier)


_mount = st.components.v2.component("story_kept", html='<div class="kept"></div>', js=joined("story_kept.js"))


def keep_in_tab() -> None:
    """Keep a copy of the story in this browser tab, and take up the one that is there after a reload. Nothing is shown."""
    mine = telling()
    text = story_text(mine.story) if mine.story.steps else ""
    seen = _mount(
        key="story kept",
        data={"text": text, "begun": mine.begun},
        default={"text": ""},
        on_text_change=lambda: None,
    )
    if mine.begun or not isinstance(seen.text, str) or not seen.text:
        return
    try:
        mine.tell(story_of(seen.text))
    except AtlasError:  # a copy that another version kept, or that somebody changed
        mine.begun = True
        return
    st.rerun()
