"""Synthetic trips beside the true ones as tables, maps, and in plain words.

Maps show where trips start and end, and the busiest routes as lines. The ends of their colours and widths are multiples of the
share that a tile or a route would have if all were equal. They follow from the number of tiles, which is public. So two maps can be
compared, and the scale tells nothing about the trips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.roy.association import Proposal
from dpcore.kinds.roy.closeness import Closeness
from dpcore.kinds.roy.domain import TripDomain
from dpcore.kinds.roy.figure import TIMES_OF_DAY, Figure, top_rows
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.noise.accuracy import half_width
from dpcore.privacy import decimal_text
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import cell, number, plus_minus, sentence
from dpcore.views.ground.style import DROWNED, UNDER_FLOWS
from dpcore.views.maps.drawn_map import Arrows, DrawnMap, Key
from dpcore.views.maps.map_classes import FIRST, classes_of, colours_of
from dpcore.views.maps.projection import inside
from dpcore.views.maps.still import still_map

Columns = dict[str, list[str]]
Numbers = NDArray[np.float64]


TITLES: Final[Mapping[str, str]] = {
    "outgoing": "Busiest starts",
    "incoming": "Busiest ends",
    "days": "Busiest days",
    "routes": "Busiest routes",
}
"""What the tables of a figure are called."""

CLOSENESS: Final = (
    "- **Relative error** (AvRLE): the typical difference of a count from the true one, divided by the true one, "
    "on average over all cells. The divisor is at least 0.1 % of all trips. In the second column it is at least "
    "one trip, so the empty cells dominate. 0 is perfect.\n- **Moved by** (EMD, earth mover's distance): how far "
    "a trip must be moved, on average, to turn one table into the other. 0 is perfect.\n- **Top kept** (TP): the "
    "share of the true busiest that is among the synthetic busiest. 100 % is perfect.\n- **Top off by** (UL, "
    "utility loss): how far the counts of the true busiest are off, in percent. 0 % is perfect.\n\n"
    "Roy, Kantarcioglu and Sweeney print such numbers without defining them. **These definitions are ours**, so "
    "compare them with each other, and only loosely with theirs. Not all of a difference is noise. What the model "
    "leaves out, such as a station that is busy on one date only, is lost at any ε."
)
"""What the columns of ``closeness_table`` mean (Markdown)."""


def percent(share: float) -> str:
    """A share that is in percent already, with the digits of the paper's Figure 1.

    >>> percent(0.5561), percent(62.68)
    ('0.556 %', '62.68 %')
    """
    return f"{share:.2f} %" if share >= 1 else f"{share:.3f} %"


def popular_tables(
    original: Figure, synthetic: Figure, domain: TripDomain, names: Mapping[str, str], top: int = 5
) -> dict[str, Columns]:
    """The busiest of the original with both shares, by the names of ``TITLES``."""
    return {
        TITLES[table]: {
            "": [place_name(row.label, names) for row in rows],
            "original": [percent(row.original) for row in rows],
            "synthetic": [percent(row.synthetic) for row in rows],
        }
        for table, rows in top_rows(original, synthetic, domain, top).items()
    }


def place_name(label: str, names: Mapping[str, str]) -> str:
    """What people call a tile or a route; anything else stays as it is.

    >>> place_name("a to b", {"a": "Old town", "b": "Harbour"})
    'Old town to Harbour'
    """
    if label in names:
        return cell(names[label])
    start, _, end = label.partition(" to ")
    return cell(f"{names[start]} to {names[end]}" if start in names and end in names else label)


def times_table(original: Figure, synthetic: Figure) -> Columns:
    """Shares of the times of day, each with its hours, which are ours."""
    return {
        "": [
            f"{name}, {TIMES_OF_DAY[name][0]} to {TIMES_OF_DAY[name][1]} o'clock"
            for name in original.times_of_day
        ],
        "original": [percent(share) for share in original.times_of_day.values()],
        "synthetic": [percent(synthetic.times_of_day[name]) for name in original.times_of_day],
    }


def durations_table(original: Figure, synthetic: Figure) -> Columns:
    """Shortest, mean and longest trip in minutes."""
    return {
        "": ["shortest", "mean", "longest"],
        "original": [minutes(seconds) for seconds in original.durations],
        "synthetic": [minutes(seconds) for seconds in synthetic.durations],
    }


def people_tables(
    original: Figure, synthetic: Figure, domain: TripDomain, station: int
) -> dict[str, Columns]:
    """Who starts at one station: shares of each attribute of a person, by its name."""
    return {
        one.name.replace("_", " "): {
            "": list(one.labels),
            "original": [percent(float(share)) for share in original.people[one.name][station]],
            "synthetic": [percent(float(share)) for share in synthetic.people[one.name][station]],
        }
        for one in domain.person
    }


def minutes(seconds: float) -> str:
    """A duration in minutes.

    >>> minutes(90), minutes(86_000)
    ('1.5 min', '1,433 min')
    """
    value = seconds / 60
    return f"{value:,.0f} min" if value >= 100 else f"{value:.1f} min"


def closeness_table(found: Sequence[Closeness]) -> Columns:
    """The numbers that Roy et al. print, one row a table."""
    return {
        "table": [one.table for one in found],
        "relative error": [f"{one.relative_error:.3f}" for one in found],
        "with empty cells": [f"{one.relative_error_of_one:.3f}" for one in found],
        "moved by": ["\N{EM DASH}" if one.shift is None else f"{one.shift:.3g} {one.unit}" for one in found],
        "top kept": [f"{one.top_kept:.0f} % of {one.top}" for one in found],
        "top off by": [f"{one.utility_loss:.2f} %" for one in found],
    }


def shares_table(plan: SynthesisPlan) -> Columns:
    """What is measured, for which share of epsilon, and how wide the noise of a count is."""
    groups = plan.groups
    return {
        "counted together": [" and ".join(axis.replace("_", " ") for axis in group.axes) for group in groups],
        "counts": [number(plan.cells(group)) for group in groups],
        "share of ε": [f"{100 * float(plan.share(group)):.0f} %" for group in groups],
        "ε of its own": [decimal_text(plan.share(group) * plan.epsilon) for group in groups],
        "noise of one count (95 %)": [plus_minus(half_width(plan.rho(group))) for group in groups],
    }


def spread_tables(
    rows: Sequence[tuple[str, str, float | None, float, float]], names: Mapping[str, str]
) -> dict[str, Columns]:
    """Mean and standard deviation over many draws, by table; ``rows`` are table, label, true value, mean, sigma."""
    found: dict[str, Columns] = {}
    for table, label, original, mean, sigma in rows:
        columns = found.setdefault(
            TITLES.get(table, sentence(table)), {"": [], "original": [], "mean": [], "sigma": []}
        )
        columns[""].append(place_name(label, names))
        columns["original"].append("" if original is None else _digits(original))
        columns["mean"].append(_digits(mean))
        columns["sigma"].append(_digits(sigma))
    return {
        table: {name: texts for name, texts in columns.items() if name != "original" or any(texts)}
        for table, columns in found.items()
    }


def associations_table(told: Proposal) -> Columns:
    """Each association, and whether it is worth a group."""
    none = "\N{EM DASH}"
    return {
        "attributes": [" and ".join(one.attributes).replace("_", " ") for one in told.found],
        "association": [none if one.strength is None else f"{one.strength:.2f}" for one in told.found],
        "by chance": [none if one.by_chance is None else f"{one.by_chance:.2f}" for one in told.found],
        "proposed": ["yes" if one.attributes in told.pairs else "" for one in told.found],
    }


SweepLine = tuple[str, str, str, str, Fraction, float, float]
"""Metric, mode, table, unit, epsilon, mean and standard deviation."""


def sweep_tables(rows: Sequence[SweepLine]) -> dict[str, Columns]:
    """One table for each metric: a line for each mode and table, a column for each epsilon."""
    found: dict[str, dict[tuple[str, str, str], dict[str, str]]] = {}
    for metric, mode, table, unit, epsilon, mean, sigma in rows:
        line = found.setdefault(metric, {}).setdefault((mode, table, unit), {})
        line[f"ε {decimal_text(epsilon)}"] = f"{_digits(mean)} \N{PLUS-MINUS SIGN} {_digits(sigma)}"
    return {
        metric: {
            "mode": ["as published" if mode == "paper" else mode for mode, _, _ in lines],
            "table": [table for _, table, _ in lines],
            "in": [unit for _, _, unit in lines],
            **{name: [line[name] for line in lines.values()] for name in next(iter(lines.values()))},
        }
        for metric, lines in found.items()
    }


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


PRINTED: Final = "0.52 to 0.54 %"
"""What Figure 1 (c) prints for the synthetic share of the five busiest days."""

Variant = tuple[str, float, int, Fraction | None, Fraction | None]
"""What the noise is added to, share of the busiest days, phantoms, epsilon under replace-one and under add/remove."""


def variants_table(true_share: float, trips: int, rows: Sequence[Variant]) -> Columns:
    """The truth and the four ways, one row each."""
    none = "\N{EM DASH}"
    return {
        "noise on": ["nothing: the truth", *(name for name, *_ in rows)],
        "five busiest days, mean": [percent(true_share), *(percent(share) for _, share, *_ in rows)],
        "phantoms": [none, *(f"{phantoms:,}" for _, _, phantoms, *_ in rows)],
        "for each true trip": [none, *(f"{phantoms / max(trips, 1):.2f}" for _, _, phantoms, *_ in rows)],
        "ε, replace one": [none, *(_epsilon(row[3]) for row in rows)],
        "ε, add or remove": [none, *(_epsilon(row[4]) for row in rows)],
    }


def _epsilon(value: Fraction | None) -> str:
    return "not private" if value is None else decimal_text(value)


def cells_words(cells: int, occupied: int, trips: int) -> str:
    """How many cells of the table of stations, dates and hours are empty, as a sentence."""
    empty = cells - occupied
    return (
        f"{cells:,} counts of stations \N{MULTIPLICATION SIGN} dates \N{MULTIPLICATION SIGN} hours for {trips:,} trips: {empty:,} of them "
        f"({100 * empty / max(cells, 1):.0f} %) are empty."
    )


BREAKS: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Multiples of an equal share that part the colours."""
ROUTES: Final = 80
"""Lines on a map."""
_WIDEST: Final = 0.01  # share of all trips of a route with the widest line


def visits_svg(tiles: Tessellation, shares: Numbers, title: str, mark: str, *, dark: bool = False) -> str:
    """Tiles coloured by their share of the visits.

    ``shares``: of each tile, adding up to 1 or, without trips, to 0; ``mark``: such as ``Demo data``; ``dark``: as the page
    is, for the picture has no ground of its own.
    """
    scale = tuple((colour, "") for colour in colours_of(BREAKS)[FIRST:])
    edges = tuple(f"{edge:g}\N{MULTIPLICATION SIGN}" for edge in BREAKS)
    which = classes_of(shares * len(shares), BREAKS, shares > 0)
    drawn = DrawnMap(tiles, which, colours_of(BREAKS), Key("", (*scale, (DROWNED, "nothing")), edges))
    return still_map(drawn, f"{title}: visits per tile", title=title, mark=mark, dark=dark)


def routes_svg(tiles: Tessellation, routes: Numbers, title: str, mark: str, *, dark: bool = False) -> str:
    """The busiest routes between two different tiles as lines that are thick where they end, wider with their share.

    ``routes``: share of each route, shape (tiles, tiles), in the order of the ids; ``dark``: as the page is.
    """
    points, between = inside(tiles.polygons), (routes * ~np.eye(len(routes), dtype=bool)).ravel()
    order = np.argsort(-between, kind="stable")[:ROUTES]
    order = order[between[order] > 0]
    starts, ends = np.unravel_index(order, routes.shape)
    sure = np.ones(len(order), np.bool_)
    said = f"The {len(order)} busiest routes, thick where they end; width by share of all trips"
    drawn = DrawnMap(
        tiles,
        np.zeros(len(points), np.int64),
        (UNDER_FLOWS,),
        Key(said, ()),
        Arrows(points[starts], points[ends], between[order], sure, _WIDEST),
    )
    return still_map(drawn, f"{title}: busiest routes", title=title, mark=mark, dark=dark)
