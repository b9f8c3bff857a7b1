"""What was worked out for a page, so that a click that changes nothing of it does not work it out anew.

Much of it is private. It is held by the session of its owner, which lets go of all of it together with the data set.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

Made = TypeVar("Made")


@dataclass(repr=False)
class Kept:
    """The last few results of each kind, by what they were made from."""

    by_kind: dict[str, dict[Hashable, object]] = field(default_factory=dict)

    def holds(self, kind: str, key: Hashable) -> bool:
        """Whether the result for this key is still there."""
        return key in self.by_kind.get(kind, {})

    def last(self, kind: str, key: Hashable, make: Callable[[], Made], *, most: int = 1) -> Made:
        """The result for a key, made now if it is not among the last ``most`` of its kind.

        A key says everything that the result depends on within one data set. What ``make`` raises is raised, and
        nothing is kept.
        """
        held = self.by_kind.setdefault(kind, {})
        if key not in held:
            held[key] = make()
            while len(held) > most:
                del held[next(iter(held))]
        return cast("Made", held[key])
