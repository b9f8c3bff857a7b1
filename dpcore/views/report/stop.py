"""One stop of a release: what a report file is of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpcore.estimates import Estimated, Estimates
from dpcore.release.estimates import are_computed, estimates_to_show
from dpcore.release.release import Release
from dpcore.views.ground.shown import Shown, shown
from dpcore.views.report.markup import either, on_sides


@dataclass(frozen=True, eq=False)
class Stop:
    """A release at one of its rungs, with the estimates of that rung."""

    release: Release
    rung: int
    estimates: Estimates
    """Without tables where none could be computed."""
    top_n_flows: int | None = None
    """How many of the strongest flows are drawn and listed; None: as many as can be read."""

    @classmethod
    def of(cls, release: Release, rung: int, top_n_flows: int | None = None) -> Stop:
        """The stop of a release at a rung; no other rung is shown."""
        return cls(release, rung, estimates_to_show(release, rung), top_n_flows)

    @property
    def is_highest(self) -> bool:
        """Whether it is the finest stop, which holds all that was released."""
        return self.rung == len(self.release.plan.rungs) - 1

    @property
    def computed(self) -> bool:
        """Whether there are estimates, which the file has a switch for."""
        return are_computed(self.estimates)

    def sides(self, guessed: str, drawn: str) -> str:
        """What is seen on the one or the other side of the switch; without estimates the released side alone."""
        return either(guessed, drawn) if self.computed else drawn

    def ways(self, measure: str) -> list[Shown]:
        """What is shown of a table: its estimates, and what was drawn; only one where there is no other."""
        held = self.release.measurements
        guessed = [self.estimates] if measure in self.estimates.tables else []
        return [
            shown(held, measure, self.rung, one) for one in (*guessed, *([None] if measure in held else []))
        ]

    def each(self, measure: str, made: Callable[[Shown], str]) -> str:
        """What is made of a table on each side of the switch."""
        return on_sides([made(one) for one in self.ways(measure)])

    def table(self, measure: str) -> Estimated | None:
        """The estimates of one table; None where there are none."""
        return self.estimates.tables.get(measure)
