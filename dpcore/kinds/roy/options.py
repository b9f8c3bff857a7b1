"""What the options of its commands say: the model that they choose, and the trips that it counts."""

from __future__ import annotations

import argparse

from dpcore.api import owner
from dpcore.command_line import options as read
from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.roy.choices import CHOICES, RoyChoices
from dpcore.kinds.roy.plans import model_plan
from dpcore.planning.choice import given_arguments
from dpcore.privacy import ContributionBound
from dpcore.tiles import Tessellation


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
