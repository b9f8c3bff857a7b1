"""A tree in numbers: frequent patterns and the prices of levels as tables, lengths of trajectories as a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import pandas as pd

from dpcore.kinds.tree.levels import Levels
from dpcore.kinds.tree.paths import Lengths, Pattern, PatternComparison
from dpcore.kinds.tree.plan import Definition, TreePlan, implied_losses, price_of_tree
from dpcore.privacy import ContributionBound, Loss, PrivacyUnit, decimal_text, epsilon_text
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import cell, number, percent, sentence
from dpcore.views.ground.style import NOISY, TRUE

Columns = dict[str, list[str]]


NO_PLACE: Final = "none"
RIGHT: Final = "right of 100"
"""The column of both tables that ``right_words`` explains."""


def right_words(plan: TreePlan, bound: ContributionBound) -> str:
    """What is guessed in each line of ``price_table``, and how often a guess is right (Markdown)."""
    some = "one trip" if bound.unit is PrivacyUnit.TRIP else "somebody"
    level = (
        "whether a trajectory *went on to* such a place or ended before it"
        if plan.definition is Definition.LOCATION
        else "whether a trajectory that visits nothing above it is in the data"
    )
    whom = "" if bound.trips == 1 else " (of a person: all at once)"
    return (
        f"**Right of 100**: a guess that is right 50 of 100 times without the release is right at most so often with it. For a "
        f"level the guess is {level}{whom}. For the whole record it is whether {some} is in the data. In the last line it is what "
        f"{some} did, clinic or square."
    )


def patterns_table(
    found: Sequence[Pattern],
    tiles: Sequence[str],
    names: Mapping[str, str],
    true: Sequence[Pattern] | None = None,
) -> Columns:
    """The patterns of a tree with their number of trajectories, most frequent first.

    ``tiles``: ids by symbol; ``true``: the true patterns (owner pages only), to mark which are among them.
    """
    table = {
        "rank": [str(rank) for rank in range(1, len(found) + 1)],
        "pattern": [cell(_pattern_text(one, tiles, names)) for one in found],
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
        "pattern": [cell(_pattern_text(one, tiles, names)) for _, one in missed],
        "true": [number(round(one.support)) for _, one in missed],
    }


def _pattern_text(pattern: Pattern, tiles: Sequence[str], names: Mapping[str, str]) -> str:
    return " > ".join(names.get(tiles[at], tiles[at]) for at in pattern.tiles)


def patterns_text(comparison: PatternComparison) -> str:
    """How well two lists of patterns agree, in words (Markdown)."""
    both, wrong, missed = comparison.true_positives, comparison.false_positives, comparison.false_drops
    off = f" Their numbers are off by {percent(comparison.support_error, 1)} on average." if both else ""
    return (
        f"**{both:,}** of {both + wrong:,} are truly among the most frequent (true positives), {wrong:,} are not (false "
        f"positives), {missed:,} are missing (false drops).{off}"
    )


def price_table(plan: TreePlan, bound: ContributionBound, *, every: bool = False) -> Columns:
    """Each level from Critical down: its weight, what it may show, how many places have it; then the whole record.

    The line of the whole record is about presence. The last line is about what somebody in the data did, which has twice the
    epsilon: one record is replaced by another.

    Levels that no place has are left out; with ``every`` they stand there, to choose from, and are marked.
    """
    levels, price = plan.levels, price_of_tree(plan, bound)
    shown = range(1, levels.critical + 1) if every else levels.present
    order = [level - 1 for level in reversed(shown)]
    epsilons = [*(price.descriptors[at][1] for at in order), price.record, 2 * price.record]
    return {
        "level": [*(levels.descriptors[at].name for at in order), "the whole record", "replaced by another"],
        "weight": [*(decimal_text(levels.descriptors[at].weight) for at in order), "", ""],
        "ε": [epsilon_text(one) for one in epsilons],
        RIGHT: [Loss(one).right_text for one in epsilons],
        "places": [
            *(
                number(int((levels.level == at + 1).sum())) if at + 1 in levels.present else NO_PLACE
                for at in order
            ),
            number(len(levels.tiles)),
            "",
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
        RIGHT: [Loss(line.epsilon).right_text for line in lines],
    }


WHOLE: Final = "counted whole"
CUT: Final = "cut"
UNKNOWN: Final = "at least so long, rest unknown"
MOST: Final = 24
"""Bars of a chart; what is longer is one bar."""
_OPACITY: Final = {WHOLE: 0.85, CUT: 0.45, UNKNOWN: 0.25}


class AnyLengths(Protocol):
    """Numbers of trajectories by length, true or noisy."""

    @property
    def complete(self) -> Any:  # noqa: ANN401 -- an array of whole numbers or of floats
        """Of 0, 1, ... tiles."""

    @property
    def longer(self) -> float:
        """Of more."""


def lengths_chart(lengths: AnyLengths, height: int, mark: str = "") -> Chart:
    """True lengths, in the colour of what is true; those above the height are paler: they would be cut."""
    known = [float(one) for one in lengths.complete]
    last = max([height, *(at for at, one in enumerate(known) if one)])
    shown = min(last, max(height, MOST))
    rows = [
        (str(tiles), WHOLE if tiles <= height else CUT, known[tiles])
        for tiles in range(1, shown + 1)
        if tiles < len(known)
    ]
    beyond = sum(known[shown + 1 :]) + float(lengths.longer)
    if beyond:
        rows.append((f"{shown + 1}+", CUT, beyond))
    return _chart(rows, TRUE, mark, f"Trajectories by number of tiles; those of more than {height} are cut")


def noisy_lengths_chart(lengths: Lengths, mark: str = "") -> Chart:
    """The lengths that a tree tells; negative numbers are drawn as 0 and stay in the table's ``count``."""
    height = len(lengths.complete) - 1
    rows = [
        (str(tiles), kind, float(counts[tiles]))
        for kind, counts in ((WHOLE, lengths.complete), (UNKNOWN, lengths.unknown))
        for tiles in range(1, height + 1)
    ]
    rows.append((f"{height + 1}+", CUT, lengths.longer))
    return _chart(
        [row for row in rows if row[2]], NOISY, mark, "Noisy numbers of trajectories by number of tiles"
    )


def _chart(lengths: Sequence[tuple[str, str, float]], colour: str, mark: str, alt: str) -> Chart:
    table = pd.DataFrame(lengths, columns=["tiles", "kind", "count"])
    table["drawn"] = table["count"].clip(lower=0)
    order = [*dict.fromkeys(table["tiles"])]
    traces = []
    for kind, opacity in _OPACITY.items():
        rows = table[table["kind"] == kind]
        says = [
            f"{tiles} {'tile' if tiles == '1' else 'tiles'}: {number(round(count))} trajectories<br>{kind}"
            for tiles, count in zip(rows["tiles"], rows["count"], strict=True)
        ]
        if len(rows):
            traces.append(
                charts.bars(
                    rows["tiles"], rows["drawn"], says, name=kind, color=charts.faded(colour, opacity)
                )
            )
    figure = charts.figure(
        traces,
        height=300,
        x=charts.axis(
            "tiles of a trajectory", type="category", categoryorder="array", categoryarray=order, tickangle=0
        ),
        y=charts.axis("trajectories", **charts.WHOLE),
        mark=mark,
        legend=True,
        barmode="stack",
        bargap=0.1,
    )
    return Chart(table, figure, alt, "lengths-of-trajectories")
