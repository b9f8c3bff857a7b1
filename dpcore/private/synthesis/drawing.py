"""Exact tables in, noisy tables out: the only way from private counts to synthetic trips, to histograms of keys, to trees.

All noise is exact and discrete (``dpcore.noise``). Nothing here knows where the counts come from.

*Tables of groups* get noise on every cell, occupied or not.

*Large counts of keys that nobody listed beforehand*: the keys that occur get noise, and small results are left out. Time
and memory grow with the keys that occur. An absent key only says that its noisy count was below the threshold. A listed key
says that it occurs, and delta pays for that (``dpcore.synthesis.stability.thresholds``).

*A tree of trajectories* grows with exact draws. After the charge two things cannot fail. Rates are whole numbers of units,
at least one (``TreePlan``), so noise can always be drawn. Empty children are drawn depth by depth, for all open nodes of one
rate at once, and ``false_positives`` refuses too many cells or too many visits of empty ones. A threshold leaves at most eta false
children of a node on average, so the public numbers of the plan bound cells and visits for each open node.
``must_be_growable`` bounds them for as many open nodes as a tree may keep (``limits.MAX_TREE_PLACES``), before anything is
charged. A tree keeps no more, whatever the data (``dpcore.private.trajectories.growth``), so its table always fits a bundle.

One failure depends on the data, so no public number excludes it: the trajectories themselves may fill the memory. They are
counted before the charge, and growing the tree needs about as much memory again. If that is missing, the run ends after the
charge and nothing is published. With more memory the same nonce continues it without a second charge.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures.measurement import Origin
from dpcore.noise.samplers import check_rungs, discrete_laplace, geometric
from dpcore.noise.sparse import MAX_FALSE_POSITIVES, false_positives, sparse_ladder, threshold_for
from dpcore.synthesis.stability.plan import StabilityPlan
from dpcore.synthesis.tree.plan import TreePlan
from dpcore.synthesis.tree.tree import NoiseSource
from dpcore.synthesis.workload import NoisyTables, SynthesisPlan

Counts = NDArray[np.int64]

EXACT_NOISE: Final = NoiseSource(discrete_laplace, false_positives, geometric)
"""Discrete Laplace noise of nodes, the empty children that pass, and their excess over the threshold. Integers only."""
_FALSE_KEYS: Final = Fraction(1)
"""Expected number of empty keys that a release over a public domain shows by chance."""
_ROUNDED: Final = Fraction(65, 64)
"""``false_positives`` rounds up the rate of its jumps by at most this factor, apart from ``2**-50`` for each cell."""


def must_be_drawable(plan: SynthesisPlan) -> None:
    """Refuse, before anything is charged, rates too long for the sampler. Raises PrivacyError."""
    _rates_must_be_drawable({group.name: plan.rho(group) for group in plan.groups})


def keys_must_be_drawable(plan: StabilityPlan) -> None:
    """Refuse, before anything is charged, rates too long for the sampler. Raises PrivacyError."""
    _rates_must_be_drawable({one.name: plan.rho(one) for one in plan.combinations})


def _rates_must_be_drawable(rates: Mapping[str, Fraction]) -> None:
    for name, rho in rates.items():
        try:
            check_rungs([rho])
        except ValueError:
            raise PrivacyError(
                "M and epsilon of this plan make numbers too long to draw exactly",
                name,
                "Choose an epsilon with fewer decimals.",
            ) from None


def noisy_tables(exact: Mapping[str, Counts], plan: SynthesisPlan, *, origin: Origin) -> NoisyTables:
    """New noisy tables of a plan. Together they cost its epsilon.

    Args:
        exact: counts by name of the group, in its shape, of trips that are bounded as the plan says.
        plan: shares of epsilon and the bound.
        origin: whether this is a draw for looking, which is thrown away, or one that was paid for.

    """
    values = {group.name: noised(exact[group.name], plan.rho(group)) for group in plan.groups}
    return NoisyTables(plan, values, origin)


def noised(counts: Counts, rho: Fraction) -> Counts:
    """Counts plus new noise of rate ``rho`` = epsilon over sensitivity on each cell; same shape."""
    noise: Counts = discrete_laplace(rho, counts.size).reshape(counts.shape)
    return counts + noise


def large_counts(keys: Counts, counts: Counts, rho: Fraction, threshold: int) -> tuple[Counts, Counts]:
    """The keys whose noisy count reaches the threshold, in their order, and those noisy counts.

    Args:
        keys: numbers of the keys that occur, strictly ascending in an order that depends on no count.
        counts: their exact counts, 1 or more.
        rho: rate of the noise, exact.
        threshold: see ``StabilityPlan.threshold``.

    Raises:
        ValueError: keys out of order, counts below 1, or a rate that cannot be drawn exactly.

    """
    check_rungs([rho])
    if keys.shape != counts.shape or bool((np.diff(keys) <= 0).any()) or bool((counts < 1).any()):
        raise ValueError("keys that occur must ascend, each with a count of 1 or more")
    noisy = counts + discrete_laplace(rho, len(counts))
    shown = noisy >= threshold
    return keys[shown], noisy[shown]


def large_counts_of_domain(
    cells: Counts, counts: Counts, size: int, rho: Fraction
) -> tuple[Counts, Counts, int]:
    """The same over a public list of all possible keys, with delta 0, because empty keys get noise as well.

    Args:
        cells: numbers of the occupied keys within the domain, ascending.
        counts: their exact counts.
        size: number of all possible keys.
        rho: rate of the noise, exact.

    Returns:
        The keys shown, their noisy counts, and the threshold at which one empty key is shown on average.

    """
    threshold = threshold_for(size, rho, _FALSE_KEYS)
    shown, values = sparse_ladder(cells, counts, size, [rho], threshold)
    return shown, values[-1], threshold


def most_visits(plan: TreePlan, nodes: int) -> Fraction:
    """The most visits of empty cells that ``false_positives`` expects below so many open nodes.

    A cell passes with ``p <= eta / locations``, and ``-log(1 - p) <= p (2 - p) / (2 (1 - p))``. That is ``p`` times a
    factor that rises with p, so the factor at ``eta / locations`` bounds it.
    """
    eta = plan.false_children
    visits = nodes * eta * (2 - eta) / (2 * (1 - eta)) * _ROUNDED
    return visits + Fraction(nodes * plan.locations, 2**50)


def must_be_growable(plan: TreePlan, nodes: int = limits.MAX_TREE_PLACES) -> None:
    """Refuse a plan whose draws could be refused with so many open nodes. PrivacyError, from public numbers alone."""
    if nodes * plan.locations > limits.MAX_SPARSE_CELLS or most_visits(plan, nodes) > MAX_FALSE_POSITIVES:
        raise PrivacyError(
            "a tree with so many places could not be drawn",
            f"{plan.locations:,} places",
            "Use fewer, larger tiles. Nothing was charged.",
        )
