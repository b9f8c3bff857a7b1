"""The rates of a tree: what each node may spend, exactly, from the levels on its path alone.

Theorems A and B of the package are about these few lines. Nothing here knows a count.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, log, log1p

from dpcore.trajectory_tree.plan import RATE_BITS, RECORD_SHARE, Strategy, TreePlan


@dataclass(frozen=True, slots=True)
class NodeBudget:
    """What a node spends and what it leaves to those below."""

    level: int
    """Highest level on the path."""
    rate: Fraction
    """e(v): the noise of the node is discrete Laplace of this rate; 0 at the root, which is not measured."""
    allowance: Fraction
    """r(v): what the path may spend from this node on, its end marker included; of the adaptive allocation."""
    spent: Fraction
    """Sum of rates from the root to here; of the record allocation."""


def root(plan: TreePlan) -> NodeBudget:
    """The unmeasured root."""
    return NodeBudget(1, Fraction(0), plan.budget(1), Fraction(0))


def location_child(plan: TreePlan, parent: NodeBudget, depth: int, level: int) -> NodeBudget:
    """The child at ``depth`` (1 to h) for a tile of the given level."""
    highest = max(parent.level, level)
    marker = plan.epsilon / plan.positions
    allowance, spent = parent.allowance, parent.spent
    if plan.strategy is Strategy.UNIFORM:
        rate = marker
    elif plan.strategy is Strategy.NON_ADAPTIVE:
        rate = plan.budget(highest) / plan.positions
    elif plan.strategy is Strategy.ADAPTIVE:
        # A trajectory that is cut before this tile gains a `$` one node above: that, too, is charged to this level.
        witness = marker if depth > 1 else 0
        allowance = min(parent.allowance - parent.rate, plan.budget(level) - witness)
        rate = (allowance - marker) / (plan.height - depth + 1)
    else:
        rate = RECORD_SHARE * plan.epsilon / plan.height
        spent = parent.spent + rate
    return NodeBudget(highest, rate, allowance, spent)


def marker_rate(plan: TreePlan, parent: NodeBudget, *, cut: bool) -> Fraction:
    """Rate of the end marker below a node: ``$``, or ``+`` where trajectories are cut."""
    if plan.strategy is not Strategy.RECORD:
        return plan.epsilon / plan.positions
    # What was cut off may have been Critical.
    return (plan.epsilon if cut else plan.budget(parent.level)) - parent.spent


def units(rate: Fraction) -> int:
    """A rate as it is drawn: in multiples of ``2**-16``, rounded down."""
    return (rate.numerator << RATE_BITS) // rate.denominator


def drawn(number: int) -> Fraction:
    """The rate of so many units."""
    return Fraction(number, 2**RATE_BITS)


def threshold(rate: Fraction, locations: int, false_children: Fraction) -> int:
    """The noisy count from which a tile is kept as a child.

    The smallest integer t, 1 or more, at which a node with ``locations`` empty candidates of this rate keeps at most
    ``false_children`` of them on average: ``locations * q**t / (1 + q)``, ``q = exp(-rate)``. It is public, and the
    guarantee holds at any threshold; too low a one lets false branches multiply.
    """
    e = float(rate)
    wanted = (log(locations) - log(false_children) - log1p(exp(-e))) / e
    return max(1, ceil(wanted))
