"""``synth stability``: large noisy counts of trip starts and ends."""

from __future__ import annotations

import argparse

from dpcore.command_line import options as read
from dpcore.command_line.paying import (
    add_synthetic,
    must_lie_on_tiles,
    promised_bound,
    publish,
    tell_counting,
)
from dpcore.kinds.stability.choices import CHOICES
from dpcore.kinds.stability.plans import stability_plan
from dpcore.measures.attribute import distinct
from dpcore.planning.choice import add_options, given_arguments


def add(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add large counts to ``synth``."""
    stability = kinds.add_parser(
        "stability", help="large noisy counts of trip starts and ends, as for the Opal cards"
    )
    add_synthetic(stability)
    add_options(stability, CHOICES)
    stability.set_defaults(run=_stability)


def _stability(options: argparse.Namespace) -> None:
    from dpcore.kinds.stability import owner as stability_owner  # noqa: PLC0415 - it imports comparisons, which few commands need

    parts = {one.name: one.declared for one in distinct(options.parts)}
    said = given_arguments(options, CHOICES) | {"period": options.dates, "parts": parts}
    bound = promised_bound(options)
    stability_plan(bound, options.epsilon, **said | {"zones": None})  # refuses what cannot be
    declared = {one.name for one in options.attribute}
    options.attribute += [one for one in options.parts if one.name not in declared]
    tessellation = read.noted_tiles(options)
    choices = stability_plan(bound, options.epsilon, **said, tiles=tessellation)
    trips = read.trips_on(options, tessellation, lambda them: read.must_promise(them, choices.bound))
    must_lie_on_tiles(options, trips, tessellation)
    publish(
        options,
        choices,
        trips,
        tessellation,
        counted=lambda: tell_counting(
            stability_owner.counted_as_keys(trips, tessellation, choices), choices.bound
        ),
    )
