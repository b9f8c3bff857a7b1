"""Three sliders over the same counts: with fresh noise each time, with one draw rescaled, and with the ladder of this app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.lessons import broken
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import PERCENT
from dpcore.privacy import RUNGS
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import number
from dpcore.views.ground.style import GREY, TRUE, Json

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_EXPECTED: Final[Json] = {"color": TRUE, "dash": "5px,3px"}


@dataclass(frozen=True, eq=False)
class Slider:
    """What somebody sees who plays with a slider; the truth is public, as it is the demo city's."""

    truth: Integers
    """Counts, shape ``(counts,)``."""
    fresh: Integers
    """Answers to the same question, shape ``(asked, counts)``: each with noise of its own."""
    unit_noise: Floats
    """The one draw of the rescaling slider."""
    ladder: Integers
    """What the ladder shows at each of ``RUNGS``, shape ``(rungs, counts)``."""

    def rescaled(self, epsilon: Fraction) -> Floats:
        """What the rescaling slider shows at a stop."""
        return broken.rescaled(self.truth, self.unit_noise, epsilon)


def slider(truth: Integers, epsilon: Fraction, most: int, dice: Dice) -> Slider:
    """Draw all three; ``epsilon``: of each fresh answer, for counts that one unit changes by 1."""
    noise = dice.discrete_laplace(epsilon, most * len(truth)).reshape(most, len(truth))
    return Slider(
        truth, truth + noise, dice.floats.laplace(size=len(truth)), truth + dice.ladder(RUNGS, len(truth))
    )


@lru_cache(512)
def chance_of_exact(epsilon: Fraction, asked: int) -> float:
    """How often the rounded mean of so many fresh answers is the true count, from the exact law of their sum.

    The sum of n discrete Laplace draws has the characteristic function ``((1-q)**2 / (1 - 2 q cos w + q**2))**n``,
    ``q = exp(-epsilon)``. A mean halfway between two whole numbers is rounded to the even one, so it is right every other time.

    ``epsilon``: of each answer, for a count that one unit changes by 1; ``asked``: 1 or more.
    """
    q = exp(-float(epsilon))
    deviation = (2 * q * asked) ** 0.5 / (1 - q)
    length = 1 << ceil(14 * deviation + 60 / float(epsilon) + asked).bit_length()
    wave = np.cos(2 * np.pi * np.arange(length // 2 + 1) / length)
    law = np.fft.irfft(((1 - q) ** 2 / (1 - 2 * q * wave + q * q)) ** asked, length)
    nearest = (asked - 1) // 2  # sums of at most this size round to nothing
    right = law[0] + 2 * law[1 : nearest + 1].sum()
    return float(right + (law[asked // 2] if asked % 2 == 0 else 0))


@lru_cache(512)
def expected_hits(epsilon: Fraction, asked: int) -> Floats:
    """The chance of ``chance_of_exact`` after each of so many answers, shape ``(asked,)``."""
    return np.array([chance_of_exact(epsilon, number) for number in range(1, asked + 1)])


def against_chart(at_one: Floats, at_other: Floats, one: str, other: str) -> Chart:
    """One dot for each count: its noise at two stops, shape ``(counts,)`` each; ``one``, ``other``: their epsilons.

    A straight line gives the truth away, a cloud does not.
    """
    names = [f"noise at ε = {stop}" for stop in (one, other)]
    says = [
        f"a tile<br>{names[0]}: {number(first, 1)} starts<br>{names[1]}: {number(second, 1)} starts"
        for first, second in zip(at_one.tolist(), at_other.tolist(), strict=True)
    ]
    dots = charts.dots(at_one, at_other, says, size=6, opacity=0.55)
    figure = charts.figure([dots], height=340, x=charts.axis(names[0]), y=charts.axis(names[1]))
    alt = f"Noise of every count at ε = {one} and at ε = {other}, one dot each"
    return Chart(pd.DataFrame({"one": at_one, "other": at_other}), figure, alt)


def estimates_chart(answers: Integers, means: Floats, truth: int, counts: str) -> Chart:
    """Each answer as a dot, the mean so far as a line, the truth dashed; ``counts``: what is counted."""
    asked = np.arange(1, len(answers) + 1)
    table = pd.DataFrame({"question": asked, "answer": answers, "mean": means, "truth": truth})
    said = [f"answer {at}: {number(one)} {counts}" for at, one in enumerate(answers.tolist(), 1)]
    mean = [f"mean of {at} answers: {number(one, 1)} {counts}" for at, one in enumerate(means.tolist(), 1)]
    traces = [
        charts.dots(asked, answers, said, name="answers", color=GREY, size=6),
        charts.line(asked, means, mean, name="mean so far", width=2.5),
        charts.line(asked, table["truth"], f"truth: %{{y:,}} {counts}", name="truth", **_EXPECTED),
    ]
    alt = "Answers as dots, their mean as a line that comes to the true number, which is dashed"
    y = charts.axis(counts, **charts.whole(float(np.ptp([*answers, truth]))))
    return Chart(table, _by_question(traces, len(answers), y), alt)


def hits_chart(share: Floats, law: Floats) -> Chart:
    """Share of counts that the rounded mean hits after each question, and dashed the share that the law of the noise gives."""
    table = pd.DataFrame({"question": np.arange(1, len(share) + 1), "share": share, "law": law})
    says = "after question %{x}:<br>%{y:.0f} % of the tiles"
    traces = [
        charts.line(table["question"], 100 * share, f"{says} are hit exactly", name="hit", width=2.5),
        charts.line(table["question"], 100 * law, f"{says} are expected", name="expected", **_EXPECTED),
    ]
    y = charts.axis("hit exactly", range=[0, 100], **PERCENT)
    alt = "Share of tiles hit exactly, rising with every question, beside the dashed expectation"
    return Chart(table, _by_question(traces, len(share), y), alt)


def _by_question(traces: Sequence[Json], asked: int, y: Json) -> Json:
    """A figure over the questions asked, which are whole numbers."""
    x = charts.axis("questions asked", range=[0, 1.03 * max(asked, 2)], **charts.whole(asked))
    if asked == 1:  # a line through one point is not seen
        traces = [charts.dotted(trace) if "line" in trace else trace for trace in traces]
    return charts.figure(traces, height=290, x=x, y=y, legend=True)
