"""Large counts in tables and words: thresholds, prices, what is left out, and the promise for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from dpcore.kinds.stability.kind import column_words
from dpcore.kinds.stability.plan import Neighbours, StabilityPlan, Variant
from dpcore.kinds.stability.published import WeekOfMode
from dpcore.kinds.stability.totals import Total, VariantRow, variant_rows
from dpcore.privacy import Loss, decimal_text
from dpcore.views.ground.plain import delta_text, number, percent

Columns = dict[str, list[str]]

RELATIONS: Final[Mapping[Neighbours, str]] = {
    Neighbours.ADD_REMOVE: "add or remove",
    Neighbours.REPLACE_ONE: "replace one",
}
"""What the relations are called."""

_ROWS: Final[Mapping[str, str]] = {
    "as published": "as published (continuous noise)",
    Variant.OPAL.value: "ours, as published with whole numbers",
    Variant.TIGHT.value: "ours, replace one, lowest threshold",
    Variant.ADD_REMOVE.value: "ours, add or remove",
}

_TRIPS: Final = (1, 10, 20, 40)
"""So many trips of a person are in the table of what a promise about one trip means."""


def chance_words(delta: Fraction) -> str:
    """What a delta is in words; never less than it is.

    >>> chance_words(Fraction(3, 4_000_000))
    'δ is at most one chance in 1,333,333 that something of one alone is shown.'
    """
    return f"δ is at most one chance in {int(1 / delta):,} that something of one alone is shown."


def thresholds_table(delta: Fraction, epsilons: Sequence[Fraction]) -> Columns:
    """The published thresholds and ours, for some epsilons of one combination at trip level."""
    found: Columns = {
        "noise": [],
        "ε": [],
        "scale of the noise": [],
        "threshold": [],
        "smallest count": [],
        "δ": [],
    }
    for epsilon in epsilons:
        for row in variant_rows(epsilon, delta):
            cells = (
                _ROWS[row.name],
                decimal_text(epsilon),
                f"{row.scale:g}",
                _threshold(row),
                f"{row.smallest:,}",
                delta_text(row.delta),
            )
            for column, text in zip(found, cells, strict=True):
                found[column].append(text)
    return found


def _threshold(row: VariantRow) -> str:
    return f"{row.threshold:.2f}" if row.threshold != row.smallest else f"{row.smallest:,}"


def prices_table(plan: StabilityPlan) -> Columns:
    """What each combination costs and from which noisy count on its keys are shown."""
    rows = plan.combinations
    return {
        "counted together": [column_words(one.name) for one in rows],
        "ε": [decimal_text(one.epsilon) for one in rows],
        "δ allowed": [delta_text(one.delta) for one in rows],
        "scale of the noise": [f"{float(1 / plan.rho(one)):.3g}" for one in rows],
        "shown from": [number(plan.threshold(one)) for one in rows],
    }


def totals_table(totals: Sequence[Total]) -> Columns:
    """The promise of the whole release, one row for each relation of neighbours."""
    return {
        "hidden": [f"one {one.unit}" for one in totals],
        "neighbours": [RELATIONS[one.neighbours] for one in totals],
        "ε": [decimal_text(one.epsilon) for one in totals],
        "δ": [delta_text(one.delta) for one in totals],
    }


def persons_table(one: Loss) -> Columns:
    """What a promise about one trip means for somebody with several; no epsilon is named where delta has grown to 1."""
    rows = {trips: one.times(trips) for trips in _TRIPS}
    return {
        "trips of a person": [number(trips) for trips in rows],
        "ε for the person": [
            "none" if loss.delta >= 1 else decimal_text(loss.epsilon) for loss in rows.values()
        ],
        "δ for the person": [
            "void: nothing is promised" if loss.delta >= 1 else delta_text(loss.delta)
            for loss in rows.values()
        ],
    }


def weeks_table(real: Sequence[WeekOfMode], ours: Sequence[WeekOfMode]) -> Columns:
    """The numbers of two releases of a week side by side, one row for each mode and one for all."""
    found: Columns = {"mode": [*(one.mode for one in real), "all"]}
    sides = [(whose, _of_weeks(weeks)) for whose, weeks in (("real", real), ("ours", ours))]
    for what in sides[0][1]:
        for whose, columns in sides:
            found[f"{what}, {whose}"] = columns[what]
    return found


def _of_weeks(weeks: Sequence[WeekOfMode]) -> Columns:
    """The columns of one side, the last cell for all modes."""
    sums = {
        "places": [one.places for one in weeks],
        "rows": [one.rows for one in weeks],
        "taps": [one.taps for one in weeks],
    }
    found = {what: [number(value) for value in (*values, sum(values))] for what, values in sums.items()}
    least = [one.smallest for one in weeks]
    found["smallest"] = [number(value) for value in (*least, min(least))]
    return found | {"median": [*(f"{one.middle:,.0f}" for one in weeks), ""]}


def kept_table(
    rows: Sequence[tuple[str, int, int, tuple[int, int, float], tuple[int, int, float]]],
) -> Columns:
    """What is shown with delta and without, one row a combination.

    ``rows``: name, possible keys, keys that occur, then for each way threshold, rows shown, expected share of trips.
    """
    found: Columns = {
        "counted together": [column_words(name) for name, *_ in rows],
        "possible": [number(keys) for _, keys, *_ in rows],
        "occur": [number(occupied) for _, _, occupied, *_ in rows],
    }
    for place, title in ((3, "with δ"), (4, "without δ")):
        ways = [row[place] for row in rows]
        found[f"{title}: from"] = [number(way[0]) for way in ways if isinstance(way, tuple)]
        found[f"{title}: rows"] = [number(way[1]) for way in ways if isinstance(way, tuple)]
        found[f"{title}: left out"] = [percent_left(way[2]) for way in ways if isinstance(way, tuple)]
    return found


def density_table(shares: Mapping[int, Mapping[str, float]]) -> Columns:
    """The expected share of the trips that is left out, for several lengths of bins."""
    first = next(iter(shares.values()), {})
    return {
        "counted together": [column_words(name) for name in first],
        **{
            f"{minutes} min": [percent_left(share) for share in by_name.values()]
            for minutes, by_name in shares.items()
        },
    }


def percent_left(share: float) -> str:
    """What is left out when ``share`` is shown.

    >>> percent_left(0.989), percent_left(1.0)
    ('1.1 %', '0.0 %')
    """
    return percent(1 - share, 1)
