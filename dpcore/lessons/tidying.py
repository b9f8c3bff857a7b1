"""What tidying does to noisy numbers: cutting at zero, rounding, and making the totals of tables agree.

One trip is hidden. Flows: a trip changes one flow by 1, so their noise is geometric of rate epsilon, ``q = exp(-epsilon)``.
Setting negative counts to 0 lifts a flow of ``c`` trips by

    E max(-(c + V), 0) = q^(c + 1) / (1 - q^2)

on average, most an empty one: ``q / (1 - q^2)``. The errors of many flows cancel in a sum, but the lift of each adds up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore import demo
from dpcore.lessons.agreeing import TABLES, agreement
from dpcore.lessons.city import city, city_counts
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import line_table
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width, half_width_of_sum
from dpcore.privacy import ContributionBound, noise_rate
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import signed
from dpcore.views.ground.style import BLUE, TRUE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


STEPS: Final = (1, 5, 10, 50)
"""Rounding to multiples of these; 1: none."""


def lift(truth: Integers, epsilon: Fraction) -> Floats:
    """By how much cutting at zero raises each count on average."""
    q = exp(-float(epsilon))
    return np.asarray(q ** (truth + 1.0) / (1 - q * q))


def lift_of_empty(epsilon: Fraction) -> float:
    """By how much cutting at zero lifts an empty flow on average."""
    return float(lift(np.zeros(1, np.int64), epsilon)[0])


@lru_cache(32)
def lifts(epsilon: Fraction) -> Floats:
    """The lift of all flows from each district together, shape ``(districts,)``."""
    return np.asarray(lift(city().flows, epsilon).sum(axis=1))


def noised(epsilon: Fraction, dice: Dice) -> Integers:
    """Noisy flows, shape ``(districts, districts)``."""
    truth = city().flows
    return truth + dice.discrete_laplace(epsilon, truth.size).reshape(truth.shape)


def tidied(noisy: Integers, step: int, *, cut: bool) -> Integers:
    """Negative counts become 0 if ``cut``, then all are rounded to multiples of ``step``; halves go to the even one."""
    shown = np.maximum(noisy, 0) if cut else noisy
    return np.rint(shown / step).astype(np.int64) * step


@dataclass(frozen=True, eq=False)
class Effect:
    """What tidying did, on the demo city where it can be seen."""

    single: float
    """Mean distance of a single flow from the truth, in trips."""
    total: int
    """All flows together, less the truth."""
    empty: int
    """The trips that are claimed on empty flows."""
    running: Integers
    """Error of the sum over all flows from the first, the first two, ... districts, shape ``(districts,)``."""


def effect(shown: Integers) -> Effect:
    """How far shown flows are off."""
    truth = city().flows
    off = shown - truth
    return Effect(
        float(np.abs(off).mean()), int(off.sum()), int(shown[truth == 0].sum()), np.cumsum(off.sum(axis=1))
    )


@dataclass(frozen=True)
class Told:
    """How many trips a table says there are."""

    measure: str
    title: str
    cells: int
    drawn: float
    half_width: int
    """In 95 of 100 draws the truth is no further away."""
    agreed: float
    half_width_agreed: float
    saved: float
    """Share of the squared error of a single count that agreement saves."""


def noisy_tables(epsilon: Fraction, dice: Dice) -> dict[str, Measurement]:
    """The four tables with noise; each gets a quarter of epsilon."""
    choices = KeyChoices(demo.DEMO_PERIOD)
    bound, share = ContributionBound.per_trip(), Fraction(1, len(TABLES))
    found = {}
    for name in TABLES:
        measure = measure_named(name, choices)
        sensitivity = measure.sensitivity(bound)
        rho = noise_rate(share, epsilon, sensitivity)
        truth = city_counts(name)
        values = truth + dice.discrete_laplace(rho, len(truth))
        found[name] = Measurement(
            origin="preview",
            measure=name,
            counts=measure.counts,
            keys=measure.keys(city().tessellation.tile_ids),
            bound=bound,
            sensitivity=sensitivity,
            rungs=(epsilon,),
            share=share,
            half_widths=(half_width(rho),),
            values=values[None],
        )
    return found


def totals(measurements: dict[str, Measurement]) -> list[Told]:
    """What each table says about the number of trips, as drawn and after agreement."""
    agreed = agreement(measurements, KeyChoices(demo.DEMO_PERIOD))
    told = []
    for name, one in measurements.items():
        # starts and ends stand side by side in the hours: the ends are the second half
        part = slice(one.keys.size // 2, None) if name == "trips_per_hour" else slice(None)
        values = one.values[0][part]
        rho = one.rho(0)
        told.append(
            Told(
                name,
                measure_named(name).title,
                one.keys.size,
                float(values.sum()),
                half_width_of_sum(rho, len(values)),
                float(agreed.values[name][part].sum()),
                agreed.half_width,
                agreed.saved[name],
            )
        )
    return told


def running_chart(drawn: Integers | Floats, tidied: Integers | Floats, foretold: Floats) -> Chart:
    """Error of the sum over more and more districts: as drawn, tidied, and by the formula of cutting."""
    lines = {"as drawn": drawn, "tidied": tidied, "cut at zero, formula": foretold}
    at = range(1, len(drawn) + 1)
    figure = charts.figure(
        charts.lines(
            at, lines, lambda many, off: f"{many} districts added up:<br>off by {signed(off)} trips"
        ),
        height=360,
        x=charts.axis("districts added up", **charts.WHOLE),
        y=charts.axis("sum less truth (trips)", **charts.WHOLE),
        legend=True,
    )
    alt = "The error of the sum over more and more districts: as drawn, tidied, and by the formula of cutting alone"
    return Chart(line_table(at, lines, "districts", "off"), figure, alt)


def totals_chart(told: Sequence[Told], truth: int) -> Chart:
    """What each table says about one total, with its interval; a line where all agree, and the truth dashed."""
    table = pd.DataFrame(
        {
            "table": [row.title for row in told],
            "total": [row.drawn for row in told],
            "low": [row.drawn - row.half_width for row in told],
            "high": [row.drawn + row.half_width for row in told],
        }
    )
    says = [
        f"{row.title}<br>{charts.about(row.drawn, row.drawn - row.half_width, row.drawn + row.half_width, 'trips')}"
        for row in told
    ]
    dots = charts.dots(table["total"], table["table"], says, size=9)
    figure = charts.figure(
        [charts.intervals(dots, table["low"], table["high"], along="x")],
        height=260,
        x=charts.axis("trips in all", nticks=5, **charts.WHOLE),
        y=charts.rows([row.title for row in told]),
        shapes=[
            charts.upright(told[0].agreed, color=BLUE, dash="solid", width=2),
            charts.upright(truth, color=TRUE, dash="5px,3px", width=2),
        ],
    )
    alt = "Totals of the tables as dots with intervals; all agree at the upright line"
    return Chart(table, figure, alt)
