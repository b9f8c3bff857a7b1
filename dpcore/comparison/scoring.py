"""Every metric that suits a measure, for one pair of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.comparison.formulas import (
    Numbers,
    grouped_emd,
    groups_of,
    jensen_shannon,
    kendall_tau,
    kl_divergence,
    largest_tau,
    shares,
    smape,
    summed,
    top_overlap,
    top_union,
)
from dpcore.comparison.layout import places, tile_numbers
from dpcore.comparison.matching import Pair, laid_alike, matched
from dpcore.comparison.metrics import METRICS, RANKED, TOPS
from dpcore.comparison.on_the_map import Geography, structural_similarity
from dpcore.comparison.tables import Side
from dpcore.errors import InputError
from dpcore.measures import Kind
from dpcore.measures.keys import OUTSIDE

NO_MASS = "no answer: {} nothing to share out"
NO_TILES = "no answer: needs the tiles"
_REACHED = "{:.2f} is the most that counts with so many equal ones can reach"


@dataclass(frozen=True)
class Score:
    """One metric of one measure. It is private if a side of the comparison is."""

    measure: str
    metric: str
    value: float | None
    """None if there is no answer; the note says why."""
    unit: str = ""
    cells: int = 0
    """Number of cells that were compared."""
    note: str = ""
    reachable: float | None = None
    """The best value that these tables can have, where it is not that of the metric."""

    @property
    def best(self) -> float:
        """The best value that these tables can have."""
        return METRICS[self.metric].best if self.reachable is None else self.reachable


def compared(
    one: Side,
    other: Side,
    geography: Geography | None = None,
    *,
    measures: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
) -> tuple[Score, ...]:
    """Every metric of every measure that two sides share, in the order of the first side. ``left_out`` has the others.

    Args:
        one: side A, the reference.
        other: side B.
        geography: the tiles; by default those of a side.
        measures: names of those to compare; None for all that both hold.
        metrics: names of ``METRICS`` to work out; None for all that suit a measure.

    Raises:
        InputError: a measure that a side lacks, an unknown metric, no measure in common, or none whose tables can be compared.

    """
    common = [name for name in one.tables if name in other.tables]
    for name in measures or ():
        if name not in common:
            raise InputError.unknown("measure of both sides", name, common)
    for name in metrics or ():
        if name not in METRICS:
            raise InputError.unknown("metric", name, [*METRICS])
    common = [name for name in common if measures is None or name in measures]
    if not common:
        raise InputError(
            "the two sides have no measure in common",
            f"{one.name} and {other.name}",
            "Compare two that hold tables of the same measures.",
        )
    tiles = [side.tessellation for side in (one, other) if side.tessellation is not None]
    if len(tiles) == 2 and tiles[0].digest != tiles[1].digest:
        raise InputError(
            "the tiles are not the same",
            f"{one.name} and {other.name}",
            "Compare releases of one tessellation: counts of other shapes mean something else.",
        )
    refused = {name: error for name, error in left_out(one, other).items() if name in common}
    if len(refused) == len(common):
        raise InputError.several([*refused.values()], len(refused))
    known = geography or (Geography(tiles[0]) if tiles else None)
    return tuple(
        score
        for name in common
        if name not in refused
        for score in scores(matched(one.tables[name], other.tables[name]), known)
        if metrics is None or score.metric in metrics
    )


def left_out(one: Side, other: Side) -> Mapping[str, InputError]:
    """Measures of both sides whose tables cannot be matched, each with the reason."""
    found = {}
    for name, table in one.tables.items():
        if name in other.tables:
            try:
                laid_alike(table, other.tables[name])
            except InputError as error:
                found[name] = error
    return found


def scores(pair: Pair, geography: Geography | None = None) -> tuple[Score, ...]:
    """Every metric that suits the measure of a pair, in the order of ``METRICS``.

    Raises InputError for keys that are not tiles of the geography.
    """
    numbers = None if geography is None else _tiles(pair, geography)
    found = {}
    for metric, value, unit, note in _values(pair, geography, numbers):
        most = largest_tau(*_ranked(pair)) if metric == "kendall_tau" and value is not None else None
        cut = "" if most is None or most >= METRICS[metric].best else _REACHED.format(most)
        said = "; ".join(filter(None, (note, cut, *pair.notes)))
        found[metric] = Score(pair.measure, metric, value, unit, len(pair.one), said, most)
    return tuple(found[name] for name in METRICS if name in found)


_Value = tuple[str, float | None, str, str]


def _values(pair: Pair, geography: Geography | None, numbers: NDArray[np.int64] | None) -> Iterator[_Value]:
    if pair.layout.kind is Kind.NUMBERS:
        yield "smape", smape(pair.one, pair.other), "", ""
        return
    p, q = shares(pair.one), shares(pair.other)
    if p is None or q is None:
        yield from _without_mass(pair, one_is_empty=p is None, other_is_empty=q is None)
        return
    yield "smape", smape(p, q), "", ""
    yield "jsd", jensen_shannon(p, q), "", ""
    yield "kld", kl_divergence(pair.one, pair.other), "bits", ""
    if pair.layout.ordered:
        yield "emd", *_along_a_line(pair)
    if pair.layout.kind in {Kind.TILES, Kind.FLOWS, Kind.PAIRS}:
        yield from _order(pair)
    if pair.layout.kind is Kind.TILES:
        yield from _on_the_map(pair, geography, numbers)


def _metrics_of(pair: Pair) -> tuple[str, ...]:
    """The metrics that suit a table of shares."""
    kind, alone = pair.layout.kind, not pair.layout.groups
    names = ["smape", "jsd", "kld"]
    if pair.layout.ordered or kind is Kind.TILES:
        names.append("emd")
    if kind in {Kind.FLOWS, Kind.PAIRS} or (kind is Kind.TILES and alone):
        names += ["kendall_tau", *(f"top_{n}_overlap" for n in TOPS)]
    if kind is Kind.TILES and alone:
        names.append("ssim")
    return tuple(names)


def _without_mass(pair: Pair, *, one_is_empty: bool, other_is_empty: bool) -> Iterator[_Value]:
    """Two empty tables are equal. An empty and a full table have nothing in common, and no metric says how different they are."""
    unit = {"emd": pair.layout.unit, "kld": "bits"}
    both = one_is_empty and other_is_empty
    note = "both sides are empty" if both else NO_MASS.format("A has" if one_is_empty else "B has")
    for name in _metrics_of(pair):
        yield name, METRICS[name].best if both else None, unit.get(name, ""), note


def _along_a_line(pair: Pair) -> tuple[float | None, str, str]:
    groups = groups_of([pair.columns[name] for name in pair.layout.groups], len(pair.one))
    value = grouped_emd(pair.one, pair.other, places(pair.layout, pair.columns), groups)
    return value, pair.layout.unit, "" if value is not None else "no answer: no group has mass on both sides"


def _order(pair: Pair) -> Iterator[_Value]:
    """Rankings of tiles and flows. ``outside`` is not a place and has no rank."""
    if pair.layout.groups:
        return
    flows, (one, other), ranked = pair.layout.kind is not Kind.TILES, _inside(pair), _ranked(pair)
    tau = kendall_tau(*ranked)
    cells = "flows" if pair.layout.tile_columns or pair.layout.kind is Kind.PAIRS else "cells"
    note = "" if tau is not None else "no answer: all counts of a side are equal"
    yield (
        "kendall_tau",
        tau,
        "",
        note or (f"of the {len(ranked[0]):,} {cells} in either top {RANKED}" if flows else ""),
    )
    for n in TOPS:
        common = top_overlap(one, other, n)
        cut = f"there are only {len(one):,}" if len(one) < n else ""
        yield f"top_{n}_overlap", common, "", cut


def _inside(pair: Pair) -> tuple[Numbers, Numbers]:
    """The counts of both sides, without ``outside``."""
    inside = np.ones(len(pair.one), bool)
    for name in pair.layout.columns:
        inside &= pair.columns[name] != OUTSIDE
    return pair.one[inside], pair.other[inside]


def _ranked(pair: Pair) -> tuple[Numbers, Numbers, tuple[bool, bool]]:
    """The counts whose order is compared, and whether those of each side have noise."""
    one, other = _inside(pair)
    noisy = (pair.rates[0] is not None, pair.rates[1] is not None)
    if pair.layout.kind is Kind.TILES:
        return one, other, noisy
    either = top_union(one, other, RANKED)
    return one[either], other[either], noisy


def _on_the_map(
    pair: Pair, geography: Geography | None, numbers: NDArray[np.int64] | None
) -> Iterator[_Value]:
    if geography is None or numbers is None:
        yield "emd", None, pair.layout.unit, NO_TILES
        if not pair.layout.groups:
            yield "ssim", None, "", NO_TILES
        return
    map_places = geography.places
    groups = groups_of([pair.columns[name] for name in pair.layout.groups], len(pair.one))
    value = map_places.grouped_emd(pair.one, pair.other, numbers, groups)
    note = "without what lies outside all tiles" if (numbers < 0).any() else ""
    if value is None:
        note = "no answer: no group of cells has mass inside the tiles on both sides"
    elif map_places.merged:
        note = f"neighbouring tiles were merged into {len(map_places.at):,} places; {note}".rstrip("; ")
    yield "emd", value, pair.layout.unit, note
    if not pair.layout.groups:
        yield "ssim", _picture(pair, geography, numbers), "", ""


def _picture(pair: Pair, geography: Geography, numbers: NDArray[np.int64]) -> float | None:
    inside = numbers >= 0
    p, q = shares(pair.one[inside]), shares(pair.other[inside])
    if p is None or q is None:
        return None
    laid = [summed(side, numbers[inside], len(geography.tile_ids)) for side in (p, q)]
    return structural_similarity(laid[0], laid[1], geography.raster)


def _tiles(pair: Pair, geography: Geography) -> NDArray[np.int64] | None:
    """The number of the tile of each cell, after checking that every key is a tile. None without tiles."""
    found = None
    for name in pair.layout.tile_columns:
        found = tile_numbers(pair.columns[name], geography.tile_ids)
        missing = pair.layout.columns == ("tile_id",) and len(np.unique(found[found >= 0])) < len(
            geography.tile_ids
        )
        if (found == -2).any() or missing:
            raise InputError(
                "the tiles are not those of the tables",
                pair.measure,
                "Give the tessellation on which both were counted.",
            )
    return found
