"""What a manifest says of bought quantiles: two members, each there only where something was bought."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from dpcore import limits
from dpcore.measures import GRIDS
from dpcore.measures.bins import LEVELS, Grid, decimal_form
from dpcore.measures.bought import BoughtQuantiles, check_bought
from dpcore.measures.plan import NOTHING, Plan
from dpcore.release.canonical import epsilon_of
from dpcore.release.fields import Fields, wrong
from dpcore.release.layout import FIVE_NUMBERS, csv_name, parquet_name

if TYPE_CHECKING:
    from dpcore.release.release import Release

RANGES: Final = "ranges"
_TEXT: Final = 40


def bought_members(release: Release) -> dict[str, object]:
    """The members ``five_numbers`` and ``ranges`` of a manifest."""
    members: dict[str, object] = {}
    if release.five_numbers is not None:
        members[FIVE_NUMBERS] = {
            "weight": release.plan.five_numbers,
            **_bought(release.five_numbers),
            "tables": [csv_name(FIVE_NUMBERS), parquet_name(FIVE_NUMBERS)],
        }
    if release.ranges is not None:
        members[RANGES] = _bought(release.ranges)
    return members


def _bought(bought: BoughtQuantiles) -> dict[str, object]:
    return {
        "share": epsilon_of(bought.share),
        "at_total_epsilon": epsilon_of(bought.at),
        "epsilon_of_one": epsilon_of(bought.epsilon_of_one),
        "values": {measure: dict(numbers) for measure, numbers in bought.values.items()},
        "grids": {measure: _grid(GRIDS[measure]) for measure in bought.values},
    }


def _grid(grid: Grid) -> dict[str, object]:
    """The public points: from where to where they lie at which distance."""
    names = ("first", "end", "step")
    return {
        "unit": grid.unit,
        "points": grid.size,
        "stretches": [
            {name: decimal_form(number) for name, number in zip(names, stretch, strict=True)}
            for stretch in grid.stretches
        ],
    }


def weight_of_five_numbers(members: Fields) -> int:
    """The weight of bought summaries in a plan; 0 where a manifest says nothing of them."""
    if not members.has(FIVE_NUMBERS):
        return 0
    return members.fields(FIVE_NUMBERS).whole("weight", limits.MAX_BUNDLE_WEIGHT)


def share_of_ranges(members: Fields) -> Fraction:
    """The share of epsilon that bought ranges; 0 where a manifest says nothing of them."""
    return members.fields(RANGES).fraction("share") if members.has(RANGES) else NOTHING


def ranged(members: Fields, measures: tuple[str, ...]) -> tuple[str, ...] | None:
    """Of these measures the ones whose ranges were bought; None where a manifest says nothing of ranges."""
    if not members.has(RANGES):
        return None
    bought = members.fields(RANGES).names("values")
    return tuple(name for name in measures if name in bought)


def bought_of(members: Fields, plan: Plan) -> tuple[BoughtQuantiles | None, BoughtQuantiles | None]:
    """Bought summaries and ranges; BundleError where they are none that the plan can have bought."""
    five_numbers = _read(members, FIVE_NUMBERS, plan.five_numbers_share)
    ranges = _read(members, RANGES, plan.ranges)
    try:
        check_bought(plan, five_numbers, ranges)
    except ValueError:
        name = RANGES if five_numbers is None else FIVE_NUMBERS
        raise wrong(members.place(name), "numbers that this plan can have bought") from None
    return five_numbers, ranges


def _read(members: Fields, name: str, share: Fraction) -> BoughtQuantiles | None:
    if not members.has(name):
        return None
    told = members.fields(name)
    try:
        return BoughtQuantiles(told.fraction("at_total_epsilon"), share, _values(told))
    except (ValueError, ArithmeticError):
        raise wrong(told.place("values"), "points of the public grids in rising order") from None


def _values(told: Fields) -> Mapping[str, Mapping[str, str]]:
    """Values by measure, statistics in their order; what else stands there is found when the manifest is compared."""
    found = {}
    for measure in told.names("values"):
        numbers = told.fields("values").texts(measure, _TEXT)
        found[measure] = {name: numbers[name] for name in LEVELS if name in numbers}
    return found
