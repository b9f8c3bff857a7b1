"""``synth roy``: trips drawn from noisy tables."""

from __future__ import annotations

import argparse

from dpcore.api import owner
from dpcore.command_line import options as read
from dpcore.command_line.paying import (
    add_synthetic,
    must_lie_on_tiles,
    promised_bound,
    publish,
    tell_counting,
)
from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.roy.article import SOUND
from dpcore.kinds.roy.choices import CHOICES, RoyChoices
from dpcore.kinds.roy.plans import model_plan
from dpcore.privacy import ContributionBound
from dpcore.release.choice import add_options, given_arguments
from dpcore.tiles import Tessellation


def add(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add what may be said of synthetic trips to ``synth``."""
    from dpcore.kinds.roy import choosing_commands  # noqa: PLC0415 - it imports this module

    add_roy(kinds)
    choosing_commands.add_groups(kinds)
    choosing_commands.add_sweep(kinds)


def add_roy(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    roy = kinds.add_parser(
        "roy", help="trips drawn from noisy tables (Roy, Kantarcioglu, Sweeney 2016)", description=SOUND
    )
    add_synthetic(roy)
    add_options(roy, CHOICES)
    roy.set_defaults(run=_roy)


def model_choices(options: argparse.Namespace, bound: ContributionBound, epsilon: str) -> RoyChoices:
    """The model that the options choose; raises an AtlasError if it cannot be."""
    if options.dates is None:
        raise PrivacyError(
            "synthetic trips need a public period",
            "--dates",
            "Give its first and last day, such as --dates 2024-04-01/2024-04-28: they are never read off the data.",
        )
    declared = {one.name: one for one in options.attribute}
    drawn = options.draw or ()
    unknown = [name for name in drawn if name not in declared]
    if unknown:
        raise InputError(
            "only declared attributes can be drawn",
            f"--draw {', '.join(unknown)}",
            "Declare them, such as --attribute mode=bus,rail,bike.",
        )
    said = given_arguments(options, CHOICES) | {"draw": {name: declared[name].declared for name in drawn}}
    return model_plan(bound, epsilon, options.dates, **said)


def trips_for(
    choices: RoyChoices, options: argparse.Namespace, tessellation: Tessellation, *bounds: ContributionBound
) -> owner.PrivateTrips:
    """Trips as ``options.trips_on`` gives them; raises an AtlasError if they lack an attribute of the model, or cannot be protected."""
    from dpcore.kinds.roy import owner as roy_owner  # noqa: PLC0415 - it imports comparisons, which few commands need

    def must_be(trips: owner.PrivateTrips) -> None:
        roy_owner.must_have_kept(trips, choices.extras, choices.draw)
        read.must_promise(trips, *bounds)

    return read.trips_on(options, tessellation, must_be)


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
