"""``synth stability``: large noisy counts of trip starts and ends."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpcore import limits
from dpcore.command_line import options as read
from dpcore.command_line.paying import (
    add_synthetic,
    must_lie_on_tiles,
    promised_bound,
    publish,
    tell_counting,
)
from dpcore.kinds.stability.choices import exact_delta
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.plans import UNZONED, USUAL_COMBINATIONS, stability_plan, with_zones_of
from dpcore.measures.attribute import attribute_of, distinct


def add(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add large counts to ``synth``."""
    add_stability(kinds)


def add_stability(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    stability = kinds.add_parser(
        "stability", help="large noisy counts of trip starts and ends, as for the Opal cards"
    )
    add_synthetic(stability)
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
        "--shares",
        type=_shares,
        default={},
        metavar="a=N,b=N",
        help="shares of epsilon of columns, such as on_time=1,on_loc=3; default: 1 each; a combination gets those of its columns",
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
        "--zones",
        type=Path,
        metavar="FILE",
        help="public table tile_id,zone (CSV) that merges tiles, such as stops into postcodes",
    )
    stability.add_argument(
        "--unzoned",
        choices=UNZONED,
        default=UNZONED[0],
        help="tiles that only the zones or only the tiles name: refused, or counted as outside; default: %(default)s",
    )
    stability.set_defaults(run=_stability)


def _shares(text: str) -> dict[str, int]:
    """Shares by column."""
    pairs = [one.partition("=") for one in text.split(",")]
    found = {name.strip(): read.whole(share) for name, _, share in pairs}
    if len(found) < len(pairs):
        raise argparse.ArgumentTypeError("a column has two shares")
    return found


def _stability(options: argparse.Namespace) -> None:
    from dpcore.kinds.stability import owner as stability_owner  # noqa: PLC0415 - it imports comparisons, which few commands need

    choices = stability_plan(  # refuses what cannot be before the trips are read
        promised_bound(options),
        options.epsilon,
        delta=None if options.delta is None else exact_delta(options.delta, "--delta"),
        combinations=options.combinations.split(","),
        period=options.dates,
        minutes=options.minutes,
        variant=options.variant,
        skip=options.skip_dates,
        shares=options.shares,
        parts={one.name: one.declared for one in distinct(options.parts)},
    )
    declared = {one.name for one in options.attribute}
    options.attribute += [one for one in options.parts if one.name not in declared]
    tessellation = read.noted_tiles(options)
    if options.zones is not None:
        choices = with_zones_of(choices, options.zones, tessellation, unzoned=options.unzoned)
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
