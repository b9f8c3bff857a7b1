"""An auditor who sees answers alone: how large must epsilon be at least, to make them as likely as they were?

**Events.** An answer is looked at in a few ways (``views``): each number as it is, two stops solved for the count, the last
digits. An event says that such a look is c or more, c or less, or exactly c. Which event tells most is chosen on 30 % of
the trials.

**Bound.** On the other 70 %, which know nothing of the choice, the event happened ``k`` and ``m`` times in the two worlds.
Clopper and Pearson (1934) give an interval for each probability that holds in 95 of 100 audits or more, 2.5 % for each
end. If ``p >= low`` and ``q <= high``, then epsilon is ``log(low / high)`` or more; both hold in 95 of 100 audits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.lessons.attacks import last_digits, two_stops

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
LEFT_OUT: Final = 0.05
"""Share of audits in which a bound may be too high."""
_CHOOSING: Final = 0.3  # of the trials
_LINES: Final = 60  # thresholds that are tried
_VALUES: Final = 20  # frequent values that are tried


def clopper_pearson(hits: Integers, trials: int, left_out: float = LEFT_OUT) -> tuple[Floats, Floats]:
    """Ends of the interval for a probability, from how often an event happened; each is wrong for half of ``left_out``."""
    some, missed = np.maximum(hits, 1), np.maximum(trials - hits, 1)
    low = special.betaincinv(some, trials - some + 1.0, left_out / 2)
    high = special.betaincinv(trials - missed + 1.0, missed, 1 - left_out / 2)
    return np.where(hits > 0, low, 0.0), np.where(hits < trials, high, 1.0)


@dataclass(frozen=True)
class Event:
    """Something that an answer may be."""

    look: str
    """Which way of looking, by name."""
    sign: str
    """``>=``, ``<=`` or ``=``."""
    line: float

    def happened(self, seen: Floats) -> int:
        """In how many answers, seen in its way."""
        if self.sign == "=":
            return int((seen == self.line).sum())
        return int((seen >= self.line).sum() if self.sign == ">=" else (seen <= self.line).sum())


@dataclass(frozen=True, eq=False)
class Finding:
    """What an audit found."""

    event: Event
    trials: int
    """In each world, after the choice."""
    likelier: str
    """The world in which the event is likelier: ``with`` or ``without`` the person."""
    hits: dict[str, int]
    low: dict[str, float]
    high: dict[str, float]
    epsilon: float
    """At least so large, with 95 % confidence; 0 if nothing was found."""
    seen: dict[str, Floats]
    """The answers in the way of the event, for a picture."""


def views(answers: Floats, stops: tuple[Fraction, Fraction], low: int | None) -> dict[str, Floats]:
    """The ways to look at answers of shape ``(n, numbers)``; ``low``: the smaller of two counts that are in question."""
    if answers.shape[1] == 2:
        coarse, fine = answers.T
        return {
            "answer at the coarser stop": coarse,
            "answer at the finer stop": fine,
            "count solved from both stops": two_stops.truth_from(coarse, stops[0], fine, stops[1]),
        }
    looks = {"answer": answers[:, 0]}
    if low is not None and bool((answers % 1 != 0).any()):
        looks["count that the last digits fit (-1: both)"] = last_digits.told(
            answers[:, 0], low, float(stops[1])
        ).astype(float)
    return looks


def audit(present: dict[str, Floats], absent: dict[str, Floats]) -> Finding:
    """Choose the most telling event, then bound epsilon by it; the same looks at answers with and without the person."""
    n = len(next(iter(present.values())))
    cut = int(n * _CHOOSING)
    worlds = {"with": present, "without": absent}
    event, likelier = _most_telling(
        {name: {look: seen[:cut] for look, seen in world.items()} for name, world in worlds.items()}, cut
    )
    seen = {name: world[event.look] for name, world in worlds.items()}
    hits = {name: event.happened(values[cut:]) for name, values in seen.items()}
    ends = {name: clopper_pearson(np.array(count), n - cut) for name, count in hits.items()}
    low, high = ({name: float(end[side]) for name, end in ends.items()} for side in (0, 1))
    p, q = low[likelier], high["without" if likelier == "with" else "with"]
    return Finding(event, n - cut, likelier, hits, low, high, log(p / q) if p > q else 0.0, seen)


def _most_telling(worlds: dict[str, dict[str, Floats]], trials: int) -> tuple[Event, str]:
    """The event whose bound is highest on the trials for choosing, and the world in which it is likelier."""
    present, absent = worlds["with"], worlds["without"]
    events = [event for look in present for event in _events(look, present[look], absent[look])]
    hits = np.array([[event.happened(world[event.look]) for event in events] for world in (present, absent)])
    low, high = clopper_pearson(hits, trials)
    ratios = low / high[::-1]
    world, place = np.unravel_index(np.argmax(ratios), ratios.shape)
    return events[int(place)], ("with", "without")[int(world)]


def _events(look: str, one: Floats, other: Floats) -> list[Event]:
    """What is worth trying: lines through both worlds, and the values that come most often."""
    values, often = np.unique(np.concatenate([one, other]), return_counts=True)
    lines = values[np.unique(np.linspace(0, len(values) - 1, _LINES).astype(int))]
    exact = values[np.argsort(-often, kind="stable")[:_VALUES]]
    return [
        *(Event(look, sign, float(line)) for line in lines for sign in (">=", "<=")),
        *(Event(look, "=", float(value)) for value in exact),
    ]
