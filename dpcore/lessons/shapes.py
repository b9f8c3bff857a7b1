"""Three shapes of noise at the same epsilon: their densities, what they let through, and when each is narrower.

One person adds 1 to each of ``k`` counts. Laplace and geometric noise pay for the sum of these changes, ``k``: each count
gets the rate ``epsilon / k``. Gaussian noise pays for their length, ``sqrt(k)``, and needs a delta. Its deviation is the
smallest that suffices (Balle and Wang, ICML 2018): for a change of length 1

    Phi(1 / (2 s) - epsilon s) - exp(epsilon) Phi(-1 / (2 s) - epsilon s) <= delta.

All of this is public arithmetic; nothing here draws.

A game: a coin puts one trip in or leaves it out, the answer is noised, and somebody guesses the coin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, sqrt
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from dpcore.lessons.attacks import says_in
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import PERCENT, marked
from dpcore.noise.accuracy import standard_deviation
from dpcore.views.charts import charts
from dpcore.views.ground.plain import number
from dpcore.views.ground.style import BLUE, GREY, NOISY, TRUE, Json

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


MOST_COUNTS: Final = 1_000
"""Where the search for the crossover ends."""
_HALVINGS: Final = 80  # of an interval of six orders of magnitude: down to the last digit


@dataclass(frozen=True, eq=False)
class Shape:
    """One shape of noise: how likely each answer is without the trip in question, and how strongly it speaks for the trip."""

    name: str
    answer: Floats
    """Answers less the count without the trip."""
    density: Floats
    """Without the trip: per unit, or for integers their chances."""
    log_ratio: Floats
    """Logarithm of how much likelier the answer is with the trip, which adds 1."""


@lru_cache(256)
def gaussian_deviation(epsilon: float, delta: float) -> float:
    """The smallest standard deviation of normal noise that gives (epsilon, delta) for a change of length 1."""
    low, high = 1e-3, 1e4
    for _ in range(_HALVINGS):
        middle = sqrt(low * high)
        lost = special.ndtr(0.5 / middle - epsilon * middle) - np.exp(
            epsilon + special.log_ndtr(-0.5 / middle - epsilon * middle)
        )
        low, high = (middle, high) if lost > delta else (low, middle)
    return float(high)


def passes(epsilon: float, delta: float) -> float:
    """The chance that a Gaussian answer speaks for the trip more strongly than epsilon, where the trip is there.

    Exact. The answer passes where ``(2 x - 1) / (2 s^2) > epsilon``. This is more than delta: delta
    bounds this chance minus ``exp(epsilon)`` times the chance without the trip.
    """
    deviation = gaussian_deviation(epsilon, delta)
    return float(special.ndtr(0.5 / deviation - epsilon * deviation))


def shapes(epsilon: float, delta: float, reach: float) -> tuple[Shape, Shape, Shape]:
    """Laplace, geometric and Gaussian noise of a count that one trip changes by 1, at answers from ``-reach`` to ``reach``."""
    fine = np.linspace(-reach, reach, 201)
    whole = np.arange(-int(reach), int(reach) + 1, dtype=np.float64)
    deviation, q = gaussian_deviation(epsilon, delta), exp(-epsilon)

    def log_ratio(answer: Floats) -> Floats:
        return epsilon * (np.abs(answer) - np.abs(answer - 1))

    bell = np.exp(-0.5 * (fine / deviation) ** 2) / (deviation * sqrt(2 * np.pi))
    return (
        Shape("Laplace", fine, epsilon / 2 * np.exp(-epsilon * np.abs(fine)), log_ratio(fine)),
        Shape("geometric", whole, (1 - q) / (1 + q) * q ** np.abs(whole), log_ratio(whole)),
        Shape("Gaussian", fine, bell, (2 * fine - 1) / (2 * deviation**2)),
    )


def reaches(epsilon: float, delta: float) -> tuple[float, float]:
    """How far out to look: where Laplace noise usually is, and where Gaussian noise has begun to tell more than epsilon."""
    passes = epsilon * gaussian_deviation(epsilon, delta) ** 2
    return float(ceil(max(4 / epsilon, 6))), float(ceil(max(4 / epsilon, 6, 1.3 * passes)))


def spreads(epsilon: Fraction, delta: float, counts: int) -> tuple[float, float, float]:
    """Standard deviations of the noise of each count, Laplace, geometric, Gaussian, if one person changes so many by 1."""
    return (
        sqrt(2) * counts / float(epsilon),
        standard_deviation(epsilon / counts),
        gaussian_deviation(float(epsilon), delta) * sqrt(counts),
    )


def crossover(epsilon: Fraction, delta: float) -> int | None:
    """The number of counts of one person from which Gaussian noise is narrower than geometric; None beyond ``MOST_COUNTS``."""
    for counts in range(1, MOST_COUNTS + 1):
        _, geometric, gaussian = spreads(epsilon, delta, counts)
        if gaussian < geometric:
            return counts
    return None


@dataclass(frozen=True, eq=False)
class Game:
    """Rounds of the game, all drawn beforehand."""

    without: int
    """The count without the trip in question: the attacker knows all other trips."""
    inside: Flags
    """What the coin said, shape ``(rounds,)``."""
    answers: Floats
    """What the machine answered."""

    @property
    def bot(self) -> Flags:
        """What the best attacker says."""
        return says_in(self.answers, self.without)

    def right(self, guesses: Flags, first: int = 0) -> int:
        """How many guesses are right, of those for the rounds from ``first`` on."""
        return int((guesses == self.inside[first : first + len(guesses)]).sum())


def game(shape: str, epsilon: Fraction, delta: float, dice: Dice, *, without: int, rounds: int) -> Game:
    """Toss the coins and noise the answers; ``shape``: geometric or Gaussian, for a count that the trip changes by 1."""
    inside = dice.floats.random(rounds) < 0.5
    if shape == "Gaussian":
        noise = dice.floats.normal(0, gaussian_deviation(float(epsilon), delta), rounds)
    else:
        noise = dice.discrete_laplace(epsilon, rounds).astype(np.float64)
    return Game(without, inside, without + inside + noise)


Curve = tuple[str, Floats, Floats]
"""Name, where, how high."""
BOUND: Final = "no attacker can"
_LOOKS: Final = {
    "Laplace": (GREY, "6px,3px"),
    "geometric": (NOISY, "solid"),
    "Gaussian": (BLUE, "2px,2px"),
    BOUND: (TRUE, "8px,4px"),
}
"""Colour and dashes of each shape, the same in all pictures."""
_NEAR: Final = 15  # beyond, dots of whole numbers would touch


def _table(curves: Sequence[Curve], x: str, y: str) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"noise": name, x: at, y: high}) for name, at, high in curves])


def _lines(curves: Sequence[Curve], says: str, times: int = 1) -> list[Json]:
    """The line of each curve, its heights drawn so many times as large."""
    return [
        line
        for name, at, high in curves
        for line in charts.lines(
            at.round(4),
            {name: (times * high).round(6)},
            says,
            colors=[_LOOKS[name][0]],
            dashes=[_LOOKS[name][1]],
        )
    ]


def _of_answers(
    curves: Sequence[Curve],
    says: str,
    numbers: Callable[[float], Sequence[str]],
    y: Json,
    ends: Sequence[Json] = (),
) -> Json:
    """A curve for each shape, its integers as dots; ``ends``: lines across the picture.

    ``says``: what a pointer reads below the answer; ``numbers`` of the height stand in it as ``customdata`` from 1 on. The
    words themselves are sent once for each curve, and not for each point.
    """
    size = 7 if float(curves[0][1][-1]) <= _NEAR else 4
    dots = {"mode": "markers", "marker": {"size": size, "color": _LOOKS["geometric"][0]}}
    drawn = [
        {
            **line,
            **(dots if name == "geometric" else {}),
            "customdata": [
                [_answer(x), *numbers(y)] for x, y in zip(at.tolist(), high.tolist(), strict=True)
            ],
        }
        for line, (name, at, high) in zip(
            _lines(curves, f"an answer %{{customdata[0]}} the count without the trip<br>{says}"),
            curves,
            strict=True,
        )
    ]
    x = charts.axis("answer less the count without the trip", **charts.WHOLE)
    return charts.figure(drawn, height=370, x=x, y=y, legend=True, shapes=ends)


def _answer(off: float) -> str:
    """How far an answer lies from the count without the trip."""
    if round(off, 2) == 0:
        return "equal to"
    return f"{abs(off):.3g} {'trip' if abs(off) == 1 else 'trips'} {'above' if off > 0 else 'below'}"


def densities_chart(made: Sequence[Shape]) -> charts.Chart:
    """How likely each answer is without the trip."""
    curves = [(one.name, one.answer, one.density) for one in made]
    y = charts.axis("how likely", rangemode="tozero")
    says = "about %{customdata[1]} % of the answers for each whole number"
    figure = _of_answers(curves, says, lambda chance: [f"{100 * chance:.2g}"], y)
    alt = "Laplace and geometric noise have a sharp peak at zero, Gaussian noise is a wide bell"
    return charts.Chart(_table(curves, "answer", "chance"), figure, alt)


def log_ratios_chart(made: Sequence[Shape], epsilon: float) -> charts.Chart:
    """What each answer tells: the logarithm of how much likelier it is with the trip; epsilon as dashed lines."""
    curves = [(one.name, one.answer, one.log_ratio) for one in made]
    y = charts.axis("speaks for the trip (log ratio)", range=[-2 * epsilon, 2 * epsilon])
    ends = [charts.level(end, color=TRUE, dash="8px,4px") for end in (epsilon, -epsilon)]
    alt = (
        "Laplace and geometric noise never tell more than epsilon, the line of Gaussian noise goes on and on"
    )
    says = "log ratio %{customdata[1]}: %{customdata[2]} times as likely with the trip as without"
    figure = _of_answers(curves, says, lambda ratio: [number(ratio, 2), f"{exp(ratio):.3g}"], y, ends)
    return charts.Chart(_table(curves, "answer", "told"), figure, alt)


def spreads_chart(counts: Sequence[int], geometric: Floats, gaussian: Floats, chosen: int) -> charts.Chart:
    """Standard deviation of the noise of each count, by how many counts one person changes."""
    at = np.array(counts, np.float64)
    curves = (("geometric", at, geometric), ("Gaussian", at, gaussian))
    x = charts.axis("counts that one person changes", **charts.WHOLE)
    y = charts.axis("standard deviation of the noise", rangemode="tozero")
    figure = marked(
        _lines(
            curves,
            "one person changes %{x} counts:<br>noise on each with a standard deviation of %{y:,.1f} trips",
        ),
        x,
        y,
        chosen,
    )
    alt = "Geometric noise grows with the number of counts, Gaussian noise with its square root; the lines cross"
    return charts.Chart(_table(curves, "counts", "deviation"), figure, alt)


def alarms_chart(curves: Sequence[Curve]) -> charts.Chart:
    """Right alarms by wrong ones, of each attacker; what no attacker can reach is shaded."""
    rising = [
        (name, wrong[order], right[order])
        for name, wrong, right in curves
        for order in [np.argsort(wrong, kind="stable")]
    ]
    bound = rising[-1]
    shade = charts.band(100 * bound[1], 100 * bound[2], np.full(len(bound[1]), 100), color=TRUE, opacity=0.15)
    chance = charts.line([0, 100], [0, 100], "a guess without looking", color=GREY, width=1)
    drawn = _lines(
        [(name, 100 * wrong, right) for name, wrong, right in rising],
        "right alarms: %{y:.1f} % of the times that the trip is in<br>wrong alarms: %{x:.1f} % of the times that it is out",
        100,
    )
    share = {"range": [0, 101], **PERCENT}
    figure = charts.figure(
        [*shade, {**chance, "showlegend": False}, *drawn],
        height=400,
        x=charts.axis("wrong alarms", **share),
        y=charts.axis("right alarms", **share),
        legend=True,
    )
    alt = (
        "Right alarms against wrong alarms: every attacker stays below the shaded region that epsilon forbids"
    )
    return charts.Chart(_table(curves, "wrong", "right"), figure, alt)
