"""Frequent patterns and the prices of levels as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, exp
from typing import Final

from dpcore.privacy import ContributionBound, decimal_text
from dpcore.trajectory_tree.levels import Levels
from dpcore.trajectory_tree.patterns import Pattern, PatternComparison
from dpcore.trajectory_tree.plan import TreePlan
from dpcore.trajectory_tree.price import implied_losses, price_of_tree
from dpcore.views.plain import cell, number, sentence

Columns = dict[str, list[str]]

ODDS: Final = (
    "**Odds**: by how much any belief can change at most. Whoever thought 1 to 1 beforehand, and sees times 2.8, thinks 2.8 "
    "to 1 at most."
)
"""What the column of ``losses_table`` means (Markdown)."""
EXCLUSION: Final = (
    "**Exclusion attack.** Sharp counts of harmless places say who is *not* at a delicate one: if nine of ten people who "
    "left the station are seen in the park, hardly anybody went to the clinic. Every promise that protects some places "
    "less has this weakness. So the levels must come from what places are, never from data, and each low ε must be one "
    "that can be defended alone."
)


def patterns_table(
    found: Sequence[Pattern],
    tiles: Sequence[str],
    names: Mapping[str, str],
    true: Sequence[Pattern] | None = None,
) -> Columns:
    """The patterns of a tree with their number of trajectories, most frequent first.

    Args:
        found: of the tree.
        tiles: tile ids, by symbol.
        names: what people call a tile, by its id.
        true: the true ones (owner pages only): whether each is among them, and its true number.

    """
    table = {
        "rank": [str(rank) for rank in range(1, len(found) + 1)],
        "pattern": [cell(" > ".join(names.get(tiles[at], tiles[at]) for at in one.tiles)) for one in found],
        "about": [number(round(one.support)) for one in found],
    }
    if true is not None:
        really = {one.tiles: number(round(one.support)) for one in true}
        table["true"] = [really.get(one.tiles, "not among them") for one in found]
    return table


def patterns_text(comparison: PatternComparison) -> str:
    """How well two lists of patterns agree, in words (Markdown)."""
    both, wrong, missed = comparison.true_positives, comparison.false_positives, comparison.false_drops
    off = f" Their numbers are off by {100 * comparison.support_error:.1f} % on average." if both else ""
    return (
        f"**{both:,}** of {both + wrong:,} are truly among the most frequent (true positives), {wrong:,} are not (false "
        f"positives), {missed:,} are missing (false drops).{off}"
    )


def price_table(plan: TreePlan, bound: ContributionBound) -> Columns:
    """Each level from Critical down: its weight, what it may show, how many places have it; last the whole record."""
    levels, price = plan.levels, price_of_tree(plan, bound)
    order = range(levels.critical - 1, -1, -1)
    return {
        "level": [*(levels.descriptors[at].name for at in order), "the whole record"],
        "weight": [*(decimal_text(levels.descriptors[at].weight) for at in order), ""],
        "ε": [*(decimal_text(price.descriptors[at][1]) for at in order), decimal_text(price.record)],
        "odds": [*(odds(float(price.descriptors[at][1])) for at in order), odds(float(price.record))],
        "places": [*(number(int((levels.level == at + 1).sum())) for at in order), number(len(levels.tiles))],
    }


def places_table(levels: Levels, names: Mapping[str, str]) -> Columns:
    """Every place with its id, what people call it, and its level."""
    return {
        "id": [cell(tile) for tile in levels.tiles],
        "name": [cell(names.get(tile, tile)) for tile in levels.tiles],
        "level": [levels.descriptors[level - 1].name for level in levels.level.tolist()],
    }


def losses_table(plan: TreePlan, bound: ContributionBound) -> Columns:
    """What each change may show at most."""
    lines = implied_losses(plan, bound)
    return {
        "if": [sentence(line.change) for line in lines],
        "ε at most": [decimal_text(line.epsilon) for line in lines],
        "odds": [odds(float(line.epsilon)) for line in lines],
    }


def odds(epsilon: float) -> str:
    """By how much odds change at most, rounded up.

    >>> odds(1.0) == "\N{MULTIPLICATION SIGN} 2.8", odds(5.0) == "\N{MULTIPLICATION SIGN} 149"
    (True, True)
    """
    times = exp(epsilon)
    if times > 1e6:
        return "practically any"
    text = f"{ceil(times):,}" if times >= 10 else f"{ceil(10 * times) / 10:g}"
    return f"\N{MULTIPLICATION SIGN} {text}"
