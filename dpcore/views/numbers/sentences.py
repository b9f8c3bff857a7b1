"""Sentences: what an epsilon, a privacy unit, a bound and an error mean, and the key numbers of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pandas as pd

from dpcore.measures import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit, Promise, decimal_text
from dpcore.release.release import Release
from dpcore.views.ground.plain import chance_words, number, percent, plus_minus
from dpcore.views.ground.reading import (
    SeriesError,
    colour_breaks,
    few_below,
    few_or_none,
    trusted,
    trusted_flows,
)
from dpcore.views.numbers.flows import BY_NOISE, by_chance, ranked_cells

OWNER_MARK: Final = "Owner preview: for the owner only. Do not share."
"""Stands on every picture and table of what only the owner of the trips may see."""
DEMO_MARK: Final = "Demo data"
"""Stands on every picture of the built-in city, whose truth is public."""
MARK_COLUMN: Final = "mark"
"""The last column of a table that only the owner may see."""

_READABLE: Final = "Tiles whose count noise alone could hardly have made. Of all tiles, about one empty one gets that far by chance."
_TRUSTED: Final = "Pairs of tiles whose flow noise alone could hardly have made. Of all pairs, about one empty one gets that far by chance: a false flow."


def marked(table: Any, mark: str = OWNER_MARK) -> pd.DataFrame:  # noqa: ANN401 - whatever pandas makes a frame of
    """A table with a mark: in ``attrs["mark"]``, and in every row as the last column ``mark``, which files keep.

    ``table``: whatever pandas makes a frame of.
    """
    found: pd.DataFrame = pd.DataFrame(table).assign(**{MARK_COLUMN: mark})
    found.attrs[MARK_COLUMN] = mark
    return found


def hides(bound: ContributionBound) -> str:
    """What the privacy unit hides; epsilon is not mentioned (Markdown)."""
    if bound.unit is PrivacyUnit.USER:
        some = "one trip" if bound.max_trips == 1 else f"at most {bound.max_trips} trips"
        return f"**Protects everything a person did**, up to a limit; {some} of each person counted"
    return "**Protects one trip, not a person**; all trips counted"


def protection(bound: ContributionBound, epsilon: Fraction) -> str:
    """Unit, bound and epsilon, and how well presence and doings are hidden, worded as upper bounds (Markdown)."""
    return f"{hides(bound)}, at **ε = {decimal_text(epsilon)}**. {Promise.of(bound, epsilon).in_full}"


def protection_text(bound: ContributionBound, epsilon: Fraction) -> str:
    """``protection`` without Markdown, for screen readers and pictures."""
    return protection(bound, epsilon).replace("**", "")


@dataclass(frozen=True)
class Card:
    """One key number with what it means."""

    label: str
    value: str
    note: str
    help: str


def other_tiles(readable: int, few_or_none: int, tiles: int) -> str:
    """How many tiles are drowned by noise, and how many have few or no visits."""
    drowned = tiles - readable - few_or_none
    lost = (
        f"{drowned:,} {'is' if drowned == 1 else 'are'} drowned by noise."
        if drowned
        else "None is drowned by noise."
    )
    empty = f" {few_or_none:,} {'has' if few_or_none == 1 else 'have'} few or none."
    return lost + (empty if few_or_none else "")


def error(seen: SeriesError, measurement: Measurement) -> str:
    """How wrong a view is beside the truth: the noise alone, and then noise and bound together."""
    whole = measurement.bound.unit is PrivacyUnit.TRIP or measure_named(measurement.measure).counts_users
    error = "Error" if whole else "Error with the bound"
    return (
        f"Noise {plus_minus(seen.noise)} (95 %). {error}: median {seen.typical:,.0f}, largest {seen.worst:,}."
    )


def shares(plan: Plan, rung: int, measurements: Mapping[str, Measurement]) -> dict[str, list[str]]:
    """How epsilon is shared between the measures of a plan, as columns of a table."""
    rows = [
        (
            measure_named(name).title,
            _percent(float(plan.share(name))),
            f"{float(measurement.epsilon(rung)):.3g}",
            f"{measurement.sensitivity:,}",
            plus_minus(measurement.half_widths[rung]),
        )
        for name, measurement in measurements.items()
    ]
    names = ("picture", "share", "ε of its own", "sensitivity", "noise of one count (95 %)")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def _percent(share: float) -> str:
    """A share in whole percent where that is honest; never rounded up to certainty.

    >>> _percent(0.7311), _percent(0.9933), _percent(0.99997)
    ('73 %', '99.3 %', 'more than 99.9 %')
    """
    if 0.9995 < share < 1:
        return "more than 99.9 %"
    return percent(share, 1) if 0.95 < share < 1 or 0 < share < 0.01 else percent(share)


def readable_card(visits: Measurement, rung: int) -> Card:
    """How many tiles stand out of the noise."""
    tiles = visits.keys.size - 1  # the last cell is what lies outside
    readable, few = int(trusted(visits, rung)[:tiles].sum()), few_below(colour_breaks(visits))
    return Card(
        "Readable tiles",
        f"{readable:,} of {tiles:,}",
        other_tiles(readable, int(few_or_none(visits, rung, few)[:tiles].sum()), tiles),
        _READABLE,
    )


def noise_card(visits: Measurement, rung: int) -> Card:
    """How wide the noise of a tile is, and what share of a typical readable tile this is."""
    tiles = visits.keys.size - 1
    values, seen = visits.values[rung][:tiles], trusted(visits, rung)[:tiles]
    wide = visits.half_widths[rung]
    note = "No tile stands out of it."
    if seen.any():
        share = float(np.median(wide / values[seen]))
        note = f"Typical readable tile: ± {chance_words(share)}."
    return Card(
        "Noise of a tile",
        plus_minus(wide),
        note,
        "95 times out of 100 the noise of a tile's visits is no larger than this. Below it: this noise as a share of the "
        "median count of the readable tiles.",
    )


def flow_card(flows: Measurement, rung: int) -> Card:
    """How many flows stand out of the noise."""
    found = int(trusted_flows(flows, rung).sum())
    return Card(
        "Flows that stand out",
        number(found),
        f"Noise {plus_minus(flows.half_widths[rung], flows.counts)} a pair.{f' {BY_NOISE}' if found else ''}",
        _TRUSTED,
    )


def flow_sentence(flows: Measurement, rung: int) -> str:
    """How many flows stand out of how many, and how many of these lie between two places (Markdown)."""
    trusted, size, wide = trusted_flows(flows, rung), flows.keys.size, flows.half_widths[rung]
    found, noise = int(trusted.sum()), f"noise of {plus_minus(wide, flows.counts)}"
    if not found:
        return f"No flow stands out: each of the {size:,} pairs has {noise}."
    flow, stand = ("flow", "stands") if found == 1 else ("flows", "stand")
    between = len(ranked_cells(flows.keys, flows.cell_numbers[trusted]))
    lie = "None of these lies" if not between else f"{between:,} of these {'lies' if between == 1 else 'lie'}"
    ways = "" if between == found else f" {lie} between two different places."
    return (
        f"**{found:,} {flow}** {stand} out of the noise: each of the {size:,} pairs has {noise}. {BY_NOISE} The "
        f"interval of a false flow is wrong.{ways}"
    )


def release_cards(release: Release, rung: int, *, known: bool = False) -> tuple[Card, ...]:
    """The cards of those measures that were released; ``known``: another card says how many tiles are known, which tells more."""
    visits, flows = release.measurements.get("visits_per_tile"), release.measurements.get("od_flows")
    cards = (
        []
        if visits is None
        else [*([] if known else [readable_card(visits, rung)]), noise_card(visits, rung)]
    )
    return (*cards, *([] if flows is None else [flow_card(flows, rung)]))


def absent_pairs(flows: Measurement) -> str:
    """What it means that a pair of tiles is not in the table of flows."""
    if flows.threshold is None:
        return "Every pair of tiles is in the table. A pair without any trip shows noise alone."
    listed = len(flows.cell_numbers)
    decided = len(flows.rungs) - 1 if flows.listed_at is None else flows.rungs.index(flows.listed_at)
    likely = flows.threshold + flows.half_widths[decided]
    return (
        f"{listed:,} of {flows.keys.size:,} pairs are listed. A pair that is not listed had a noisy count below "
        f"{flows.threshold:,} when the list was made. That means few trips, not none: seldom more than about "
        f"{likely:,}. Of all empty pairs {by_chance(flows)} got into the list by chance.{_kept_list(flows)}"
    )


def _kept_list(flows: Measurement) -> str:
    """Says that raising the release left its list as it was; empty if it was not raised."""
    if flows.listed_at is None or flows.listed_at == flows.rungs[-1]:
        return ""
    return (
        f" The list was made at ε = {decimal_text(flows.listed_at)}. When the release was raised, listed pairs got "
        "finer counts and no pair was added."
    )
