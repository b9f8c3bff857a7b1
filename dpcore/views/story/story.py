"""What a story is: a list of views of releases, each with a sentence. It holds ids, digests and links, and no table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

CHANGE: Final = "change"
"""The view of a step that shows what changed between two releases."""
PROMISE: Final = "promise"
"""The view of a step that shows what a release promises."""


@dataclass(frozen=True)
class NamedRelease:
    """A release that a story shows, as it names it. What is opened under the id must have the digest."""

    id: str
    digest: str
    """SHA-256 of its manifest, in hexadecimal digits."""


@dataclass(frozen=True)
class Step:
    """One step: what is looked at, and what is said of it."""

    view: str
    """A view of ``address.VIEWS``, or ``change``, or ``promise``."""
    release: str
    """Id of the release that is shown; of a change, the later one."""
    sentence: str
    """What is said, as plain text."""
    link: Mapping[str, str] = field(default_factory=dict)
    """Where in the view: the query of ``address.Address.link`` without release and view. Compared with what there is when shown."""
    before: str = ""
    """Id of the earlier release; of a change only."""


@dataclass(frozen=True)
class Story:
    """A story. Every id of its steps is one of its releases."""

    title: str
    releases: tuple[NamedRelease, ...]
    steps: tuple[Step, ...]
