"""``synth trajectory-tree``: noisy counts of the prefixes of trajectories."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpcore.command_line import options as read
from dpcore.command_line.output import progress, write_to
from dpcore.command_line.paying import add_synthetic, must_lie_on_tiles, promised_bound, publish
from dpcore.errors import PrivacyError
from dpcore.kinds.tree.choices import CHOICES, Source, TreeChoices
from dpcore.kinds.tree.plans import tree_plan
from dpcore.planning.choice import add_options, given_arguments, whole
from dpcore.privacy import PrivacyUnit, exact_epsilon
from dpcore.tiles import Tessellation


def add(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add trees of trajectories to ``synth``."""
    add_tree(kinds)
    add_levels(kinds)


def add_tree(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    tree = kinds.add_parser(
        "trajectory-tree",
        help="noisy counts of the prefixes of trajectories, with more noise where places are more delicate (PLDP-TD)",
    )
    add_synthetic(
        tree,
        epsilon="epsilon of Critical places for one trajectory; a whole record can lose more, and that is charged",
    )
    add_options(tree, CHOICES)
    tree.set_defaults(run=_tree)


def _tree(options: argparse.Namespace) -> None:
    _days_are_trips(options)
    choices, tessellation = _choices_on_tiles(options)
    trips = read.trips_on(options, tessellation, lambda them: read.must_promise(them, choices.bound))
    must_lie_on_tiles(options, trips, tessellation)
    publish(options, choices, trips, tessellation)


def add_levels(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command of the study."""
    study = kinds.add_parser(
        "levels", help="what the levels of a trajectory tree buy at each epsilon (for the owner only)"
    )
    read.add_files(study)
    read.add_dates(study)
    study.add_argument("--privacy-unit", required=True, metavar="user|trip")
    study.add_argument(
        "--max-trips", type=whole, metavar="M", help="with user: how many trips of each person count"
    )
    add_options(study, CHOICES)
    study.add_argument(
        "--epsilons", metavar="E,E,...", help="epsilons of Critical places; default: 0.1,0.25,0.5,1"
    )
    study.add_argument("--runs", type=whole, default=5, metavar="N", help="trees of each; default: 5")
    study.add_argument(
        "--out", type=Path, metavar="FILE", help="write the table there, readable by you alone"
    )
    study.set_defaults(run=_levels)


def _levels(options: argparse.Namespace) -> None:
    from dpcore.kinds.tree import owner as tree_owner  # noqa: PLC0415 - it imports comparisons, which few commands need

    _days_are_trips(options)
    texts = None if options.epsilons is None else [text.strip() for text in options.epsilons.split(",")]
    epsilons = tree_owner.LEVEL_EPSILONS if texts is None else tuple(map(exact_epsilon, texts))
    options.epsilon = epsilons[0]
    choices, tessellation = _choices_on_tiles(options)
    tree_owner.levels_plans(tessellation, choices, epsilons, options.runs)  # refuses what cannot be
    trips = read.trips_on(options, tessellation, lambda them: read.must_promise(them, choices.bound))
    print("note: for your eyes only: every number is made from the true trips", file=sys.stderr)
    found = tree_owner.levels_study(
        trips, tessellation, choices, epsilons=epsilons, runs=options.runs, progress=progress("growing trees")
    )
    table = {name: [str(one) for one in column] for name, column in found.columns.items()}
    write_to(options.out, table)


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


def _choices_on_tiles(options: argparse.Namespace) -> tuple[TreeChoices, Tessellation]:
    """The choices, and the tiles of their levels. What cannot be is refused before the trips, if it can before the tiles, are read."""
    bound, said = promised_bound(options), given_arguments(options, CHOICES) | {"period": options.dates}
    tree_plan(bound, options.epsilon, **said | {"levels": None})
    tiles = read.noted_tiles(options)
    return tree_plan(bound, options.epsilon, **said, tiles=tiles), tiles
