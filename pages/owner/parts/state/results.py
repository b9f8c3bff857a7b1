"""What pages worked out from the loaded data set: kept, so that no click computes it again, and dropped with the data set.

Much of it is private. The session of its owner alone holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock, RLock
from typing import Final, TypeVar, cast
from weakref import WeakValueDictionary

from dpcore.api import owner, studies
from dpcore.estimates import Estimates, estimate
from dpcore.measures import Section
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import RUNGS
from dpcore.tiles import Tessellation
from dpcore.views.planning import tradeoff
from dpcore.views.planning.beside_truth import TilesRight, tiles_right

Made = TypeVar("Made")

KEPT_PREVIEWS: Final = 6  # the last few toggles come back with the same noise and without waiting
_KEPT_ESTIMATES: Final = 2 * len(RUNGS)  # every stop of the last two toggles
_KEPT_COMPARED: Final = KEPT_PREVIEWS * len(RUNGS)


@dataclass(repr=False)
class Kept:
    """Results for pages, by kind and by what they were made from."""

    by_kind: dict[str, dict[Hashable, object]] = field(default_factory=dict)
    _guard: Lock = field(default_factory=Lock)
    """Held for moments, to look up and to keep; never while something is made."""
    _making: WeakValueDictionary[tuple[str, Hashable], RLock] = field(default_factory=WeakValueDictionary)
    """Held while the result of a key is made: who asks for the same waits for it, and nobody else. Unused ones are dropped."""

    def holds(self, kind: str, key: Hashable) -> bool:
        """Whether the result for this key is still there."""
        return key in self.by_kind.get(kind, {})

    def last(self, kind: str, key: Hashable, make: Callable[[], Made], *, most: int = 1) -> Made:
        """The result for a key, made now if it is not among the last ``most`` of its kind.

        A key says everything that the result depends on within one data set. What ``make`` raises is raised, and
        nothing is kept.
        """
        with self._guard:
            held = self.by_kind.get(kind, {})
            if key in held:
                return cast("Made", held[key])
            making = self._making.setdefault((kind, key), RLock())
        with making:
            with self._guard:
                held = self.by_kind.get(kind, {})
                if key in held:  # somebody else made it meanwhile
                    return cast("Made", held[key])
            made = make()
            with self._guard:
                held = self.by_kind.setdefault(kind, {})
                held[key] = made
                while len(held) > most:
                    del held[next(iter(held))]
            return made

    def forget(self, kind: str, key: Hashable) -> None:
        """Drop a result, so that the next one is made anew."""
        with self._guard:
            self.by_kind.get(kind, {}).pop(key, None)


@dataclass(frozen=True, repr=False, eq=False)
class NumberedPreview:
    """A preview with the number of its draw, which no other preview of this session has or will have."""

    preview: studies.Preview
    number: int


@dataclass(frozen=True, repr=False, eq=False)
class Picture:
    """The packed map of one preview, made once."""

    message: bytes


@dataclass(repr=False, eq=False)
class Growing:
    """The preview of one bound, measure after measure: each is drawn once and stays as it was drawn. Then its estimates."""

    trips: owner.PrivateTrips
    tiles: Tessellation
    plan: Plan
    number: int
    """No other preview of the same visitor has it."""
    kept: Kept
    """Where its estimates are kept."""
    preview: studies.Preview | None = None
    _drawing: RLock = field(default_factory=RLock)
    """Held while a measure is drawn, so that none is drawn twice."""

    @cached_property
    def explored(self) -> tuple[str, ...]:
        """The measures that Explore shows or estimates from: all but those about people, which take longest."""
        return tuple(
            name for name in self.plan.weights if self.plan.measure(name).section is not Section.USER
        )

    def lacks(self, measures: Sequence[str]) -> list[str]:
        """Which of the measures (of all in the plan, if none is named) were not drawn yet."""
        drawn = self.preview.measurements if self.preview else ()
        return [name for name in measures or self.plan.weights if name not in drawn]

    def showing(self, measures: Sequence[str]) -> studies.Preview:
        """The preview with at least these measures (all, if none is named); what is missing is drawn now."""
        if self.preview is not None and not self.lacks(measures):
            return self.preview  # what is ready waits for nothing that somebody else asked for
        with self._drawing:
            if missing := self.lacks(measures):
                more = studies.preview(self.trips, self.plan, missing)
                self.preview = self.preview.joined(more) if self.preview else more
            if self.preview is None:
                raise RuntimeError("a preview without a measure")
            return self.preview

    def estimates(self, rung: int, progress: Callable[[float], None] | None = None) -> Estimates:
        """What a release of this preview would tell at a rung; estimated at the first look at that stop."""
        return self.kept.last(
            "estimates",
            (self.number, rung),
            lambda: estimate(self.plan, self._explored_measurements(), self.tiles, rung, progress=progress),
            most=_KEPT_ESTIMATES,
        )

    def estimated(self, rung: int) -> bool:
        """Whether the estimates of a rung are there already."""
        return not self.lacks(self.explored) and self.kept.holds("estimates", (self.number, rung))

    def tiles_right(self, rung: int) -> TilesRight:
        """How right drawn values and estimates of the tiles are at a rung. Private."""

        def compared() -> TilesRight:
            visits = "visits_per_tile"
            drawn, found = self.showing(self.explored), self.estimates(rung).tables[visits]
            return tiles_right(drawn.measurements[visits], found, drawn.truth[visits], rung)

        return self.kept.last("tiles right", (self.number, rung), compared, most=_KEPT_COMPARED)

    def curve_errors(self, rung: int) -> Mapping[str, float]:
        """How far estimates are from all trips at a rung, by table of ``views.tradeoff``. Private."""

        def compared() -> Mapping[str, float]:
            if self.estimated(rung):
                found = self.estimates(rung)
            else:
                wanted = [*tradeoff.tables_of(self.plan).values()]
                found = estimate(self.plan, self._explored_measurements(), self.tiles, rung, of=wanted)
            drawn = self.showing(self.explored)
            return tradeoff.true_errors(drawn.measurements, drawn.truth, found, self.plan)

        return self.kept.last("curve errors", (self.number, rung), compared, most=2 * _KEPT_COMPARED)

    def known_errors(self) -> dict[int, Mapping[str, float]]:
        """Those of the rungs where they were counted."""
        counted = [rung for rung in range(len(RUNGS)) if self.kept.holds("curve errors", (self.number, rung))]
        return {rung: self.curve_errors(rung) for rung in counted}

    def _explored_measurements(self) -> dict[str, Measurement]:
        drawn = self.showing(self.explored)
        return {name: drawn.measurements[name] for name in self.explored}
