"""Estimates in words, the same on every page, in every report and in the files of a bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.estimates.noisy import Numbers
from dpcore.estimates.result import Share

METHOD: Final = 4
"""Number of the method. It rises whenever equal tables would give other estimates, because readers compute them again."""
HOW: Final = (
    "Estimates follow from the tables of this release alone, at the highest epsilon, by a method with random numbers in no step: all "
    "totals are weighed against each other, counts of tiles are drawn towards those of their neighbours as far as the noise "
    "leaves them open, and everything is made to add up. They cost no privacy. No estimate is negative."
)
"""How estimates are made."""
NO_TOTAL: Final = (
    "This release does not say how many trips there are in all: it was made without the measure total_trips. So it has no share "
    "of trips that count, and no estimates for all trips."
)
"""Where nothing says how many trips the contribution bound leaves out."""
NO_SHARE: Final = "The share of trips that counts cannot be computed from the values of this release, so there is no estimate for all trips."
"""Where no table adds up to the trips that count, or noise hides how many these are."""
NO_SHARE_OF_PARTS: Final = "The tables are split, and nothing tells which share of the trips of a category counts. So there are no estimates for all trips."
"""Where tables are split at user level: the share of all trips together may not be that of a category."""
ASSUMPTION: Final = (
    "The estimate for all trips assumes that people who travel a lot go where others go, and when others go."
)
"""What must hold for an estimate of all trips."""
LIKELY: Final = "likely range"
"""What the range of an estimate is called: it aims at 95 % of tiles on average. It is never the guarantee."""
LIKELY_MEANS: Final = (
    "A likely range aims at 95 % of tiles on average. It is no part of the guarantee: it follows from a model of the noise, "
    "of the sample of trips that count, and of places that are alike. On real trips it may hold fewer."
)
"""What a likely range promises, and what it does not."""
MODELLED: Final = (
    "Where no table tells a flow between tiles, it follows from visits, distances and districts. Its likely range goes from about a "
    "fifth of it to three times it, and is wider for a few trips. Sums, and flows between districts, are known far better."
)
"""Beside flows between tiles of which some follow from other tables alone."""
PEOPLE: Final = "Each person counts once here, by all of that person's trips. So no share of trips applies."
"""Beside estimates of tables of people."""
GAPS: Final = (
    "No range is known for the times between all trips. People who travel a lot have short times between trips, and most trips "
    "that do not count are theirs. So short times are estimated too low, and long ones too high."
)
"""For the times between all trips of a person: what scaling by the share gives is no more than a guess."""
NOT_COMPUTED: Final = (
    "This bundle holds no estimates: they could not be computed when it was written. Its tables are whole, and each released value "
    "has its half width."
)
"""In a bundle that was paid for and whose estimates failed."""
DRAWN: Final = (
    "The folder draws holds 100 joint draws of the estimates: what all true counts may be together. A sum has 100 values, one for each "
    "draw, and the middle 95 of them are its likely range. Ends of ranges do not add up. The draws follow from tables and estimates by a "
    "public seed and cost no privacy."
)
"""Beside draws."""
SPLIT: Final = "split"
LARGE: Final = "large"
FAILED: Final = "failed"
WHY_NOT_DRAWN: Final[Mapping[str, str]] = MappingProxyType(
    {
        SPLIT: "This bundle holds no draws for sums: its tables are split.",
        LARGE: "This bundle holds no draws for sums: its tables have more than 10,000 tiles, or than 10,000 pairs of districts.",
        FAILED: "This bundle holds no draws for sums: they could not be made when it was written. Its tables and estimates are whole.",
    }
)
"""Why a bundle with estimates has no draws of them, by a short name that its manifest holds."""
NOT_DRAWN_TOO: Final = (
    "There are no draws of it, because it has more than 10,000 tiles or pairs of districts."
)
"""Of one table beside another that is drawn."""
AS_DRAWN: Final = (
    "This estimate could not be computed from the values of this release. The drawn values stand in its place, moved up to 0, "
    "with the range of the noise."
)
"""Where a table keeps its drawn values."""
MANY_PARTS: Final = (
    "In more than 64 parts nothing is estimated, because the counts of a part are too small to tell much together. The drawn values "
    "stand in the place of estimates, all lowered alike so that none is negative and the total stays, with the range of the noise."
)
"""The same where tables are split in so many parts."""
_DOUBT: Final = "Few trips count, so the estimate for all trips depends on this assumption."


def share_words(share: Share) -> str:
    """Which share of the trips counts, as a sentence.

    >>> share_words(Share(0.62, 0.6, 0.64)), share_words(Share(1.0, 1.0, 1.0))
    ('About 62 % of the trips count (60 to 64 %).', 'All trips count.')
    >>> share_words(Share(0.031, 0.029, 0.033))
    'About 3.1 % of the trips count (2.9 to 3.3 %).'
    >>> share_words(Share(0.499, 0.496, 0.502))
    'About 49.9 % of the trips count (49.6 to 50.2 %).'
    """
    if share.low == 1:
        return "All trips count."
    return f"About {100 * share.value:.{_digits(share)}f} % of the trips count ({share_range(share)})."


def share_range(share: Share) -> str:
    """The likely range of the share that counts.

    >>> share_range(Share(0.62, 0.6, 0.64))
    '60 to 64 %'
    """
    low, high = (f"{100 * part:.{_digits(share)}f}" for part in (share.low, share.high))
    return f"{low} to {high} %"


def _digits(share: Share) -> int:
    """Digits after the point that mean something."""
    return 0 if share.value >= 0.1 and share.high - share.low >= 0.02 else 1


def most_words(most: int) -> str:
    """What all trips are, where a total was paid for: at most so many of each person.

    >>> most_words(160)
    'All trips means at most 160 trips of each person, so the share that counts is no larger than this and may be smaller.'
    """
    return (
        f"All trips means at most {most:,} trips of each person, so the share that counts is no larger than this and may be "
        "smaller."
    )


def assumption(share: Share) -> tuple[str, ...]:
    """The sentences about the share that counts and the assumption, in reading order.

    Where less than 30 % of the trips count, the assumption stands first, with the doubt. Where all count there is none.

    >>> assumption(Share(0.62, 0.6, 0.64))[0]
    'About 62 % of the trips count (60 to 64 %).'
    >>> assumption(Share(0.2, 0.19, 0.21))[0]
    'The estimate for all trips assumes that people who travel a lot go where others go, and when others go.'
    """
    said = share_words(share)
    if share.low == 1:
        return (said,)
    return (ASSUMPTION, _DOUBT, said) if share.doubtful else (said, ASSUMPTION)


def likely(value: float, low: float, high: float, unit: str = "") -> str:
    """An estimate with its likely range, rounded so that only digits that mean something are shown.

    The last digit shown is the second one of the width of the range, but never one behind the decimal point.

    >>> likely(2888.3, 2612.0, 3190.4, "visits")
    'about 2,890 visits (likely range 2,610 to 3,190)'
    >>> likely(0.7, 0.0, 4.2), likely(1240.0, float("nan"), float("nan"), "trips")
    ('about 1 (likely range 0 to 4)', 'about 1,200 trips (no range is known)')
    """
    return likely_each([value], [low], [high], [unit])[0]


def likely_each(values: ArrayLike, low: ArrayLike, high: ArrayLike, units: Iterable[str]) -> list[str]:
    """Several estimates, each as ``likely`` words it."""
    found = []
    for (shown, *ends), unit in zip(_rounded(values, low, high), units, strict=True):
        known = f"{LIKELY} {ends[0]} to {ends[1]}" if ends[0] else "no range is known"
        found.append(f"about {shown}{f' {unit}' if unit else ''} ({known})")
    return found


def rounded(value: float, low: float, high: float) -> tuple[str, str, str]:
    """An estimate and its ends as ``likely`` shows them; empty ends where no range is known."""
    return next(_rounded([value], [low], [high]))


def _rounded(values: ArrayLike, low: ArrayLike, high: ArrayLike) -> Iterator[tuple[str, str, str]]:
    told = told_numbers(*(np.array(part, np.float64) for part in (values, low, high)))
    for parts in zip(*told, strict=True):
        middle, *ends = ("" if np.isnan(part) else f"{int(part):,}" for part in parts)
        yield (middle, ends[0], ends[1]) if all(ends) else (middle, "", "")


def told_numbers(values: Numbers, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Estimates and their ends, rounded to the digits that ``likely`` tells; halves go to the even number.

    Without a range two digits are kept, because nothing says that more would mean anything. The scripts of maps and reports
    round in the same way.
    """
    width = np.where(np.isnan(low) | np.isnan(high), np.abs(values), high - low)
    step = np.where(width < 100, 1.0, 10.0 ** (np.floor(np.log10(np.maximum(width, 1))) - 1))
    return step * np.round(values / step), step * np.round(low / step), step * np.round(high / step)
