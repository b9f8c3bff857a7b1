"""The file of a story: written as canonical JSON, and read as from a stranger. It is data: nothing of it is executed or drawn.

All faults are told at once, each with its place. No fault repeats what the file says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dpcore import limits
from dpcore.errors import AtlasError, BundleError, StoryError
from dpcore.release.canonical import canonical, parsed
from dpcore.release.fields import Fields
from dpcore.release.texts import is_visible
from dpcore.views.maps.address import VIEWS
from dpcore.views.story.story import CHANGE, PROMISE, NamedRelease, Step, Story

FORMAT: Final = "epsilon-atlas story 1"
"""What the member ``format`` of a story says."""
STORY_VIEWS: Final = (*VIEWS, CHANGE, PROMISE)
"""The views of steps."""
LINKED: Final = (
    "rung", "tile", "tiles", "district", "districts", "with", "part", "numbers", "merge", "window", "beside", "as", "colours",
    "section",
)  # fmt: skip
"""What the link of a step may name."""

_FILE: Final = "story"
_AGAIN: Final = "Mend the file by hand, or write it anew on the Story page or with the command story."
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_LONGEST_LINK: Final = 2**15
_MEMBERS: Final = frozenset({"format", "title", "releases", "steps"})
_STEP: Final = frozenset({"view", "release", "sentence", "link", "before"})


def story_text(story: Story) -> str:
    """The file of a story; equal stories have equal texts."""
    steps = [
        {
            "view": step.view,
            "release": step.release,
            "sentence": step.sentence,
            "link": dict(step.link),
            **({"before": step.before} if step.before else {}),
        }
        for step in story.steps
    ]
    releases = [{"id": shown.id, "digest": shown.digest} for shown in story.releases]
    document = {"format": FORMAT, "title": story.title, "releases": releases, "steps": steps}
    return canonical(document).decode("utf-8")


def story_of(text: str | bytes) -> Story:
    """The story in a file of anybody.

    Args:
        text: the whole file, at most ``limits.MAX_STORY_BYTES``.

    Raises:
        StoryError: the file is too large, no JSON, or no story. Its notes tell all faults, each with its place.

    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(data) > limits.MAX_STORY_BYTES:
        most = f"A story has at most {limits.MAX_STORY_BYTES // 2**20} MB."
        raise StoryError("the file is too large", _FILE, most)
    try:
        document = parsed(data, _FILE)
    except BundleError as error:
        raise StoryError(error.what, error.where, _AGAIN) from None
    if document.get("format") != FORMAT:
        raise StoryError("this is no story", f"{_FILE}, format", f'The first member says "{FORMAT}".')
    return _Reader().story(document)


class _Reader:
    """Reads one document and collects what is wrong with it."""

    def __init__(self) -> None:
        self.faults: list[StoryError] = []

    def fault(self, what: str, where: str, mend: str = _AGAIN) -> None:
        self.faults.append(StoryError(what, where, mend))

    def story(self, document: Mapping[str, object]) -> Story:
        """The story, or one error that tells all faults."""
        self._members(document, _MEMBERS, _FILE)
        title = self._text(document, "title", limits.MAX_TITLE_CHARACTERS, _FILE)
        listed = self._listed(document, "releases", limits.MAX_STORY_RELEASES)
        releases = tuple(self._shown(one, f"{_FILE}, release {n}") for n, one in enumerate(listed, 1))
        known = {one.id for one in releases}
        if len(known) < len(releases):
            self.fault("a release stands twice", f"{_FILE}, releases")
        listed = self._listed(document, "steps", limits.MAX_STORY_STEPS)
        steps = tuple(self._step(one, known, f"{_FILE}, step {n}") for n, one in enumerate(listed, 1))
        if self.faults:
            raise StoryError.several(self.faults)
        return Story(title, releases, steps)

    def _shown(self, one: object, where: str) -> NamedRelease:
        members = self._object(one, frozenset({"id", "digest"}), where)
        name = self._text(members, "id", limits.MAX_RELEASE_TEXT_CHARACTERS, where)
        digest = members.get("digest")
        if isinstance(digest, str) and _DIGEST.fullmatch(digest):
            return NamedRelease(name, digest)
        self.fault("this should be 64 hexadecimal digits", f"{where}, digest")
        return NamedRelease(name, "")

    def _step(self, one: object, known: set[str], where: str) -> Step:
        members = self._object(one, _STEP, where)
        view = members.get("view")
        if not isinstance(view, str) or view not in STORY_VIEWS:
            self.fault("the view is unknown", f"{where}, view", f"Choose one of: {', '.join(STORY_VIEWS)}.")
            view = PROMISE
        release, before = members.get("release"), members.get("before", "")
        if not isinstance(release, str) or release not in known:
            self.fault("this is none of the releases that the story lists", f"{where}, release")
        if view == CHANGE and (not isinstance(before, str) or before not in known or before == release):
            self.fault("a change needs another release that the story lists", f"{where}, before")
        if view != CHANGE and before != "":
            self.fault("only a change has an earlier release", f"{where}, before")
        sentence = self._text(members, "sentence", limits.MAX_SENTENCE_CHARACTERS, where, lines=True)
        link = self._link(members.get("link", {}), f"{where}, link")
        if link and view in {CHANGE, PROMISE}:
            self.fault("a change and a promise have no link", f"{where}, link", "Leave it empty.")
        return Step(view, str(release), sentence, link, str(before))

    def _link(self, link: object, where: str) -> dict[str, str]:
        if not isinstance(link, dict):
            self.fault("this should be an object of texts", where)
            return {}
        if not {*link} <= {*LINKED}:
            self.fault("the link names something unknown", where, f"It may name: {', '.join(LINKED)}.")
        found = {name: value for name, value in link.items() if isinstance(value, str) and is_visible(value)}
        if len(found) < len(link) or sum(map(len, found.values())) > _LONGEST_LINK:
            most = f"at most {_LONGEST_LINK:,} visible characters"
            self.fault(f"this should be an object of texts of together {most}", where)
        return found

    def _object(self, one: object, known: frozenset[str], where: str) -> Mapping[str, object]:
        if not isinstance(one, dict):
            self.fault("this should be an object", where)
            return {}
        self._members(one, known, where)
        return one

    def _members(self, one: Mapping[str, object], known: frozenset[str], where: str) -> None:
        if not one.keys() <= known:
            self.fault(
                "there is a member that a story does not have",
                where,
                f"It may have: {', '.join(sorted(known))}.",
            )

    def _listed(self, document: Mapping[str, object], name: str, most: int) -> list[object]:
        found = document.get(name)
        if not isinstance(found, list) or not found:
            self.fault("this should be a list with at least one entry", f"{_FILE}, {name}")
            return []
        if len(found) > most:
            self.fault(f"the list has {len(found):,} entries", f"{_FILE}, {name}", f"At most {most:,} fit.")
            return []
        return found

    def _text(
        self, members: Mapping[str, object], name: str, most: int, where: str, *, lines: bool = False
    ) -> str:
        fields = Fields(dict(members), where)
        try:
            return fields.lines(name, most) if lines else fields.text(name, most)
        except AtlasError as error:
            self.fault(error.what, error.where)
            return ""
