"""Who is ahead of whom: the order of noisy counts, and how far it can be trusted.

"True" means the exact count of the trips that count. Under a bound on users this is not the count of all trips, and the
order over all trips may differ: ``counted_trips`` says so beside every chance.

Every cell of a measurement carries discrete Laplace noise V of the same rate, ``q = exp(-rho)``. A reader who thinks
every true count equally likely beforehand (a flat prior) believes, after seeing ``value``, that the true count is
``value - V``. Two cells are then ordered by the difference of two such noises, whose law is exact::

    P(V1 - V2 = s) = c**2 q**abs(s) (abs(s) + a),  c = (1 - q) / (1 + q),  a = (1 + q**2) / (1 - q**2)

The flat prior knows nothing about typical counts. Among many small cells, noise has raised the top of a ranking more often
than these chances say. All of this reads a measurement only and costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, expm1
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.estimates import Estimates
from dpcore.privacy import ContributionBound
from dpcore.release.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import chance_words, district_labels, plain
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.ground.style import NOISY
from dpcore.views.numbers.flows import DRAWN_FLOWS, PLACES, ends_of, known_first, ranked_cells

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


NONE_RANKED: Final = "Noise hides all of them."
"""What stands in place of an empty ranking."""
_ASSUMPTION: Final = (
    "The chances suppose that every true count was equally likely beforehand (a flat prior), and that noise is "
    "the only error. If most counts are small, the top deserves less trust: among many cells, noise has raised "
    "more of the first than it has lowered."
)


def counted_trips(bound: ContributionBound) -> str:
    """Which trips an order or a chance is about, in words."""
    if bound.max_trips is None:
        return "all trips"
    return f"the trips that count (at most {bound.max_trips:,} of each person)"


def speaks_of(bound: ContributionBound) -> str:
    """Which trips the chances are about, as a sentence or two."""
    about = f"The chances are about {counted_trips(bound)}."
    return about if bound.max_trips is None else f"{about} Over all trips the order may be another one."


def assumption(bound: ContributionBound) -> str:
    """What the chances are about and what they rest on, in words."""
    return f"{speaks_of(bound)} {_ASSUMPTION}"


TOP: Final = 10
_POINTS: Final = 400  # quantiles of one noise; a monotone function is integrated to within 1 / 800
_EXACT: Final = 200  # strongest rivals that are reckoned one by one; the many others together
_DECISIVE: Final = 0.975
_NEVER: Final = 1e-16  # chances below it change nothing


@dataclass(frozen=True)
class Place:
    """One cell of a ranking."""

    cell: int
    """Position among the listed cells of the measurement."""
    value: int
    """Noisy count."""
    before_next: float | None
    """Chance that it stands before the next one among the trips that count, a tie counted half; None for the last cell."""
    in_top: float
    """Chance that it is among the first ten among the trips that count, ties counted in."""


def chance_above(difference: Counts | int, rho: Fraction | float) -> Floats:
    """The chance that one true count is above another, given the difference of their noisy counts.

    A tie counts half, so that equal noisy counts give one half. ``rho``: rate of the noise of each of the two.
    """
    rate = float(rho)
    q = exp(-rate)
    share, left = expm1(-rate) / -(1 + q), -expm1(-rate)  # c, and 1 - q
    constant = (1 + q * q) / -expm1(-2 * rate)
    d = np.abs(np.asarray(difference, dtype=np.int64)).astype(float)
    with np.errstate(under="ignore"):
        power = np.exp(-rate * d)
        equal = share**2 * power * (d + constant)
        beyond = share**2 * power * q * ((d + 1 + constant) / left + q / left**2)  # P(S >= d + 1)
    above = 1 - beyond - equal / 2
    return np.asarray(np.where(np.asarray(difference) >= 0, above, 1 - above))


def ranked(shown: Shown, part: Counts, top: int = TOP) -> tuple[Place, ...]:
    """The first ``top`` of some drawn counts, largest first.

    ``part``: positions among the listed cells that take part, such as all tiles without ``outside``. Cells that are
    not listed (a sparse table) take no part.
    """
    values, rho = shown.numbers.values[part].astype(np.int64), shown.rate or Fraction(1)
    order = np.argsort(-values, kind="stable")[: top + 1]
    sure = chances_of_top(values, order[:top], rho, top)
    found = []
    for i, position in enumerate(order[:top]):
        value = int(values[position])
        follows = chance_above(value - int(values[order[i + 1]]), rho) if i + 1 < len(order) else None
        found.append(
            Place(int(part[position]), value, None if follows is None else float(follows), float(sure[i]))
        )
    return tuple(found)


def rank_range(values: Counts, position: int, rho: Fraction) -> tuple[int, int, int]:
    """The rank of a cell by its noisy count, and the best and worst rank that noise leaves open.

    A rival is decided if it stands before or behind with a chance of 97.5 % or more, taken one by one.
    """
    others = np.delete(values, position)
    chance = chance_above(others - values[position], rho)
    rank = 1 + int((others > values[position]).sum())
    best, worst = 1 + int((chance >= _DECISIVE).sum()), 1 + int((chance > 1 - _DECISIVE).sum())
    return rank, min(best, rank), max(worst, rank)


def chances_of_top(values: Counts, chosen: Counts, rho: Fraction, top: int) -> Floats:
    """The chance of each chosen cell that fewer than ``top`` others have a larger true count.

    Given its own true count, the number of larger rivals is a sum of independent yes and no. The strongest
    rivals enter one by one, the many others by a Poisson law with their sum (Le Cam 1960).
    """
    if len(values) <= top:
        return np.ones(len(chosen))
    rate = float(rho)
    strongest = np.argsort(-values, kind="stable")
    near, far = strongest[:_EXACT], values[strongest[_EXACT:]]
    truths = values[chosen][:, None] - _noise_quantiles(rate)
    expected = expected_larger(far, truths, rate)
    sure = []
    for own, truth, mean in zip(chosen, truths, expected, strict=True):
        itself = 0.0 if own in near else _larger(values[own] - truth, rate)
        ahead = values[near[near != own]][:, None] - truth
        sure.append(_chance(_larger(ahead, rate), np.maximum(mean - itself, 0), top))
    return np.array(sure)


def _chance(larger: Floats, expected: Floats, top: int) -> float:
    """The chance that fewer than ``top`` rivals are larger, its mean over some true counts (the last axis).

    ``larger``: the chance of each near rival, one row each; ``expected``: how many of the others.
    """
    law = np.zeros((top, len(expected)))  # law[k]: chance of k larger rivals so far, for each true count
    with np.errstate(under="ignore"):
        law[0] = np.exp(-expected)
        for k in range(1, top):
            law[k] = law[k - 1] * expected / k
        for one in larger[larger.max(axis=1) > _NEVER]:
            law[1:] += (law[:-1] - law[1:]) * one
            law[0] *= 1 - one
    return float(np.clip(law.sum(axis=0), 0, 1).mean())


def expected_larger(rivals: Counts, truth: Counts, rate: float) -> Floats:
    """How many rivals are expected to have a larger true count than each one, given their noisy counts.

    The sum of ``P(V < rival - truth)``. Its two exponential sides are summed up once along the different values of the
    rivals, so that it takes no longer for many true counts.
    """
    if not len(rivals):
        return np.zeros(truth.shape)
    kinds, many = np.unique(rivals, return_counts=True)
    q = exp(-rate)
    with np.errstate(under="ignore"):
        steps = np.exp(-rate * np.diff(kinds).astype(float))
        below = _decaying_sums(many, steps)  # of n q**(kind - k), over all k up to each kind
        above = _decaying_sums(many[::-1], steps[::-1])[::-1]
        place = np.searchsorted(kinds, truth, side="right")  # so many kinds are not above
        left, right = np.maximum(place - 1, 0), np.minimum(place, len(kinds) - 1)
        from_below = np.where(place > 0, below[left] * np.exp(-rate * np.abs(truth - kinds[left])), 0.0)
        from_above = np.where(
            place < len(kinds), above[right] * np.exp(-rate * np.abs(kinds[right] - truth)), 0.0
        )
    beyond = np.concatenate([np.cumsum(many[::-1])[::-1], [0]])[place]
    return np.asarray(beyond + (q * from_below - from_above) / (1 + q))


def _decaying_sums(many: Counts, steps: Floats) -> Floats:
    """Running sums in which all that came before shrinks with each step."""
    sums = [float(many[0])]
    for n, step in zip(many[1:].tolist(), steps.tolist(), strict=True):
        sums.append(sums[-1] * step + n)
    return np.array(sums)


def _larger(ahead: Counts, rate: float) -> Floats:
    """P(V < ahead): the chance that a rival whose noisy count is ahead of a true count has a larger true count."""
    q = exp(-rate)
    with np.errstate(under="ignore"):
        tail = np.exp(-rate * np.abs(ahead).astype(float)) / (
            1 + q
        )  # P(V >= abs(ahead)) = P(V <= -abs(ahead))
    return np.asarray(np.where(ahead > 0, 1 - tail, tail * q))


def _noise_quantiles(rate: float, points: int = _POINTS) -> Counts:
    """Integers that stand for the noise of one cell with equal weight: its quantiles at the middles."""
    upper = (np.arange((points + 1) // 2) + 0.5) / points  # tail chances up to one half
    far = noise_tail(upper, rate)
    both = np.concatenate([-far, far[: points // 2][::-1]])
    return np.sort(both)


def noise_tail(chance: Floats, rate: float) -> Counts:
    """The smallest t of 0 or more with ``P(V > t) <= chance``, for chances of at most one half."""
    # P(V > t) = q**(t + 1) / (1 + q)
    wanted = -(np.log(chance) + np.log1p(exp(-rate))) / rate - 1
    return np.asarray(np.maximum(0, np.ceil(wanted - 1e-9)), dtype=np.int64)


LONGEST: Final = 26
"""Characters of a name in a picture; the table has all of it."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The first of a table, largest first. Names are untrusted text."""

    names: tuple[str, ...]
    shown: Shown
    """The number of each."""
    limits: tuple[int, int]
    """Range of the axis. It holds every range, of drawn counts those at the highest rung too."""
    beside: Mapping[str, Sequence[str]]
    """More columns: how far the order of drawn counts can be trusted, or the released counts of estimates."""
    said: str
    """Of flows, how many of the first are known and what the others are; else empty."""


def ranking_of(shown: Shown, tiles: Tessellation) -> Ranking:
    """Listed cells of a measure over places, or between two different ones; what lies outside takes no part.

    Of flows what is known stands first, as in every list of them (``flows``).
    """
    part, of_flows = ranked_cells(shown.keys, shown.cells), "origin" in shown.keys.columns
    if shown.rate is None:
        first = (shown.first if of_flows else shown.largest)(part, TOP)
        listed = shown.at(first)
        beside = {} if shown.released is None else {"released count": shown.released.exact(listed.cells)}
    else:
        places = ranked(shown, part)
        first = np.array([place.cell for place in places], np.int64)
        listed, beside = shown.at(first), _trust(places)
    top = shown.limits(first if shown.rate is None else part)[1]  # drawn counts keep their axis at all rungs
    said = known_first(listed.known, drawn=listed.is_drawn) if of_flows else ""
    return Ranking(_names(listed, tiles), listed, (0, top), beside, said)


def first_of(release: Release, measure: str, rung: int, estimates: Estimates | None = None) -> Ranking:
    """The first tiles or flows of a release by their estimates, or by what was drawn where none are given."""
    return ranking_of(shown_of(release.measurements, measure, rung, estimates), release.tessellation)


def _trust(places: tuple[Place, ...]) -> dict[str, tuple[str, ...]]:
    """How far an order can be trusted, as columns."""
    ahead = ("" if one.before_next is None else chance_words(one.before_next) for one in places)
    return {
        "ahead of the next": tuple(ahead),
        f"in the top {TOP}": tuple(chance_words(one.in_top) for one in places),
    }


def strongest_between(shown: Shown, most: int = DRAWN_FLOWS) -> Counts:
    """Positions of the first flows between two different places, by cell: the order of every list (``Shown.first``) says which.

    Of drawn counts those of the highest rung, at every rung. Between tiles all are above 0; of districts, which are few, the
    smallest may be less.
    """
    by, part = shown.finest or shown.numbers, ranked_cells(shown.keys, shown.cells)
    part = part[(by.values[part] > 0) | (shown.measure == "od_districts")]
    return np.sort(replace(shown, numbers=by).first(part, most))


def _names(shown: Shown, tiles: Tessellation) -> tuple[str, ...]:
    """What people call each cell of a measure over places: its places, then its other keys."""
    labels, ends = shown.keys.labels(shown.cells), ends_of(shown.keys, shown.cells)
    called: Sequence[str] = tiles.called
    if shown.measure == "od_districts":
        called = [*district_labels(tiles, shown.keys.axes[0]).values()]
    others = [labels[axis.column] for axis in shown.keys.axes if axis.column not in PLACES]
    return tuple(
        ", ".join(
            [
                " \N{RIGHTWARDS ARROW} ".join(called[end[number]] for end, _ in ends),
                *(column[number] for column in others),
            ]
        )
        for number in range(len(shown.cells))
    )


def ranking_chart(ranking: Ranking, mark: str = "") -> Chart:
    """A dot with its range for each; ranges that overlap leave the order open. A range that is not known is not drawn.

    ``mark``: stands in the picture, for previews.
    """
    shown, ranks = ranking.shown, range(1, len(ranking.names) + 1)
    table = pd.DataFrame(
        {
            "at": [
                f"{i}. {charts.short(name, LONGEST)}" for i, name in zip(ranks, ranking.names, strict=True)
            ],
            **dict(zip(("noisy", "low", "high"), shown.numbers.columns, strict=True)),
        }
    )
    table = table.assign(
        drawn=table["noisy"].clip(lower=0), bottom=table["low"].clip(lower=0), top=table["high"].clip(lower=0)
    )
    says = [
        f"{i}. {charts.text_of(name)}<br>{shown.pointed(i - 1)}"
        for i, name in zip(ranks, ranking.names, strict=True)
    ]
    dots = charts.dots(table["drawn"], np.arange(len(table)), says, size=9)
    # ends higher than a dot, so that a range narrower than its dot is seen as well
    thick = {"color": charts.faded(NOISY, 0.45), "thickness": 3, "width": 6}
    figure = charts.figure(
        [charts.intervals(dots, table["bottom"], table["top"], along="x", **thick)],
        height=390,
        x=charts.axis(shown.axis, range=[*ranking.limits], **charts.WHOLE),
        y=charts.named_places([*table["at"]], LONGEST + 4),
        mark=mark,
    )
    alt = f"The first {len(table)} by {shown.in_words}"
    return Chart(table, figure, alt, charts.file_name("first by", shown.axis))


def ranking_table(ranking: Ranking) -> dict[str, Sequence[str]]:
    """The first ten with their ranges, and what stands beside them, as columns; Markdown, in which names are escaped."""
    ranks = range(1, len(ranking.names) + 1)
    return {
        "rank": [str(i) for i in ranks],
        "name": [plain(name) for name in ranking.names],
        ranking.shown.head: [ranking.shown.words(i - 1) for i in ranks],
        **ranking.beside,
    }
