"""``synth stability``: large noisy counts of trip starts and ends."""

from __future__ import annotations

import argparse

from dpcore import limits
from dpcore.api import owner
from dpcore.api.plans import USUAL_COMBINATIONS, stability_plan
from dpcore.command_line import options as read
from dpcore.command_line.paying import (
    add_synthetic,
    must_lie_on_tiles,
    promised_bound,
    publish,
    tell_counting,
)
from dpcore.synthesis.stability.choices import exact_delta
from dpcore.synthesis.stability.plan import Variant


def add_stability(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    stability = kinds.add_parser(
        "stability", help="large noisy counts of trip starts and ends, as for the Opal cards"
    )
    add_synthetic(stability)
    stability.add_argument(
        "--delta", metavar="D", help=f"total delta of all combinations; default: {limits.DEFAULT_DELTA}"
    )
    stability.add_argument(
        "--combinations",
        default=",".join(USUAL_COMBINATIONS),
        metavar="a,b,a+b",
        help="combinations of on_time, on_loc, off_time, off_loc; default: each alone, and time and place together",
    )
    stability.add_argument(
        "--minutes", type=read.whole, default=15, metavar="N", help="length of a bin of times; default: 15"
    )
    stability.add_argument(
        "--variant",
        choices=[variant.value for variant in Variant],
        help="default: user, or add-remove with the unit trip",
    )
    stability.set_defaults(run=_stability)


def _stability(options: argparse.Namespace) -> None:
    choices = stability_plan(  # refuses what cannot be before the trips are read
        promised_bound(options),
        options.epsilon,
        delta=exact_delta(limits.DEFAULT_DELTA if options.delta is None else options.delta, "--delta"),
        combinations=options.combinations.split(","),
        period=options.dates,
        minutes=options.minutes,
        variant=options.variant,
    )
    trips, tessellation = read.loaded(options)
    must_lie_on_tiles(options, trips, tessellation)
    publish(
        options,
        choices,
        trips,
        tessellation,
        counted=lambda: tell_counting(owner.counted_as_keys(trips, tessellation, choices), choices.bound),
    )
