"""Three sliders over the same counts: fresh noise each time, one draw made larger and smaller, and the ladder."""

from __future__ import annotations

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
from dpcore.privacy import RUNGS
from dpcore.views.vega import GREY, NOISY, PERCENT, TRUE, WHOLE, Chart, Json, layer, quantity

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MEAN: Final[Json] = {"color": NOISY, "strokeWidth": 2.5, "tooltip": True}
_EXPECTED: Final[Json] = {"color": TRUE, "strokeDash": [5, 3], "tooltip": True}


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
    ``q = exp(-epsilon)``. A mean that lies just between two numbers is rounded to the even one: right every other time.

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
    table = pd.DataFrame({"one": at_one, "other": at_other})
    dots = layer(
        "circle",
        {"color": NOISY, "size": 34, "opacity": 0.55, "tooltip": True},
        x=quantity("one", f"noise at ε = {one}"),
        y=quantity("other", f"noise at ε = {other}"),
    )
    alt = f"Noise of every count at ε = {one} and at ε = {other}, one dot each"
    return Chart(table, {"height": 300, **dots}, alt)


def estimates_chart(answers: Integers, means: Floats, truth: int, counts: str) -> Chart:
    """Each answer as a dot, the mean so far as a line, the truth dashed; ``counts``: what is counted."""
    asked = np.arange(1, len(answers) + 1)
    table = pd.DataFrame({"question": asked, "answer": answers, "mean": means, "truth": truth})
    dots = {"opacity": 0.7, "color": GREY, "tooltip": True}
    layers = [
        layer("circle", dots, y=quantity("answer", counts, scale={"zero": False})),
        layer("line", _MEAN, y=quantity("mean")),
        layer("line", _EXPECTED, y=quantity("truth")),
    ]
    alt = "Answers as dots, their mean as a line that comes to the true number, which is dashed"
    return Chart(table, _by_question(len(answers), layers), alt)


def hits_chart(share: Floats, law: Floats) -> Chart:
    """Share of counts that the rounded mean hits after each question, and dashed what the law of the noise foretells."""
    table = pd.DataFrame({"question": np.arange(1, len(share) + 1), "share": share, "law": law})
    y = quantity("share", "hit exactly", axis=PERCENT, scale={"domain": [0, 1]})
    layers = [layer("line", _MEAN, y=y), layer("line", _EXPECTED, y={**y, "field": "law"})]
    alt = "Share of tiles hit exactly, rising with every question, beside the dashed expectation"
    return Chart(table, _by_question(len(share), layers), alt)


def _by_question(asked: int, layers: list[Json]) -> Json:
    """Layers over the questions asked, which are whole numbers."""
    ends = {"domain": [0 if asked > 1 else 0.5, asked if asked > 1 else 1.5], "nice": False}
    x = quantity("question", "questions asked", scale=ends, axis=WHOLE)
    return {"height": 240, "encoding": {"x": x}, "layer": layers}
