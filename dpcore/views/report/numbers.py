"""The tables of a report: every number of its pictures, with its interval and, where it is a part, its share; five numbers as words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from math import ceil, floor, isinf, log10
from types import MappingProxyType
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.measures.bought import BoughtQuantiles
from dpcore.measures.choices import GRIDS
from dpcore.measures.keys import OUTSIDE
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width_of_sum, standard_deviation
from dpcore.noise.five_numbers import Quantile, decimal, summaries
from dpcore.release.release import Release
from dpcore.views.charts.plots import Plot, window_name
from dpcore.views.ground.plain import district_labels, interval, number
from dpcore.views.ground.shown import Shown
from dpcore.views.numbers.flows import APART_ROWS, first_flows, listed_flows
from dpcore.views.numbers.ranking import Ranking
from dpcore.views.numbers.shares import Curve, share
from dpcore.views.numbers.tile_facts import tile_label

FIRST_ROWS: Final = 10
"""Rows of a long table that stand there at once."""
MOST_ROWS: Final = 100
"""Rows of it that stand one click away."""
_MOST_OF_SUMS: Final = 400  # of a table that this report does not know
Cells = NDArray[np.int64]
_LARGEST: Final = 30  # rows of such a table


def table(
    head: tuple[str, ...], rows: list[str], caption: str, attributes: str = "", *, titled: bool = True
) -> str:
    """A table of ready-made rows. Where a heading stands above it, the caption is for those who do not see it."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    unseen = "" if titled else ' class="unseen"'
    return (
        f'<div class="wide"><table {attributes}><caption{unseen}>{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(first: str, *others: str) -> str:
    """A row whose first cell names it. All texts are escaped."""
    cells = "".join(f"<td>{escape(text)}</td>" for text in others)
    return f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'


def column_table(
    columns: Mapping[str, Sequence[str]], caption: str, attributes: str = "", *, titled: bool = True
) -> str:
    """A table of columns of the same length; the first one names the rows."""
    rows = [row(*texts) for texts in zip(*columns.values(), strict=True)]
    return table(tuple(columns), rows, caption, attributes, titled=titled)


def plot_table(plot: Plot, shown: Shown, identity: str) -> str:
    """The estimates of a plot, where it shows any, and its numbers as they were released, below zero too."""
    drawn, columns = shown.released or shown, dict[str, Sequence[str]]({"": plot.labels})
    if not shown.is_drawn:
        columns[shown.head] = [shown.words(cell) for cell in plot.cells]
    for name, numbers in zip(("released", "noise from", "noise to"), drawn.numbers.columns, strict=True):
        columns[name] = [number(value) for value in numbers[plot.cells]]
    if plot.total is not None:
        columns["share (95 %)"] = shares(drawn, plot.cells, plot.total)
    return column_table(columns, f"{plot.title}: {shown.unit}", f'data-plot="{identity}"')


def shares(drawn: Shown, of: Cells, total: Cells | slice) -> list[str]:
    """Which share of a total some drawn counts are."""
    values = drawn.numbers.values[total]
    deviation, whole = standard_deviation(drawn.rate or Fraction(1)), int(values.sum())
    found = (share(int(value), whole, len(values), deviation) for value in drawn.numbers.values[of])
    return ["unknown" if part is None else str(part) for part in found]


def tile_table(shown: Shown, release: Release, most: int) -> str:
    """The busiest tiles, each with its released count, or its share and whether it stands out; what lies outside is no tile."""
    first = shown.largest(np.arange(len(release.tessellation.tile_ids)), most)
    columns = {"tile": [tile_label(release, int(tile)) for tile in first], **_number_column(shown, first)}
    if shown.is_drawn:
        columns |= {"share (95 %)": shares(shown, first, slice(None)), **_stand_out(shown, first)}
    elif shown.released is not None:
        columns["released count (95 % of the noise)"] = [shown.released.words(at) for at in first]
    return column_table(columns, f"Tiles by {shown.kind} {shown.unit}", f'data-rows="{shown.kind} tiles"')


def flow_table(shown: Shown, release: Release, most: int) -> str:
    """The first flows between two tiles, and those apart (``flows.first_flows``)."""
    found, labels = first_flows(shown, most, min(most, APART_ROWS)), short_labels(release)
    names = dict(zip(release.tessellation.tile_ids, labels, strict=True))
    title, identity = f"Flows by {shown.kind} {shown.unit}", f"{shown.kind} flows"
    tables = [f'<p class="small">{escape(found.said)}</p>']
    for first, caption, apart in ((found.between, title, False), (found.apart, found.apart_title, True)):
        if not len(first):
            continue
        listed = listed_flows(shown, names, first, apart=apart)
        columns = {name: [*listed[name]] for name in ("where", "from", "to") if name in listed}
        columns |= _number_column(shown, first) | (_stand_out(shown, first) if shown.is_drawn else {})
        tables.append(column_table(columns, caption, f'data-rows="{identity}{" apart" if apart else ""}"'))
    return "".join(tables)


def districts_table(shown: Shown, release: Release) -> str:
    """Flows between districts, and within them apart: estimate and released count."""
    found, tables = first_flows(shown, MOST_ROWS, MOST_ROWS), []
    names = district_labels(release.tessellation, shown.keys.axes[0])
    for first, caption in ((found.between, "Flows between districts"), (found.apart, found.apart_title)):
        columns = {"districts": [*listed_flows(shown, names, first, apart=True)["where"]]}
        columns |= _number_column(shown, first)
        if shown.released is not None:
            columns["released count (95 % of the noise)"] = [*shown.released.exact(shown.cells[first])]
        tables.append(column_table(columns, caption))
    return "".join(tables)


def _number_column(shown: Shown, of: Cells) -> dict[str, list[str]]:
    return {shown.head: [shown.words(at) for at in of]}


def _stand_out(shown: Shown, of: Cells) -> dict[str, list[str]]:
    return {"stands out": ["yes" if one else "noise" for one in shown.readable[of]]}


def short_labels(release: Release) -> list[str]:
    """What tiles are called where two of them stand in a row: their names alone, if no two share one."""
    names = release.tessellation.called
    if len(set(names)) == len(names) and OUTSIDE not in names:
        return [*names]
    return [tile_label(release, tile) for tile in range(len(names))]


def ranking_table(ranking: Ranking, title: str) -> str:
    """The first ten, and how far their order can be trusted or what was released of them."""
    names = [f"{i}. {name}" for i, name in enumerate(ranking.names, 1)]
    numbered = _number_column(ranking.shown, np.arange(len(names)))
    return column_table({"": names, **numbered, **ranking.beside}, title, titled=False)


def curve_table(curve: Curve, what: str) -> str:
    """Some points of a curve of shares."""
    rows = [row(*texts) for texts in curve.rows()]
    return table(
        (f"busiest {what}", "hold", "noise alone would make"),
        rows,
        f"Held by the busiest {what}",
        titled=False,
    )


def window_table(drawn: Shown) -> str:
    """All arrivals in each time window: sums over tiles, whose noise adds up."""
    day_types, windows, tiles = drawn.keys.axes
    sums = drawn.numbers.values.reshape(len(day_types.inside), len(windows.inside), -1).sum(axis=2)
    wide = half_width_of_sum(drawn.rate or Fraction(1), len(tiles.labels))
    columns = {
        f"{day}s": [interval(int(one), wide) for one in of]
        for day, of in zip(day_types.inside, sums, strict=True)
    }
    named = {"": [window_name(window) for window in windows.inside], **columns}
    return column_table(named, "Arrivals in all tiles together, with 95 % intervals")


def cell_table(drawn: Shown, title: str) -> str:
    """Any other table as it was released: its keys, value and interval. Of many cells the largest, largest first."""
    if len(drawn.cells) > _LARGEST:
        title = f"{title}: the largest {_LARGEST} of {len(drawn.cells):,}"
        drawn = drawn.at(drawn.largest(np.arange(len(drawn.cells)), _LARGEST))
    keys = drawn.keys.labels(drawn.cells)
    columns = {" ".join(keys): [" ".join(texts) for texts in zip(*keys.values(), strict=True)]}
    for name, ends in zip(("about", "from", "to"), drawn.numbers.columns, strict=True):
        columns[name] = [number(value) for value in ends]
    return column_table(columns, title)


def told_rows(columns: Mapping[str, pa.Array], title: str) -> str:
    """The table of a sum or a mean: its keys, the number, and its range; without a range there is no number."""
    ends = [name for name in columns if name == "half_width_95" or name.startswith("low_")]
    keys = [name for name in columns if name not in _TOLD]
    texts = {name: column.to_pylist() for name, column in columns.items()}
    rows = []
    for place, value in enumerate(texts["value"]):
        if value is None:
            low = high = None
        elif ends == ["half_width_95"]:
            low, high = value - texts["half_width_95"][place], value + texts["half_width_95"][place]
        else:
            low, high = texts["low_95"][place], texts["high_95"][place]
        said = ["" if one is None else f"{one:,.9g}" for one in (value, low, high)]
        if "count" in texts:
            said.append(f"{texts['count'][place]:,.0f} ± {texts['count_half_width_95'][place]:,.0f}")
            lost = texts["missing"][place]
            said.append("" if lost is None else f"{lost:,.0f} ± {texts['missing_half_width_95'][place]:,.0f}")
        rows.append(row(" ".join(texts[name][place] for name in keys), *said))
    more = ("of how many", "missing") if "count" in texts else ()
    if len(rows) > _MOST_OF_SUMS:
        title = f"{title}: the first {_MOST_OF_SUMS} of {len(rows):,}"
    return table((" ".join(keys), "about", "from", "to", *more), rows[:_MOST_OF_SUMS], title)


_TOLD: Final = frozenset(
    [
        "value",
        "half_width_95",
        "low_95",
        "high_95",
        "count",
        "count_half_width_95",
        "missing",
        "missing_half_width_95",
    ]
)


_TINY: Final = 1e-6  # edges that are whole steps stay what they are
_FINEST: Final = Fraction(1, 1000)


_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "p5": "5 of 100 below",
        "p25": "a quarter below",
        "p50": "half below (median)",
        "p75": "three quarters below",
        "p95": "95 of 100 below",
    }
)


def five_rows(
    measurement: Measurement, rung: int, bought: BoughtQuantiles | None = None
) -> tuple[tuple[str, str, str], ...]:
    """Which number, its value with its interval, and whence it comes; nothing for a table that is no histogram."""
    name = measurement.measure
    if name not in GRIDS:
        return ()
    found = summaries({name: measurement}, bought, measurement.rungs[rung])
    return tuple((_NAMES.get(one.statistic, one.statistic), _value_words(one), one.method) for one in found)


def _value_words(one: Quantile) -> str:
    """The number with its interval, with no more digits than that allows; an interval without ends tells nothing."""
    if isinf(one.low) and isinf(one.high):
        return "cannot be told"
    step = _digit(one)
    fine = float(step / 10)
    low = "" if isinf(one.low) else decimal(floor(one.low / fine + _TINY) * fine)
    high = "" if isinf(one.high) else decimal(ceil(one.high / fine - _TINY) * fine)
    between = f"{low} to {high}" if low and high else f"{low} or more" if low else f"{high} or less"
    middle = "beyond the bins" if isinf(one.value) else f"about {decimal(float(_rounded(one, step)))}"
    return f"{middle} ({between})"


def _digit(one: Quantile) -> Fraction:
    """The digit to which a number is told: a third of its half width, as for counts; at most three decimals."""
    ends = [abs(end - one.value) for end in (one.low, one.high) if not isinf(end) and not isinf(one.value)]
    wide = sum(ends) / len(ends) if ends else 0.0
    return Fraction(10) ** max(-3, floor(log10(wide / 3))) if wide > 0 else Fraction(1, 1000)


def _rounded(one: Quantile, step: Fraction) -> Fraction:
    """The value to that digit; to a finer one if it would leave its own interval."""
    found = round(Fraction(one.value) / step) * step
    return found if one.low <= found <= one.high or step < _FINEST else _rounded(one, step / 10)
