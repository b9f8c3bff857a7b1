"""Frequent patterns and the prices of levels as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, exp, log
from typing import Final

from dpcore.privacy import ContributionBound, decimal_text
from dpcore.trajectory_tree.levels import Levels
from dpcore.trajectory_tree.patterns import Pattern, PatternComparison
from dpcore.trajectory_tree.plan import TreePlan
from dpcore.trajectory_tree.price import epsilon_text, implied_losses, price_of_tree
from dpcore.views.plain import cell, number, sentence

Columns = dict[str, list[str]]

NO_PLACE: Final = "none"
ODDS: Final = (
    "**Odds**: by how much any belief can change at most. Whoever thought 1 to 1 beforehand, and sees times 2.8, thinks 2.8 "
    "to 1 at most."
)
"""What the column of ``losses_table`` means (Markdown)."""


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
        "pattern": [cell(_shown(one, tiles, names)) for one in found],
        "about": [number(round(one.support)) for one in found],
    }
    if true is not None:
        really = {one.tiles: number(round(one.support)) for one in true}
        table["true"] = [really.get(one.tiles, "not among them") for one in found]
    return table


def missing_table(
    true: Sequence[Pattern], found: Sequence[Pattern], tiles: Sequence[str], names: Mapping[str, str]
) -> Columns:
    """The truly frequent patterns that a tree does not list, each with its true rank and number (owner pages only)."""
    listed = {one.tiles for one in found}
    missed = [(rank, one) for rank, one in enumerate(true, 1) if one.tiles not in listed]
    return {
        "true rank": [str(rank) for rank, _ in missed],
        "pattern": [cell(_shown(one, tiles, names)) for _, one in missed],
        "true": [number(round(one.support)) for _, one in missed],
    }


def _shown(pattern: Pattern, tiles: Sequence[str], names: Mapping[str, str]) -> str:
    return " > ".join(names.get(tiles[at], tiles[at]) for at in pattern.tiles)


def patterns_text(comparison: PatternComparison) -> str:
    """How well two lists of patterns agree, in words (Markdown)."""
    both, wrong, missed = comparison.true_positives, comparison.false_positives, comparison.false_drops
    off = f" Their numbers are off by {100 * comparison.support_error:.1f} % on average." if both else ""
    return (
        f"**{both:,}** of {both + wrong:,} are truly among the most frequent (true positives), {wrong:,} are not (false "
        f"positives), {missed:,} are missing (false drops).{off}"
    )


def price_table(plan: TreePlan, bound: ContributionBound, *, every: bool = False) -> Columns:
    """Each level from Critical down: its weight, what it may show, how many places have it; last the whole record.

    Levels that no place has are left out; with ``every`` they stand there, to choose from, and are marked.
    """
    levels, price = plan.levels, price_of_tree(plan, bound)
    shown = range(1, levels.critical + 1) if every else levels.present
    order = [level - 1 for level in reversed(shown)]
    return {
        "level": [*(levels.descriptors[at].name for at in order), "the whole record"],
        "weight": [*(decimal_text(levels.descriptors[at].weight) for at in order), ""],
        "ε": [*(epsilon_text(price.descriptors[at][1]) for at in order), epsilon_text(price.record)],
        "odds": [*(odds(float(price.descriptors[at][1])) for at in order), odds(float(price.record))],
        "places": [
            *(
                number(int((levels.level == at + 1).sum())) if at + 1 in levels.present else NO_PLACE
                for at in order
            ),
            number(len(levels.tiles)),
        ],
    }


def places_table(levels: Levels, names: Mapping[str, str]) -> Columns:
    """Every place with its id, what people call it, and its level."""
    return {
        "id": [cell(tile) for tile in levels.tiles],
        "name": [cell(names.get(tile, tile)) for tile in levels.tiles],
        "level": [levels.descriptors[level - 1].name for level in levels.level.tolist()],
    }


def losses_table(plan: TreePlan, bound: ContributionBound) -> Columns:
    """What each change may show at most, and of whom."""
    lines = implied_losses(plan, bound)
    return {
        "if": [sentence(line.change) for line in lines],
        "of whom": [line.whom for line in lines],
        "ε at most": [epsilon_text(line.epsilon) for line in lines],
        "odds": [odds(float(line.epsilon)) for line in lines],
    }


def odds(epsilon: float) -> str:
    """By how much odds change at most, rounded up.

    >>> odds(1.0) == "\N{MULTIPLICATION SIGN} 2.8", odds(5.0) == "\N{MULTIPLICATION SIGN} 149"
    (True, True)
    """
    if epsilon > log(1e6):  # of many trips it may be in the thousands, and no float holds its power
        return "practically any"
    times = exp(epsilon)
    text = f"{ceil(times):,}" if times >= 10 else f"{ceil(10 * times) / 10:g}"
    return f"\N{MULTIPLICATION SIGN} {text}"
