"""What of a call is unsafe and is refused, with the reason and the way out; nothing is spent by it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from numbers import Real

import pandas as pd

from dpcore.errors import InputError, PrivacyError, TessellationError
from dpcore.privacy import ContributionBound, exact_epsilon
from dpcore.tessellation.reading import TileFrame


def epsilon_of(privacy_budget: float | str | None) -> Fraction:
    """The exact epsilon that was typed: 0.1 is 1/10. PrivacyError for none, which there means no noise at all."""
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
    """Refuse what breaks the promise on purpose, and a unit that is neither yes nor no."""
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
    """Refuse a series whose dates only the data could give, where it was asked for by its name or is all there is."""
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
