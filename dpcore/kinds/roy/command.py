"""``synth roy``: trips drawn from noisy tables."""

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
from dpcore.kinds.roy import choosing_commands
from dpcore.kinds.roy.article import SOUND
from dpcore.kinds.roy.choices import CHOICES
from dpcore.kinds.roy.options import model_choices, trips_for
from dpcore.planning.choice import add_options


def add(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add what may be said of synthetic trips to ``synth``."""
    roy = kinds.add_parser(
        "roy", help="trips drawn from noisy tables (Roy, Kantarcioglu, Sweeney 2016)", description=SOUND
    )
    add_synthetic(roy)
    add_options(roy, CHOICES)
    roy.set_defaults(run=_roy)
    choosing_commands.add_groups(kinds)
    choosing_commands.add_sweep(kinds)


def _roy(options: argparse.Namespace) -> None:
    from dpcore.kinds.roy import owner as roy_owner  # noqa: PLC0415 - it imports comparisons, which few commands need

    choices = model_choices(options, promised_bound(options), options.epsilon)
    tessellation = read.noted_tiles(options)
    choices.plan(tessellation)  # refuses what cannot be before the trips are read
    trips = trips_for(choices, options, tessellation, choices.bound)
    must_lie_on_tiles(options, trips, tessellation)
    publish(
        options,
        choices,
        trips,
        tessellation,
        counted=lambda: tell_counting(
            roy_owner.counted_in_model(trips, tessellation, choices), choices.bound
        ),
    )
