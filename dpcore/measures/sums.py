"""Sums and means of a number of each trip: minutes, kilometres, or a declared attribute such as a fare.

A value is clamped to public bounds and kept in whole public units. It is read off its own trip alone. A value that is missing
adds nothing to a sum. Duration and distance are missing where only one end of a trip is known.

Both are told for the cells of a table of counts (``by``): the same rows count in the same cells, and a row adds its
value in place of 1 (``measures.term``). In that table let a trip count in at most k cells, so a privacy unit of at most M trips changes
k M counts by one each. Bounds are written in units here.

*A sum.* A row adds its value v, from LOW to HIGH, instead of 1. So a unit changes the table by at most k M max(|LOW|, |HIGH|)
in all (L1). It is reached where the value of every trip is the bound that is farther from 0.

*A mean* is one measurement of three components. A row with a value adds v - LOW to ``above`` and HIGH - v to ``below``:
HIGH - LOW in both together, whatever v is. A row without one adds HIGH - LOW to ``missing``. So each row
changes the three components by exactly HIGH - LOW in all, and a unit by at most k M (HIGH - LOW). That is paid once for all three.
Of the true ones, ``LOW + (HIGH - LOW) above / (above + below)`` is the mean, ``(above + below) / (HIGH - LOW)`` the number of
values, and ``missing / (HIGH - LOW)`` the number of those that are missing. Two measurements, a sum and a count with half of
epsilon each, would need about twice the noise for that.

Under a bound on users an added trip may displace another, so at most twice as much changes as by one trip: the rule of
``Measure.change_of_one_trip``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures.attribute import KEPT, Amount, check_name, check_range, decimal, range_of, slip_of_range
from dpcore.measures.keys import KeySet, plain_axis
from dpcore.measures.measure import Adds, Cells, Kind, Layout, Measure, Section, Typical
from dpcore.measures.term import Term

DURATION: Final = "duration"
DISTANCE: Final = "distance"
SUM: Final = "sum_"
MEAN: Final = "mean_"
BY: Final = ("visits_per_tile", "od_flows", "trips_per_hour", "trips_over_time")
"""Tables in whose cells values can be added up."""
COMPONENT: Final = "component"
COMPONENTS: Final = ("above", "below", "missing")
"""Those of a mean, in the order of their cells."""

_WHAT: Final = "sum"
_GIVE: Final = (
    "Write lowest value, highest value and unit, such as 0:100:0.01. duration is in minutes, distance in km."
)
_WEIGHT: Final = 100
_FINE: Final = {DURATION: (60_000_000, "microsecond"), DISTANCE: (1_000, "metre")}
"""How many steps of what is measured make a minute or a kilometre, and the name of a step."""
_COLUMNS: Final = {DURATION: "duration_us", DISTANCE: "jump_m"}
_LARGEST: Final = 1_000_000  # minutes or kilometres; so every number below stays exact in a double
_NAMES: Final = {DURATION: " minutes", DISTANCE: " km"}


@dataclass(frozen=True, slots=True)
class Sum:
    """A number of each trip that is added up: its name, and its public bounds and unit."""

    name: str
    """``duration`` (minutes), ``distance`` (km), or a declared attribute."""
    low: Fraction
    high: Fraction
    """Bounds, whole multiples of the unit. A value beyond one is set to it."""
    unit: Fraction

    def __post_init__(self) -> None:
        """Refuse bounds between which nothing is added up exactly. Raises InputError."""
        where = f"{_WHAT} {self.name}"
        if not all(isinstance(number, Fraction) for number in (self.low, self.high, self.unit)):
            raise InputError(
                "bounds and unit must be exact", where, "Give fractions, or let sum_of read decimal text."
            )
        if self.name not in _FINE:
            check_name(self.name, _WHAT)
        check_range(self.low, self.high, self.unit, where, _GIVE)
        if self.units > limits.MAX_SUM_UNITS:
            raise InputError(
                f"the range has more than {limits.MAX_SUM_UNITS:,} units, which is the limit: sums of all trips must stay exact",
                where,
                "Take a larger unit, or closer bounds.",
            )
        if self.name in _FINE:
            steps, step = _FINE[self.name]
            if (self.unit * steps).denominator > 1:
                raise InputError(
                    f"the unit is no whole number of one {step}", where, "Take a larger unit, such as 0.1."
                )
            if max(abs(self.low), abs(self.high)) > _LARGEST:
                raise InputError(f"a bound is beyond {_LARGEST:,}", where, "Take closer bounds.")

    @property
    def lowest(self) -> int:
        """The lower bound in units."""
        return int(self.low / self.unit)

    @property
    def highest(self) -> int:
        """The upper bound in units."""
        return int(self.high / self.unit)

    @property
    def width(self) -> int:
        """Units from the lower to the upper bound."""
        return self.highest - self.lowest

    @property
    def units(self) -> int:
        """The most units that one row adds to a sum, or to the parts of a mean."""
        return max(abs(self.lowest), abs(self.highest), self.width)

    @property
    def attribute(self) -> Amount | None:
        """The declared attribute that holds its values; None for duration and distance, which every trip has."""
        return None if self.name in _FINE else Amount(self.name, self.low, self.high, self.unit)

    @property
    def names(self) -> tuple[str, str]:
        """Names of its two measures."""
        return f"{SUM}{self.name}", f"{MEAN}{self.name}"

    @property
    def text(self) -> str:
        """As ``sum_of`` reads it."""
        return f"{self.name}={':'.join(map(decimal, (self.low, self.high, self.unit)))}"

    @property
    def title(self) -> str:
        """Its name as sentences and labels say it."""
        return self.name.replace("_", " ")

    @property
    def digits(self) -> int:
        """Decimals of a mean: two more than those of the unit."""
        return len(decimal(self.unit).partition(".")[2]) + 2

    @property
    def unit_words(self) -> str:
        """One unit in words, such as ``0.01`` or ``0.1 minutes``."""
        return f"{decimal(self.unit)}{self.unit_name}"

    @property
    def unit_name(self) -> str:
        """What follows a number: `` minutes`` or `` km``; nothing for an attribute, whose unit its owner knows."""
        return _NAMES.get(self.name, "")

    def said(self, units: int) -> str:
        """So many units as a number with its name.

        >>> sum_of("fare=0:100:0.05").said(24_001), sum_of("duration=0:120:0.5").said(4_800)
        ('1,200.05', '2,400.0 minutes')
        """
        return f"{float(units * self.unit):,.{self.digits - 2}f}{self.unit_name}"

    @property
    def measured_in(self) -> str:
        """What its numbers are in: minutes or km; empty for an attribute, whose unit has no name."""
        return _NAMES.get(self.name, "").strip()

    @property
    def value(self) -> str:
        """SQL of the value of a row in units, within the bounds. NULL is to be excluded by ``known``.

        Engines differ in how they divide whole numbers. So what is left over is taken off first, and the rest is a multiple
        of the unit below 2**53, whose quotient is exact in a double.
        """
        if self.name not in _FINE:
            return f"least(greatest({self.column}, {self.lowest}), {self.highest})"
        step = self.step
        low, high = self.lowest * step, self.highest * step
        moved = f"(least(greatest({self.column}, {low}), {high}) - ({low}) + {step // 2})"
        return f"(CAST(({moved} - {moved} % {step}) / {step} AS BIGINT) + ({self.lowest}))"

    @property
    def step(self) -> int:
        """A unit in what the column of its values holds: microseconds, metres, or units."""
        return int(self.unit * _FINE[self.name][0]) if self.name in _FINE else 1

    @property
    def column(self) -> str:
        """The column of its values."""
        return _COLUMNS.get(self.name) or f"{KEPT}{self.name}"

    @property
    def known(self) -> str:
        """SQL that is true for a row with a value."""
        return f"{self.column} IS NOT NULL"


def sum_of(text: str) -> Sum:
    """The sum of an option, ``NAME=LOW:HIGH:UNIT``. Raises InputError for any other text.

    >>> sum_of("fare=0:100:0.01").highest, sum_of("duration=0:120:0.5").names
    (10000, ('sum_duration', 'mean_duration'))
    """
    name, _, declared = text.partition("=")
    found = range_of(declared)
    if found is None:
        slip = slip_of_range(declared) or "no bounds and unit"
        raise InputError(slip, f"{_WHAT} {name.strip()[:40]}".strip(), _GIVE)
    return Sum(name.strip(), *found)


def widest(one: Sum, kept: Amount | None) -> Sum:
    """The same number between bounds that set as few values as can be added up exactly; ``kept``: those of an attribute."""
    most = limits.MAX_SUM_UNITS * one.unit
    further = (limits.MAX_SUM_UNITS - one.width) // 2 * one.unit
    largest = _LARGEST // one.unit * one.unit
    lowest, highest = (-largest, largest) if kept is None else (kept.low, kept.high)
    low, high = max(one.low - further, -most, lowest), min(one.high + further, most, highest)
    return replace(one, low=min(low, one.low), high=max(high, one.high))


def checked_sums(sums: Iterable[Sum] | Mapping[str, str]) -> tuple[Sum, ...]:
    """The sums, if no two have one name; also of a mapping ``{"fare": "0:100:0.01"}``. Raises InputError."""
    found: tuple[Sum, ...] = (
        tuple(sum_of(f"{name}={text}") for name, text in sums.items())
        if isinstance(sums, Mapping)
        else tuple(sums)
    )
    if not all(isinstance(one, Sum) for one in found):
        raise InputError("sums are given by name", "sums", "Give {'fare': '0:100:0.01'}.")
    if len(found) > limits.MAX_ATTRIBUTES:
        raise InputError(
            f"{len(found):,} sums, the limit is {limits.MAX_ATTRIBUTES}", _WHAT, "Leave some out."
        )
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError("a sum is declared twice", f"{_WHAT} {', '.join(twice)}", "Declare it once.")
    return found


def measures_of(one: Sum, by: Measure | None) -> tuple[Measure, Measure]:
    """Its sum and its mean in the cells of a table of trips; None: over all trips. Raises InputError beyond the limit."""
    base = by or _ALL
    units = base.cells_per_trip * one.units
    if units > limits.MAX_SUM_UNITS:
        raise InputError(
            f"a trip may add {units:,} units to this table, the limit is {limits.MAX_SUM_UNITS:,}",
            f"{_WHAT} {one.name}, {base.name}",
            "Take a larger unit, or closer bounds, or count fewer points of a trip.",
        )
    where = f" {_WHERE[by.name]}" if by else ""
    mine = Measure(
        name=one.names[0],
        title=f"Sum of {one.name}{where}",
        explanation=(
            f"The sum of {one.name} over the trips that count, each set to {decimal(one.low)} to {decimal(one.high)} first. A value "
            "that is missing adds nothing."
        ),
        section=base.section,
        counts=f"units of {one.unit_words}",
        layout=Layout(Kind.NUMBERS, base.layout.columns),
        cells_per_trip=base.cells_per_trip * max(abs(one.lowest), abs(one.highest)),
        keys=base.keys,
        weight=_WEIGHT,
        terms=tuple(_adding_term(term, one.known, one.value) for term in base.terms),
        sparse=base.sparse,
        attributes=() if one.attribute is None else (one.attribute,),
        reads_via=base.reads_via,
        needs_points=base.needs_points or one.name == DISTANCE,
        needs_times=base.needs_times or one.name == DURATION,
        needs_ends=base.needs_ends or one.name in {DISTANCE, DURATION},
        needs_period=base.needs_period,
        adds_up=False,
        typical=Typical.UNKNOWN,
    )
    both = mine, _mean(one, base, mine, where)
    rule = base.compiled_rule
    if rule is None:
        return both
    adds = Adds(one.column, one.lowest, one.highest, one.step)
    told, mean = (
        replace(found, rule=replace(rule, sql=found.sql, adds=replace(adds, as_mean=found is both[1])))
        for found in both
    )
    return told, mean


def _mean(one: Sum, base: Measure, total: Measure, where: str) -> Measure:
    adds = (
        (one.known, f"{one.value} - ({one.lowest})"),
        (one.known, f"{one.highest} - {one.value}"),
        (f"{one.column} IS NULL", str(one.width)),
    )
    return replace(
        total,
        name=one.names[1],
        title=f"Mean of {one.name}{where}",
        explanation=(
            f"The mean of {one.name} over the trips that count and have a value, each set to {decimal(one.low)} to "
            f"{decimal(one.high)} first. Where there may be no value at all, there is no mean."
        ),
        layout=Layout(Kind.NUMBERS, (COMPONENT, *base.layout.columns)),
        cells_per_trip=base.cells_per_trip * one.width,
        keys=lambda tile_ids: KeySet((plain_axis(COMPONENT, COMPONENTS), *base.keys(tile_ids).axes)),
        sparse=False,  # a threshold on each part would show the means alone that noise moved over it
        sql="",
        terms=tuple(
            _adding_term(term, known, added, component)
            for component, (known, added) in enumerate(adds)
            for term in base.terms
        ),
    )


def _adding_term(term: Term, where: str, adds: str, component: int | None = None) -> Term:
    """The same rows in the same cells, of them those for which ``where`` is true, each adding another number."""
    key = term.key if component is None else ((COMPONENT, str(component)), *term.key)
    return replace(term, key=key, where=f"{term.where} AND {where}" if term.where else where, adds=adds)


_WHERE: Final = {
    "visits_per_tile": "by tile",
    "od_flows": "by flow",
    "trips_per_hour": "by hour",
    "trips_over_time": "by date",
}

_ALL: Final = Measure(
    name="all_trips",
    title="All trips",
    explanation="",
    section=Section.OVERVIEW,
    counts="trips",
    layout=Layout(Kind.NUMBERS, ("statistic",)),
    cells_per_trip=1,
    keys=lambda _: KeySet((plain_axis("statistic", ("all",)),)),
    terms=(Term("kept", (("statistic", "0"),)),),
    weight=_WEIGHT,
).counted_by(Cells.ALL_TRIPS)
"""Where no table is named: one cell, in which every trip counts."""


def sum_named(name: str, sums: Iterable[Sum]) -> Sum | None:
    """The sum of which a measure tells the sum or the mean; None for any other measure."""
    return next((one for one in sums if name in one.names), None)


@dataclass(frozen=True, eq=False)
class Components:
    """The components of a mean in cells of the table whose rows are averaged; all int64, shape (cells,), in units."""

    keys: KeySet
    """Those of the table."""
    cells: NDArray[np.int64]
    """Numbers of its cells, rising."""
    above: NDArray[np.int64]
    below: NDArray[np.int64]
    missing: NDArray[np.int64]


def components_of(keys: KeySet, cells: NDArray[np.int64], values: NDArray[np.int64]) -> Components:
    """The components of a mean from its table: ``cells``, numbers of cells of ``keys``, and their values.

    A component that is not among the cells is 0. A released table has all cells; an exact one may have those that occur.
    """
    at = next(number for number, axis in enumerate(keys.axes) if axis.column == COMPONENT)
    inner = prod(keys.shape[at + 1 :])
    outer, rest = np.divmod(cells, inner * len(COMPONENTS))
    places, where = np.unique(outer * inner + rest % inner, return_inverse=True)
    found = np.zeros((len(COMPONENTS), len(places)), np.int64)
    found[rest // inner, where] = values
    others = KeySet(tuple(axis for number, axis in enumerate(keys.axes) if number != at))
    return Components(others, places.astype(np.int64), *found)


def rounded(
    one: Sum, values: NDArray[np.float64], how: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Means in units as numbers with two digits more than the unit, within the bounds; ``how``: np.rint, np.floor or np.ceil."""
    ten = 10.0**one.digits
    found = how(values * one.unit.numerator / one.unit.denominator * ten) / ten
    return np.clip(found, float(one.low), float(one.high))


def in_unit(one: Sum, values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Whole units as numbers: exact below 2**53."""
    return values * one.unit.numerator / one.unit.denominator


def exact_sums(
    measure: Measure, one: Sum, keys: KeySet, cells: NDArray[np.int64], values: NDArray[np.int64]
) -> dict[str, list[str] | list[int]]:
    """The exact table of a sum or a mean in the unit of what is added up: its keys as text, then ``value`` as decimal text.

    Of a mean also ``count`` and ``missing``, of the rows with and without a value. Without any value its ``value`` is empty.
    """
    if measure.name == one.names[0]:
        return {**keys.labels(cells), "value": [decimal(value * one.unit) for value in values.tolist()]}
    parts = components_of(keys, cells, values)
    both = parts.above + parts.below
    share = parts.above / np.maximum(both, 1)  # first: a product of both could be too large for an integer
    means = rounded(one, one.lowest + one.width * share, np.rint)
    return {
        **parts.keys.labels(parts.cells),
        "value": [
            f"{mean:.{one.digits}f}" if known else "" for mean, known in zip(means, both > 0, strict=True)
        ],
        "count": (both // one.width).tolist(),
        "missing": (parts.missing // one.width).tolist(),
    }
