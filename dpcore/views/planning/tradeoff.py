"""The trade-off itself: how far typical counts are off at every epsilon, where a person is hidden and where one trip is.

A curve has two sources. *Expected* follows from the noise in a typical city: from the plan, the number of trips and the share of
them that counts (``dpcore.noise.expected_estimates``). An owner's page takes the exact numbers, so its curve is private too. *From
the truth* is what the owner alone can see: estimates beside the true counts of all trips. Both say the same of a table: half of
its counts are off by more than so large a part of themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Estimates
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import typical_errors
from dpcore.privacy import EXAMPLE_TRIPS, RUNGS, ContributionBound, PrivacyUnit, Promise, decimal_text
from dpcore.views.ground.shown import ranged
from dpcore.views.planning.beside_truth import typical_error

Counts = NDArray[np.int64]

TABLES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "tiles": ("Visits of a tile", ("visits_per_tile",)),
        "flows": ("Flow between two districts", ("od_districts",)),
        "hours": ("Trips of an hour", ("trips_per_hour",)),
    }
)
"""What has a curve: its title, and the measures it can be told of, the first that a plan has."""
UNITS: Final = MappingProxyType({PrivacyUnit.USER: "hides a person", PrivacyUnit.TRIP: "hides one trip"})
TITLE: Final = "What you can still read: the typical error at every ε"
LEARNT: Final = "What a stranger can learn: how often a guess is right"
MARKS: Final = "Of 100 guesses: dots are right by luck, squares by a release like this, rings wrong."
_OF_MANY: Final = f"Whether a person with {EXAMPLE_TRIPS} trips is in the data"
MEANS: Final = "Half of the counts are off by more."
FROM_TRUTH: Final = "from the truth"
EXPECTED: Final = "expected"


@dataclass(frozen=True)
class Told:
    """Where the curves come from, in words."""

    counted: str
    """Where all of them are from the truth."""
    expected: str
    """Where some of them are expected."""


FOR_OWNERS: Final = Told(
    f"{MEANS} Estimates beside true counts: only you see this.",
    f"{MEANS} Only you see this. Dots: beside the true counts. Dashed: expected from the noise for a typical city with as many "
    "trips, of which as many count.",
)


def for_viewers(about: str) -> Told:
    """The same beside a release. ``about``: whose trips its estimates are of, such as ``all trips``."""
    return Told(
        "",
        f"{MEANS} Estimates of {about}, expected of a typical city from the noise and the released totals, not from the "
        "truth. Dashed: not released.",
    )


@dataclass(frozen=True)
class Line:
    """The curves of one unit: one for each table."""

    name: str
    """What its known points are sent under; another draw has another name."""
    unit: PrivacyUnit
    expected: Mapping[str, tuple[float, ...]]
    """Expected errors by table of ``TABLES``, one for each epsilon; without a table that is not known."""
    released: int | None = None
    """How many of the first epsilons were released; None on an owner's page."""


@dataclass(frozen=True)
class Learnt:
    """How often a stranger's guess of one question is right, at each epsilon."""

    question: str
    right: tuple[int, ...]
    """Of 100 guesses, rounded up; 50 are right by luck."""
    said: tuple[str, ...]
    """The same in words."""


@dataclass(frozen=True)
class CurveShown:
    """What the picture shows, but for the points that come later."""

    link: str
    """Maps and sliders with the same link follow."""
    epsilons: Sequence[Fraction]
    movable: int
    """How many of the first epsilons can be chosen."""
    start: int
    """The one at the first look of a page."""
    lines: Sequence[Line]
    told: Told
    mark: str = ""
    learnt: tuple[Learnt, ...] = ()
    """What stands above the curves."""


def learnt(bound: ContributionBound, epsilons: Sequence[Fraction]) -> tuple[Learnt, ...]:
    """What a release under a bound lets a stranger learn at each epsilon; where one trip is hidden, also of a person with many."""
    promises = [Promise.of(bound, epsilon) for epsilon in epsilons]
    rows = [
        (promises[0].questions[0], [one.presence for one in promises]),
        (promises[0].questions[1], [one.doings for one in promises]),
    ]
    if promises[0].by_trip:
        rows.append((_OF_MANY, [one.presence.times(EXAMPLE_TRIPS) for one in promises]))
    return tuple(
        Learnt(question, tuple(one.right_of_100 for one in losses), tuple(one.right_of for one in losses))
        for question, losses in rows
    )


def tables_of(plan: Plan) -> dict[str, str]:
    """The measure of each curve that a plan has."""
    found = {
        table: next((name for name in names if name in plan.weights), "")
        for table, (_, names) in TABLES.items()
    }
    return {table: name for table, name in found.items() if name}


def expected_line(
    plan: Plan,
    trips: float | Mapping[str, float],
    share: float | None,
    tiles: int,
    *,
    name: str,
    released: int | None = None,
) -> Line:
    """The curves that are expected of a plan at its rungs.

    ``trips``: number of all trips, or what each table tells of it; ``share``: of those that count, None if nobody knows; the
    others as in ``Line``. A table without trips has no curve.
    """
    tables = tables_of(plan)
    all_trips = trips if isinstance(trips, Mapping) else dict.fromkeys(tables, trips)
    found = {
        table: typical_errors(plan, measure, all_trips[table], share, tiles)
        for table, measure in tables.items()
        if share and all_trips[table] > 0
    }
    return Line(name, plan.bound.unit, MappingProxyType(found), released)


def released_lines(
    plan: Plan, measurements: Mapping[str, Measurement], share: float | None, tiles: int
) -> tuple[tuple[Fraction, ...], list[Line]]:
    """The epsilons and curves of a release, from its own counts: those of its unit, and those of one trip beside a person's.

    ``share``: of the trips that count, as the release tells it; None where its estimates are for the trips that count. The
    epsilons are the released ones, then the public ones beyond. Nothing beyond is released, nor is the other unit. Each curve
    follows from the total of its own table: where tiles on the way count too, visits do not tell how many trips there are.
    """
    epsilons = (*plan.rungs, *(one for one in RUNGS if one > plan.epsilon))
    wide, names = replace(plan, rungs=epsilons), tables_of(plan)
    if not names:
        return epsilons, []
    counted = {
        table: int(measurements[name].values[-1].sum()) / plan.measure(name).cells_per_trip
        for table, name in names.items()
    }
    trips = {table: number / (share or 1.0) for table, number in counted.items()}
    lines = [expected_line(wide, trips, share or 1.0, tiles, name="released", released=len(plan.rungs))]
    if plan.bound.unit is PrivacyUnit.USER:
        by_trip = replace(wide, bound=ContributionBound.per_trip())
        lines.append(expected_line(by_trip, trips, 1.0, tiles, name="one trip", released=0))
    return epsilons, lines


def true_errors(
    measurements: Mapping[str, Measurement], truth: Mapping[str, Counts], estimates: Estimates, plan: Plan
) -> dict[str, float]:
    """How far the estimates of a stop are from all trips, by table; NaN where all true counts are 0. Private."""
    found = {}
    for table, measure in tables_of(plan).items():
        estimated = estimates.tables[measure]
        here = np.searchsorted(measurements[measure].cell_numbers, estimated.cell_numbers)
        found[table] = typical_error(ranged(estimated).values, truth[measure][here])
    return found


def message(shown: CurveShown) -> dict[str, Any]:
    """The picture as the browser takes it (JSON)."""
    return {
        "link": shown.link,
        "epsilons": [decimal_text(epsilon) for epsilon in shown.epsilons],
        "movable": shown.movable,
        "start": shown.start,
        "tables": {
            table: title
            for table, (title, _) in TABLES.items()
            if any(table in line.expected for line in shown.lines)
            or not any(one.expected for one in shown.lines)
        },
        "lines": [
            {
                "name": line.name,
                "unit": line.unit.value,
                "label": UNITS[line.unit],
                "expected": {table: [*map(_number, errors)] for table, errors in line.expected.items()},
                "released": line.released,
            }
            for line in shown.lines
        ],
        "title": TITLE,
        "learnt": {
            "title": LEARNT,
            "marks": MARKS,
            "rows": [
                {"question": one.question, "right": [*one.right], "said": [*one.said]} for one in shown.learnt
            ],
        },
        "told": {"truth": shown.told.counted, "expected": shown.told.expected},
        "mark": shown.mark,
        "sources": {"truth": FROM_TRUTH, "expected": EXPECTED},
    }


def known_points(
    lines: Mapping[str, Mapping[int, Mapping[str, float]]], epsilons: int
) -> dict[str, dict[str, list[float | None]]]:
    """The errors from the truth that are known so far, by name of a line, then by number of the epsilon. For owners only."""
    return {
        name: {
            table: [_number(errors.get(at, {}).get(table, math.nan)) for at in range(epsilons)]
            for table in TABLES
        }
        for name, errors in lines.items()
    }


def _number(error: float) -> float | None:
    """Five decimals are more than anyone reads; JSON has no NaN."""
    return None if math.isnan(error) else round(error, 5)
