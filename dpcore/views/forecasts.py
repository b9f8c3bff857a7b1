"""A forecast in words and as a table: what a plan will give, said before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.measures import Kind, measure_named
from dpcore.noise.forecast import Facts, MeasureForecast, trips_counted
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.views.plain import percent, rough
from dpcore.views.sentences import Card

_BEYOND: Final = 10  # noise of more than ten times the average is told as such

ASSUMPTION: Final = (
    "Expected if visits are spread as in a typical city: half of the tiles get less than four tenths of the average, "
    "one in ten more than twice the average; flows are spread more unevenly still. On a fine grid over few "
    "stations most tiles get nothing, and fewer can be read than this says. Nothing here is computed from the trips."
)


def cards(forecasts: Sequence[MeasureForecast], facts: Facts) -> list[Card]:
    """One card for each picture of places: how much of it can be expected to stand out of the noise."""
    found = []
    for one in forecasts:
        measure = measure_named(one.measure)
        if not measure.readable:
            continue
        tiles = measure.layout.kind is Kind.TILES
        of = facts.tiles if tiles else one.cells
        value = "unknown" if one.readable_share is None else f"≈ {rough(one.readable_share * of)}"
        if tiles and one.readable_share is not None:
            value += f" of {of:,}"
        note = "" if tiles else f"Of {of:,} pairs. "
        note += f"Noise is ± {one.half_width:,} {one.counts} (95 %): from {one.stands_out_from:,} on a count stands out."
        if one.listed_from is not None:
            note += f" Below {one.listed_from:,} it is left out of the files."
        if one.readable_share is None:
            note += " Declare trips and people to see more."
        found.append(Card(measure.readable, value, note, ASSUMPTION))
    return found


def table(forecasts: Sequence[MeasureForecast]) -> dict[str, list[str]]:
    """Columns of text, one row for each measure."""
    rows = [
        (
            one.title,
            f"{float(one.epsilon):.3g}",
            f"{one.sensitivity:,}",
            f"± {one.half_width:,} {one.counts}",
            f"{one.cells:,}",
            "unknown" if one.average is None else f"about {rough(one.average)}",
            _relative(one.relative),
        )
        for one in forecasts
    ]
    names = (
        "picture",
        "ε of its own",
        "sensitivity",
        "noise of one count (95 %)",
        "counts",
        "average count",
        "noise of an average count",
    )
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def counted(bound: ContributionBound, facts: Facts) -> str:
    """How many of the declared trips will count under the bound."""
    expected = trips_counted(bound, facts)
    if facts.trips is None or expected is None:
        needed = "trips" if facts.trips is None else "people"
        return (
            f"How much can be read depends on the number of {needed}: declare it, from what is known anyway."
        )
    if bound.unit is PrivacyUnit.TRIP or not facts.users:
        return f"All of the about {facts.trips:,} trips count."
    share = expected / facts.trips if facts.trips else 1.0
    return (
        f"About {rough(expected)} of the {facts.trips:,} trips will count ({percent(share)}), if a few people make many of "
        f"the trips, as is usual: {facts.trips / facts.users:.1f} trips per person on average, at most "
        f"{bound.trips} of each."
    )


def _relative(share: float | None) -> str:
    if share is None:
        return "unknown"
    return f"± {percent(share)}" if share <= _BEYOND else f"over {_BEYOND} times as large"
