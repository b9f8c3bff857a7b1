"""What has to be reached, and the tables that say whether it was."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from bench.accuracy.pictures import NEAR
from bench.accuracy.runs import Case, Found
from bench.accuracy.scores import RANGED, SMALL

LEADING = ("visits", "windows", "district flows", "flows SMAPE")
_ONE, _TENTH = Fraction(1), Fraction(1, 10)

DEMANDS = {
    ("city", True, _TENTH): (0.35, 0.06, 0.03, 0.65, 0.30),
    ("city", True, _ONE): (0.60, 0.22, 0.07, 0.58, 0.50),
    ("city", False, _ONE): (0.62, 0.55, 0.18, 1.0, 0.55),
    ("bikes", False, _ONE): (0.40, 0.20, 0.12, 1.0, 0.80),
}
"""By set, user level or not, and epsilon: the most that errors of ``LEADING`` may be, as shares of those before, and the
least F1 of flows of ten trips or more."""

SMALL_DEMANDS = {
    "trips_per_hour": 1.5,
    "trips_over_time": 1.5,
    "jump_length": 1.5,
    "travel_time": 1.8,
    "trips_per_user": 2.0,
    "user_time_delta": 2.0,
    "radius_of_gyration": 2.0,
    "user_tile_count": 2.0,
    "mobility_entropy": 2.0,
}


@dataclass(frozen=True)
class Judged:
    """One figure beside its demand."""

    what: str
    figure: float
    demand: float
    least: bool = False
    """Whether the figure must be at least the demand, not at most."""

    @property
    def reached(self) -> bool:
        """Whether the demand is met. A figure that is not there meets none."""
        return self.figure >= self.demand if self.least else self.figure <= self.demand

    def __str__(self) -> str:
        """One row of a table."""
        sign = ">=" if self.least else "<="
        return f"| {self.what} | {number(self.figure)} | {sign} {self.demand:g} | {'yes' if self.reached else '**no**'} |"


def judged(found: Found) -> Iterator[Judged]:
    """Every demand on one case."""
    case, name = found.case, found.case.name
    by_user, epsilon = case.max_trips is not None, case.epsilon
    city = found.data.folder is not None
    kind = "city" if city else "bikes" if found.data.name == "bikes of Jersey City" else ""
    usual = case.max_trips in {None, 8} and (not city or len(found.data.tiles.tile_ids) <= 500)
    demanded = DEMANDS.get((kind, by_user, epsilon)) if usual else None
    if demanded is not None:
        *most, f1 = demanded
        for figure, demand in zip(LEADING, most, strict=True):
            yield Judged(f"{name}: {figure}, ratio", found.ratio(figure), demand)
        yield Judged(f"{name}: F1 of flows", found.mean("estimate", "flows F1"), f1, least=True)
    if demanded is not None and city:
        for figure, demand in SMALL_DEMANDS.items():
            yield Judged(f"{name}: {figure}, ratio", found.ratio(figure), demand)
    if not city or not usual:
        return
    if by_user and epsilon == 1:
        for figure in ("visits", "district flows"):
            yield Judged(f"{name}: {figure} of all trips, ratio", found.ratio(figure, everything=True), 0.25)
    if by_user and epsilon >= Fraction(1, 2):
        every = {"all_trips": True}
        yield Judged(
            f"{name}: visits of all trips, ranges hold",
            found.range_of("visits_per_tile", "held", **every),
            0.90,
            least=True,
        )
        yield Judged(
            f"{name}: visits of all trips, width", found.range_of("visits_per_tile", "width", **every), 1.5
        )
    if epsilon >= Fraction(1, 2):
        for measure in ("visits_per_tile", "visits_per_time_tile", "od_districts"):
            for figure, demand in (("held", 0.93), ("held, largest tenth", 0.90)):
                said = found.range_of(measure, figure, all_trips=False)
                yield Judged(f"{name}: {measure}, ranges {figure}", said, demand, least=True)


def number(value: float) -> str:
    """Three digits; a dash where there is nothing."""
    if math.isnan(value):
        return "-"
    return f"{value:.3g}"


def judged_table(all_found: Sequence[Found]) -> str:
    """All demands on a set, met or not."""
    rows = [str(one) for found in all_found for one in judged(found)]
    return "\n".join(["| what | figure | demand | reached |", "|---|---|---|---|", *rows]) if rows else ""


def table_of(found: Found) -> str:
    """One case: errors against the trips that count and against all trips, then ranges."""
    figures = ("visits", "windows", "district flows", NEAR, "flows", "flows SMAPE", "flows F1", *SMALL)
    head = (
        "| | before | drawn | estimate | ratio | before, all trips | estimate, all trips | ratio |",
        "|---|---|---|---|---|---|---|---|",
    )
    rows = []
    for figure in figures:
        values = [found.mean(column, figure) for column in ("before", "drawn", "estimate")]
        of_all = [found.mean(column, figure, everything=True) for column in ("before", "estimate, all")]
        if np.isnan(values[2]):
            continue
        cells = (*values, values[2] / values[0], *of_all, of_all[1] / of_all[0])
        rows.append(f"| {figure} | {' | '.join(number(value) for value in cells)} |")
    return "\n".join([*head, *rows, "", ranges_table(found)])


def ranges_table(found: Found) -> str:
    """How often ranges hold, and how wide they are, beside 3.92 times the error."""
    rows = ["| ranges | held | largest tenth | width | held, all trips | largest tenth | width |"]
    rows.append("|---|---|---|---|---|---|---|")
    for name in dict.fromkeys((*RANGED, *(measure for measure, _ in found.ranges))):
        cells = [
            found.range_of(name, figure, all_trips=all_trips)
            for all_trips in (False, True)
            for figure in ("held", "held, largest tenth", "width")
        ]
        if not all(np.isnan(cell) for cell in cells):
            rows.append(f"| {name} | {' | '.join(number(cell) for cell in cells)} |")
    return "\n".join(rows)


def line_of(found: Found) -> str:
    """The share that counts, and the seconds of an estimate."""
    said = "not said"
    if found.shares:
        value, low, high = np.mean(found.shares, axis=0)
        said = f"{value:.3f} ({low:.3f} to {high:.3f})"
    return f"share that counts {found.share:.3f}, said {said}; {np.median(found.seconds):.2f} s an estimate; {len(found.seconds)} draws"


def case_of(user: int | None, epsilon: str) -> Case:
    """A case from its text."""
    return Case(user, Fraction(epsilon))
