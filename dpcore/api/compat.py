"""Moving from DpMobilityReport: its call becomes trips, tiles and a plan of ours, or is refused with the reason.

``plan_of`` takes the parameters of its constructor under their names and with their defaults, wherever these are safe.
It returns a ``Moved``. Its ``notes`` say what means something else here than in DpMobilityReport, for all analyses and for each one.
DpMobilityReport is not imported. A refused call spends nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Real
from types import MappingProxyType
from typing import Final

import pandas as pd

from dpcore import limits
from dpcore.api.notebook import PrivateTrips, load_tiles, load_trips
from dpcore.errors import InputError, PrivacyError, TessellationError
from dpcore.measures import BINS, MEASURES, Section
from dpcore.measures.choices import WINDOWS, KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, exact_epsilon
from dpcore.tiles import Tessellation
from dpcore.tiles.reading import TileFrame

_SEGMENTS: Final = {
    "overview": Section.OVERVIEW,
    "place_analysis": Section.PLACE,
    "od_analysis": Section.OD,
    "user_analysis": Section.USER,
}
SEGMENTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        segment: tuple(
            name
            for name, measure in MEASURES.items()
            if measure.section is section and measure.differences is not None
        )
        for segment, section in _SEGMENTS.items()
    }
)
"""Segments of its report with their analyses. The names of the analyses are those of our measures."""

ANALYSES: Final = tuple(name for names in SEGMENTS.values() for name in names)
"""All analyses, in the order of its report."""

_ALL: Final = "all"

_COUNTS: Final = (
    "Tables hold noisy counts, below zero too. Shares and totals are derived from them, with an interval; clamping at 0 "
    "first would lift every total."
)
_USER_LEVEL: Final = (
    "Which trips of a person count is decided by a secret key and that person's own trips. It is the same at every run "
    "on this computer, and no seed is needed."
)
_MORE_TRIPS_IGNORED: Final = "max_trips_per_user is ignored at trip level: all trips count there."
_NO_DATES: Final = (
    "trips_over_time is left out, and its budget goes to the others: its dates must be public. Name them with period to "
    "have it."
)


def notes_on(analyses: Sequence[str]) -> tuple[str, ...]:
    """What differs in meaning for some analyses, each fact once."""
    found = [_COUNTS, *(note for name in analyses for note in MEASURES[name].differences or ())]
    return tuple(dict.fromkeys(found))


def chosen_analyses(
    selection: Sequence[str] | None, exclusion: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The analyses that are asked for, in the order of the report, and notes; a selection overrules an exclusion.

    Raises:
        InputError: a name that is neither a segment nor an analysis.
        PrivacyError: nothing is left.

    """
    notes = []
    if selection is not None and exclusion is not None:
        notes.append("analysis_exclusion is ignored beside analysis_selection, as in DpMobilityReport.")
        exclusion = None
    if selection is None:
        left_out = _expanded("analysis_exclusion", exclusion or ())
        found = tuple(name for name in ANALYSES if name not in left_out)
    else:
        wanted = _expanded("analysis_selection", selection)
        found = tuple(name for name in ANALYSES if name in wanted)
    if not found:
        raise PrivacyError("no analysis is left", "analysis_selection, analysis_exclusion", "Choose one.")
    return found, tuple(notes)


def selected_by_name(name: str, selection: Sequence[str] | None) -> bool:
    """Whether an analysis was selected by its own name, not by a segment or by default."""
    return selection is not None and name in selection


def weights_of(
    analyses: Sequence[str], budget_split: Mapping[str, int]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The weight of each analysis, 1 where none is given, and notes; InputError for an unknown name.

    Whether weights are whole and positive is checked where the plan is made.
    """
    if not isinstance(budget_split, Mapping):
        raise InputError("not weights", "budget_split", 'Give names with weights: {"od_flows": 3}.')
    for name in budget_split:
        if name not in ANALYSES:
            raise InputError.unknown("analysis in budget_split", name, ANALYSES)
    ignored = ", ".join(name for name in budget_split if name not in analyses)
    notes = (f"budget_split of {ignored} is ignored: not among the analyses.",) if ignored else ()
    return {name: budget_split.get(name, 1) for name in analyses}, notes


def _expanded(parameter: str, names: Sequence[str]) -> set[str]:
    if isinstance(names, str):
        raise InputError("a list of names is needed", parameter, f'Write ["{names}"].')
    found: set[str] = set()
    for name in names:
        if name in SEGMENTS:
            found |= set(SEGMENTS[name])
        elif name in ANALYSES:
            found.add(name)
        elif name == _ALL:
            found |= set(ANALYSES)
        else:
            raise InputError.unknown(f"name in {parameter}", str(name), (*SEGMENTS, *ANALYSES))
    return found


Days = Period | str | Sequence[date | str]

_ENDS: Final = 2


def period_of(given: Days) -> Period:
    """The period that is meant: one, a pair of dates or ISO texts, or one text ``FIRST/LAST``; both days are included.

    Raises InputError for anything else, PrivacyError where the last day lies before the first or too far away.
    """
    if isinstance(given, Period):
        return given
    ends = given.split("/") if isinstance(given, str) else given
    if not isinstance(ends, Sequence) or len(ends) != _ENDS:
        raise _refusal()
    return Period(*(_day(end) for end in ends))


def _day(given: object) -> date:
    """The day that is given: a date, an ISO text, or a time at midnight. Any other time is refused."""
    try:
        if isinstance(given, str):
            return date.fromisoformat(given.strip())
        if isinstance(given, datetime):
            if given.time() == time.min:
                return given.date()
        elif isinstance(given, date):
            return given
    except ValueError:  # no date, or the missing time of pandas
        pass
    raise _refusal()


def _refusal() -> InputError:
    return InputError(
        "these are no dates of a period",
        "period",
        "Give its first and last day, such as ('2024-04-01', '2024-04-28') or '2024-04-01/2024-04-28'.",
    )


Number = int | float | None

_DEFAULT_BINS: Final = 10


def edges_of(analysis: str, most: Number, width: Number) -> tuple[str, ...] | None:
    """Edges as ``KeyChoices`` takes them, in the unit of the analysis; None where neither parameter is given.

    Bins run from 0 in steps of ``bin_range_...`` to ``max_...``, and one more holds ``max_...`` and what is larger. The last
    step is shorter where ``max_...`` is no multiple: 100 in steps of 30 gives 30, 60, 90, 100. (In DpMobilityReport the last
    bin began at 90 and yet was called more than 100.) Where whole things are counted one by one, ``max_...`` has a bin of its
    own. With ``max_...`` alone there are ten bins.

    Raises:
        InputError: a parameter that is no positive number.
        PrivacyError: a width without an end, which only the data could give, or more bins than are allowed.

    """
    if most is None and width is None:
        return None
    if most is None:
        raise PrivacyError(
            "bins without an end would have to end where the data end",
            f"bin_range_{analysis}",
            f"Give max_{analysis} too; whatever is larger is counted in one last bin.",
        )
    end = _positive(f"max_{analysis}", most)
    whole = MEASURES[analysis].whole
    step = end / _DEFAULT_BINS if width is None else _positive(f"bin_range_{analysis}", width)
    if whole:
        if width is not None and step != step.to_integral_value():
            raise InputError(
                "a whole number of tiles is needed", f"bin_range_{analysis}", "Give 1, 2, 3 or so."
            )
        step = step.to_integral_value(ROUND_CEILING)
    steps = int(end / step)
    if not 1 <= steps < limits.MAX_BINS - 1:
        raise PrivacyError(
            f"there would be {steps:,} bins",
            f"max_{analysis}, bin_range_{analysis}",
            f"Give a width that fits into max_{analysis} 1 to {limits.MAX_BINS - 2:,} times.",
        )
    edges = [step * number for number in range(1, steps + 1)]
    if whole and step == 1:
        edges.append(edges[-1] + 1)
    elif edges[-1] < end:
        edges.append(end.to_integral_value(ROUND_CEILING) if whole else end)
    first = [Decimal(0)] if BINS[analysis].least is None else []  # where values may lie below 0
    return tuple(f"{edge.normalize():f}" for edge in (*first, *edges))


def _positive(parameter: str, number: Number) -> Decimal:
    """The exact decimal that was typed: 0.1 is 1/10."""
    fine = isinstance(number, Real) and not isinstance(number, bool)
    try:
        found = Decimal(str(number)) if fine else Decimal(0)
    except InvalidOperation:  # a fraction: no decimal text names 1/3
        found = Decimal(0)
    if not (found.is_finite() and found > 0):
        raise InputError(
            "a positive decimal number is needed", parameter, "Give one such as 120 or 0.5, or leave it out."
        )
    return found


def epsilon_of(privacy_budget: float | str | None) -> Fraction:
    """The exact epsilon that was typed: 0.1 is 1/10. PrivacyError for None, which in DpMobilityReport means no noise at all."""
    if privacy_budget is None:
        raise PrivacyError(
            "without a budget the report would be exact, and nothing would be hidden",
            "privacy_budget",
            "Give an epsilon such as 1. For the owner's eyes, dpcore.exact_table gives exact answers of loaded trips.",
        )
    fine = isinstance(privacy_budget, (Real, str)) and not isinstance(privacy_budget, bool)
    return exact_epsilon(str(privacy_budget) if fine else "")


def bound_of(*, user_privacy: bool, max_trips_per_user: int | None) -> ContributionBound:
    """The contribution bound; PrivacyError where it would be read off the data."""
    if not user_privacy:
        return ContributionBound.per_trip()
    if max_trips_per_user is None:
        raise PrivacyError(
            "the largest number of trips of one person would be read off the data and become public",
            "max_trips_per_user",
            "Choose a number without looking, such as 5: so many trips of each person count. Or pay for a histogram of "
            "trips_per_user first.",
        )
    return ContributionBound.per_user(max_trips_per_user)


def check_switches(*, evalu: bool, seed_sampling: int | None, user_privacy: bool) -> None:
    """Refuse parameters that break the promise, and a privacy unit that is neither True nor False."""
    if not isinstance(user_privacy, bool):
        raise InputError("neither True nor False", "user_privacy", "Say which: it is the unit of privacy.")
    if evalu:
        raise PrivacyError(
            "with evalu every number inside an analysis takes the whole budget of it, many times the stated epsilon",
            "evalu",
            "Leave it out. To study errors, publish more often from the synthetic city, whose truth is public.",
        )
    if seed_sampling is not None:
        raise PrivacyError(
            "one seeded stream for everybody makes the trips that count of one person depend on who else is there",
            "seed_sampling",
            "Leave it out: here a secret key and a person's own trips decide, the same way at every run.",
        )


def check_dates(*, by_name: bool, analyses: Sequence[str]) -> None:
    """Refuse a series over dates that only the data could give, if it was asked for by its name or is the only analysis.

    Otherwise it is left out, and a note says so.
    """
    if by_name or len(analyses) == 1:
        raise PrivacyError(
            "the first and the last date would be read off the data",
            "trips_over_time",
            "Give period=(first, last), such as ('2024-04-01', '2024-04-28'): dates that you would have chosen without looking.",
        )


def tiles_of(tessellation: TileFrame | None) -> TileFrame:
    """The tiles; TessellationError where there are none."""
    if tessellation is None:
        raise TessellationError(
            "trips are counted on tiles, and none are given",
            "tessellation",
            "Give a GeoDataFrame with a column tile_id, chosen without looking at the trips.",
        )
    return tessellation


def records_of(df: pd.DataFrame) -> pd.DataFrame:
    """The records; InputError where ``datetime`` counts steps and tells no time."""
    if not isinstance(df, pd.DataFrame):
        raise InputError(
            "these are no trips", "df", "Give a data frame with uid, tid, datetime, lat and lng."
        )
    if "datetime" in df.columns and pd.api.types.is_numeric_dtype(df["datetime"]):
        raise InputError(
            "numbers tell the order of records and no time",
            "df, column datetime",
            "Give times. Of order alone, weekdays, hours and durations would mean nothing.",
        )
    return df


@dataclass(frozen=True, eq=False)
class Moved:
    """The trips, tiles and plan of a call, ready for ``dpcore.preview`` and ``dpcore.publish``."""

    trips: PrivateTrips
    tiles: Tessellation = field(repr=False)
    plan: Plan
    title: str
    """The ``subtitle`` of the call; empty without one."""
    notes: tuple[str, ...]
    """What means something else than in DpMobilityReport, for the chosen analyses."""


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
    epsilon = epsilon_of(privacy_budget)
    days = None if period is None else period_of(period)
    check_switches(evalu=evalu, seed_sampling=seed_sampling, user_privacy=user_privacy)
    bound = bound_of(user_privacy=user_privacy, max_trips_per_user=max_trips_per_user)
    analyses, notes = chosen_analyses(analysis_selection, analysis_exclusion)
    if "trips_over_time" in analyses and days is None:
        check_dates(by_name=selected_by_name("trips_over_time", analysis_selection), analyses=analyses)
        analyses = tuple(name for name in analyses if name != "trips_over_time")
        notes = (*notes, _NO_DATES)
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
    weights, on_weights = weights_of(analyses, budget_split or {})
    plan = Plan.up_to(bound, weights, epsilon, choices)
    tiles = load_tiles(tiles_of(tessellation))
    trips = load_trips(records_of(df), tiles, timezone=timezone, drop_bad=drop_bad)
    on_bound: tuple[str, ...] = ()
    if user_privacy:
        on_bound = (_USER_LEVEL,)
    elif max_trips_per_user is not None:
        on_bound = (_MORE_TRIPS_IGNORED,)
    return Moved(trips, tiles, plan, subtitle or "", (*notes, *on_weights, *on_bound, *notes_on(analyses)))


def _windows(hours: Sequence[int]) -> tuple[int, ...]:
    """Rising hours, whatever their order was; the caller's list stays as it is."""
    if not all(isinstance(hour, Integral) and not isinstance(hour, bool) for hour in hours):
        raise InputError(
            "hours are whole numbers", "timewindows", "Give hours such as [2, 6, 10, 14, 18, 22]."
        )
    return tuple(sorted(int(hour) for hour in hours))
