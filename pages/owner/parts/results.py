"""What pages worked out from the loaded data set: kept, so that no click computes it again, and dropped with the data set.

Much of it is private. The session of its owner alone holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from dpcore.api import owner
from dpcore.measures.plan import Plan

Made = TypeVar("Made")


@dataclass(repr=False)
class Kept:
    """Results for pages, by kind and by what they were made from."""

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

    def forget(self, kind: str, key: Hashable) -> None:
        """Drop a result, so that the next one is made anew."""
        self.by_kind.get(kind, {}).pop(key, None)


@dataclass(frozen=True, repr=False, eq=False)
class Drawn:
    """A preview with the number of its draw, which no other preview of this session has or will have."""

    preview: owner.Preview
    number: int


@dataclass(frozen=True, repr=False, eq=False)
class Picture:
    """The packed map of one preview, made once."""

    message: bytes


@dataclass(repr=False, eq=False)
class Growing:
    """The preview of one bound, measure after measure: each is drawn once and stays as it was drawn."""

    plan: Plan
    number: int
    preview: owner.Preview | None = None

    def lacks(self, measures: Sequence[str]) -> list[str]:
        """Which of the measures (of all in the plan, if none is named) were not drawn yet."""
        drawn = self.preview.measurements if self.preview else ()
        return [name for name in measures or self.plan.weights if name not in drawn]
