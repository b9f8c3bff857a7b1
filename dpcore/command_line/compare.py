"""``compare``: how similar two sets of tables are. ``change``: what changed from one release to another."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from fractions import Fraction
from math import isnan
from pathlib import Path
from typing import Final

import pandas as pd

from dpcore.api.beside import change, page_of_sides, read_side
from dpcore.api.public import part_release
from dpcore.command_line.bundle import add_category
from dpcore.command_line.options import TILE_CHOICES, tiles_of
from dpcore.command_line.output import write, write_to
from dpcore.comparison import METRICS, Geography, Score, Side, compared, left_out
from dpcore.disk import write_whole
from dpcore.errors import BundleError, InputError
from dpcore.noise.expected_estimates import VISITS
from dpcore.planning.choice import add_options, names
from dpcore.privacy import exact_epsilon

_FILE = "similarity.csv"
_OWNERS_FILE = "similarity-owner-only.csv"


def _add_compare(compare: argparse.ArgumentParser) -> None:
    compare.add_argument(
        "one", metavar="A", type=Path, help="bundle (folder or .zip), or folder of MEASURE.csv files"
    )
    compare.add_argument("other", metavar="B", type=Path, help="the same; A is the reference")
    compare.add_argument(
        "--tiles", type=Path, metavar="G", help="tiles, needed for distances if neither side is a bundle"
    )
    add_options(compare, TILE_CHOICES)
    add_category(compare)
    compare.add_argument("--epsilon", metavar="E", help="rung of the bundles; default: the finest")
    compare.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"write {_FILE} there instead of printing ({_OWNERS_FILE} if a side is not a verified bundle)",
    )
    compare.add_argument(
        "--measures", type=names, metavar="A,B", help="measures to compare; default: all that both hold"
    )
    compare.add_argument(
        "--metrics",
        type=names,
        metavar="A,B",
        help=f"metrics to work out, of {', '.join(METRICS)}; default: all",
    )
    compare.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write both over each other as one page too, which needs no network",
    )
    compare.set_defaults(run=_compare)


def _add_change(change: argparse.ArgumentParser) -> None:
    change.add_argument("one", metavar="A", type=Path, help="bundle of a release (folder or .zip)")
    change.add_argument("other", metavar="B", type=Path, help="the same; what changed from A to B is said")
    change.add_argument(
        "--measure",
        metavar="MEASURE",
        help=f"cells to compare; default: {VISITS}, where they can be laid beside each other",
    )
    add_category(change)
    change.set_defaults(run=_change)


COMMANDS: Final = {"change": _add_change, "compare": _add_compare}


def _change(options: argparse.Namespace) -> None:
    part = dict(options.category)
    one, other = (part_release(place, part) if part else place for place in (options.one, options.other))
    found = change(one, other, options.measure)
    print(found.attrs["sentence"], file=sys.stderr)
    for note in found.attrs["notes"]:
        print(f"note: {note}", file=sys.stderr)
    write(sys.stdout, {str(name): _texts(column) for name, column in found.items()})


def _texts(column: pd.Series) -> list[str]:
    """A column as text: counts with two decimals, and an open end of a range as an empty field."""
    if column.dtype.kind != "f":
        return [str(one) for one in column]
    return ["" if isnan(one) else f"{one:.2f}" for one in column]


def _compare(options: argparse.Namespace) -> None:
    epsilon = None if options.epsilon is None else exact_epsilon(options.epsilon)
    geography = None
    if options.tiles is not None:
        geography = Geography(tiles_of(options))
    part = dict(options.category)
    sides = [_side("A", options.one, epsilon, part), _side("B", options.other, epsilon, part)]
    found = compared(sides[0], sides[1], geography, measures=options.measures, metrics=options.metrics)
    _tell(sides)
    if options.html is not None:
        page = page_of_sides(
            sides[0], sides[1], measures=options.measures, metrics=options.metrics, geography=geography
        )
        write_whole(options.html, page.encode())
    name = _FILE if all(side.released for side in sides) else _OWNERS_FILE
    write_to(options.out and options.out / name, _table(found))


def _side(letter: str, place: Path, epsilon: Fraction | None, part: Mapping[str, str]) -> Side:
    """One side; an error names its letter and its path."""
    try:
        return read_side(place, epsilon, part)
    except (InputError, BundleError) as error:
        where = "" if str(place) in error.where else f", {error.where}"
        raise InputError(error.what, f"{letter}, {place}{where}", error.mend) from None


def _tell(sides: list[Side]) -> None:
    """Say on standard error what must be read beside, what was not compared, and whether the numbers may be shown to others."""
    for said in dict.fromkeys(note for side in sides for note in side.notes):
        print(f"note: {said}", file=sys.stderr)
    for one, other in ((sides[0], sides[1]), (sides[1], sides[0])):
        alone = [name for name in one.tables if name not in other.tables]
        if alone:
            print(f"note: not compared, only in {one.name}: {', '.join(alone)}", file=sys.stderr)
    for name, reason in left_out(sides[0], sides[1]).items():
        print(f"note: not compared: {name}, because {reason.what}", file=sys.stderr)
    open_tables = [side.name for side in sides if not side.released]
    if open_tables:
        print(
            f"note: for the owner only: tables without a verified bundle ({', '.join(dict.fromkeys(open_tables))}) may hold true "
            "counts, and these numbers with them",
            file=sys.stderr,
        )


def _table(found: tuple[Score, ...]) -> dict[str, list[str]]:
    """The scores as columns; a value is empty if there is no answer."""
    return {
        "measure": [score.measure for score in found],
        "metric": [score.metric for score in found],
        "value": ["" if score.value is None else repr(float(score.value)) for score in found],
        "unit": [score.unit for score in found],
        "better": [METRICS[score.metric].better for score in found],
        "cells": [str(score.cells) for score in found],
        "note": [score.note for score in found],
    }
