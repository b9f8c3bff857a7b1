"""Six machines that all say "epsilon 1 for one person". One tells the truth; the others break it in one way each.

All answer about the same flow of the demo city, with everybody or with one person less. For each machine the auditor may
choose the person: the one whose absence shows most.

The audit of lesson 14 looks at answers on two neighbouring inputs, without looking into the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.lessons import broken
from dpcore.lessons.attacks import Finding, audit
from dpcore.lessons.attacks import looks as views
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import PERCENT, marked
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import number
from dpcore.views.ground.style import LINES

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


CLAIMED: Final = Fraction(1)
STOPS: Final = (Fraction(1, 2), Fraction(1))
"""Of a slider; its finest stop is what is claimed."""
FLOW: Final = ("D033", "D022")
"""A flow of few people. One of them travels often, and one travels for long: an auditor looks for such people."""


def ends_of_flow() -> tuple[str, str]:
    """What Explore calls the places of that flow."""
    start, end = (city().tile_name(city().tessellation.tile_ids.index(one)) for one in FLOW)
    return start, end


@dataclass(frozen=True, eq=False)
class People:
    """Those who travel on the flow."""

    trips: Integers
    """How many trips each of them makes there."""
    minutes: Floats
    """The longest trip of each of them there."""

    def without(self, who: int) -> People:
        """The same with one person less."""
        return People(np.delete(self.trips, who), np.delete(self.minutes, who))


@lru_cache(1)
def everybody() -> People:
    """The people of the flow, in the order of their names."""
    mine = city()
    start, end = (mine.tessellation.tile_ids.index(name) for name in FLOW)
    rows = np.flatnonzero((mine.start == start) & (mine.end == end))
    _, person, trips = np.unique(mine.person[rows], return_inverse=True, return_counts=True)
    minutes = np.zeros(len(trips))
    np.maximum.at(minutes, person, mine.minutes[rows])
    return People(trips, minutes)


@dataclass(frozen=True, eq=False)
class Machine:
    """A black box: people in, noisy answers out."""

    name: str
    asks: str
    """What it is asked, as its label says."""
    truth: str
    """What is wrong with it, or that nothing is."""
    lesson: str
    """File of the lesson that shows this; empty for none."""
    answers: Callable[[People, int, Dice], Floats]
    """So many answers, shape ``(n, numbers)``."""
    whose: Callable[[People], int]
    """The person whom the auditor takes away."""
    counts_people: bool = True
    """Whether the truth is the number of people, which an auditor knows."""

    @property
    def lies(self) -> bool:
        """Whether it protects less than it says."""
        return self is not HONEST


def _honest(people: People, n: int, dice: Dice) -> Floats:
    return (len(people.trips) + dice.ladder(STOPS, n)).T.astype(np.float64)


def _rescaled(people: People, n: int, dice: Dice) -> Floats:
    truth, noise = np.full(n, len(people.trips)), dice.floats.laplace(size=n)
    return np.stack([broken.rescaled(truth, noise, stop) for stop in STOPS], axis=1)


def _floats(people: People, n: int, dice: Dice) -> Floats:
    return broken.float_answers(len(people.trips), float(CLAIMED), n, dice)[:, None]


def _trips(people: People, n: int, dice: Dice) -> Floats:
    return broken.unbounded_totals(people.trips, CLAIMED, n, dice)[:, None].astype(np.float64)


def _minutes(people: People, n: int, dice: Dice) -> Floats:
    return broken.data_bounded_totals(people.minutes, CLAIMED, n, dice)[:, None].astype(np.float64)


def _median(people: People, n: int, dice: Dice) -> Floats:
    return broken.data_medians(people.minutes, float(CLAIMED), n, dice)[:, None]


def _anybody(_: People) -> int:
    return 0


def _who_travels_most(people: People) -> int:
    return int(np.argmax(people.trips))


def _who_travels_longest(people: People) -> int:
    return int(np.argmax(people.minutes))


def _who_is_in_the_middle(people: People) -> int:
    return int(np.argsort(people.minutes)[len(people.minutes) // 2])


HONEST: Final = Machine(
    "whole numbers from a ladder",
    "How many people go there? At two stops of a slider, ε 0.5 and 1.",
    "It keeps its word: the coarser stop is made of the finer one.",
    "",
    _honest,
    _anybody,
)
MACHINES: Final = (
    HONEST,
    Machine(
        "one noise, rescaled",
        "How many people go there? At two stops of a slider, ε 0.5 and 1.",
        "Two stops show the same noise at two sizes: two equations, two unknowns.",
        "02_the_slider_that_leaks",
        _rescaled,
        _anybody,
    ),
    Machine(
        "floating-point noise",
        "How many people go there?",
        "The last digits fit to one count only.",
        "10_tiny_bits",
        _floats,
        _anybody,
    ),
    Machine(
        "trips without a bound",
        "How many trips go there?",
        "The noise hides one trip, and somebody made several.",
        "03_whom_do_we_hide",
        _trips,
        _who_travels_most,
        counts_people=False,
    ),
    Machine(
        "a bound from the data",
        "How many minutes do they travel in all, one trip each?",
        "The noise is as wide as the longest trip in the data: without that trip, the noise is narrower.",
        "05_what_one_person_can_do",
        _minutes,
        _who_travels_longest,
        counts_people=False,
    ),
    Machine(
        "a median among the data",
        "How many minutes does the middle one of them travel?",
        "It can only answer with values that occur: each answer is somebody's value.",
        "08_median_without_looking",
        _median,
        _who_is_in_the_middle,
        counts_people=False,
    ),
)


def shuffled(dice: Dice) -> tuple[Machine, ...]:
    """The machines in a random order: behind the letters A to F."""
    return tuple(MACHINES[place] for place in dice.floats.permutation(len(MACHINES)))


def audited(machine: Machine, trials: int, dice: Dice) -> Finding:
    """Run a machine so often with everybody, so often with one person less, and bound its epsilon from below."""
    people = everybody()
    fewer = people.without(machine.whose(people))
    low = len(fewer.trips) if machine.counts_people else None
    present, absent = (views(machine.answers(world, trials, dice), STOPS, low) for world in (people, fewer))
    return audit(present, absent)


WITH: Final = "with the person"
WITHOUT: Final = "without"
_BINS: Final = 40


def worlds_chart(found: Finding) -> Chart:
    """How the answers are spread in both worlds, as shares of the trials; the line of the event dashed."""
    look = found.event.look
    spread = dict(zip((WITH, WITHOUT), _spread(found.seen["with"], found.seen["without"]), strict=True))
    table = pd.concat(
        [pd.DataFrame({"at": at, "share": share, "world": name}) for name, (at, share) in spread.items()]
    )

    def says(at: float, share: float) -> str:
        return f"{look} {number(at, 0 if at.is_integer() else 4)}:<br>{share:.3g} % of the trials"

    traces = [
        charts.dotted(line)
        for (name, (at, share)), color, dash in zip(spread.items(), LINES, ("solid", "5px,3px"), strict=False)
        for line in charts.lines(at, {name: 100 * share}, says, colors=[color], dashes=[dash])
    ]
    x = charts.axis(look, **charts.whole(float(np.ptp(table["at"]))))
    y = charts.axis("share of the trials", rangemode="tozero", **PERCENT)
    figure = marked(traces, x, y, found.event.line)
    alt = f"Two curves, with and without the person: {look}, as shares of the trials"
    return Chart(table, figure, alt)


def _spread(*worlds: Floats) -> list[tuple[Floats, Floats]]:
    """Where the answers of each world are, and which share of them: each value where there are few, else bins."""
    pooled = np.concatenate(worlds)
    low, high = np.quantile(pooled, [0.005, 0.995])
    values = np.unique(pooled[(pooled >= low) & (pooled <= high)])
    if len(values) <= _BINS:
        return [(values, (seen[:, None] == values).mean(axis=0)) for seen in worlds]
    edges = np.linspace(low, high, _BINS + 1)
    return [((edges[:-1] + edges[1:]) / 2, np.histogram(seen, edges)[0] / len(seen)) for seen in worlds]


def event_words(look: str, sign: str, line: float) -> str:
    """The event as a person says it.

    >>> event_words("answer", ">=", 12.0), event_words("answer", "=", 17.63333)
    ('the answer is 12 or more', 'the answer is exactly 17.6333')
    """
    edge = number(line, 0 if line.is_integer() else 4)
    said = {">=": f"{edge} or more", "<=": f"{edge} or less", "=": f"exactly {edge}"}
    return f"the {look} is {said[sign]}"


def interval_words(hits: int, trials: int, low: float, high: float) -> str:
    r"""How often something happened, and where its probability lies, to three digits.

    >>> interval_words(7, 700, 0.004, 0.02051)
    '7 of 700 trials: between 0.4\xa0% and 2.05\xa0%'
    """
    gap = "\N{NO-BREAK SPACE}"
    return f"{hits:,} of {trials:,} trials: between {100 * low:.3g}{gap}% and {100 * high:.3g}{gap}%"
