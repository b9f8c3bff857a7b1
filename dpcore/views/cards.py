"""The key numbers of a release at a rung, from the release alone: nothing here is compared with a truth."""

from __future__ import annotations

import numpy as np

from dpcore.measures.measurement import Measurement
from dpcore.privacy import decimal_text
from dpcore.release.release import Release
from dpcore.views.flows import BY_NOISE, by_chance
from dpcore.views.plain import chance_words, number
from dpcore.views.reading import colour_breaks, few_below, few_or_none, trusted, trusted_flows
from dpcore.views.sentences import Card, other_tiles


def readable_card(visits: Measurement, rung: int) -> Card:
    """How many tiles stand out of the noise."""
    tiles = visits.keys.size - 1  # the last cell is what lies outside
    readable, few = int(trusted(visits, rung)[:tiles].sum()), few_below(colour_breaks(visits))
    return Card(
        "Readable tiles",
        f"{readable:,} of {tiles:,}",
        other_tiles(readable, int(few_or_none(visits, rung, few)[:tiles].sum()), tiles),
        "A tile can be read when noise alone could hardly have made its count: of all tiles, about one empty one "
        "gets that far.",
    )


def noise_card(visits: Measurement, rung: int) -> Card:
    """How wide the noise of a tile is, and what that is of a typical one."""
    tiles = visits.keys.size - 1
    values, seen = visits.values[rung][:tiles], trusted(visits, rung)[:tiles]
    wide = visits.half_widths[rung]
    note = "No tile stands out of it."
    if seen.any():
        share = float(np.median(wide / values[seen]))
        note = f"Typical readable tile: ± {chance_words(share)}."
    return Card(
        "Noise of a tile",
        f"± {wide:,}",
        note,
        "95 times out of 100 the noise of a tile's visits is no larger than this. Below it: what that is of the count "
        "of the middle one of all readable tiles.",
    )


def flow_card(flows: Measurement, rung: int) -> Card:
    """How many flows stand out of the noise."""
    found = int(trusted_flows(flows, rung).sum())
    return Card(
        "Flows to trust",
        number(found),
        f"Noise is ± {flows.half_widths[rung]:,} {flows.counts} a pair.{f' {BY_NOISE}' if found else ''}",
        "Pairs of tiles whose flow noise alone could hardly have made: of all pairs, about one empty one gets that "
        "far.",
    )


def flow_sentence(flows: Measurement, rung: int) -> str:
    """How many flows stand out of how many (Markdown)."""
    found, size, wide = int(trusted_flows(flows, rung).sum()), flows.keys.size, flows.half_widths[rung]
    noise = f"noise of ± {wide:,} {flows.counts}"
    if not found:
        return f"No flow stands out: each of the {size:,} pairs has {noise}."
    flow, stand = ("flow", "stands") if found == 1 else ("flows", "stand")
    return (
        f"**{found:,} {flow}** {stand} out of the noise: each of the {size:,} pairs has {noise}. {BY_NOISE} Its "
        "interval is then wrong."
    )


def release_cards(release: Release, rung: int) -> tuple[Card, ...]:
    """The cards of those measures that were released."""
    visits, flows = release.measurements.get("visits_per_tile"), release.measurements.get("od_flows")
    cards = [] if visits is None else [readable_card(visits, rung), noise_card(visits, rung)]
    return (*cards, *([] if flows is None else [flow_card(flows, rung)]))


def absent_pairs(flows: Measurement) -> str:
    """What it means that a pair of tiles is not in the table of flows."""
    if flows.threshold is None:
        return "Every pair of tiles is in the table, those without any trip too: noise stands in their place."
    listed = len(flows.cell_numbers)
    decided = len(flows.rungs) - 1 if flows.listed_at is None else flows.rungs.index(flows.listed_at)
    likely = flows.threshold + flows.half_widths[decided]
    return (
        f"{listed:,} of {flows.keys.size:,} pairs are listed. A pair that is absent had a noisy count below "
        f"{flows.threshold:,} where the listing was decided. That says few trips, not none: seldom more than about "
        f"{likely:,}. Of all empty pairs {by_chance(flows)} got into the list by chance.{_kept_list(flows)}"
    )


def _kept_list(flows: Measurement) -> str:
    """What raising a release did to its list: nothing."""
    if flows.listed_at is None or flows.listed_at == flows.rungs[-1]:
        return ""
    return (
        f" The list was decided at ε = {decimal_text(flows.listed_at)}; when the release was raised, listed pairs got "
        "finer counts and no pair was added."
    )
