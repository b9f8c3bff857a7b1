"""Synthetic trips beside the true ones as tables, and every number of them in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dpcore.noise.accuracy import half_width
from dpcore.privacy import decimal_text
from dpcore.synthesis.closeness import Closeness
from dpcore.synthesis.domain import TripDomain
from dpcore.synthesis.figure import Figure, top_rows
from dpcore.synthesis.workload import SynthesisPlan
from dpcore.views.plain import cell, number, sentence

Columns = dict[str, list[str]]

TITLES: Final[Mapping[str, str]] = {
    "outgoing": "Busiest starts",
    "incoming": "Busiest ends",
    "days": "Busiest days",
    "routes": "Busiest routes",
}
"""What the tables of a figure are called."""

CLOSENESS: Final = (
    "- **Relative error** (AvRLE): the typical difference of a count from the true one, as part of it, on average over all "
    "cells. A cell counts as 0.1 % of all trips at least; in the second column as one trip at least, so that the "
    "empty cells rule it. 0 is perfect.\n"
    "- **Moved by** (EMD, earth mover's distance): how far a trip must be moved, on average, to turn one table into the "
    "other. 0 is perfect.\n"
    "- **Top kept** (TP): how many per cent of the true busiest are among the synthetic busiest. 100 is perfect.\n"
    "- **Top off by** (UL, utility loss): by how many per cent the counts of the true busiest are off. 0 is perfect.\n\n"
    "Roy, Kantarcioglu and Sweeney print such numbers without defining them. **These definitions are ours**, so compare "
    "them with each other, and only loosely with theirs. Not all of a difference is noise: what the model leaves out, such "
    "as a station that is busy on one date only, is lost at any ε."
)
"""What the columns of ``closeness_table`` mean (Markdown)."""


def percent(share: float) -> str:
    """A share that is in per cent already, with the digits of the paper's Figure 1.

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
    """Shares of the times of day."""
    return {
        "": list(original.times_of_day),
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
        "noise of one count (95 %)": [f"± {half_width(plan.rho(group)):,}" for group in groups],
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


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
