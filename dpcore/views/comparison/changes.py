"""The change between two releases as a sentence, a list, a chart and the differences of a map. It tells only changes that chance does not explain."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from dpcore.comparison.change import CellChanges, Changes, TotalChange
from dpcore.measures.measure import Kind
from dpcore.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.comparison.difference_map import BREAKS, Differences, largest_of
from dpcore.views.ground.plain import (
    cell,
    days_words,
    district_labels,
    flow_name,
    number,
    percent,
    plain,
    signed,
)
from dpcore.views.ground.style import NOISY, TRUE
from dpcore.views.numbers.flows import PLACES, ranked_cells
from dpcore.views.numbers.ranking import LONGEST

WORDS: Final = {1: "rose", -1: "fell", 0: ""}
"""What is announced of a cell."""
FALSE_WORDS: Final = (
    "A change is announced where all of its range lies above 0, or all of it below. The range holds the noise of both releases and of "
    "their totals and, where not all trips count, the sample of those that do. Over many comparisons at most 5 % of the announced changes are expected to "
    "be chance."
)
"""What announcements promise."""
_TOGETHER_WORDS: Final = (
    "The noise of both totals moves all counts alike, by up to {share} with a chance of 99 %. Only what is more than this is announced of a single "
    "one. In one of 100 comparisons this noise is larger, and many false changes may come at once."
)
_CELLS: Final = {
    Kind.DATES: ("date", "dates"),
    Kind.LINE: ("cell", "cells"),
    Kind.BINS: ("bin", "bins"),
    Kind.FLOWS: ("flow", "flows"),
    Kind.PAIRS: ("flow between districts", "flows between districts"),
}
_CALLED: Final = {
    "tile_id": ("cell of tile and time", "cells of tile and time"),
    "hour": ("hour of starts or ends", "hours of starts or ends"),
    "weekday": ("weekday", "weekdays"),
}
_ENDS: Final = ("origin", "destination")
_CHARTED: Final = 12
_TWO_POINTS: Final = 0.02
_THOUSANDTH: Final = 0.001


def sentence(found: Changes) -> str:
    """The answer to "did it fall?" in plain words.

    Such as "Trips fell by 12 % (9 to 15 %). 14 tiles rose, 31 fell; for the rest no change can be told.".
    """
    return " ".join(_answer(found))


def unsaid(found: Changes, said: str) -> list[str]:
    """The sentences of the answer that a text does not hold."""
    return [one for one in _answer(found) if one not in said]


def _answer(found: Changes) -> list[str]:
    total = [] if found.total is None else [_of_total(found.total, _trips(found))]
    return [*total, found.why_no_cells if found.cells is None else _of_cells(found.cells)]


def _trips(found: Changes) -> str:
    return f"Trips{'' if found.of_all else ' that count'}{' a day' if found.per_day else ''}"


def _of_total(total: TotalChange, trips: str) -> str:
    if not np.isfinite(total.high):
        return _hidden(total, f"{trips}: noise hides by how much they changed")
    if not total.told:
        return f"{trips}: no change can be told ({_signed_ends(total)})."
    share = percent(abs(total.share), _digits(total))
    return f"{trips} {WORDS[1 if total.share > 0 else -1]} by {share} ({_ends(total)})."


def _hidden(total: TotalChange, said: str) -> str:
    """That noise hides a change, and the least that is sure of it."""
    least = percent(total.low, 0 if total.low >= _TWO_POINTS else 1)
    return f"{said}. They rose by at least {least}." if total.low > 0 else f"{said}."


def _signed_ends(total: TotalChange) -> str:
    """Ends of a range that may hold 0."""
    low, high = (
        f"{'+' if end > 0 else ''}{number(100 * end, _digits(total))}" for end in (total.low, total.high)
    )
    return f"{low} to {high} %"


def _ends(total: TotalChange) -> str:
    """Ends of a range on one side of 0, without a sign."""
    near, far = sorted((abs(total.low), abs(total.high)))
    digits = _digits(total)
    return f"{100 * near:.{digits}f} to {100 * far:.{digits}f} %"


def growth_words(found: Changes, earlier: Release, release: Release) -> str:
    """Whether there are more trips than in an earlier release, and whether that may be chance; empty where nothing says it.

    Such as "Trips a day: 64 % more than in January 2017 (62 to 66 %), more than noise explains, whatever the reason.".
    """
    total, period = found.total, earlier.plan.choices.period
    if total is None:
        return ""
    before = earlier.title or earlier.id
    if (
        period is not None and earlier.dataset == release.dataset
    ):  # of another data set a month alone says too little
        before = days_words(period.first, period.last)
    if not np.isfinite(total.high):
        return _hidden(total, f"{_trips(found)}: noise hides how they changed since {before}")
    if not total.told:
        return f"{_trips(found)}: no change since {before} can be told ({_signed_ends(total)}), the noise alone may explain it."
    share = f"{percent(abs(total.share), _digits(total))} {'more' if total.share > 0 else 'fewer'}"
    return f"{_trips(found)}: {share} than in {before} ({_ends(total)}), more than noise explains, whatever the reason."


def _digits(total: TotalChange) -> int:
    """As few as leave the range open to be read: no end of a narrow range is rounded to 0."""
    least = min(abs(total.low), abs(total.high))
    if total.high - total.low >= _TWO_POINTS and (not total.told or least >= _TWO_POINTS / 4):
        return 0
    return 1 if least >= _THOUSANDTH else 2


def _of_cells(found: CellChanges) -> str:
    one, several = cells_called(found)
    told = found.direction[found.cells < found.keys.size - 1] if _of_tiles(found) else found.direction
    rose, fell = int((told > 0).sum()), int((told < 0).sum())
    if not rose + fell:
        return f"For no {one} can a change be told."
    (many, word), *others = [(many, word) for many, word in ((rose, "rose"), (fell, "fell")) if many]
    said = f"{number(many)} {one if many == 1 else several} {word}"
    said += "".join(f", {number(many)} {word}" for many, word in others)
    rest = "; for the rest no change can be told" if rose + fell < found.tested - _of_tiles(found) else ""
    return f"{said}{rest}."


def _of_tiles(found: CellChanges) -> bool:
    """Whether cells are tiles: then the last one is what lies outside, which is no tile."""
    return [axis.column for axis in found.keys.axes] == ["tile_id"]


def cells_called(found: CellChanges) -> tuple[str, str]:
    """What one cell of the measure is called, and several."""
    columns = {axis.column for axis in found.keys.axes}
    if _of_tiles(found):
        return "tile", "tiles"
    if covers := next((axis.covers for axis in found.keys.axes if axis.covers not in {"", "day"}), ""):
        return covers, f"{covers}s"
    for column, called in _CALLED.items():
        if column in columns:
            return called
    return _CELLS[_kind(found)]


def _kind(found: CellChanges) -> Kind:
    columns = found.keys.columns
    if "origin" in columns:
        return Kind.PAIRS if found.measure == "od_districts" else Kind.FLOWS
    if "bin_start" in columns:
        return Kind.BINS
    return Kind.DATES if "date" in columns else Kind.LINE


def change_frame(found: Changes) -> pd.DataFrame:
    """Every listed cell: keys, counts of A and B, the change with its range, and what is announced; no row where there are no cells.

    An end of a range is missing where it is open, because a side does not list the cell.
    """
    cells = found.cells
    if cells is None:
        return pd.DataFrame({name: [] for name in ("a", "b", "change", "low", "high", "told")})
    ends = {"low": cells.low, "high": cells.high}
    return pd.DataFrame(
        {
            **cells.keys.labels(cells.cells),
            "a": cells.one,
            "b": cells.other,
            "change": cells.other - cells.one,
            **{name: np.where(np.isinf(end), np.nan, end) for name, end in ends.items()},
            "told": [WORDS[one] for one in cells.direction.tolist()],
        }
    )


def announced(found: CellChanges) -> list[int]:
    """Positions of the cells whose change is announced, the surest size first; flows that stand apart in every list come last."""
    sure = np.where(found.direction > 0, found.low, np.where(found.direction < 0, -found.high, 0.0))
    apart = np.full(len(found.cells), "origin" in found.keys.columns)
    apart[ranked_cells(found.keys, found.cells)] = False
    order = np.lexsort((-sure, apart))
    return [int(at) for at in order if found.direction[at]]


def names_of(found: CellChanges, tiles: Tessellation, at: list[int]) -> list[str]:
    """What people call some cells. Untrusted text."""
    named = dict(zip(tiles.tile_ids, tiles.called, strict=True))
    texts = {name: [*column] for name, column in found.keys.labels(found.cells[at]).items()}
    same = [start == end for start, end in zip(*(texts.get(one, []) for one in _ENDS), strict=True)]
    for name in PLACES:
        if name in texts and found.measure == "od_districts":  # whose origins are no tiles
            labels = district_labels(tiles, found.keys.axes[0])
            texts[name] = [labels[one] for one in texts[name]]
        elif name in texts:
            texts[name] = [named.get(one, one) for one in texts[name]]
    if "origin" in texts:
        ends = zip(*(texts.pop(one) for one in _ENDS), same, strict=True)
        texts = {"flow": [flow_name(start, end, within=one) for start, end, one in ends], **texts}
    between = " to " if _kind(found) is Kind.BINS else ", "
    return [between.join(row) for row in zip(*texts.values(), strict=True)]


def change_table(found: CellChanges, tiles: Tessellation) -> pd.DataFrame:
    """The announced changes, the surest size first."""
    at = announced(found)
    each = " a day" if found.per_day else ""
    return pd.DataFrame(
        {
            cells_called(found)[0]: [cell(name) for name in names_of(found, tiles, at)],
            f"A, {found.counts}{each}": _number_texts(found.one[at]),
            f"B, {found.counts}{each}": _number_texts(found.other[at]),
            "change": [signed(one) for one in (found.other - found.one)[at].tolist()],
            "range": [
                _range(*ends) for ends in zip(found.low[at].tolist(), found.high[at].tolist(), strict=True)
            ],
        }
    )


def _number_texts(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[str]:
    return [number(value) for value in values.tolist()]


def _range(low: float, high: float) -> str:
    if np.isinf(low):
        return f"{signed(high)} or less"
    return f"{signed(low)} or more" if np.isinf(high) else f"{signed(low)} to {signed(high)}"


def change_chart(found: CellChanges, tiles: Tessellation) -> Chart | None:
    """The announced changes of the surest size with their ranges, rises and falls in two colours; None where none is announced."""
    at = announced(found)[:_CHARTED]
    if not at:
        return None
    names, change = names_of(found, tiles, at), found.other - found.one
    table = pd.DataFrame(
        {
            "at": [charts.short(name, LONGEST) for name in names],
            "change": change[at],
            "low": np.where(np.isinf(found.low[at]), change[at], found.low[at]),
            "high": np.where(np.isinf(found.high[at]), change[at], found.high[at]),
        }
    )
    says = [
        f"{charts.text_of(name)}<br>{signed(change[one])} {found.counts}, range {_range(found.low[one], found.high[one])}"
        for name, one in zip(names, at, strict=True)
    ]
    colours = [TRUE if found.direction[one] > 0 else NOISY for one in at]
    dots = charts.dots(table["change"], np.arange(len(at)), says, size=9, color=colours)
    each = " a day" if found.per_day else ""
    drawn = charts.intervals(
        dots, table["low"], table["high"], along="x", color="#8a949e", thickness=2, width=6
    )
    figure = charts.figure(
        [drawn],
        height=max(160, 30 * len(at) + 90),
        x=charts.axis(f"B less A, {found.counts}{each}", zeroline=True),
        y=charts.named_places([*table["at"]], LONGEST + 4),
    )
    one, several = cells_called(found)
    return Chart(
        table,
        figure,
        f"The surest changes of {several if len(at) > 1 else one}, with ranges",
        charts.file_name("change"),
    )


MAP_SAID: Final = "Blue: fell. Orange: rose. Grey: no change can be told. The scale counts visits of a tile."
"""What the colours of the map of changes mean."""


def map_ends(found: Changes) -> tuple[str, str]:
    """What stands at both ends of the scale of the map of changes: with what it counts, because the headline is in percent."""
    each = " a day" if found.per_day else ""
    return f"fell, visits{each}", f"rose, visits{each}"


def change_map(found: CellChanges, tiles: Tessellation) -> Differences | None:
    """The changes of tiles for the map of differences; None for other measures."""
    if not _of_tiles(found):
        return None
    inside, many = found.cells < len(tiles.tile_ids), len(tiles.tile_ids)
    size, apart, hidden = np.zeros(many), np.zeros(many), np.ones(many, np.bool_)
    equal = _round(max(float(np.maximum(found.one, 0).sum()) / many, 1e-3))
    share = (found.other - found.one)[inside] / equal
    told = found.direction[inside] * np.maximum(
        np.abs(share), BREAKS[0] * 1.01
    )  # never as light as no difference
    size[found.cells[inside]] = told
    apart[found.cells[inside]] = np.abs(share)
    hidden[found.cells[inside]] = found.direction[inside] == 0
    return Differences(size, hidden, noisy=True, one=equal, by_chance=largest_of(apart, hidden))


def _round(value: float) -> float:
    """The next of 1, 2, 5, 10, 20 and so on, so that colours part at round numbers.

    >>> _round(124), _round(0.3), _round(50)
    (200.0, 0.5, 50.0)
    """
    ten = 10.0 ** np.floor(np.log10(value))
    return float(next(round(step * ten, 6) for step in (1, 2, 5, 10) if step * ten >= value * (1 - 1e-9)))


def said_beside(found: Changes, one: Release, other: Release) -> str:
    """What must be read beside a change, as Markdown: the sides, the notes, and what is promised."""
    return " ".join(plain(said) for said in beside(found, one, other))


def beside(found: Changes, one: Release, other: Release) -> tuple[str, ...]:
    """What must be read beside a change, as plain texts; what is promised of announcements, only where there is one."""
    told = (found.total is not None and found.total.told) or (
        found.cells is not None and bool(found.cells.direction.any())
    )
    moved = 0.0 if found.cells is None else found.cells.together
    together = (
        (_TOGETHER_WORDS.format(share=percent(moved, 0 if moved >= _TWO_POINTS else 1)),) if moved else ()
    )
    promised = (*together, FALSE_WORDS) if told else together
    names = [release.title or release.id for release in (one, other)]
    if names[0] == names[1]:  # such as of a release that was raised
        names = [f"{release.title} ({release.id})" for release in (one, other)]
    return f"A is {names[0]}, B is {names[1]}.", *found.notes, *promised
