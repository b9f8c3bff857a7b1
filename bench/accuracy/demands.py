"""What has to be reached, and the table that says whether it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bench.accuracy.runs import Found
from bench.accuracy.tables import number

_TENTH, _HALF, _ONE = Fraction(1, 10), Fraction(1, 2), Fraction(1)
JUDGED_M = 8

LEADING = ("visits", "windows", "district flows", "flows SMAPE")
DEMANDS = {
    ("city", "user", _TENTH): (0.35, 0.06, 0.03, 0.65, 0.30),
    ("city", "user", _ONE): (0.60, 0.22, 0.07, 0.58, 0.50),
    ("city", "trip", _ONE): (0.62, 0.55, 0.18, 1.0, 0.55),
    ("bikes", "trip", _ONE): (0.40, 0.20, 0.12, 1.0, 0.80),
}
"""By set, unit and epsilon: the most that errors of ``LEADING`` may be, as shares of those before, and the least F1 of flows
of ten trips or more."""

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
OF_ALL_TRIPS = 0.25
HELD, HELD_LARGEST, HELD_ALL_TRIPS, WIDEST = 0.93, 0.90, 0.90, 1.5


@dataclass(frozen=True)
class Judged:
    """One figure beside its demand."""

    where: str
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
        """The figure and its demand, as a cell of a table."""
        sign = "least" if self.least else "most"
        return f"{number(self.figure)} ({sign} {self.demand:g}){'' if self.reached else ' **no**'}"


def judged(found: Found) -> Iterator[Judged]:
    """Every demand on one case, met or not. Most sets and cases have none: their figures are reported."""
    kind = found.data.kind
    if kind in {"city", "bikes"} and found.case.max_trips in {None, JUDGED_M} and not found.case.proposed:
        yield from _errors(found, kind)
        if kind == "city":
            yield from _ranges(found)


def _errors(found: Found, kind: str) -> Iterator[Judged]:
    where, unit = f"{found.data.name}, {found.case.name}", found.case.unit
    demanded = DEMANDS.get((kind, unit, found.case.epsilon))
    if demanded is None:
        return
    *most, f1 = demanded
    for figure, demand in zip(LEADING, most, strict=True):
        yield Judged(where, f"{figure}: ratio of errors", found.ratio(figure), demand)
    yield Judged(where, "flows F1", found.mean("estimate", "flows F1"), f1, least=True)
    if kind == "city":
        for figure, demand in SMALL_DEMANDS.items():
            yield Judged(where, f"{figure}: ratio of errors", found.ratio(figure), demand)
    if kind == "city" and unit == "user" and found.case.epsilon == _ONE:
        for figure in ("visits", "district flows"):
            ratio = found.ratio(figure, everything=True)
            yield Judged(where, f"{figure} of all trips: ratio of errors", ratio, OF_ALL_TRIPS)


def _ranges(found: Found) -> Iterator[Judged]:
    where, case = f"{found.data.name}, {found.case.name}", found.case
    if case.unit == "user":
        of_all = [found.range_of("visits_per_tile", what, all_trips=True) for what in ("held", "width")]
        yield Judged(where, "visits of all trips: ranges hold", of_all[0], HELD_ALL_TRIPS, least=True)
        yield Judged(where, "visits of all trips: width over 3.92 RMSE", of_all[1], WIDEST)
    if case.epsilon < _HALF:
        return
    for measure in ("visits_per_tile", "visits_per_time_tile", "od_districts"):
        for figure, demand in (("held", HELD), ("held, largest tenth", HELD_LARGEST)):
            said = found.range_of(measure, figure, all_trips=False)
            yield Judged(where, f"{measure}: ranges {figure}", said, demand, least=True)


def judged_table(all_found: Sequence[Found]) -> str:
    """All demands on some cases."""
    return laid_out([one for found in all_found for one in judged(found)])


def laid_out(every: Sequence[Judged]) -> str:
    """Figures with their demands, a row for each, a column for each case. "no" beside those that miss it."""
    wheres, whats = (
        [*dict.fromkeys(one.where for one in every)],
        [*dict.fromkeys(one.what for one in every)],
    )
    cells = {(one.what, one.where): str(one) for one in every}
    rows = [[what, *(cells.get((what, where), "") for where in wheres)] for what in whats]
    return "\n".join(
        f"| {' | '.join(row)} |" for row in [["figure (demand)", *wheres], ["---"] * (len(wheres) + 1), *rows]
    )
