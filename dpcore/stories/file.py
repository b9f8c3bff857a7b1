"""The file of a story: written as canonical JSON, and read as from a stranger. It is data: nothing of it is executed or drawn.

All faults are told at once, each with its place. No fault repeats what the file says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from dpcore import limits
from dpcore.errors import BundleError, StoryError
from dpcore.exact_json import Fault, members_as, plain
from dpcore.release.canonical import canonical, parsed
from dpcore.stories.story import CHANGE, PROMISE, Step, Story

FORMAT: Final = "epsilon-atlas story 1"
"""What the member ``format`` of a story says."""

_FILE: Final = "story"
_AGAIN: Final = "Mend the file by hand, or write it anew on the Story page or with the command story."


def story_text(story: Story) -> str:
    """The file of a story; equal stories have equal texts."""
    document = {"format": FORMAT, **plain(story)}
    for step in document["steps"]:
        if not step["before"]:
            del step["before"]
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
    if document.pop("format", None) != FORMAT:
        raise StoryError("this is no story", f"{_FILE}, format", f'The first member says "{FORMAT}".')
    faults: list[Fault] = []
    members = members_as(Story, document, _FILE, faults)
    ids = Counter(one.id for one in members.get("releases") or () if one)
    if ids.total() > len(ids):
        faults.append(Fault("a release stands twice", f"{_FILE}, releases"))
    written: Any = document["steps"] if members.get("steps") else ()
    for number, step in enumerate(written, 1):
        # what can be read of a faulty step is compared too; its own faults are told already
        faults += _faults_of(members_as(Step, step, "", []), ids, f"{_FILE}, steps {number}")
    if faults:
        raise StoryError.of_faults(faults, _AGAIN)
    return Story(**members)


def _faults_of(step: Mapping[str, Any], ids: Collection[str], where: str) -> Iterator[Fault]:
    """What contradicts the rest of a step, or the releases of its story."""
    view, release, before = step.get("view"), step.get("release"), step.get("before", "")
    if release is not None and release not in ids:
        yield Fault("this is none of the releases that the story lists", f"{where}, release")
    if view == CHANGE and (before not in ids or before == release):
        yield Fault("a change needs another release that the story lists", f"{where}, before")
    if view != CHANGE and before:
        yield Fault("only a change has an earlier release", f"{where}, before")
    if step.get("link") and view in {CHANGE, PROMISE}:
        yield Fault("a change and a promise have no link", f"{where}, link")
