"""What helps to choose the model of ``synth roy``: ``synth groups`` proposes groups, ``synth sweep`` shows what each epsilon gives.

Nothing is charged. ``groups`` reads released tables or declared numbers, never trips. ``sweep`` reads trips: for the owner only.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Final

from dpcore.command_line import options as read
from dpcore.command_line.output import progress, write, write_to
from dpcore.errors import InputError
from dpcore.kinds.roy.article import PAPER, PRINTED, PRINTED_MEANS, SOUND, Outliers, printed
from dpcore.kinds.roy.association import DECLARED, USUAL_STRENGTH, Association, proposal
from dpcore.kinds.roy.choices import CHOICES
from dpcore.kinds.roy.kind import noisy_tables_of
from dpcore.kinds.roy.options import model_choices, trips_for
from dpcore.planning.choice import add_options, whole
from dpcore.privacy import decimal_text, exact_epsilon
from dpcore.release import read_bundle

_RUNS: Final = 20
_DECLARE: Final = re.compile(
    r"\s*([a-z][a-z0-9_]*)\s*[+,]\s*([a-z][a-z0-9_]*)\s*=\s*(0(?:\.[0-9]+)?|1(?:\.0+)?)\s*"
)


def add_groups(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    groups = kinds.add_parser(
        "groups", help="propose groups for synth roy by association, measured in a release or declared"
    )
    groups.add_argument(
        "bundle",
        nargs="?",
        type=Path,
        metavar="BUNDLE",
        help="a release of synth roy: associations are read off its noisy tables",
    )
    groups.add_argument(
        "--declare",
        type=_association,
        action="append",
        default=[],
        metavar="a+b=V",
        help="an association that is known or assumed, 0 to 1; may be given several times",
    )
    groups.add_argument(
        "--at-least",
        type=_strength,
        default=USUAL_STRENGTH,
        metavar="V",
        help="weaker associations make no group; default: %(default)s",
    )
    groups.set_defaults(run=_groups)


def add_sweep(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    sweep = kinds.add_parser(
        "sweep",
        help="how near synth roy comes to the truth at each epsilon (for the owner only)",
        description=f"Sound mode. {SOUND} Paper mode. {PAPER} {PRINTED_MEANS} {'; '.join(map(printed, PRINTED))}.",
    )
    read.add_files(sweep)
    read.add_dates(sweep)
    add_options(sweep, CHOICES)
    sweep.add_argument(
        "--max-trips",
        type=whole,
        metavar="M",
        help="sweep also per user, with at most M trips of each person; default: per trip alone",
    )
    sweep.add_argument(
        "--epsilons", metavar="E,E,...", help="totals that are swept; default: 0.1,0.25,0.5,0.75,0.9,1"
    )
    sweep.add_argument(
        "--runs", type=whole, default=_RUNS, metavar="N", help="draws of each; default: %(default)s"
    )
    sweep.add_argument(
        "--mode",
        choices=("sound", "paper", "both"),
        default="both",
        help="the sound model, the published one, or both; default: both",
    )
    sweep.add_argument(
        "--outliers",
        choices=[one.value for one in Outliers],
        help=f"whose trips the mode paper leaves out: {'; '.join(f'{one.value}: {one.words}' for one in Outliers)}; default: attribute",
    )
    sweep.add_argument(
        "--out", type=Path, metavar="FILE", help="write the table there, readable by you alone"
    )
    sweep.set_defaults(run=_sweep)


def _groups(options: argparse.Namespace) -> None:
    """Print each association, and on standard error the options that follow."""
    if options.bundle is None and not options.declare:
        raise InputError(
            "nothing says how attributes are associated",
            "synth groups",
            "Give a bundle of synth roy, or --declare mode+hour=0.3.",
        )
    tables = None if options.bundle is None else noisy_tables_of(read_bundle(options.bundle))
    told = proposal(tables, options.declare, at_least=options.at_least)
    found, pairs = told.found, told.pairs
    write(
        sys.stdout,
        {
            "attributes": ["+".join(one.attributes) for one in found],
            "association": [_text(one.strength) for one in found],
            "by_chance": [_text(one.by_chance) for one in found],
            "source": [one.source for one in found],
            "proposed": ["yes" if one.attributes in pairs else "" for one in found],
        },
    )
    said = " ".join(f"--together {','.join(pair)}" for pair in pairs)
    print(f"note: {said or told.words}", file=sys.stderr)


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _association(text: str) -> Association:
    said = _DECLARE.fullmatch(text)
    if said is None or said[1] == said[2]:
        raise argparse.ArgumentTypeError(
            "write two attributes and a number from 0 to 1, such as mode+hour=0.3"
        )
    return Association((said[1], said[2]), float(said[3]), None, DECLARED)


def _strength(text: str) -> float:
    if re.fullmatch(r"0(\.[0-9]+)?|1(\.0+)?", text) is None:
        raise argparse.ArgumentTypeError("give a number from 0 to 1, such as 0.1")
    return float(text)


def _sweep(options: argparse.Namespace) -> None:
    """Print mean and standard deviation of every metric of every table."""
    from dpcore.kinds.roy import owner as roy_owner  # noqa: PLC0415 - it imports comparisons, which few commands need

    texts = None if options.epsilons is None else [text.strip() for text in options.epsilons.split(",")]
    epsilons = roy_owner.EPSILONS if texts is None else tuple(map(exact_epsilon, texts))
    bounds, outliers = (
        roy_owner.bounds_of(options.max_trips),
        Outliers(options.outliers or Outliers.ATTRIBUTE),
    )
    choices = model_choices(options, bounds[0], decimal_text(epsilons[0]))
    modes = roy_owner.MODES if options.mode == "both" else (options.mode,)
    tessellation = read.noted_tiles(options)
    domain = choices.plan(tessellation).domain
    roy_owner.swept_plans(domain, bounds, epsilons, modes, options.runs)  # refuses what cannot be
    trips = trips_for(choices, options, tessellation, *bounds)
    print("note: for your eyes only: every number is made from the true trips", file=sys.stderr)
    found = roy_owner.sweep(
        trips,
        tessellation,
        domain,
        bounds,
        epsilons=epsilons,
        modes=modes,
        runs=options.runs,
        outliers=outliers,
        progress=progress("drawing"),
    )
    if options.mode != roy_owner.MODES[0]:
        print(f"note: mode paper leaves out trips more than {outliers.words}", file=sys.stderr)
    elif options.outliers is not None:
        print("note: no effect on the mode sound: --outliers", file=sys.stderr)
    print(f"note: {PRINTED_MEANS} {'; '.join(map(printed, PRINTED))}", file=sys.stderr)
    table = {
        "mode": [one.mode for one in found.rows],
        "unit": [one.bound.unit.value for one in found.rows],
        "max_trips": [str(one.bound.max_trips or "") for one in found.rows],
        "epsilon": [decimal_text(one.epsilon) for one in found.rows],
        "price": [decimal_text(one.price) for one in found.rows],
        "table": [one.table for one in found.rows],
        "metric": [one.metric for one in found.rows],
        "in": [one.unit for one in found.rows],
        "mean": [f"{one.mean:.6g}" for one in found.rows],
        "sigma": [f"{one.sigma:.6g}" for one in found.rows],
    }
    write_to(options.out, table)
