"""Whom noise hides: what each person of the demo city can lose when single trips are hidden, and when people are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor, log
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.lessons import attacks
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import PEOPLE
from dpcore.privacy import PrivacyUnit, posterior
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.style import NOISY, VERMILION, Json

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Promise:
    """What noise on the flows of the city promises."""

    unit: PrivacyUnit
    epsilon: Fraction
    """For each unit: a trip, or a person."""
    max_trips: int
    """M, the trips of each person that count where people are hidden; of no meaning where trips are."""

    @property
    def rate(self) -> Fraction:
        """Of the noise on each flow: epsilon over the trips that one unit adds."""
        return self.epsilon if self.unit is PrivacyUnit.TRIP else self.epsilon / self.max_trips

    def counted(self, trips: int) -> int:
        """How many of a person's trips count."""
        return trips if self.unit is PrivacyUnit.TRIP else min(trips, self.max_trips)

    def loss(self, trips: int) -> Fraction:
        """The epsilon of that person's presence, all their trips there or none: the rate times the trips that count.

        Where people are hidden it is epsilon at most, and less for a person with fewer than M trips.
        """
        return self.counted(trips) * self.rate

    def certainty(self, trips: int) -> float:
        """The most that a belief of one half about that person's presence can become."""
        return posterior(self.loss(trips), 1 / 2)

    def crosses_from(self, certainty: float) -> int | None:
        """The number of trips from which the certainty can be reached; None if too few trips count for that."""
        trips = max(1, floor(log(certainty / (1 - certainty)) / float(self.rate)) + 1)
        return trips if self.counted(trips) == trips else None


def people_with(trips: int) -> Integers:
    """Numbers of the people with so many trips."""
    return np.flatnonzero(city().trips_per_person == trips)


@lru_cache(64)
def journeys(person: int, most: int | None = None) -> tuple[int, ...]:
    """How often a person made each of their different journeys, most frequent first.

    ``most``: only so many of their trips, the first ones; None: all. What is kept depends on this person alone.
    """
    here, rows = city(), city().of(person)
    pairs = np.stack([here.start[rows], here.end[rows]])[:, :most]
    return tuple(sorted(np.unique(pairs, axis=1, return_counts=True)[1].tolist(), reverse=True))


def recognised(own: tuple[int, ...], rate: Fraction, tries: int, dice: Dice) -> float:
    """Share of right answers of the best attacker, who knows everything but whether the person is there.

    Each time a coin decides whether the person's trips are in the flows, and these are drawn anew.
    """
    mine = np.array(own, np.int64)
    there = dice.floats.random(tries) < 1 / 2
    noise = dice.discrete_laplace(rate, tries * len(mine)).reshape(tries, len(mine))
    odds = attacks.log_odds(noise + there[:, None] * mine, mine, float(rate))
    return float(np.mean((odds > 0) == there))


LAST: Final = 50
"""The last bar holds all who make so many trips or more."""


def people_chart(trips: Integers, crosses_from: int | None, chosen: int) -> Chart:
    """People by their number of trips; those who can be told with near certainty have a colour of their own.

    ``trips``: of each person, shape ``(people,)``; ``crosses_from``: the trips from which somebody can be told, None
    if nobody can; ``chosen``: the trips of one person.
    """
    counted = np.bincount(np.minimum(trips, LAST), minlength=LAST + 1)[1:]
    numbers = np.arange(1, LAST + 1)
    told = np.zeros(LAST, bool) if crosses_from is None else numbers >= min(crosses_from, LAST + 1)
    states = ["stays below 99 %", "can be told with 99 %"]
    table = pd.DataFrame({"trips": numbers, "people": counted, "state": np.where(told, states[1], states[0])})
    traces = [
        charts.bars(
            part["trips"], part["people"], f"%{{x}} trips: %{{y:,}} people, {state}", name=state, color=color
        )
        for state, color in zip(states, (NOISY, VERMILION), strict=True)
        for part in [table[table["state"] == state]]
    ]
    shapes = [_line(min(chosen, LAST), f"chosen: {chosen}", 0.92)]
    if crosses_from is not None and crosses_from <= LAST:
        shapes.append(_line(crosses_from - 0.5, f"99 % from {crosses_from}", 1))
    figure = charts.figure(
        traces,
        height=340,
        x=charts.axis(f"trips in four weeks ({LAST}: and more)", range=[0, LAST + 1], **charts.WHOLE),
        y=PEOPLE,
        legend=True,
        shapes=shapes,
        barmode="overlay",
        bargap=0.2,
    )
    alt = "People by their number of trips, and from where on they can be told"
    return Chart(table, figure, alt)


def _line(at: float, text: str, high: float) -> Json:
    """An upright line up to ``high``, a share of the picture, with its words beside its upper end."""
    words = {"text": text, "textposition": "end", "textangle": 0, "xanchor": "left", "yanchor": "top"}
    return {**charts.upright(at, dash="4px,3px"), "y1": high, "label": words}
