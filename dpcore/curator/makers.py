"""How a release is priced, counted and drawn: the only place where a kind meets private trips.

The private steps of tables are here, those of a wing in its ``private.maker``.

Trips are counted before the charge, and the noise is drawn on these counts, so that counting cannot fail after the charge.
The noise is always fresh and never that of a preview. There is one exception. If ranges are bought, the bins are known only
after they were paid for. Then the plan is counted again with these bins, from rows in memory; a run that is cut short there
can be repeated with its nonce.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpcore import wings
from dpcore.curator.pricing import price_of_plan
from dpcore.errors import InternalError
from dpcore.ledger import Price
from dpcore.measures.bins import LEVELS
from dpcore.measures.bought import (
    BoughtQuantiles,
    Draw,
    draws_of_five_numbers,
    draws_of_ranges,
    sensitivity,
    with_ranges,
)
from dpcore.measures.choices import GRIDS
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.split import drawable_keys
from dpcore.noise.exponential import winner
from dpcore.noise.mechanisms import measured, must_be_drawable
from dpcore.privacy import PrivacyUnit
from dpcore.private.bounding import BoundedTrips, bounded
from dpcore.private.exact import ExactAnswers, exact_answers
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips
from dpcore.private.values import on_grids
from dpcore.release import kind_of
from dpcore.release.kinds.tables import TABLES
from dpcore.release.kinds.trip_rows import TripForm
from dpcore.release.release import IsAsked, IsDrawn, Tables
from dpcore.tiles import Tessellation
from dpcore.tiles.districts import district_texts

Counts = NDArray[np.int64]
Values = Mapping[str, Counts]
Asked = TypeVar("Asked")
Counted = TypeVar("Counted")


@dataclass(frozen=True, repr=False, eq=False)
class Made:
    """What was drawn for the bundle, and what is kept so that it can be raised."""

    plan: IsAsked
    """What was asked, with the bins that were bought, if any."""
    drawn: IsDrawn
    measurements: Mapping[str, Measurement] = field(default_factory=dict)
    """The measurements that can be raised; empty if none can."""
    hidden: Values = field(default_factory=dict)
    """The exact count of every listed cell of these measurements. Private."""


@dataclass(frozen=True)
class Maker(Generic[Asked, Counted]):
    """The four private steps of one kind of release."""

    price: Callable[[Asked, PrivacyUnit], Price]
    """What a plan costs an account of a currency."""
    check: Callable[[PrivateTrips, Tessellation, Asked], None]
    """Refuses a plan that such trips cannot answer or whose noise cannot be drawn; looks at no trip."""
    count: Callable[[PrivateTrips, Tessellation, Asked, Progress | None], Counted]
    """Counts under the contribution bound."""
    draw: Callable[[Counted, Asked, PrivateTrips, Tessellation], Made]
    """Draws fresh noise on the counts."""


AnyMaker: TypeAlias = Maker[Any, Any]


def price(plan: IsAsked, currency: PrivacyUnit) -> Price:
    """What a release costs an account of that currency, exactly and step by step.

    Raises PrivacyError for a plan that protects trips if the account counts users.
    """
    return maker_of(plan).price(plan, currency)


def maker_of(plan: IsAsked) -> AnyMaker:
    """The private steps for a plan. Those of a wing lie in its ``private.maker``; InternalError if it has none."""
    kind = kind_of(plan)
    if kind is TABLES:
        return _TABLES
    maker: AnyMaker | None = wings.maker_of(kind)
    if maker is None:
        raise InternalError.at(f"maker of {kind.name}")
    return maker


# Tables


@dataclass(frozen=True, repr=False, eq=False)
class _Answers(Sealed):
    """Exact answers on which tables are drawn."""

    trips: BoundedTrips
    answers: ExactAnswers
    values: Values
    """For every measure of which a quantile is bought, counts on its public grid."""


def _check_tables(trips: PrivateTrips, tiles: Tessellation, plan: Plan) -> None:
    bounded(trips, plan.bound)  # refuses a bound on users if the trips have none
    district_texts(tiles, plan.choices.districts)  # refuses districts of other tiles
    must_be_drawable(plan)
    for measure in plan.measures:
        drawable_keys(measure, tiles.tile_ids)  # refuses a table with too many cells


def _count_tables(
    trips: PrivateTrips, tiles: Tessellation, plan: Plan, progress: Progress | None
) -> _Answers:
    kept = bounded(trips, plan.bound)
    answers = exact_answers(kept, plan.measures, progress)
    return _Answers(kept, answers, values_of(kept, plan))


def _draw_tables(counted: _Answers, asked: Plan, trips: PrivateTrips, tiles: Tessellation) -> Made:
    """Draw a fresh ladder for every measure. Ranges come first, because the bins follow from them."""
    plan, answers = asked, counted.answers
    ranges = bought_ranges(asked, counted.values)
    if ranges is not None:
        plan = with_ranges(asked, ranges)
        answers = exact_answers(counted.trips, plan.measures)
    measurements: dict[str, Measurement] = {}
    hidden: dict[str, Counts] = {}
    for measure in plan.measures:
        name, keys = measure.name, drawable_keys(measure, tiles.tile_ids)
        cells, counts = answers.on(measure, keys)
        measurements[name] = measured(measure, keys, cells, counts, plan, origin="release")
        hidden[name] = _listed_counts(measurements[name], cells, counts)
    five_numbers = bought_five_numbers(asked, counted.values)
    return Made(plan, Tables(measurements, five_numbers, ranges), measurements, hidden)


def values_of(trips: BoundedTrips, plan: Plan) -> Values:
    """For every measure of which a plan buys a quantile, exact counts on its public grid."""
    draws = (*draws_of_five_numbers(plan), *draws_of_ranges(plan))
    names = list(dict.fromkeys(draw.measure for draw in draws))
    return on_grids(trips, names) if names else {}


def bought_ranges(plan: Plan, values: Values) -> BoughtQuantiles | None:
    """Fresh draws of the ranges that a plan buys; None if it buys none."""
    draws = draws_of_ranges(plan)
    return BoughtQuantiles(plan.epsilon, plan.ranges, _quantile_draws(plan, draws, values)) if draws else None


def bought_five_numbers(plan: Plan, values: Values) -> BoughtQuantiles | None:
    """Fresh draws of the five-number summaries that a plan buys; None if it buys none."""
    draws = draws_of_five_numbers(plan)
    if not draws:
        return None
    return BoughtQuantiles(plan.epsilon, plan.five_numbers_share, _quantile_draws(plan, draws, values))


def _quantile_draws(plan: Plan, draws: Sequence[Draw], values: Values) -> dict[str, dict[str, str]]:
    """One draw for each quantile. If those of a measure come out in the wrong order they are sorted: a new draw would cost more."""
    found: dict[str, list[int]] = {}
    for draw in draws:
        change = sensitivity(plan.measure(draw.measure), plan.bound, draw.level)
        number = winner(values[draw.measure], draw.level, sensitivity=change, epsilon=draw.epsilon)
        found.setdefault(draw.measure, []).append(number)
    bought = {}
    for measure, numbers in found.items():
        statistics = [draw.statistic for draw in draws if draw.measure == measure]
        bought[measure] = {
            statistic: GRIDS[measure].texts[number]
            for statistic, number in zip(
                sorted(statistics, key=LEVELS.__getitem__), sorted(numbers), strict=True
            )
        }
    return bought


def _listed_counts(measurement: Measurement, cells: Counts, counts: Counts) -> Counts:
    """The exact count of every listed cell of a measurement, zeros included."""
    listed = measurement.cell_numbers
    where = np.searchsorted(cells, listed)
    found = np.zeros(len(listed), np.int64)
    inside = where < len(cells)
    hit = np.flatnonzero(inside)[cells[where[inside]] == listed[inside]]
    found[hit] = counts[where[hit]]
    return found


def form_of(trips: PrivateTrips) -> TripForm:
    """How the rows of synthetic trips name their places: as the trips do from which they were counted."""
    return "points" if trips.has_points else "tiles"


_TABLES: Final = Maker(price_of_plan, _check_tables, _count_tables, _draw_tables)
