"""``synth roy``: trips drawn from noisy tables."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

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
from dpcore.kinds.roy.choices import (
    MAX_ZIP_CHARACTERS,
    MAX_ZIPS,
    MEASURED_WEIGHT,
    WEIGHT,
    RoyChoices,
    zips_of,
)
from dpcore.kinds.roy.domain import PLACE_AND_TIME
from dpcore.kinds.roy.plans import model_plan
from dpcore.privacy import ContributionBound
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
    add_model(roy)
    roy.set_defaults(run=_roy)


def add_model(roy: argparse.ArgumentParser) -> None:
    """Add the options of the model: what is drawn, and from which tables."""
    roy.add_argument(
        "--holidays", type=_days, default=frozenset(), metavar="DAY,DAY,...", help="counted as weekend"
    )
    roy.add_argument("--attributes", default="", metavar="a,b", help="of riders: user_type and gender")
    roy.add_argument(
        "--zips", type=Path, metavar="FILE", help="public list of zips, one a line; zips are then drawn too"
    )
    roy.add_argument("--by-month", action="store_true", help="stations may be busy in different months")
    roy.add_argument(
        "--draw", default="", metavar="a,b", help="attributes declared with --attribute that are drawn too"
    )
    roy.add_argument(
        "--together",
        action="append",
        default=[],
        metavar="a,b[=WEIGHT]",
        help="a group of attributes that is counted together; the last ones are drawn given the ones before; may be given several "
        f"times. Attributes: {', '.join(PLACE_AND_TIME)}, and those that are drawn. WEIGHT: of about 20; default: {WEIGHT}",
    )
    roy.add_argument(
        "--measure",
        action="append",
        default=[],
        metavar="a+b[=WEIGHT]",
        help="attributes that are counted together only to tell how they are associated, see synth groups; may be given several times; "
        f"default weight: {MEASURED_WEIGHT}",
    )
    roy.add_argument(
        "--bands",
        default="",
        metavar="KM,KM,...",
        help="public steps of distance, such as 0.5,1,2,5; default: 0.5,1,1.5,2,3,4,6,10",
    )


def model_choices(options: argparse.Namespace, bound: ContributionBound, epsilon: str) -> RoyChoices:
    """The model that the options choose; raises an AtlasError if it cannot be."""
    if options.dates is None:
        raise PrivacyError(
            "synthetic trips need a public period",
            "--dates",
            "Give its first and last day, such as --dates 2024-04-01/2024-04-28: they are never read off the data.",
        )
    declared = {one.name: one for one in options.attribute}
    drawn = _names(options.draw)
    unknown = [name for name in drawn if name not in declared]
    if unknown:
        raise InputError(
            "only declared attributes can be drawn",
            f"--draw {', '.join(unknown)}",
            "Declare them, such as --attribute mode=bus,rail,bike.",
        )
    return model_plan(
        bound,
        epsilon,
        options.dates,
        holidays=options.holidays,
        attributes=_names(options.attributes),
        zips=() if options.zips is None else _zips(options.zips),
        by_month=options.by_month,
        draw={name: declared[name].declared for name in drawn},
        together=options.together,
        measure=options.measure,
        bands=_names(options.bands),
    )


def trips_for(
    choices: RoyChoices, options: argparse.Namespace, tessellation: Tessellation, *bounds: ContributionBound
) -> owner.PrivateTrips:
    """Trips as ``options.trips_on`` gives them; raises an AtlasError if they lack an attribute of the model, or cannot be protected."""
    from dpcore.kinds.roy import owner as roy_owner  # noqa: PLC0415 - it imports comparisons, which few commands need

    def must_be(trips: owner.PrivateTrips) -> None:
        roy_owner.must_have_kept(trips, choices.extras, choices.draw)
        read.must_promise(trips, *bounds)

    return read.trips_on(options, tessellation, must_be)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


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
