"""Commands for the owner: ``demo`` writes the synthetic city, ``exact`` gives exact answers, ``forget`` deletes them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

from dpcore.api import owner
from dpcore.command_line import options as read
from dpcore.command_line.output import Table, write_to
from dpcore.errors import InputError
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import KeyChoices, must_be_split, names_of_sums
from dpcore.measures.plan import FIVE_NUMBERS
from dpcore.planning.choice import whole
from dpcore.tiles import Tessellation


def _add_demo(city: argparse.ArgumentParser) -> None:
    from dpcore.demo import DEMO_TILES  # noqa: PLC0415 - exact answers need no city

    city.add_argument("--trips", type=whole, required=True, metavar="N")
    city.add_argument("--tiles", type=whole, default=DEMO_TILES, metavar="K")
    city.add_argument("--seed", type=whole, required=True, metavar="S")
    city.add_argument("--out", type=Path, required=True, metavar="DIR")
    city.set_defaults(run=_demo)


def _add_forget(forget: argparse.ArgumentParser) -> None:
    forget.set_defaults(run=lambda _: owner.forget())


def _add_exact(exact: argparse.ArgumentParser) -> None:
    about = "; several are counted together, and need --out"
    exact.add_argument(
        "measures", nargs="+", metavar="MEASURE", help=", ".join([*MEASURES, FIVE_NUMBERS]) + about
    )
    read.add_trips(exact)
    exact.add_argument("--privacy-unit", metavar="user|trip")
    exact.add_argument("--max-trips", type=whole, metavar="M")
    exact.add_argument("--out", type=Path, metavar="DIR", help="write MEASURE.csv there instead of printing")
    exact.set_defaults(run=_exact)


COMMANDS: Final = {"demo": _add_demo, "exact": _add_exact, "forget": _add_forget}


def _demo(options: argparse.Namespace) -> None:
    from dpcore.demo import write_city  # noqa: PLC0415 - as above

    try:
        write_city(options.out, options.trips, options.tiles, options.seed)
    except OSError:
        raise InputError(
            "the folder cannot be written", str(options.out), "Choose another one with --out."
        ) from None


def _exact(options: argparse.Namespace) -> None:
    bound, choices = read.bound(options), read.choices(options)
    asked, known = [*dict.fromkeys(options.measures)], [*MEASURES, FIVE_NUMBERS, *names_of_sums(choices)]
    for name in asked:
        if name not in known:
            raise InputError.unknown("measure", name, known)
    if len(asked) > 1 and options.out is None:
        raise InputError("several tables cannot be printed as one", "command exact", "Add --out DIR.")
    names = [name for name in asked if name != FIVE_NUMBERS]
    read.tell_unused(options, names)
    trips, tessellation = read.trips_and_tiles(options)
    tables: dict[str, Table | pa.Table] = {}
    if names:
        tables |= owner.exact_columns(
            trips, names, bound, _on_districts(options, choices, names, tessellation)
        )
    if FIVE_NUMBERS in asked:
        tables[FIVE_NUMBERS] = owner.exact_five_numbers(trips, bound)
    # after counting, which may have counted what it asks for
    if (warned := owner.outside_warning(trips, tessellation) or owner.unknown_ids(trips)) is not None:
        print(f"note: {warned}", file=sys.stderr)
    for name, table in tables.items():
        write_to(options.out and options.out / f"{name}.csv", table)


def _on_districts(
    options: argparse.Namespace, choices: KeyChoices, names: Sequence[str], tiles: Tessellation
) -> KeyChoices:
    """The choices with the districts that the measures need, which all can be counted on."""
    choices = read.with_districts(options, choices, tiles)
    for name in names:
        must_be_split(name, choices)
        if measure_named(name, choices).needs_districts and choices.districts is None:
            from dpcore.planning.default_plan import usual_districts  # noqa: PLC0415 - of flows between districts alone

            choices = replace(choices, districts=usual_districts(tiles))
    return choices
