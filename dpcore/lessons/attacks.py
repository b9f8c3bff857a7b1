"""What an attacker does with what was released: short functions, so that a lesson can show them as they are.

The last attacker is an auditor, who sees nothing but answers: how large must epsilon be at least to explain how often they came?

**Events.** An answer is looked at in a few ways (``looks``): each number as it is, two stops solved for the count, the last
digits. An event says that such a look is c or more, c or less, or exactly c. Which event tells most is chosen on 30 % of
the trials.

**Bound.** On the other 70 %, which know nothing of the choice, the event happened ``k`` and ``m`` times in the two worlds.
Clopper and Pearson (1934) give an interval for each probability that holds in 95 of 100 audits or more, 2.5 % for each
end. If ``p >= low`` and ``q <= high``, then epsilon is ``log(low / high)`` or more; both hold in 95 of 100 audits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.lessons.broken import BITS, from_fraction

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


# Two tables that differ by a little: subtract one from the other.


def readable(first: Integers, second: Integers) -> Flags:
    """Where both tables show a number, so that they can be subtracted; what is hidden is negative."""
    return np.asarray((first >= 0) & (second >= 0))


def extra(first: Integers, second: Integers) -> Integers:
    """What the second table holds beyond the first, count by count."""
    return np.asarray(second - first)


def says_there(difference: Integers, others: int) -> Flags:
    """The attacker's verdict on one trip, from a difference and the number of trips of everybody else in it."""
    return np.asarray(difference - others >= 1)


# Ask the same question again and again, and take the mean.


def mean_so_far(answers: Integers) -> Floats:
    """The attacker's estimate after each answer, shape as ``answers`` along its first axis."""
    asked = np.arange(1, len(answers) + 1).reshape(-1, *[1] * (answers.ndim - 1))
    return np.asarray(np.cumsum(answers, axis=0) / asked)


def hits_so_far(answers: Integers, truth: Integers) -> Floats:
    """Share of counts that the rounded mean hits exactly after each answer; ``answers`` has shape ``(asked, counts)``."""
    return np.asarray(np.mean(np.rint(mean_so_far(answers)) == truth, axis=1))


# Two stops of a slider that rescales its noise: two equations, two unknowns.


def truth_from(one: Floats, at_one: Fraction, other: Floats, at_other: Fraction) -> Floats:
    """The counts, from what two stops showed: shown = count + noise / epsilon, twice, with the same noise."""
    low, high = float(at_one), float(at_other)
    return np.rint((high * other - low * one) / (high - low))


# Look at every stop of the ladder, and combine them in the best way there is.


def weighted_mean(shown: Integers, epsilons: Sequence[Fraction]) -> Floats:
    """Every stop weighted by its precision, as if each had noise of its own; ``shown`` has shape ``(stops, counts)``."""
    weight = np.array([float(epsilon) ** 2 for epsilon in epsilons])
    return np.asarray(weight @ shown / weight.sum())


def finest_alone(shown: Integers) -> Integers:
    """The last stop, and nothing else: the lower ones are made of it, so nothing can do better."""
    return np.asarray(shown[-1])


# Was this person there? Weigh what was shown under both stories; nobody can weigh better.


def log_odds(noise_if_away: Integers, own: Integers, rate: float) -> Floats:
    """By how much the odds of *there* against *away* move, as a logarithm, where all other trips are known.

    ``noise_if_away``: what was shown less the trips of all others, shape ``(tries, counts)``; ``own``: the person's
    trips in each count. Noise of a rate makes every count likely as ``exp(-rate * abs(noise))``.
    """
    return np.asarray(rate * (np.abs(noise_if_away) - np.abs(noise_if_away - own)).sum(axis=1))


# A trip that sharp counts do not show went elsewhere: harmless counts tell a delicate one.


def what_is_left(all_who_left: int, elsewhere: Integers) -> int:
    """How many went to the one place that is not listed, where all who left are known to have gone somewhere."""
    return all_who_left - int(elsewhere.sum())


def log_odds_of_place(clinic: Integers, square: Integers, at_clinic: float, at_square: float) -> Floats:
    """By how much the odds of *to the clinic* against *to the square* move, as a logarithm, for one trip.

    ``clinic`` and ``square``: noisy counts less all other trips there, shape ``(tries,)``; whoever made the one trip adds
    1 to one of them. ``at_clinic`` and ``at_square``: rates of their noise.
    """
    seen = np.where(clinic >= 1, at_clinic, -at_clinic)
    missed = np.where(square >= 1, -at_square, at_square)
    return np.asarray(seen + missed)


# Is the trip in the data? The best attack, how well it does, and the wedge that it can never leave.


def says_in(answers: Floats, without: int) -> NDArray[np.bool_]:
    """Whether each answer is likelier with the trip: one that lies nearer to the count with it, whatever the noise."""
    return answers > without + 0.5


def wedge(wrong: Floats, epsilon: float, delta: float) -> Floats:
    """The most alarms that can be right, by the share that is wrong: no attacker on (epsilon, delta) does better."""
    steep, flat = exp(epsilon) * wrong + delta, 1 - exp(-epsilon) * (1 - delta - wrong)
    return np.clip(np.minimum(steep, flat), 0, 1)


def best_accuracy(epsilon: float, delta: float) -> float:
    """How often the best guess of a fair coin can be right at most: the top of the wedge above the diagonal."""
    return (exp(epsilon) + delta) / (1 + exp(epsilon))


def through_geometric(epsilon: float, counts: int) -> tuple[Floats, Floats]:
    """False and true alarms of the best attack on ``counts`` counts with geometric noise of rate epsilon / counts.

    Each count tells one bit: whether its answer is above the count without the person. The best attack adds them up.
    """
    q = exp(-epsilon / counts)
    chances = np.array([[q / (1 + q)], [1 / (1 + q)]])
    alarms = special.bdtrc(np.arange(counts - 1, -1, -1), counts, chances)  # more bits than so many say "in"
    wrong, right = np.pad(alarms, ((0, 0), (1, 1)), constant_values=(0, 1))
    return wrong, right


def through_gaussian(deviation: float, counts: int) -> tuple[Floats, Floats]:
    """False and true alarms of the best attack on ``counts`` counts with normal noise; ``deviation``: of each."""
    line = np.linspace(-6, 6, 241)
    return special.ndtr(-line), special.ndtr(sqrt(counts) / deviation - line)


# Whose value is this? Look a published number up in what somebody knows.


def whose(answer: float, known: Floats) -> NDArray[np.int64]:
    """Places of the values that are exactly what was published; one place: it is that person's secret."""
    return np.flatnonzero(known == answer)


_NEAR = 4  # fractions to either side of the inverse, whose rounding may miss by some


# Which counts can have led to a floating-point answer: look for a random fraction that gives it, to the last digit.


def fits(answers: Floats, count: int, epsilon: float) -> NDArray[np.bool_]:
    """Whether each answer can come out if the count is this: turn the formula round, then try the fractions nearby."""
    noise = answers - count
    fraction = 0.5 - np.sign(noise) * np.expm1(-epsilon * np.abs(noise)) / 2
    found = np.zeros(len(answers), bool)
    for step in range(-_NEAR, _NEAR + 1):
        tried = (np.rint(fraction * 2.0**BITS) + step) / 2.0**BITS
        inside = (tried > 0) & (tried < 1)
        found |= inside & (count + from_fraction(np.where(inside, tried, 0.5), epsilon) == answers)
    return found


def told_by_digits(answers: Floats, low: int, epsilon: float) -> NDArray[np.int64]:
    """What each answer gives away: ``low`` or ``low + 1`` if it fits to that count alone, else -1."""
    one, other = fits(answers, low, epsilon), fits(answers, low + 1, epsilon)
    return np.where(one & ~other, low, np.where(other & ~one, low + 1, -1))


LEFT_OUT: Final = 0.05
"""Share of audits in which a bound may be too high."""
_CHOOSING: Final = 0.3  # of the trials
_LINES: Final = 60  # thresholds that are tried
_VALUES: Final = 20  # frequent values that are tried


# The auditor.


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


def looks(answers: Floats, stops: tuple[Fraction, Fraction], low: int | None) -> dict[str, Floats]:
    """The ways to look at answers of shape ``(n, numbers)``; ``low``: the smaller of two counts that are in question."""
    if answers.shape[1] == 2:
        coarse, fine = answers.T
        return {
            "answer at the coarser stop": coarse,
            "answer at the finer stop": fine,
            "count solved from both stops": truth_from(coarse, stops[0], fine, stops[1]),
        }
    looks = {"answer": answers[:, 0]}
    if low is not None and bool((answers % 1 != 0).any()):
        looks["count that the last digits fit (\N{MINUS SIGN}1: both)"] = told_by_digits(
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
