"""What a story is: a list of views of releases, each with a sentence. It holds ids, digests and links, and no table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from dpcore import limits
from dpcore.exact_json import Check, at_most, matching
from dpcore.release import all_kinds
from dpcore.release.fields import lines, text
from dpcore.release.texts import is_visible
from dpcore.views.maps.address import VIEWS

CHANGE: Final = "change"
"""The view of a step that shows what changed between two releases."""
PROMISE: Final = "promise"
"""The view of a step that shows what a release promises."""
STORY_VIEWS: Final = (*VIEWS, CHANGE, PROMISE)
"""The views of steps that show tables. Releases of other kinds have views of their own (``dpcore.views.kinds``)."""
LINKED: Final = (
    "rung", "tile", "tiles", "district", "districts", "with", "part", "numbers", "merge", "window", "beside", "as", "colours",
    "section",
)  # fmt: skip
"""What the link of a step may name."""
_LONGEST_LINK: Final = 2**15


def _is_link(link: Any) -> bool:  # noqa: ANN401 - JSON of anybody
    texts: list[Any] = [*link.values()] if isinstance(link, dict) and {*link} <= {*LINKED} else [None]
    seen = all(isinstance(one, str) and is_visible(one) for one in texts)
    return seen and sum(map(len, texts)) <= _LONGEST_LINK


def _is_view(view: Any) -> bool:  # noqa: ANN401 - as above
    of_kinds = {name for kind in all_kinds().values() for name in kind.pictures}
    return isinstance(view, str) and view in {*STORY_VIEWS, *of_kinds}


_VIEW: Final = Check(
    _is_view, f"one of the views {', '.join(STORY_VIEWS)}, or one that another kind of release has"
)
_LINK: Final = Check(
    _is_link,
    f"an object of texts with together at most {_LONGEST_LINK:,} visible characters, named {', '.join(LINKED)}",
)


@dataclass(frozen=True)
class NamedRelease:
    """A release that a story shows, as it names it. What is opened under the id must have the digest."""

    id: Annotated[str, text(limits.MAX_RELEASE_TEXT_CHARACTERS)]
    digest: Annotated[str, matching("[0-9a-f]{64}", "64 hexadecimal digits")]
    """SHA-256 of its manifest, in hexadecimal digits."""


@dataclass(frozen=True)
class Step:
    """One step: what is looked at, and what is said of it."""

    view: Annotated[str, _VIEW]
    """A view of ``address.VIEWS`` or of another kind of release, or ``change``, or ``promise``."""
    release: str
    """Id of the release that is shown; of a change, the later one."""
    sentence: Annotated[str, lines(limits.MAX_SENTENCE_CHARACTERS)]
    """What is said, as plain text."""
    link: Annotated[Mapping[str, str], _LINK] = field(default_factory=dict)
    """Where in the view: the query of ``address.Address.link`` without release and view. Compared with what there is when shown.

    Empty for releases of other kinds than tables: their views have no stops and no places to choose.
    """
    before: str = ""
    """Id of the earlier release; of a change only."""


@dataclass(frozen=True)
class Story:
    """A story. Every id of its steps is one of its releases."""

    title: Annotated[str, text(limits.MAX_TITLE_CHARACTERS)]
    releases: Annotated[tuple[NamedRelease, ...], at_most(limits.MAX_STORY_RELEASES)]
    steps: Annotated[tuple[Step, ...], at_most(limits.MAX_STORY_STEPS)]
