"""The outputs that floating-point noise can reach from two neighbouring counts, and what a single one gives away."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.lessons import attacks, broken
from dpcore.lessons.dice import Dice
from dpcore.views.charts import charts
from dpcore.views.ground.style import GREY, NOISY, VERMILION

Floats = NDArray[np.float64]


BOTH: Final = -1
"""Mark of an output that both counts can reach."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """Everything that can come out for the counts 0 and 1, rising."""

    values: Floats
    of: NDArray[np.int64]
    """0 or 1 for an output of one count only, ``BOTH`` for one that either can reach."""

    @property
    def telling(self) -> float:
        """Share of the outputs that give the count away."""
        return float(np.mean(self.of != BOTH))

    def onwards(self, start: float, most: int) -> Outputs:
        """The first outputs from a place on."""
        first = int(np.searchsorted(self.values, start))
        part = slice(first, first + most)
        return Outputs(self.values[part], self.of[part])


@lru_cache(16)
def reachable(bits: int, epsilon: float) -> Outputs:
    """All outputs, by making the noise of every fraction of so many binary digits and adding both counts."""
    fractions = np.arange(1, 2**bits) / 2**bits
    zero, one = (np.unique(count + broken.from_fraction(fractions, epsilon)) for count in (0, 1))
    values = np.union1d(zero, one)
    from_zero, from_one = np.isin(values, zero), np.isin(values, one)
    return Outputs(values, np.where(from_zero & from_one, BOTH, np.where(from_one, 1, 0)))


def whole_numbers(reach: int) -> Outputs:
    """The outputs of integer noise near zero: each of them comes from either count."""
    values = np.arange(-reach, reach + 1, dtype=np.float64)
    return Outputs(values, np.full(len(values), BOTH))


@dataclass(frozen=True)
class Answer:
    """One answer with all its digits, and what it gives away."""

    value: float
    secret: int
    told: int
    """The count that alone can have led to it, or ``BOTH``."""


@dataclass(frozen=True)
class Asked:
    """One answer, and how many of many more give their count away."""

    first: Answer
    asked: int
    betrayed: int
    """Answers that fit one of the two counts alone."""
    wrong: int
    """Answers for which the attacker names the wrong count. There is none: he names a count only if the other is impossible."""


def attacked_answers(low: int, epsilon: float, n: int, dice: Dice) -> Asked:
    """Ask ``n`` times for a count that is ``low`` or ``low + 1`` by a coin, with full precision, and attack each answer."""
    secret = low + (dice.floats.random(n) < 0.5).astype(np.int64)
    answers = secret + broken.float_answers(0, epsilon, n, dice)
    told = attacks.told_by_digits(answers, low, epsilon)
    first = Answer(float(answers[0]), int(secret[0]), int(told[0]))
    return Asked(first, n, int((told != BOTH).sum()), int(((told != BOTH) & (told != secret)).sum()))


_ONLY: Final = ("from 0 only", "from 1 only", "from both")
_ROWS: Final = ("count 0", "count 1")


def combs_chart(outputs: Outputs, chosen: int | None = None) -> charts.Chart:
    """The outputs as teeth in the row of each count that reaches them; ``chosen``: the place of a marked one."""
    table = pd.DataFrame(
        [
            {"output": value, "row": _ROWS[row], "reachable": _ONLY[mark], "digits": repr(float(value))}
            for value, mark in zip(outputs.values.tolist(), outputs.of.tolist(), strict=True)
            for row in ((0, 1) if mark == BOTH else (mark,))
        ]
    )
    traces = [
        charts.dots(
            part["output"],
            part["row"],
            [f"output {digits}<br>{only}" for digits in part["digits"]],
            name=only,
            symbol="line-ns",
            size=40,
            line={"color": color, "width": 2.5},
            color=color,
        )
        for only, color in zip(_ONLY, (NOISY, VERMILION, GREY), strict=True)
        for part in [table[table["reachable"] == only]]
    ]
    shapes = [] if chosen is None else [charts.upright(float(outputs.values[chosen]))]
    figure = charts.figure(
        traces, height=250, x=charts.axis("output"), y=charts.rows(_ROWS), legend=True, shapes=shapes
    )
    both = int((outputs.of == BOTH).sum())
    alt = f"{len(outputs.values)} outputs in two rows, one for each count; {both} of them stand in both rows"
    return charts.Chart(table, figure, alt)
