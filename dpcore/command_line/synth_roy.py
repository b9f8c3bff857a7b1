"""``synth roy``: trips drawn from noisy tables."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from dpcore.api import owner
from dpcore.api.plans import model_plan
from dpcore.command_line import options as read
from dpcore.command_line.paying import (
    add_synthetic,
    must_lie_on_tiles,
    promised_bound,
    publish,
    tell_counting,
)
from dpcore.errors import InputError, PrivacyError
from dpcore.synthesis.roy_choices import MAX_ZIP_CHARACTERS, MAX_ZIPS, zips_of


def add_roy(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    roy = kinds.add_parser("roy", help="trips drawn from noisy tables (Roy, Kantarcioglu, Sweeney 2016)")
    add_synthetic(roy)
    roy.add_argument(
        "--holidays", type=_days, default=frozenset(), metavar="DAY,DAY,...", help="counted as weekend"
    )
    roy.add_argument("--attributes", default="", metavar="a,b", help="of riders: user_type and gender")
    roy.add_argument(
        "--zips", type=Path, metavar="FILE", help="public list of zips, one a line; zips are then drawn too"
    )
    roy.add_argument("--by-month", action="store_true", help="stations may be busy in different months")
    roy.set_defaults(run=_roy)


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
        counted=lambda: tell_counting(owner.counted_in_model(trips, tessellation, choices), choices.bound),
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
