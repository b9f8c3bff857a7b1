"""Options of ``synth trajectory-tree``, and the choices that they name."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from dpcore import limits
from dpcore.command_line import options as read
from dpcore.errors import InputError, PrivacyError
from dpcore.privacy import ContributionBound, PrivacyUnit, exact_epsilon
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import DEFAULT_HEIGHT, TreeChoices
from dpcore.trajectory_tree.consistency import Consistency
from dpcore.trajectory_tree.levels_file import read_levels
from dpcore.trajectory_tree.making import Making, Outside, Source
from dpcore.trajectory_tree.plan import Definition, Strategy

_USUAL = {Definition.LOCATION: Strategy.ADAPTIVE, Definition.RECORD: Strategy.RECORD}
_KINDS = tuple(Consistency)


def add_options(kind: argparse.ArgumentParser) -> None:
    """Add what only a tree of trajectories has."""
    kind.add_argument(
        "--levels",
        type=Path,
        metavar="FILE",
        help="public privacy levels of tiles: GeoJSON or CSV with tile_id,privacy; default: all Critical",
    )
    kind.add_argument(
        "--height",
        type=read.whole,
        default=DEFAULT_HEIGHT,
        metavar="h",
        help=f"visits of a trajectory that count; default: {DEFAULT_HEIGHT}",
    )
    kind.add_argument(
        "--trajectory",
        choices=[one.value for one in Source],
        default=Source.TRIP.value,
        help="what one trajectory is: a trip, or the local day of a person (needs the unit user); default: trip",
    )
    kind.add_argument(
        "--max-days",
        type=read.whole,
        metavar="M",
        help="with --trajectory day: days that count of each person; --max-trips means the same there",
    )
    kind.add_argument(
        "--minutes",
        type=read.whole,
        metavar="N",
        help="note the tile every N minutes; default: each move once",
    )
    kind.add_argument(
        "--outside",
        choices=[one.value for one in Outside],
        default=Outside.LEAVE_OUT.value,
        help="visits in no tile: left out, one more place, or the end of the trajectory; default: leave-out",
    )
    kind.add_argument(
        "--promise",
        choices=[one.value for one in Definition],
        default=Definition.LOCATION.value,
        help="what levels protect: going on to a place, or the whole trajectory; default: location",
    )
    kind.add_argument(
        "--strategy",
        choices=[one.value for one in Strategy],
        help="how the budget is laid along a path; default: adaptive, or record with --promise record",
    )
    kind.add_argument(
        "--consistency",
        choices=[one.value for one in _KINDS],
        default=Consistency.EQUAL.value,
        help="how estimates are made to add up; default: equal",
    )


def days_are_trips(options: argparse.Namespace) -> None:
    """Let ``--max-days`` stand for the bound; raises PrivacyError where it has no meaning, or is missing."""
    if options.max_days is None:
        if options.trajectory == Source.DAY.value and options.max_trips is None and _of_people(options):
            raise PrivacyError(
                "a person may have any number of days, and the noise must hide all that count",
                "--max-days",
                "Say how many days of each person may count, such as --max-days 5.",
            )
        return
    if options.trajectory != Source.DAY.value:
        raise PrivacyError(
            "days of a person are counted only where a trajectory is a day",
            "--max-days",
            "Give --max-trips instead, or add --trajectory day.",
        )
    if options.max_trips is not None:
        raise PrivacyError(
            "the bound is given twice", "--max-days", "Leave --max-trips out: it means days here."
        )
    options.max_trips = options.max_days


def _of_people(options: argparse.Namespace) -> bool:
    return PrivacyUnit.parse(options.privacy_unit) is PrivacyUnit.USER


def choices_without_levels(options: argparse.Namespace, bound: ContributionBound) -> TreeChoices:
    """All choices but the levels, which need the tiles: refuses what cannot be before the trips are read."""
    definition = Definition(options.promise)
    return TreeChoices(
        bound,
        exact_epsilon(options.epsilon),
        options.height,
        making=Making(Source(options.trajectory), options.minutes, Outside(options.outside)),
        definition=definition,
        strategy=_USUAL[definition] if options.strategy is None else Strategy(options.strategy),
        consistency=Consistency(options.consistency),
        period=options.dates,
    )


def with_levels(choices: TreeChoices, place: Path | None, tessellation: Tessellation) -> TreeChoices:
    """The choices with the levels of a file; InputError or PrivacyError where it cannot be used."""
    if place is None:
        return choices
    try:
        with place.open("rb") as file:
            data = file.read(limits.MAX_TESSELLATION_BYTES + 1)
    except OSError:
        raise InputError(
            "the levels cannot be read", str(place), "Check the name and the rights of the file."
        ) from None
    named, descriptors = read_levels(
        data, tessellation, name=place.name, outside=choices.making.outside is Outside.PLACE
    )
    return replace(choices, named=named, descriptors=descriptors)
