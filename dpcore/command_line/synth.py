"""Commands that spend and write synthetic releases: ``synth roy``, ``synth stability`` and ``synth trajectory-tree``."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.api import owner
from dpcore.api.plans import (
    UNGROUPED,
    USUAL_COMBINATIONS,
    model_plan,
    stability_plan,
    tree_plan,
    with_groups_of,
    with_levels_of,
)
from dpcore.command_line import options as read
from dpcore.command_line.paying import add_bundle, add_promise, must_lie_on_tiles, promised_bound, publish
from dpcore.errors import InputError, PrivacyError
from dpcore.measures.attribute import attribute_of, distinct
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.synthesis.roy_choices import MAX_ZIP_CHARACTERS, MAX_ZIPS, zips_of
from dpcore.synthesis.stability.choices import exact_delta
from dpcore.synthesis.stability.plan import Variant
from dpcore.synthesis.tree.choices import DEFAULT_HEIGHT, Outside, Source, TreeChoices
from dpcore.synthesis.tree.plan import Definition, Strategy
from dpcore.synthesis.tree.tree import Consistency


def _add_synth(synth: argparse.ArgumentParser) -> None:
    kinds = synth.add_subparsers(metavar="KIND", required=True)

    roy = kinds.add_parser("roy", help="trips drawn from noisy tables (Roy, Kantarcioglu, Sweeney 2016)")
    _add_common(roy)
    roy.add_argument(
        "--holidays", type=_days, default=frozenset(), metavar="DAY,DAY,...", help="counted as weekend"
    )
    roy.add_argument("--attributes", default="", metavar="a,b", help="of riders: user_type and gender")
    roy.add_argument(
        "--zips", type=Path, metavar="FILE", help="public list of zips, one a line; zips are then drawn too"
    )
    roy.add_argument("--by-month", action="store_true", help="stations may be busy in different months")
    roy.set_defaults(run=_roy)

    stability = kinds.add_parser(
        "stability", help="large noisy counts of trip starts and ends, as for the Opal cards"
    )
    _add_common(stability)
    stability.add_argument(
        "--delta",
        metavar="D",
        help=f"total delta of all combinations; default: {limits.DEFAULT_DELTA}, with --variant opal 1/8000000 for each",
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
    stability.add_argument(
        "--parts",
        type=attribute_of,
        action="append",
        default=[],
        metavar="NAME=a,b,c",
        help="count each category of an attribute apart, such as mode=bus,train; others are left out; may be given several times",
    )
    stability.add_argument(
        "--skip-dates",
        type=read.period,
        metavar="FIRST/LAST",
        help="days within --dates that are left out, such as those between two weeks",
    )
    stability.add_argument(
        "--groups",
        type=Path,
        metavar="FILE",
        help="public table tile_id,group (CSV) that merges tiles, such as stops into postcodes",
    )
    stability.add_argument(
        "--ungrouped",
        choices=UNGROUPED,
        default=UNGROUPED[0],
        help="tiles that only the groups or only the tiles name: refused, or counted as outside; default: %(default)s",
    )
    stability.set_defaults(run=_stability)

    tree = kinds.add_parser(
        "trajectory-tree",
        help="noisy counts of the prefixes of trajectories, with more noise where places are more delicate (PLDP-TD)",
    )
    _add_common(
        tree,
        epsilon="epsilon of Critical places for one trajectory; a whole record can lose more, and that is charged",
    )
    _add_tree_options(tree)
    tree.set_defaults(run=_tree)


COMMANDS: Final = {"synth": _add_synth}


def _add_common(kind: argparse.ArgumentParser, *, epsilon: str = "total epsilon of all tables") -> None:
    read.add_files(kind)
    read.add_dates(kind)
    add_promise(kind, epsilon=epsilon)
    add_bundle(kind)


def _roy(options: argparse.Namespace) -> None:
    if options.dates is None:
        raise PrivacyError(
            "synthetic trips need a public period",
            "--dates",
            "Give its first and last day, such as --dates 2024-04-01/2024-04-28: they are never read off the data.",
        )
    zips = () if options.zips is None else _zips(options.zips)
    attributes = tuple(name.strip() for name in options.attributes.split(",") if name.strip())
    choices = model_plan(
        promised_bound(options),
        options.epsilon,
        options.dates,
        holidays=options.holidays,
        attributes=attributes,
        zips=zips,
        by_month=options.by_month,
    )
    trips, tessellation = read.loaded(options)
    choices.plan(tessellation)  # refuses what cannot be before an account is registered
    must_lie_on_tiles(options, trips, tessellation)
    publish(
        options,
        choices,
        trips,
        tessellation,
        counted=lambda: _tell_counting(owner.counted_in_model(trips, tessellation, choices), choices.bound),
    )


def _stability(options: argparse.Namespace) -> None:
    choices = stability_plan(  # refuses what cannot be before the trips are read
        promised_bound(options),
        options.epsilon,
        delta=None if options.delta is None else exact_delta(options.delta, "--delta"),
        combinations=options.combinations.split(","),
        period=options.dates,
        minutes=options.minutes,
        variant=options.variant,
        skip=options.skip_dates,
        parts={one.name: one.declared for one in distinct(options.parts)},
    )
    declared = {one.name for one in options.attribute}
    options.attribute += [one for one in options.parts if one.name not in declared]
    trips, tessellation = read.loaded(options)
    if options.groups is not None:
        choices = with_groups_of(choices, options.groups, tessellation, ungrouped=options.ungrouped)
    must_lie_on_tiles(options, trips, tessellation)
    publish(
        options,
        choices,
        trips,
        tessellation,
        counted=lambda: _tell_counting(owner.counted_as_keys(trips, tessellation, choices), choices.bound),
    )


def _tree(options: argparse.Namespace) -> None:
    _days_are_trips(options)
    choices = _choices_without_levels(options, promised_bound(options))
    trips, tessellation = read.loaded(options)
    if options.levels is not None:
        choices = with_levels_of(choices, options.levels, tessellation)
    choices.plan(tessellation)  # refuses what cannot be before an account is registered
    must_lie_on_tiles(options, trips, tessellation)
    publish(options, choices, trips, tessellation)


def _tell_counting(found: owner.CountingTrips, bound: ContributionBound) -> None:
    """Say to the owner how many trips are counted, in case dates or tiles are wrong; a refusal would reveal it to others."""
    said = f"{found.counting:,} of {found.of:,} trips"
    if bound.max_trips is None:
        said += " lie within what is counted, and all of these count"
    elif found.bounded:
        said += f" count: those within what is counted, at most {bound.max_trips:,} of each person"
    else:
        said += f" lie within what is counted; of these at most {bound.max_trips:,} of each person count"
    print(f"note: for your eyes only: {said}", file=sys.stderr)
    for name, count in found.unlisted.items():
        if count:
            print(f"note: for your eyes only: {name} of {count:,} of them is not listed", file=sys.stderr)


def _days(text: str) -> frozenset[date]:
    try:
        return frozenset(date.fromisoformat(day.strip()) for day in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError("give days such as 2024-04-01,2024-05-01") from None


def _zips(place: Path) -> tuple[str, ...]:
    most = MAX_ZIPS * 4 * (MAX_ZIP_CHARACTERS + 2)
    try:
        with place.open("rb") as file:
            data = file.read(most + 1)
        lines = data.decode("utf-8-sig").splitlines() if len(data) <= most else []
    except (OSError, UnicodeDecodeError):
        lines = []
    found = zips_of(lines, place.name)
    if not found:
        raise InputError(
            "the list of zips cannot be read",
            str(place),
            f"Give a text file with 1 to {MAX_ZIPS:,} zips, one a line.",
        )
    return found


_KINDS = tuple(Consistency)


def _add_tree_options(kind: argparse.ArgumentParser) -> None:
    """Add the options that only a trajectory tree has."""
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
        help=f"how many visits of a trajectory count; default: {DEFAULT_HEIGHT}",
    )
    kind.add_argument(
        "--trajectory",
        choices=[one.value for one in Source],
        default=Source.TRIP.value,
        help="what a trajectory is: a trip, or the local day of a person (needs the privacy unit user); default: trip",
    )
    kind.add_argument(
        "--max-days",
        type=read.whole,
        metavar="M",
        help="with --trajectory day: how many days of each person count; --max-trips means the same there",
    )
    kind.add_argument(
        "--minutes",
        type=read.whole,
        metavar="N",
        help="note the tile every N minutes; default: at each move to another tile",
    )
    kind.add_argument(
        "--outside",
        choices=[one.value for one in Outside],
        default=Outside.LEAVE_OUT.value,
        help="visits outside the tiles: left out, one more place, or the end of the trajectory; default: leave-out",
    )
    kind.add_argument(
        "--promise",
        choices=[one.value for one in Definition],
        default=Definition.LOCATION.value,
        help="what levels protect: whether somebody went on to a place, or the whole trajectory; default: location",
    )
    kind.add_argument(
        "--strategy",
        choices=[one.value for one in Strategy],
        help="how the budget is spread along a path; default: adaptive, or record with --promise record",
    )
    kind.add_argument(
        "--consistency",
        choices=[one.value for one in _KINDS],
        default=Consistency.EQUAL.value,
        help="how estimates are made consistent; default: equal",
    )


def _days_are_trips(options: argparse.Namespace) -> None:
    """Use ``--max-days`` as the bound; raises PrivacyError if it is missing or not allowed."""
    if options.max_days is None:
        if options.trajectory == Source.DAY.value and options.max_trips is None and _of_people(options):
            raise PrivacyError(
                "a person may have any number of days, but the noise must hide all that count",
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


def _choices_without_levels(options: argparse.Namespace, bound: ContributionBound) -> TreeChoices:
    """All choices but the levels, which need the tiles: refuses what cannot be before the trips are read."""
    return tree_plan(
        bound,
        options.epsilon,
        height=options.height,
        trajectory=options.trajectory,
        minutes=options.minutes,
        outside=options.outside,
        promise=options.promise,
        strategy=options.strategy,
        consistency=options.consistency,
        period=options.dates,
    )
