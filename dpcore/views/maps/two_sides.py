"""Two sides of one map: which there are, what tells them apart, and when their difference could be noise.

========================  =========================================================================================
two stops of the ladder   both count the same trips, and the noise of the coarser stop contains that of the finer one: all
                          that differs is noise, so there is no picture of their difference
count and estimate        both follow from one draw; what differs is what the estimate makes of it
two time windows          their counts are drawn apart; the noise of their difference has the law of that of a sum
a truth (owners only)     what differs is noise and what the bound leaves out
========================  =========================================================================================

A difference of counts that were drawn apart is taken as noise within the 95 % interval of that law. Every other difference is
taken as noise where the two ranges meet. Errors of estimates of one release depend on each other, and no formula says how. But
however they do, both ranges hold their truths together in nine of ten cases or more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.privacy import decimal_text
from dpcore.views.ground.plain import number
from dpcore.views.maps.window_message import window_names, windows_of
from dpcore.views.numbers.area import ARRIVALS

Look = Literal["swipe", "beside", "difference"]
LOOKS: Final[Mapping[Look, str]] = MappingProxyType(
    {"swipe": "Swipe", "beside": "Side by side", "difference": "Difference"}
)
"""The looks of two sides, with what stands on their buttons."""
NUMBERS: Final = "numbers"
"""How an address names the pair of counts and estimates."""
TRUTH: Final = "truth"
"""How an owner's page names the pair with true counts."""

_ONE_DRAW: Final = "Both sides are made from one draw. {} hold the trips that count; the estimate is of {}."
_SAME_TRIPS: Final = "Both sides count the same trips, so all that differs is noise."
_SAME_TRIPS_ESTIMATED: Final = (
    "Both sides describe the same trips, so all that differs is noise and what the estimate makes of it."
)
_ADDED: Final = (
    "Arrivals of the whole period are added up: a week has five weekdays and two days of a weekend."
)
_SAME_WINDOW: Final = (
    "The map shows the time window that it is compared with. Choose another time to see both sides."
)
_TRUE: Final = (
    "True counts hold all trips. What differs is noise, and of drawn values also what the bound leaves out."
)
_APART: Final = (
    "Grey: the difference is at most {} arrivals, and two equal counts differ by no more in 95 of 100 cases."
)
_MEET: Final = "Grey: the two ranges meet, so noise alone may have made the difference."
_EITHER: Final = (
    "Grey: noise alone may have made the difference. Of estimates that is where the two ranges meet, of drawn values a "
    "difference of at most {} arrivals."
)


@dataclass(frozen=True)
class Side:
    """What a side shows in another way than the map does; None leaves that as it is."""

    epsilon: str | None = None
    numbers: Literal["estimate", "released"] | None = None
    mode: Literal["estimate", "noisy", "true"] | None = None
    span: int | None = None
    """Number of a time window."""
    scaled: bool = False
    """Whether counts take the colours of the estimates, which the other side has."""

    @property
    def told(self) -> dict[str, object]:
        """As the browser reads it (``ladder_swipe.js``)."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class TwoSides:
    """Two sides of the same tiles. Left is what the map shows, with what ``left`` says."""

    right: Side
    left: Side = field(default_factory=Side)
    looks: tuple[Look, ...] = ("swipe", "beside", "difference")
    """The looks that mean something."""
    said: str = ""
    """What tells the sides apart, as a sentence."""
    grey: str = ""
    """Which differences are grey."""

    def look(self, asked: Look) -> Look:
        """The look that is shown: the one asked for, where it means something."""
        return asked if asked in self.looks else self.looks[0]

    def words(self, look: Look) -> str:
        """What must be read beside a look."""
        return f"{self.said} {self.grey}" if look == "difference" else self.said


@dataclass(frozen=True)
class SideShown:
    """What a map shows: one side, beside which there are others."""

    plan: Plan
    rung: int
    about: str = ""
    """Which trips the estimates are about."""
    window: int | None = None
    """Number of the time window; None: the whole period."""
    released: bool = False
    """Whether it shows released counts and not estimates."""
    preview: bool = False
    """Whether it is an owner's preview: it has drawn values in place of released counts, and the truth may stand beside them."""
    estimated: bool = True
    """Whether there are estimates, which counts may stand beside."""

    def choices(self) -> dict[str, str]:
        """What it can be compared with: how an address names it, and what people read.

        Only beside a time window there may be another one.
        """
        stops, here = (
            [decimal_text(stop) for stop in self.plan.rungs],
            decimal_text(self.plan.rungs[self.rung]),
        )
        found = {TRUTH: "True counts"} if self.preview else {}
        if self.estimated:
            found[NUMBERS] = "Drawn values and estimates" if self.preview else "Counts and estimates"
        found |= {stop: f"ε = {stop}" for stop in stops if stop != here}
        if self.window is not None:
            there = windows_of(self.plan)
            named = zip(there, window_names(self.plan), strict=True)
            found |= {name: said for name, said in named if name != there[self.window]}
        return found

    def beside(self, asked: str) -> TwoSides | None:
        """The sides with what an address asks for; None where there is no such pair."""
        if asked not in self.choices():
            return None
        if asked == TRUTH:
            return TwoSides(Side(scaled=True), Side(mode="true", scaled=True), said=_TRUE, grey=_MEET)
        if asked == NUMBERS:
            return self._counts_and_estimates()
        if asked in windows_of(self.plan) and self.window is not None:
            return self._windows(windows_of(self.plan).index(asked))
        said = _SAME_TRIPS if self.released else _SAME_TRIPS_ESTIMATED
        return TwoSides(Side(epsilon=asked), looks=("swipe", "beside"), said=said)

    def keeps(self, asked: str) -> bool:
        """Whether an address may ask for it here: it is a choice, or becomes one again with the next step of time."""
        return asked in self.choices() or bool(self.alone(asked))

    def alone(self, asked: str) -> str:
        """Why there is one side although an address asks for two; empty where the reader has no part in it."""
        there = windows_of(self.plan)
        if self.window is None or asked not in there:
            return ""
        return _SAME_WINDOW if there.index(asked) == self.window else ""

    def _counts_and_estimates(self) -> TwoSides:
        said = _ONE_DRAW.format("Drawn values" if self.preview else "Released counts", self.about)
        if self.preview:
            return TwoSides(Side(mode="estimate"), Side(mode="noisy", scaled=True), said=said, grey=_MEET)
        return TwoSides(
            Side(numbers="estimate"), Side(numbers="released", scaled=True), said=said, grey=_MEET
        )

    def _windows(self, other: int) -> TwoSides:
        plan = self.plan
        rate = plan.rho(ARRIVALS, plan.rungs[self.rung])
        grey = _EITHER if self.preview else _APART if self.released else _MEET
        return TwoSides(Side(span=other), said=_ADDED, grey=grey.format(number(half_width_of_sum(rate, 2))))
