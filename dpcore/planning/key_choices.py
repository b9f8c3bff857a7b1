"""What an owner chooses about the keys of tables: options, and ``KeyChoices`` as code."""

from __future__ import annotations

import argparse
from decimal import Decimal
from typing import Final

from dpcore import limits
from dpcore.measures.attribute import attribute_of, text_of
from dpcore.measures.choices import WINDOWS, KeyChoices
from dpcore.measures.keys import Step
from dpcore.measures.sums import BY, sum_of
from dpcore.planning.choice import Choice, arguments_of, whole
from dpcore.planning.python_text import call, literal

NO_DISTRICTS: Final = "none"
OWN: Final = "own"


def _districts(text: str) -> int | str:
    if text in {OWN, NO_DISTRICTS}:
        return text
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("give a number of districts, own or none")
    return int(text)


def _windows(text: str) -> tuple[int, ...]:
    if not all(hour.strip().isdecimal() for hour in text.split(",")):
        raise argparse.ArgumentTypeError("give hours such as 2,6,10,14,18,22")
    return tuple(int(hour) for hour in text.split(","))


def _bins(text: str) -> tuple[str, tuple[str, ...]]:
    """A measure and the edges of its bins, given as a list or as ``FIRST:LAST:WIDTH``."""
    name, given, edges = (part.strip() for part in text.partition("="))
    if not (name and given):
        raise argparse.ArgumentTypeError("write MEASURE=EDGES such as travel_time=5,10,20")
    if ":" not in edges:
        return name, tuple(edges.split(","))
    try:
        first, last, width = (Decimal(part) for part in edges.split(":"))
        steps = (last - first) / width
        rising = width > 0 and 0 < steps < limits.MAX_BINS
        fits = rising and steps == int(steps)
    except (ArithmeticError, ValueError):
        rising = fits = False
    if not fits:
        raise argparse.ArgumentTypeError(
            f"{name}: LAST minus FIRST is not a multiple of WIDTH"
            if rising
            else f"{name}: give rising edges such as 5,10,20, or FIRST:LAST:WIDTH of at most {limits.MAX_BINS} edges"
        )
    return name, tuple(str(first + step * width) for step in range(int(steps) + 1))


def _districts_words(choices: KeyChoices) -> list[str]:
    if choices.districts is None:
        return []
    # the same number of halvings, or the property of the same tiles, gives the same districts
    return [str(len(choices.districts.names)) if choices.districts.by_halving else OWN]


KEY_CHOICES: Final = (
    Choice("period", flag="--dates"),
    Choice(
        "step",
        "step of the series over dates; default: day",
        "day|week|month",
        among=Step,
        of=lambda choices: None if choices.step is Step.DAY else choices.step,
    ),
    Choice(
        "windows",
        "hours at which time windows begin",
        "H,H,...",
        _windows,
        of=lambda choices: None if choices.windows == WINDOWS else choices.windows,
    ),
    Choice(
        "edges",
        "bins of a histogram: 5,10,20 or FIRST:LAST:WIDTH; may be given several times",
        "MEASURE=EDGES",
        _bins,
        many=True,
        flag="--bins",
        texts=lambda choices: [f"{name}={','.join(edges)}" for name, edges in choices.edges.items()],
    ),
    Choice(
        "visits_cap",
        "count visits at every tile that a trip passes, at most K of each; default: at both ends",
        "K",
        whole,
        flag="--points",
    ),
    Choice(
        "districts",
        "districts of od_districts: the tiles halved into N groups, or those of the tile file; none: no flows "
        "between districts; default: as many as pay",
        "N|own|none",
        _districts,
        texts=_districts_words,
    ),
    Choice(
        "most_trips",
        "total_trips counts at most C trips of each person; default: from the declared numbers, or 20 times M",
        "C",
        whole,
    ),
    Choice(
        "sums",
        "add the measures sum_NAME and mean_NAME of a number of each trip between public bounds, in whole units: duration "
        "(minutes), distance (km), or an attribute such as fare=0:100:0.01; may be given several times; --column NAME=COLUMN as "
        "for --attribute",
        "NAME=LOW:HIGH:UNIT",
        sum_of,
        many=True,
        flag="--sum",
        of=lambda choices: {one.name: one.text.partition("=")[2] for one in choices.sums},
        texts=lambda choices: [one.text for one in choices.sums],
    ),
    Choice(
        "by",
        "table in whose cells sums and means are told; default: one number over all trips",
        among=BY,
    ),
    Choice(
        "splits",
        "split every table of trips by a public list of categories; what is not listed counts as other, what is empty as "
        "missing; may be given twice; --column NAME=COLUMN as for --attribute",
        "NAME=a,b,c",
        attribute_of,
        many=True,
        flag="--split",
        of=lambda choices: {one.name: [*one.words] for one in choices.splits},
        texts=lambda choices: map(text_of, choices.splits),
    ),
)
"""The arguments of ``KeyChoices``. Whether there are users follows from the trips."""


@literal.register
def _(value: KeyChoices) -> str:
    return call("dpcore.KeyChoices", **arguments_of(value, KEY_CHOICES))
