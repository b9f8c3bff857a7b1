"""The figures of a set as Markdown: one table of errors and one of ranges for each privacy unit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from bench.accuracy.pictures import NEAR
from bench.accuracy.runs import Found
from bench.accuracy.scores import RANGED, SMALL

FIGURES = ("visits", "windows", "district flows", NEAR, "flows", "flows SMAPE", "flows F1", *SMALL)


def number(value: float) -> str:
    """Three digits; a dash where there is nothing."""
    return "-" if math.isnan(value) else f"{value:.3g}"


def tables(found: Sequence[Found]) -> str:
    """All tables of a set."""
    units = groupby(found, key=lambda one: one.case.unit_words)
    return "\n\n".join(_of_unit(words, [*cases]) for words, cases in units)


def _of_unit(words: str, found: Sequence[Found]) -> str:
    parts = [
        f"**{words}**. {_share(found)}",
        _table("errors: before, drawn, estimate (ratio)", found, _errors(found)),
    ]
    if found[0].case.max_trips is not None:
        parts.append(_table("errors against all trips: before, estimate (ratio)", found, _of_all(found)))
    parts.append(_table("ranges: held, largest tenth, width", found, _ranges(found, all_trips=False)))
    if found[0].case.max_trips is not None:
        rows = _ranges(found, all_trips=True)
        parts.append(_table("ranges for all trips: held, largest tenth, width", found, rows))
    return "\n\n".join(part for part in parts if part)


def _share(found: Sequence[Found]) -> str:
    seconds = f"{np.median([second for one in found for second in one.seconds]):.2f} s an estimate"
    if found[0].case.max_trips is None:
        return f"All trips count; {seconds}."
    said = [
        f"{100 * value:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
        for one in found
        if one.shares
        for value, low, high in [np.mean(one.shares, axis=0)]
    ]
    return (
        f"{100 * found[0].share:.1f} % of the trips count; estimated {', '.join(said) or 'not'}; {seconds}."
    )


def _table(title: str, found: Sequence[Found], rows: Iterator[tuple[str, list[str]]]) -> str:
    """A table with a column for each epsilon; empty if it has no row."""
    listed = [f"| {name} | {' | '.join(cells)} |" for name, cells in rows]
    head = " | ".join(one.case.epsilon_words for one in found)
    return "\n".join([f"| {title} | {head} |", "|---" * (len(found) + 1) + "|", *listed]) if listed else ""


def _errors(found: Sequence[Found]) -> Iterator[tuple[str, list[str]]]:
    for figure in FIGURES:
        if any(not np.isnan(one.mean("estimate", figure)) for one in found):
            yield figure, [_compared(one, figure) for one in found]


def _compared(one: Found, figure: str) -> str:
    values = ", ".join(number(one.mean(column, figure)) for column in ("before", "drawn", "estimate"))
    return f"{values} ({number(one.ratio(figure))})"


def _of_all(found: Sequence[Found]) -> Iterator[tuple[str, list[str]]]:
    for figure in FIGURES:
        if any(not np.isnan(one.ratio(figure, everything=True)) for one in found):
            yield figure, [_compared_all(one, figure) for one in found]


def _compared_all(one: Found, figure: str) -> str:
    columns = ("before", "estimate, all")
    values = ", ".join(number(one.mean(column, figure, everything=True)) for column in columns)
    return f"{values} ({number(one.ratio(figure, everything=True))})"


def _ranges(found: Sequence[Found], *, all_trips: bool) -> Iterator[tuple[str, list[str]]]:
    measures = dict.fromkeys((*RANGED, *(measure for one in found for measure, _ in one.ranges)))
    for measure in measures:
        if any((measure, all_trips) in one.ranges for one in found):
            yield measure, [_range(one, measure, all_trips=all_trips) for one in found]


def _range(one: Found, measure: str, *, all_trips: bool) -> str:
    figures = ("held", "held, largest tenth", "width")
    return ", ".join(number(one.range_of(measure, figure, all_trips=all_trips)) for figure in figures)
