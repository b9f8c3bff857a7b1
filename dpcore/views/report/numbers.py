"""The tables of a report: every number of its pictures, with its interval and, where it is a part, its share; five numbers as words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from html import escape
from math import ceil, floor, isinf, log10
from types import MappingProxyType
from typing import Final

import numpy as np
import pyarrow as pa

from dpcore.estimates import Ranged
from dpcore.estimates.words import likely
from dpcore.measures.bought import BoughtQuantiles
from dpcore.measures.choices import GRIDS
from dpcore.measures.keys import OUTSIDE
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width_of_sum, standard_deviation
from dpcore.noise.five_numbers import Quantile, decimal, summaries
from dpcore.release.release import Release
from dpcore.views.charts.plots import Plot, window_name
from dpcore.views.ground.plain import interval, number
from dpcore.views.ground.reading import coloured_from
from dpcore.views.numbers.ranking import Ranking
from dpcore.views.numbers.shares import Curve, share
from dpcore.views.numbers.tile_facts import tile_label

FIRST_ROWS: Final = 10
"""Rows of a long table that stand there at once."""
MOST_ROWS: Final = 100
"""Rows of it that stand one click away."""
_MOST_OF_SUMS: Final = 400  # of a table that this report does not know
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


def plot_table(
    plot: Plot, measurement: Measurement, rung: int, identity: str, *, guessed: tuple[Ranged | None, str]
) -> str:
    """The estimates of a plot, and its numbers as they were released, below zero too.

    ``guessed``: the estimates, and which trips they are about; an empty text where there are none.
    """
    shown, about = guessed
    values, wide = measurement.values[rung], measurement.half_widths[rung]
    deviation = standard_deviation(measurement.rho(rung))
    rows = []
    for label, cell in zip(plot.labels, plot.cells, strict=True):
        value = int(values[cell])
        guess = "" if shown is None else likely(*shown.cell(cell))
        parts = [*([guess] if about else []), number(value), number(value - wide), number(value + wide)]
        if plot.total is not None:
            part = share(value, int(values[plot.total].sum()), len(plot.total), deviation)
            parts.append("unknown" if part is None else str(part))
        rows.append(row(label, *parts))
    share_of = ("share (95 %)",) if plot.total is not None else ()
    estimate = (f"estimate, {about}",) if about else ()
    head = ("", *estimate, "released", "noise from", "noise to", *share_of)
    return table(head, rows, f"{plot.title}: {measurement.counts}", f'data-plot="{identity}"')


def tile_table(release: Release, rung: int, most: int) -> str:
    """The busiest tiles by noisy visits; what lies outside all tiles comes last in no ranking."""
    visits = release.measurements["visits_per_tile"]
    values, tiles = visits.values[rung], len(release.tessellation.tile_ids)
    deviation, total = standard_deviation(visits.rho(rung)), int(values.sum())
    below = coloured_from(visits, rung)
    rows = []
    for tile in np.argsort(-values[:tiles], kind="stable")[:most]:
        value = int(values[tile])
        part = share(value, total, visits.keys.size, deviation)
        rows.append(
            row(
                tile_label(release, int(tile)),
                interval(value, visits.half_widths[rung]),
                "unknown" if part is None else str(part),
                "yes" if value >= below else "noise",
            )
        )
    return table(
        ("tile", "visits (95 %)", "share (95 %)", "stands out"),
        rows,
        "Tiles by noisy visits",
        'data-rows="tiles"',
    )


def flow_table(release: Release, rung: int, most: int) -> str:
    """The strongest noisy flows, those within a tile and with the outside too."""
    flows = release.measurements["od_flows"]
    values = flows.values[rung]
    below = coloured_from(flows, rung)
    strongest = np.argsort(-values, kind="stable")[:most]
    ends = np.unravel_index(flows.cell_numbers[strongest], flows.keys.shape)
    rows = [
        row(
            end_label(release, int(start)),
            end_label(release, int(end)),
            interval(int(values[at]), flows.half_widths[rung]),
            "yes" if values[at] >= below else "noise",
        )
        for at, start, end in zip(strongest, *ends, strict=True)
    ]
    return table(
        ("from", "to", "trips (95 %)", "stands out"), rows, "Flows by noisy trips", 'data-rows="flows"'
    )


def end_label(release: Release, position: int) -> str:
    """What an end of a flow is called, or that it lies outside."""
    return OUTSIDE if position == len(release.tessellation.tile_ids) else short_labels(release)[position]


def short_labels(release: Release) -> list[str]:
    """What tiles are called where two of them stand in a row: their names alone, if no two share one."""
    names = release.tessellation.tile_names
    if len(set(names)) == len(names) and OUTSIDE not in names:
        return [*names]
    return [tile_label(release, tile) for tile in range(len(names))]


def ranking_table(ranking: Ranking, title: str) -> str:
    """The first ten, and how far their order can be trusted or what was released of them."""
    columns = [*ranking.beside.values()]
    rows = [
        row(f"{i + 1}. {name}", ranking.shown.words(i), *(texts[i] for texts in columns))
        for i, name in enumerate(ranking.names)
    ]
    return table(("", ranking.shown.head, *ranking.beside), rows, title, titled=False)


def curve_table(curve: Curve, what: str) -> str:
    """Some points of a curve of shares."""
    rows = [row(*texts) for texts in curve.rows()]
    return table(
        (f"busiest {what}", "hold", "noise alone would make"),
        rows,
        f"Held by the busiest {what}",
        titled=False,
    )


def window_table(measurement: Measurement, rung: int) -> str:
    """All arrivals in each time window: sums over tiles, whose noise adds up."""
    day_types, windows, tiles = measurement.keys.axes
    sums = measurement.values[rung].reshape(len(day_types.inside), len(windows.inside), -1).sum(axis=2)
    wide = half_width_of_sum(measurement.rho(rung), len(tiles.labels))
    rows = [
        row(
            window_name(window), *(interval(int(sums[day][at]), wide) for day in range(len(day_types.inside)))
        )
        for at, window in enumerate(windows.inside)
    ]
    return table(
        ("", *(f"{day}s" for day in day_types.inside)),
        rows,
        "Arrivals in all tiles together, with 95 % intervals",
    )


def cell_table(measurement: Measurement, rung: int, title: str) -> str:
    """Any other table as it was released: its keys, value and interval. Of many cells the largest, largest first."""
    values, cells, wide = measurement.values[rung], measurement.cell_numbers, measurement.half_widths[rung]
    if len(cells) > _LARGEST:
        first = np.argsort(-values, kind="stable")[:_LARGEST]
        title = f"{title}: the largest {_LARGEST} of {len(cells):,}"
        values, cells = values[first], cells[first]
    keys = measurement.keys.labels(cells)
    rows = [
        row(" ".join(texts), number(int(value)), number(int(value) - wide), number(int(value) + wide))
        for *texts, value in zip(*keys.values(), values, strict=True)
    ]
    return table((" ".join(keys), "about", "from", "to"), rows, title)


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
