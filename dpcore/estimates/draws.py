"""Joint draws of estimates: what the true counts may be, a hundred times, so that every sum has a range of its own.

Each number is drawn from a law with the mean of its estimate and the ends of its likely range (a shifted log-normal law). What
ties the numbers of one draw together is a normal error with the parts that the ranges have (``all_trips``):

* *Noise.* Errors of the tiles of a group (about twenty neighbours) are alike as far as estimates draw tiles towards their
  neighbours. So the sum of a group is as uncertain as its tiles and what they took from each other leave it, and at most as
  uncertain as the sum of the drawn values. All tiles together are as uncertain as the total of all tables.
* *Share.* One draw of the share of trips that counts for all numbers. It does not average out in a sum.
* *Sample.* Apart for each number.
* *What scaling cannot repair.* Alike in a group. Neither it nor the sample changes the total, which was paid for.

*The same everywhere.* Chance enters as orders of the hundred draws, sorted by numbers that a hash makes of the seed. Over the draws
each part takes a hundred normal numbers that are as likely as each other (a Latin hypercube; McKay, Beckman and Conover 1979). So the
draws of one cell have its mean and its range whatever the order. The rest is arithmetic on estimates as files state them, rounded to
whole numbers: another computer may differ by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import shake_256
from statistics import NormalDist
from types import MappingProxyType
from typing import Final

import numpy as np

from dpcore import limits
from dpcore.estimates.all_trips import scaling_of_table
from dpcore.estimates.noisy import Integers, Numbers, drawn
from dpcore.estimates.places import Geography, geography
from dpcore.estimates.raking import summed
from dpcore.estimates.result import Estimated, Estimates, Ranged, Share
from dpcore.estimates.totals import totals
from dpcore.measures.choices import names_of_sums
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import ALIKE
from dpcore.tiles import Tessellation

MEASURES: Final = ("visits_per_tile", "od_districts")
"""The tables that are drawn."""
VISITS: Final = MEASURES[0]
DRAWS: Final = 100
MOST_CELLS: Final = 10_001
"""Of a table that is drawn: 10,000 tiles and the outside."""
METHOD: Final = 1
"""Raised whenever the same estimates would give other draws."""
_Z: Final = 1.96  # of a 95 % range
_TAKEN: Final = 0.5
"""Of what a tile takes from its neighbours so much may be wrong of all tiles of a group alike (as in ``visits``)."""
_LEAST: Final = 1e-9
_SKEWS: Final = np.linspace(0.01, 1.8, 400)
"""Spreads of the log-normal law. At larger ones its longer side hardly grows beside the shorter one."""
_LOG_RATIOS: Final = np.log(
    (np.exp(_Z * _SKEWS) - np.exp(_SKEWS**2 / 2)) / (np.exp(_SKEWS**2 / 2) - np.exp(-_Z * _SKEWS))
)
"""Logarithm of the longer side of a range over the shorter one, seen from the mean."""


def _even_normals() -> Numbers:
    """A normal number for each draw, in rising order, whose 2.5 and 97.5 % quantiles (linear in between) are 1.96."""
    numbers = np.array([NormalDist().inv_cdf((place + 0.5) / DRAWS) for place in range(DRAWS)])
    return numbers * (_Z / float(np.quantile(numbers, 0.975)))


_EVEN: Final = _even_normals()


class Chance:
    """Orders of the draws from a public seed, by a hash (SHAKE-256) whose output is the same everywhere. It hides nothing."""

    def __init__(self, seed: bytes) -> None:
        """``seed``: any bytes."""
        self._seed, self._asked = seed, 0
        self.of_share = self.normals(1)

    def normals(self, count: int) -> Numbers:
        """Normal numbers of shape (count, draws): each row holds the same ones in an order of its own."""
        self._asked += 1
        stream = shake_256(self._seed + self._asked.to_bytes(4, "big")).digest(8 * count * DRAWS)
        numbers = np.frombuffer(stream, "<u8").reshape(count, DRAWS)
        return _EVEN[np.argsort(numbers, axis=1, kind="stable")]


def drawable(plan: Plan, measurements: Mapping[str, Measurement]) -> tuple[str, ...]:
    """The tables of a plan that can be drawn: visits per tile and flows between districts, whole and of at most ``MOST_CELLS``."""
    if plan.choices.splits:
        return ()
    held = {name: measurements[name] for name in MEASURES if name in measurements}
    return tuple(name for name, one in held.items() if one.cells is None and one.keys.size <= MOST_CELLS)


def joint_draws(
    plan: Plan,
    measurements: Mapping[str, Measurement],
    tiles: Tessellation,
    estimates: Estimates,
    seed: bytes,
) -> Mapping[str, Integers]:
    """Joint draws of ``drawable`` tables by measure, each of shape (cells, draws). Equal input gives equal draws.

    Of all trips where the share that counts is known, else of those that count. ``estimates``: as a bundle states them, at any
    rung. ``seed``: public bytes.
    """
    chance, found = Chance(seed), {}
    for name in drawable(plan, measurements):
        table = estimates.tables[name]
        if name == VISITS:
            told = drawn(
                {one: held for one, held in measurements.items() if one not in names_of_sums(plan.choices)},
                estimates.rung,
            )
            ends_only = (plan.choices.visits_cap or 2) == 2
            whole = totals(told, ends_only=ends_only) if ends_only else None
            error, near = _errors_of_tiles(
                table.counted,
                told[name].variance,
                geography(tiles, plan.choices.districts),
                None if whole is None else 4 * whole.variance,
                chance,
            )
        else:
            error, near = (chance.normals(table.keys.size) for _ in range(2))
            error *= _spread(table.counted)[:, None]
        found[name] = _drawn(table, estimates.share, error, near, chance)
    return MappingProxyType(found)


def _errors_of_tiles(
    counted: Ranged, noise: float, geography: Geography, total: float | None, chance: Chance
) -> tuple[Numbers, Numbers]:
    """Errors of the visits of each tile and of the outside, and a normal number of the group of each; both of shape (cells, draws).

    ``noise``: variance of the noise of one drawn value; ``total``: variance of the sum of all, None if only the tiles tell it.
    """
    group = np.append(geography.group, geography.group.max() + 1)
    size = np.bincount(group)
    spread = _spread(counted)
    squares, sums = summed(spread**2, group), summed(spread, group)
    taken = summed((1 - np.clip(spread**2 / noise, 0.0, 1.0)) * counted.values, group)
    wanted = np.minimum(squares + (_TAKEN * taken) ** 2, np.maximum(size * noise, squares))
    alike = np.clip((wanted - squares) / np.maximum(sums**2 - squares, 1e-9), 0.0, 1.0)[group, None]
    own, near = chance.normals(len(group)), chance.normals(len(size))[group]
    error = spread[:, None] * (np.sqrt(1 - alike) * own + np.sqrt(alike) * near)
    if total is not None:
        each = spread**2 * (wanted / np.maximum(squares, 1e-9))[group]
        error = _with_sum(error, each, total**0.5 * chance.normals(1))
    return error, chance.normals(len(size))[group]


def _drawn(table: Estimated, share: Share | None, error: Numbers, near: Numbers, chance: Chance) -> Integers:
    """Draws from the errors of the trips that count.

    ``near``: normal numbers for what scaling cannot repair.
    """
    shown, spread, scaling = table.of(share is not None), _spread(table.counted), scaling_of_table(table.keys)
    if share is None or share.low == 1:
        return _shaped(shown, error / np.maximum(spread, _LEAST)[:, None])
    left = 1 - share.value
    of_share = shown.values * max(share.high - share.value, share.value - share.low) / (_Z * share.value)
    of_sample = (ALIKE / share.value + scaling.repeated) * shown.values * left
    of_people = (scaling.unlike * shown.values) ** 2 * left
    own = np.sqrt(of_sample)[:, None] * chance.normals(len(spread)) + np.sqrt(of_people)[:, None] * near
    own = _with_sum(own, of_sample + of_people, 0.0)
    variance = (spread / share.value) ** 2 + of_share**2 + of_sample + of_people
    whole = error / share.value + of_share[:, None] * chance.of_share + own
    return _shaped(shown, whole / np.sqrt(np.maximum(variance, _LEAST))[:, None])


def _with_sum(error: Numbers, variance: Numbers, sums: Numbers | float) -> Numbers:
    """Errors moved in proportion to their variance, so that those of each draw add up to a sum."""
    weight = variance / max(float(variance.sum()), 1e-9)
    moved: Numbers = error + weight[:, None] * (sums - error.sum(axis=0))
    return moved


def _spread(numbers: Ranged) -> Numbers:
    found: Numbers = (numbers.high - numbers.low) / (2 * _Z)
    return found


def _shaped(shown: Ranged, normal: Numbers) -> Integers:
    """Whole numbers with the mean and the ends of each range, from standard normal ones. None is negative."""
    down, up = (np.maximum(one, 1e-6) for one in (shown.values - shown.low, shown.high - shown.values))
    longer, shorter = np.maximum(up, down), np.minimum(up, down)
    skew = np.interp(np.log(longer / shorter), _LOG_RATIOS, _SKEWS)[:, None]
    sign = np.where(up >= down, 1.0, -1.0)[:, None]
    step = ((longer + shorter)[:, None] / 2) / np.sinh(_Z * skew)
    found = shown.values[:, None] + sign * step * (np.exp(sign * skew * normal) - np.exp(skew * skew / 2))
    whole: Integers = np.rint(np.clip(found, 0.0, limits.MAX_BUNDLE_VALUE)).astype(np.int64)
    return whole
