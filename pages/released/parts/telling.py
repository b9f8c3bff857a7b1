"""The one owner of a visitor's story: its steps, and where it is kept. It knows released views alone.

The session holds the story. The browser tab keeps a copy of its file, so that a reload loses nothing; what comes back from there
is read as from a stranger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

import streamlit as st

from dpcore import limits
from dpcore.comparison.change import must_be_comparable
from dpcore.errors import AtlasError, StoryError
from dpcore.release import AnyKind, AnyRelease, Card, Release, kind_of, shelf
from dpcore.release.texts import one_line, several_lines
from dpcore.stories.default import default_story, earlier_of, must_tell_a_change, sentence_of_change
from dpcore.stories.file import story_of, story_text
from dpcore.stories.scene import Find, Scene, must_be_meant, scene
from dpcore.stories.story import CHANGE, LINKED, PROMISE, NamedRelease, Step, Story
from dpcore.views.ground.plain import sentence
from dpcore.views.kinds import kind_slide, read_rows
from dpcore.views.pictures.sentences import sentence_of, shortened
from pages.parts.held import Ear, answer, hear
from pages.parts.roles import Role, require
from pages.parts.scripts import module
from pages.parts.widget_keys import TOLD_OF
from pages.released.parts import words
from pages.released.parts.viewing import (
    Uploaded,
    Viewing,
    bundle_of,
    cards,
    opened_any,
    release_shown,
    titles,
    verdict,
    viewing,
)

NOT_TOLD: Final = ("read", "download")
"""Views that are no step: of the page to read each view tells its own part, and a page of files has no picture."""
_PROMISED: Final = "guarantee"
"""The view whose step is the promise."""
_CHECKED: Final = 12  # earlier releases, which are opened for it: fewer than the shelf keeps open
_MOST_LOST: Final = 10  # what can be brought back
_EMPTY: Final = Story("", (), ())


@dataclass(frozen=True)
class Lost:
    """What the visitor took away. It can be brought back, whatever was done since."""

    story: Story
    """The whole story as it was before."""
    at: int | None = None
    """Number of the step that was left out; None where another story took the place of this one."""


@dataclass(repr=False)
class Telling:
    """The story that this visitor makes."""

    story: Story = _EMPTY
    lost: tuple[Lost, ...] = ()
    """What was taken away, the last at the end."""
    begun: bool = False
    """Whether this session changed it: until then the copy of the tab comes first."""
    upload_seen: str = ""
    """Id of the file that was read last."""
    at: tuple[str, int] | None = None
    """Which story is played (empty: this visitor's own) and at which step, from 1; None where none is."""
    played: tuple[object, Scene] | None = None
    """Which step of which story is played, and its scene: opened once, so that moving its slider never goes to the disk."""
    unread: str = ""
    """The copy of the tab that cannot be read, such as of another version. It stays in the tab until there is another story."""
    asked: tuple[str, str] | None = None
    """The release and the earlier one that a link asked to compare; put into the lists once."""
    news: tuple[str, str] | None = None
    """What became of the view that was added last, with its icon, until it was said."""
    apart: dict[tuple[Card, Card], str] = field(default_factory=dict)
    """Why two releases must not be compared, as far as it was asked; empty where they may be."""

    def name(self, title: str) -> None:
        """Another title."""
        self.tell(replace(self.story, title=title_kept(title)))

    def change(self, steps: Sequence[Step]) -> None:
        """Other steps. Releases that no step names any more are left out."""
        named = {name for step in steps for name in (step.release, step.before)}
        releases = tuple(one for one in self.story.releases if one.id in named)
        self.tell(replace(self.story, releases=releases, steps=tuple(steps)))

    def tell(self, story: Story) -> None:
        """Another story in place of this one."""
        self.story, self.begun = story, True

    def begin(self, story: Story) -> None:
        """Another story from its start. Where there was one, it can be brought back."""
        if self.story.steps:
            self._lose(Lost(self.story))
        self.tell(story)

    def add(self, step: Step, shown: Sequence[NamedRelease], title: str, at: int | None = None) -> None:
        """One step more, at a place or at the end; ``shown``: the releases that it names.

        Raises StoryError if the story is full, or if it holds another release of the same id.
        """
        if len(self.story.steps) >= limits.MAX_STORY_STEPS:
            raise StoryError("the story is full", "story", f"It has at most {limits.MAX_STORY_STEPS} steps.")
        known = {one.id: one for one in self.story.releases}
        for one in shown:
            must_be_meant(known.setdefault(one.id, one), one.digest)
        if len(known) > limits.MAX_STORY_RELEASES:
            most = limits.MAX_STORY_RELEASES
            raise StoryError("the story is full", "story", f"It tells of at most {most} releases.")
        steps = [*self.story.steps]
        steps.insert(len(steps) if at is None else at, step)
        more = Story(self.story.title or title, (*known.values(),), (*steps,))
        story_of(story_text(more))  # its file must be one that can be opened again
        self.tell(more)

    def move(self, at: int, by: int) -> None:
        """Move a step up or down."""
        steps = [*self.story.steps]
        to = at + by
        if 0 <= at < len(steps) and 0 <= to < len(steps):
            steps[at], steps[to] = steps[to], steps[at]
            self.change(steps)

    def drop(self, at: int) -> None:
        """Leave a step out. It can be brought back."""
        self._lose(Lost(self.story, at))
        self.change((*self.story.steps[:at], *self.story.steps[at + 1 :]))

    def _lose(self, lost: Lost) -> None:
        self.lost = (*self.lost, lost)[-_MOST_LOST:]

    def undo(self) -> None:
        """Bring back what was taken away last. A step comes back to its place.

        A story that comes back takes the place of this one, which can be brought back after all others.

        Raises StoryError as ``add``, for a step that has no room any more.
        """
        *rest, lost = self.lost
        if lost.at is None:
            rest = [Lost(self.story), *rest] if self.story.steps else rest
            self.tell(lost.story)
        else:
            step = lost.story.steps[lost.at]
            shown = [one for one in lost.story.releases if one.id in {step.release, step.before}]
            self.add(step, shown, lost.story.title, lost.at)
        self.lost = (*rest,)

    def say(self, at: int, text: str) -> None:
        """Another sentence of a step, without characters that nobody sees. Raises StoryError as ``add``."""
        steps = [*self.story.steps]
        steps[at] = replace(steps[at], sentence=sentence_kept(text))
        story_of(story_text(replace(self.story, steps=(*steps,))))
        self.change(steps)


def title_kept(typed: str) -> str:
    """What a title keeps of what was typed."""
    return one_line(typed, limits.MAX_TITLE_CHARACTERS)


def sentence_kept(typed: str) -> str:
    """What a sentence keeps of what was typed."""
    return several_lines(typed, limits.MAX_SENTENCE_CHARACTERS)


def telling() -> Telling:
    """This visitor's story; made at the first visit."""
    mine: Telling = st.session_state.setdefault("story", Telling())
    return mine


def open_story(story: Story) -> None:
    """Begin with a story. The Viewer and Compare go on with its releases, those of its first change if it tells one."""
    telling().begin(story)
    step = next((one for one in story.steps if one.view == CHANGE), story.steps[0])
    known, found = {one.id: one for one in story.releases}, {}
    for letter, shown in (("A", step.before), ("B", step.release)):
        with suppress(AtlasError):  # the step says itself what is not here
            found[letter] = name_of(known[shown]) if shown else ""
    st.session_state[TOLD_OF] = found
    if found.get("B") in cards():
        viewing().look_at(found["B"], {})


def add_button(mine: Viewing, release: Release) -> None:
    """The button that puts the view that is looked at into the story."""
    _button(_add, mine, release, disabled=mine.at.view in NOT_TOLD)


def add_kind_button(name: str, release: AnyRelease, view: str) -> None:
    """The same for a view of a release of another kind than tables, by its name here."""
    _button(_add_picture, name, release, view)


def _button(add: Callable[..., None], *args: object, disabled: bool = False) -> None:
    st.button(
        words.ADD_VIEW,
        icon=":material/playlist_add:",
        help=words.ADD_HELP,
        disabled=disabled,
        on_click=add,
        args=args,
    )
    # Not said by the callback: in a fragment it would take the place of what stands at the top of the page.
    news = telling().news
    if news is not None:
        telling().news = None
        st.toast(news[0], icon=f":material/{news[1]}:")


def _add(mine: Viewing, release: Release) -> None:
    shown = NamedRelease(release.id, verdict(mine.name).digest)
    if mine.at.view == _PROMISED:
        step = Step(PROMISE, release.id, sentence_of(release, mine.at))
    else:
        link = mine.at.link(release, mine.name)
        where = {name: value for name, value in link.items() if name in LINKED}
        step = Step(mine.at.view, release.id, sentence_of(release, mine.at), where)
    _put(step, shown, release)


def _add_picture(name: str, release: AnyRelease, view: str) -> None:
    step = Step(view, release.id, shortened(kind_slide(release, view).sentence))
    _put(step, NamedRelease(release.id, verdict(name).digest), release)


def _put(step: Step, shown: NamedRelease, release: AnyRelease) -> None:
    """One step more, or why there is none; it is said when the page is drawn next."""
    try:
        telling().add(step, [shown], _title(release))
    except StoryError as error:
        telling().news = f"{sentence(error.what)}. {error.mend}", "block"
        return
    telling().news = words.ADDED.format(many=len(telling().story.steps)), "check"


def _title(release: AnyRelease) -> str:
    return title_kept(release.title or release.id)


def add_change(name: str, earlier: str) -> None:
    """Put what changed from an earlier release into the story, both by their names here.

    Raises InputError as ``must_tell_a_change``, and StoryError as ``Telling.add``.
    """
    release, before = release_shown(name), release_shown(earlier)
    must_tell_a_change(before, release)
    step = Step(CHANGE, release.id, sentence_of_change(before, release), before=before.id)
    shown = NamedRelease(release.id, verdict(name).digest), NamedRelease(before.id, verdict(earlier).digest)
    telling().add(step, shown, _title(release))


def name_of(shown: NamedRelease) -> str:
    """The name here of the release that a story means, of this visitor's uploads or of the shelf.

    Raises StoryError if it is not here, or only another one under its id.
    """
    require(Role.VIEWER)
    return _name_of(shown, viewing().uploads, shelf.bundles())


def finder() -> Find:
    """Opens the releases that a story means, by one look at the shelf and at this visitor's uploads; it raises as ``name_of``.

    It also serves a download, which Streamlit makes in a thread that knows no visitor: the role is checked and uploads are taken now.
    """
    require(Role.VIEWER)
    uploads, there = {**viewing().uploads}, cache(shelf.bundles)

    def found(shown: NamedRelease) -> AnyRelease:
        name = _name_of(shown, uploads, there())
        mine = uploads.get(name)
        release = shelf.opened_any(name, there()) if mine is None else mine.release
        read_rows(release, shelf.place_of(name, there()) if mine is None else mine.content)
        return release

    return found


def scene_played(name: str, story: Story, at: int) -> Scene:
    """A step of a story beside the releases that it names. It is opened again when another step is played, and where it had a fault.

    ``name``: of the story on the shelf; empty for the visitor's own.
    """
    mine, step = telling(), story.steps[at]
    key = name, story.releases, at, step
    if mine.played is None or mine.played[0] != key or mine.played[1].fault:
        mine.played = key, scene(story, step, finder())
    return mine.played[1]


def _name_of(shown: NamedRelease, uploads: Mapping[str, Uploaded], there: Sequence[shelf.Listed]) -> str:
    mine = f"upload:{shown.id}"
    found = {}
    if shown.id in {one.name for one in there if one.kind and _is_told(one.kind)}:
        found[shelf.verdict(shown.id, there).digest] = shown.id
    if mine in uploads and _is_told(kind_of(uploads[mine].release.plan)):
        found[uploads[mine].verdict.digest] = mine
    if not found:
        raise StoryError(
            "its release is not here", "releases of the story", "Open its bundle in the Library first."
        )
    if shown.digest not in found:
        must_be_meant(shown, next(iter(found)))
    return found[shown.digest]


def _is_told(kind: AnyKind) -> bool:
    """Whether stories can show releases of a kind."""
    return kind.in_viewer or bool(kind.pictures)


def story_of_shelf(name: str) -> Story:
    """The story beside a bundle of the shelf, by the release's id; StoryError if there is none, or it is faulty."""
    require(Role.VIEWER)
    return story_of(shelf.story_of(name))


def first_story(name: str, earlier: str | None = None) -> Story:
    """The default story of a release.

    Args:
        name: of the release.
        earlier: name of the release from which the change is told first; empty for none, and None for the latest one that fits.

    Raises:
        InputError: the two must not be compared, or nothing can be told of what changed.

    """
    if name not in cards():  # of another kind, whose stories have no change
        release = opened_any(name)
        read_rows(release, bundle_of(name))
        return default_story(release, verdict(name).digest)
    release = release_shown(name)
    if earlier:
        before = release_shown(earlier), verdict(earlier).digest
        must_tell_a_change(before[0], release)
        return default_story(release, verdict(name).digest, before)
    found = None if earlier == "" else earlier_of(name, cards(), release_shown)
    return default_story(release, verdict(name).digest, found and (found[1], verdict(found[0]).digest))


def compared_with(name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The titles of the releases from which a change to this one may be told, by name, the latest first; and why not of others.

    The latest of those that are earlier are opened and checked. Where there are more, the others are checked when they are chosen.
    """
    known, said = cards(), titles()
    if name not in known:
        return {}, {}
    begins = {other: card.begins for other, card in known.items()}
    fit: dict[str, str] = {}
    apart: dict[str, str] = {}
    checked = 0
    for other in sorted(begins.keys() - {name}, key=begins.__getitem__, reverse=True):
        why = words.LATER if begins[other] > begins[name] else ""
        if not why and checked < _CHECKED:
            checked += 1
            why = _why_apart(other, name)
        (apart if why else fit)[other] = why or said[other]
    return fit, apart


def change_asked() -> tuple[str, str] | None:
    """The release and the earlier one of the shelf that the address asks to compare; None if it asks for none that are here."""
    query, known = st.query_params, cards()
    asked = [query.get("release", ""), query.get("before", "")]
    if asked[0] == asked[1] or not {*asked} <= known.keys():
        return None
    earlier, later = sorted(asked, key=lambda name: known[name].begins)
    return later, earlier


def _why_apart(earlier: str, name: str) -> str:
    """Why two releases must not be compared, asked once: each rerun of the page lists the reasons again. Empty where they may be."""
    known, pair = telling().apart, (cards()[earlier], cards()[name])
    if pair not in known:
        try:
            must_be_comparable(release_shown(earlier), release_shown(name))
            known[pair] = ""
        except AtlasError as error:
            known[pair] = f"{sentence(error.what)}."
    return known[pair]


_mount = st.components.v2.component("story_kept", html='<div class="kept"></div>', js=module("story_kept.js"))
_TAB: Final = "story kept"


def keep_in_tab() -> None:
    """Keep a copy of the story in this browser tab, and take up the one that is there after a reload. Nothing is shown."""
    mine = telling()
    text = story_text(mine.story) if mine.story.steps else mine.unread
    lost = [[one.at, story_text(one.story)] for one in mine.lost]

    def take(kept: object) -> None:
        if not mine.begun:
            mine.begun = True
            _take_up(mine, kept)

    ear, begun = Ear("kept", "story", take, lambda: None), mine.begun
    with st.container(gap=None):  # as many elements at each run, so that what follows keeps its place
        _mount(
            key=_TAB,
            data={"text": text, "lost": lost, "begun": begun},
            default={"kept": None},
            on_kept_change=lambda: None,
        )
        hear(_TAB, ear)
        answer(ear)
    if mine.begun != begun:
        st.rerun()


def _take_up(mine: Telling, kept: object) -> None:
    """Go on with the copy of the tab. It may be one that another version kept, or that somebody changed: then it stays unread."""
    if not isinstance(kept, Mapping):
        return
    text = kept.get("text")
    try:
        mine.story = story_of(text) if text else _EMPTY
    except (AtlasError, AttributeError, TypeError):
        mine.unread = text if isinstance(text, str) else ""
    with suppress(AtlasError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        there = [Lost(story_of(text), at) for at, text in kept["lost"][-_MOST_LOST:]]
        mine.lost = tuple(one for one in there if one.at is None or one.story.steps[one.at])
