"""A call of DpMobilityReport, taken up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral

import pandas as pd

from dpcore.compat import differences, refusals
from dpcore.compat.analyses import chosen_analyses, named, weights_of
from dpcore.compat.dates import Days, period_of
from dpcore.compat.histograms import Number, edges_of
from dpcore.errors import InputError
from dpcore.measures.choices import WINDOWS, KeyChoices
from dpcore.measures.plan import Plan
from dpcore.notebook import PrivateTrips, load_tiles, load_trips
from dpcore.tessellation import Tessellation
from dpcore.tessellation.frame import TileFrame


@dataclass(frozen=True, eq=False)
class Moved:
    """What a call stands for here: ready for ``dpcore.preview`` and ``dpcore.publish``."""

    trips: PrivateTrips
    tiles: Tessellation = field(repr=False)
    plan: Plan
    title: str
    """Its subtitle."""
    notes: tuple[str, ...]
    """What means something else than in DpMobilityReport, for the analyses that were chosen."""


def plan_of(
    df: pd.DataFrame,
    tessellation: TileFrame | None = None,
    privacy_budget: float | str | None = None,
    user_privacy: bool = True,
    max_trips_per_user: int | None = None,
    *,
    analysis_selection: Sequence[str] | None = None,
    analysis_exclusion: Sequence[str] | None = None,
    budget_split: Mapping[str, int] | None = None,
    timewindows: Sequence[int] = WINDOWS,
    max_travel_time: int | None = None,
    bin_range_travel_time: int | None = None,
    max_jump_length: Number = None,
    bin_range_jump_length: Number = None,
    max_radius_of_gyration: Number = None,
    bin_range_radius_of_gyration: Number = None,
    max_user_tile_count: int | None = None,
    bin_range_user_tile_count: int | None = None,
    max_user_time_delta: Number = None,
    bin_range_user_time_delta: Number = None,
    subtitle: str | None = None,
    disable_progress_bar: bool = False,  # noqa: ARG001 - nothing is shown here; taken, so that a call need not change
    seed_sampling: int | None = None,
    evalu: bool = False,
    timezone: str | None = None,
    period: Days | None = None,
    drop_bad: bool = False,
) -> Moved:
    """The plan that a call of DpMobilityReport stands for, with its trips and tiles loaded; nothing is spent.

    Parameters have the names and defaults of its constructor. Three are ours: ``timezone``, the IANA name of the clock
    that ``datetime`` tells; ``period``, the public dates of ``trips_over_time``, both included: a ``dpcore.Period``, a pair
    of dates or of texts such as ``2024-04-01``, or one text ``2024-04-01/2024-04-28``; and ``drop_bad``, to leave bad records
    out instead of refusing all. Neither ``df`` nor ``tessellation`` is changed.

    Raises:
        PrivacyError: the call would break its own promise: no budget, no bound at user level, ``evalu``,
            ``seed_sampling``, bins or dates that only the data could give. The text says how to mend it.
        InputError: a parameter or the data cannot be used.
        TessellationError: the tiles cannot be used.

    """
    epsilon = refusals.epsilon_of(privacy_budget)
    days = None if period is None else period_of(period)
    refusals.check_switches(evalu=evalu, seed_sampling=seed_sampling, user_privacy=user_privacy)
    bound = refusals.bound_of(user_privacy=user_privacy, max_trips_per_user=max_trips_per_user)
    analyses, notes = chosen_analyses(analysis_selection, analysis_exclusion)
    if "trips_over_time" in analyses and days is None:
        refusals.check_dates(by_name=named("trips_over_time", analysis_selection), analyses=analyses)
        analyses = tuple(name for name in analyses if name != "trips_over_time")
        notes = (*notes, differences.NO_DATES)
    given = {
        "travel_time": (max_travel_time, bin_range_travel_time),
        "jump_length": (max_jump_length, bin_range_jump_length),
        "radius_of_gyration": (max_radius_of_gyration, bin_range_radius_of_gyration),
        "user_tile_count": (max_user_tile_count, bin_range_user_tile_count),
        "user_time_delta": (max_user_time_delta, bin_range_user_time_delta),
    }
    choices = KeyChoices(
        period=days,
        windows=_windows(timewindows),
        edges={
            name: edges
            for name, (most, width) in given.items()
            if (edges := edges_of(name, most, width)) is not None
        },
    )
    weights, more = weights_of(analyses, budget_split or {})
    plan = Plan.up_to(bound, weights, epsilon, choices)
    tiles = load_tiles(refusals.tiles_of(tessellation))
    trips = load_trips(refusals.records_of(df), tiles, timezone=timezone, drop_bad=drop_bad)
    own = differences.USER_LEVEL if user_privacy else differences.MORE_TRIPS_IGNORED
    fitting = (own,) if user_privacy or max_trips_per_user is not None else ()
    return Moved(
        trips, tiles, plan, subtitle or "", (*notes, *more, *fitting, *differences.notes_on(analyses))
    )


def _windows(hours: Sequence[int]) -> tuple[int, ...]:
    """Rising hours, whatever their order was; the caller's list stays as it is."""
    if not all(isinstance(hour, Integral) and not isinstance(hour, bool) for hour in hours):
        raise InputError(
            "hours are whole numbers", "timewindows", "Give hours such as [2, 6, 10, 14, 18, 22]."
        )
    return tuple(sorted(int(hour) for hour in hours))
