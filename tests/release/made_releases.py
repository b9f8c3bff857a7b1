"""Small releases of invented counts, with real noise."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction

import numpy as np

import dpcore
from dpcore.measures import GRIDS
from dpcore.measures.bought import BoughtQuantiles, Draw, draws_of_five_numbers, draws_of_ranges, with_ranges
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import EXPLORED_WEIGHTS, NOTHING, USUAL_FALSE_FLOWS, Plan
from dpcore.noise.mechanisms import measured
from dpcore.privacy import ContributionBound, PrivacyUnit, exact_epsilon
from dpcore.release.release import Anchor, Release, Tables
from dpcore.tiles import Box, Tessellation, halved, square_grid
from tests.cities import four_tiles

WEEK = Period(date(2024, 4, 1), date(2024, 4, 7))
GRID_SIDE = 24  # (24 * 24 + 1) squared pairs are more than a dense table may hold


def grid() -> Tessellation:
    """576 squares of about a kilometre: so many pairs that flows are released sparsely."""
    side = GRID_SIDE / 111.19492664455873
    return square_grid(Box(0.0, -side / 2, side, side / 2), 1000)


def made_release(
    *,
    unit: str = "user",
    max_trips: int = 3,
    sparse: bool = False,
    period: Period | None = WEEK,
    epsilon: str = "2",
    weights: dict[str, int] | None = None,
    tessellation: Tessellation | None = None,
    choices: KeyChoices | None = None,
    five_numbers: int = 0,
    ranges: Fraction = NOTHING,
    false_flows: Fraction = USUAL_FALSE_FLOWS,
    **changes: object,
) -> Release:
    """A release over four tiles (or a grid with sparse flows) of invented counts.

    Without ``weights`` it holds the default measures; without a period those that need none. ``changes`` are fields
    of the release itself, such as ``title``.
    """
    tiles = tessellation or (grid() if sparse else four_tiles())
    bound = ContributionBound(PrivacyUnit(unit), max_trips if unit == "user" else None)
    if weights is None:
        weights = {name: n for name, n in EXPLORED_WEIGHTS.items() if period or name != "trips_over_time"}
    lying = halved(tiles, 2) if "od_districts" in weights else None
    chosen = choices or KeyChoices(period, districts=lying)
    plan = Plan.up_to(
        bound,
        weights,
        exact_epsilon(epsilon),
        chosen,
        five_numbers=five_numbers,
        ranges=ranges,
        false_flows=false_flows,
    )
    bought_ranges = _bought(plan, plan.ranges, draws_of_ranges(plan))
    summaries = _bought(plan, plan.five_numbers_share, draws_of_five_numbers(plan))
    plan = plan if bought_ranges is None else with_ranges(plan, bought_ranges)
    measurements = {}
    for measure in plan.measures:
        name, keys = measure.name, measure.keys(tiles.tile_ids)
        cells = np.arange(0, keys.size, max(2, keys.size // 500), dtype=np.int64)
        measurements[name] = measured(measure, keys, cells, 20 + cells * 7919 % 400, plan, origin="release")
    fields: dict[str, object] = {
        "id": "four-tiles-3-0a1b2c",
        "title": "Trips of an invented city",
        "note": "Counts were invented for a test.",
        "dataset": "four-tiles",
        "population": "Nobody: the city does not exist.",
        "created": datetime(2024, 5, 1, 12, 30, tzinfo=UTC),
        "plan": plan,
        "drawn": Tables(measurements, summaries, bought_ranges),
        "tessellation": tiles,
        "timezone": "Europe/Berlin",
        "anchor": Anchor(
            ledger="5f" * 32,
            number=3,
            hash="c4" * 32,
            currency=PrivacyUnit(unit),
            charged=plan.epsilon,
            total=Fraction(10),
        ),
        "parameters_chosen": "before_data",
        "command": "python -m dpcore release --trips TRIPS --tiles TILES --privacy-unit user --out DIR",
        "software": {"epsilon-atlas": dpcore.__version__, "numpy": "2.4.6"},
    }
    return Release(**{**fields, **changes})


def with_trips_of_other_days(release: Release, beyond: int) -> Release:
    """The same release with so many trips in each cell that the named days do not hold, before and after them."""
    dates = release.measurements["trips_over_time"]
    values = dates.values.copy()
    values[:, [0, -1]] = beyond
    held = {**release.measurements, "trips_over_time": replace(dates, values=values)}
    return replace(release, drawn=replace(release.drawn, measurements=held))


def drawn_as(release: Release, measure: str, released: int) -> Release:
    """The same release with one released count in all cells of a measure, where the test asks for no chance."""
    drawn = release.measurements[measure]
    held = {**release.measurements, measure: replace(drawn, values=np.full_like(drawn.values, released))}
    return replace(release, drawn=replace(release.drawn, measurements=held))


def _bought(plan: Plan, share: Fraction, draws: tuple[Draw, ...]) -> BoughtQuantiles | None:
    """Invented quantiles, one in four of the grid further for each statistic."""
    values: dict[str, dict[str, str]] = {}
    for draw in draws:
        points = GRIDS[draw.measure].texts
        values.setdefault(draw.measure, {})[draw.statistic] = points[draw.level * len(points) // 40]
    return BoughtQuantiles(plan.epsilon, share, values) if draws else None
