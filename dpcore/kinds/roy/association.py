"""How strongly attributes are associated, read off noisy tables that were paid for, and the groups that follow. Post-processing.

Roy, Kantarcioglu and Sweeney (2016) choose their groups by tests on the true trips. Here no true count is read. An association comes from
a released table, or its owner declares it.

*Strength.* Cramer's V, 0 to 1: the root of chi squared over trips times (smaller side - 1). Noise and chance enlarge chi squared. Their
expected part is taken off: the variance of the noise of each cell over its expected count, and one for each degree of freedom.
Values so rare that the noise of a cell exceeds their mean cell are put together first, neighbours with each other.

*By chance.* Many tables without any association are drawn, with the same margins and noise. 95 of 100 have a strength below
``by_chance``. These draws protect nobody, so a fixed seed is enough. They take trips as independent. The trips of one person
are not, so under the privacy unit user a weak association may be chance all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.roy.domain import PLACE_AND_TIME
from dpcore.kinds.roy.sampling import Generator, generator
from dpcore.kinds.roy.workload import NoisyTables, usual_parents

Floats = NDArray[np.float64]

DECLARED: Final = "declared"
USUAL_STRENGTH: Final = 0.1
"""A weaker association is not worth the noise of a joint table."""
_DRAWS: Final = 99
_LEVEL: Final = 0.95
_MOST_CELLS: Final = 4_000_000
"""Of all draws together, so that a large table takes no minutes; but 19 draws are always made."""
_FEWEST_DRAWS: Final = 19
_USUAL: Final = {"hour": {"start", "day_type"}, "duration": {"band"}}
"""What place and time are drawn from anyway."""


@dataclass(frozen=True)
class Association:
    """How strongly two attributes are associated."""

    attributes: tuple[str, str]
    """In the order in which they are drawn."""
    strength: float | None
    """0 to 1; None: the noise hides it."""
    by_chance: float | None
    """Strength that 95 of 100 tables without association do not reach; None where it is declared or hidden."""
    source: str
    """Name of the table in which it was measured, or ``DECLARED``."""

    @property
    def stands_out(self) -> bool:
        """Whether it is declared, or stronger than chance and noise."""
        return self.strength is not None and (self.by_chance is None or self.strength > self.by_chance)


@dataclass(frozen=True)
class Proposal:
    """Associations, and the pairs that are worth a group."""

    found: tuple[Association, ...]
    pairs: tuple[tuple[str, str], ...]
    at_least: float = USUAL_STRENGTH
    """Weaker associations make no group."""

    @property
    def words(self) -> str:
        """That no group is proposed, and how many associations fail for which reason; empty if there is a group."""
        if self.pairs:
            return ""
        found = _last_word(self.found).values()
        clear = [one for one in found if one.stands_out]
        weak = sum((one.strength or 0) < self.at_least for one in clear)
        hidden = sum(one.strength is None for one in found)
        reasons = {
            f"weaker than {self.at_least:g}": weak,
            "hidden by the noise": hidden,
            "no stronger than chance": len(found) - len(clear) - hidden,
            "used by the usual tables anyway": len(clear) - weak,
        }
        told = ", ".join(f"{why}: {count:,}" for why, count in reasons.items() if count)
        return (
            f"no group is proposed; associations {told}"
            if told
            else "no group is proposed; no two attributes are counted together"
        )


def proposal(
    noisy: NoisyTables | None, declared: Sequence[Association] = (), *, at_least: float = USUAL_STRENGTH
) -> Proposal:
    """What noisy tables and declared associations propose. See ``proposed``."""
    domain = None if noisy is None else noisy.plan.domain
    order = [*(PLACE_AND_TIME if domain is None else domain.order)]
    order = [*dict.fromkeys([*order, *(name for one in declared for name in one.attributes)])]
    found = [*(() if noisy is None else associations(noisy))]
    for one in declared:
        first, second = sorted(one.attributes, key=order.index)
        found.append(replace(one, attributes=(first, second)))
    usual = None if domain is None else usual_parents(domain)
    return Proposal(tuple(found), proposed(found, order, at_least=at_least, usual=usual), at_least)


def associations(noisy: NoisyTables) -> tuple[Association, ...]:
    """The association of each two attributes that a table counts together. Of several tables the one with the fewest cells tells it."""
    plan, found = noisy.plan, {}
    for group in sorted(plan.groups, key=plan.cells, reverse=True):
        for pair in combinations(sorted(group.axes, key=plan.domain.order.index), 2):
            others = tuple(number for number, axis in enumerate(group.axes) if axis not in pair)
            table = noisy.values[group.name].sum(axis=others).astype(np.float64)
            added = plan.cells(group) // table.size
            kept = [axis for axis in group.axes if axis in pair]
            strength, by_chance = measured(
                table if kept == list(pair) else table.T, added * noisy.variance(group)
            )
            found[pair] = Association(pair, strength, by_chance, group.name)
    rank = plan.domain.order.index
    return tuple(found[pair] for pair in sorted(found, key=lambda pair: (rank(pair[0]), rank(pair[1]))))


def measured(table: Floats, variance: float) -> tuple[float | None, float | None]:
    """Strength and strength by chance of a noisy two-way table whose cells have noise of some variance; None, None if it is hidden."""
    cells, together = _without_rare(table, variance)
    if min(cells.shape, default=0) < 2:  # one value is associated with nothing
        return None, None
    if (
        min(cells.sum(axis=0).min(), cells.sum(axis=1).min()) <= 0
    ):  # columns were grouped last, and noise may outweigh a row
        return None, None
    strength = _strength(cells, variance * together)
    rng = generator(0)
    draws = max(_FEWEST_DRAWS, min(_DRAWS, _MOST_CELLS // cells.size))
    chance = [
        _strength(one, variance * together) for one in _by_chance(cells, variance * together, draws, rng)
    ]
    return strength, float(np.quantile(chance, _LEVEL))


def _without_rare(table: Floats, variance: float) -> tuple[Floats, Floats]:
    """The table with rare rows and columns put together, and how many cells each of its cells sums."""
    together = np.ones_like(table)
    for _ in range(2):  # rows, then columns
        where = _groups_of_rows(
            table.sum(axis=1),
            together.sum(axis=1) / max(1, table.shape[1]),
            np.sqrt(variance) * table.shape[1],
        )
        number = int(where.max(initial=-1)) + 1
        sums = [np.zeros((number, table.shape[1])) for _ in range(2)]
        for one, cells in zip(sums, (table, together), strict=True):
            np.add.at(one, where[where >= 0], cells[where >= 0])
        table, together = sums[0].T, sums[1].T
    return table, together


def _groups_of_rows(sums: Floats, cells: Floats, least: float) -> NDArray[np.int64]:
    """The group of each row: a row of its own, or rare ones in their order until they stand out; -1 for rare ones that are left.

    ``cells`` counts what each row sums, on average; ``least`` is what the sum of a row of single cells must reach.
    """
    groups = np.full(len(sums), -1, np.int64)
    number, waiting = 0, []
    for row in range(len(sums)):
        if sums[row] >= least * np.sqrt(cells[row]):
            some = [row]
        else:
            waiting.append(row)
            if sums[waiting].sum() < least * np.sqrt(cells[waiting].sum()):
                continue
            some, waiting = waiting, []
        groups[some] = number
        number += 1
    return groups


def _strength(table: Floats, variance: Floats) -> float:
    total, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    if total <= 0 or min(rows.min(), columns.min()) <= 0:
        return 0.0
    expected = np.outer(rows, columns) / total
    free = np.outer(1 - rows / total, 1 - columns / total)  # the margins take up the rest of the noise
    excess = ((table - expected) ** 2 - variance * free) / expected
    degrees, smaller = (len(rows) - 1) * (len(columns) - 1), min(table.shape) - 1
    return float(min(1.0, np.sqrt(max(0.0, excess.sum() - degrees) / (total * smaller))))


def _by_chance(table: Floats, variance: Floats, draws: int, rng: Generator) -> Iterator[Floats]:
    """Tables with the same margins and noise, without association."""
    total = table.sum()
    law = np.outer(table.sum(axis=1), table.sum(axis=0)).ravel() / total**2
    for _ in range(draws):
        counts = rng.multinomial(round(total), law / law.sum()).reshape(table.shape)
        yield counts + rng.standard_normal(table.shape) * np.sqrt(variance)


def _last_word(found: Iterable[Association]) -> Mapping[tuple[str, str], Association]:
    """The association of each pair; a declared one counts more than a measured one."""
    return {one.attributes: one for one in sorted(found, key=lambda one: one.source == DECLARED)}


def proposed(
    found: Sequence[Association],
    order: Sequence[str],
    *,
    at_least: float = USUAL_STRENGTH,
    usual: Mapping[str, set[str]] | None = None,
) -> tuple[tuple[str, str], ...]:
    """The pairs to count together: each attribute with the earlier one with which it is associated most.

    Args:
        found: associations; a declared one counts more than a measured one of the same pair.
        order: all attributes in the order in which they are drawn.
        at_least: weaker ones are left out, and so are those that do not stand out.
        usual: for each attribute, those from which it is drawn anyway. A pair of them needs no group.

    """
    told = _last_word(found)
    anyway = _USUAL | dict(usual or {})
    pairs = []
    for name in order[PLACE_AND_TIME.index("date") :]:
        strong = [
            one
            for one in told.values()
            if one.attributes[1] == name and one.stands_out and (one.strength or 0) >= at_least
        ]
        best = max(strong, key=lambda one: one.strength or 0, default=None)
        follows = best is not None and name == "date" and best.attributes[0] in {"month", "day_type"}
        if best is not None and not follows and best.attributes[0] not in anyway.get(name, set()):
            pairs.append(best.attributes)
    return tuple(pairs)
