"""What a plan will give, before anything is spent: a forecast, a warning if little can be read, and known releases.

All of it follows from public facts alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Final

import numpy as np
import pandas as pd

from dpcore.comparison.known_releases import Compared
from dpcore.measures import Kind, measure_named
from dpcore.measures.plan import NOTHING, Plan
from dpcore.noise.forecast import Facts, MeasureForecast, forecast, trips_counted
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit, decimal_text
from dpcore.views import charts
from dpcore.views.charts import Chart
from dpcore.views.plain import percent, plus_minus, rough
from dpcore.views.sentences import Card
from dpcore.views.style import GREY, NOISY

_BEYOND: Final = 10  # noise of more than ten times the average is told as such

ASSUMPTION: Final = (
    "Expected if visits are spread as in a typical city: half of the tiles get less than four tenths of the average, and "
    "one in ten gets more than twice the average. Flows are spread more unevenly. On a fine grid over few stations most "
    "tiles get no visits, so fewer can be read than this says. Nothing here is computed from the trips."
)


def cards(forecasts: Sequence[MeasureForecast], facts: Facts) -> list[Card]:
    """One card for each measure of places: how many of its counts can be expected to stand out of the noise."""
    found = []
    for one in forecasts:
        measure = measure_named(one.measure)
        if not measure.readable:
            continue
        tiles = measure.layout.kind is Kind.TILES
        of = facts.tiles if tiles else one.cells
        value = "unknown" if one.readable_share is None else f"≈ {rough(one.readable_share * of)}"
        if tiles and one.readable_share is not None:
            value += f" of {of:,}"
        note = "" if tiles else f"Of {of:,} pairs. "
        note += f"Noise {plus_minus(one.half_width, one.counts)} (95 %). Counts of {one.stands_out_from:,} or more stand out."
        if one.listed_from is not None:
            note += f" Counts below {one.listed_from:,} are left out of the files."
        if one.readable_share is None:
            note += f" Declare about how many {_unknown(facts)} there are to see more."
        found.append(Card(measure.readable, value, note, ASSUMPTION))
    return found


def table(forecasts: Sequence[MeasureForecast]) -> dict[str, list[str]]:
    """Columns of text, one row for each measure."""
    rows = [
        (
            one.title,
            f"{float(one.epsilon):.3g}",
            f"{one.sensitivity:,}",
            plus_minus(one.half_width, one.counts),
            f"{one.cells:,}",
            "unknown" if one.average is None else f"about {rough(one.average)}",
            _relative(one.relative),
        )
        for one in forecasts
    ]
    names = (
        "picture",
        "ε of its own",
        "sensitivity",
        "noise of one count (95 %)",
        "counts",
        "average count",
        "noise of an average count",
    )
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def counted(bound: ContributionBound, facts: Facts) -> str:
    """How many of the declared trips will count under the bound."""
    expected = trips_counted(bound, facts)
    if facts.trips is None or expected is None:
        needed = "trips" if facts.trips is None else "people"
        return (
            f"How much can be read depends on the number of {needed}. Declare it, from what is known anyway."
        )
    if bound.unit is PrivacyUnit.TRIP or not facts.users:
        return f"All trips count, about {facts.trips:,}."
    share = expected / facts.trips if facts.trips else 1.0
    return (
        f"About {rough(expected)} of the {facts.trips:,} trips will count ({percent(share)}). This assumes the usual case: a "
        "few people make many of the trips."
    )


def _relative(share: float | None) -> str:
    if share is None:
        return "unknown"
    return f"± {percent(share)}" if share <= _BEYOND else f"over {_BEYOND} times as large"


_VISITS: Final = "visits_per_tile"
_FLOWS: Final = "od_flows"
_LITTLE: Final = Fraction(1, 4)  # with a smaller share of readable tiles or pairs the picture is mostly noise
_FEW_FLOWS: Final = 10  # so many flows are worth a release, however many pairs there are
_HELPS: Final = 1.2  # a change is proposed that gives a fifth more
_SMALLER: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200)


def _unknown(facts: Facts) -> str:
    """What must be declared next. Trips come first, because people are never asked for where one trip is hidden."""
    return "trips" if facts.trips is None else "people"


@dataclass(frozen=True)
class Worth:
    """A warning before a spend; both fields are empty if enough can be read."""

    little: str
    """How little could be read, or that this is not known yet, in a sentence or two."""
    helps: tuple[str, ...]
    """What would help, each by itself, with what it would give."""


def worth(plan: Plan, facts: Facts) -> Worth:
    """Whether little of the tiles or flows of a plan can be expected to stand out of the noise, and what would help."""
    places = _places(plan, facts)
    if any(one.readable is None for one in places):
        return Worth(
            f"It is not known yet whether any tile or flow could be read. Declare about how many {_unknown(facts)} there "
            "are, from what is known anyway.",
            (),
        )
    if not any(_poor(one, facts) for one in places):
        return Worth("", ())
    better = tuple(
        f"{name}: {_readable(then, changed)}"
        for name, other, changed in _changes(plan, facts)
        if _more(places, facts, then := _places(other, changed), changed)
    )
    return Worth(f"Little of this could be read: {_readable(places, facts)}. Noise drowns the rest.", better)


def _places(plan: Plan, facts: Facts) -> list[MeasureForecast]:
    return [one for one in forecast(plan, facts) if one.measure in {_VISITS, _FLOWS}]


def _poor(one: MeasureForecast, facts: Facts) -> bool:
    if (one.readable_share or 0) >= _LITTLE:
        return False
    return one.measure == _VISITS or _read(one, facts) < _FEW_FLOWS


def _more(now: list[MeasureForecast], facts: Facts, then: list[MeasureForecast], changed: Facts) -> bool:
    """Whether clearly more tiles (as a share) or flows can be read where few could be, and none less."""
    gains = [_gain(old, facts, new, changed) for old, new in zip(now, then, strict=True) if _poor(old, facts)]
    return max(gains) >= _HELPS and min(gains) >= 1


def _gain(old: MeasureForecast, facts: Facts, new: MeasureForecast, changed: Facts) -> float:
    """How many times as much can be read, in the whole numbers that are told; of tiles as a share of them."""
    before, after = round(_read(old, facts)), round(_read(new, changed))
    if old.measure == _VISITS:
        before, after = before * changed.tiles, after * facts.tiles
    if before == 0:
        return inf if after else 1.0
    return after / before


def _read(one: MeasureForecast, facts: Facts) -> float:
    """Expected number of tiles or flows that can be read; outside is no tile."""
    return (one.readable_share or 0) * (facts.tiles if one.measure == _VISITS else one.cells)


def _readable(places: list[MeasureForecast], facts: Facts) -> str:
    said = []
    for one in places:
        read = round(_read(one, facts))
        about = f"about {rough(read)}" if read else "not even one"
        flows = "flow" if about.endswith((" 1", "one")) else "flows"
        tiles = "1 tile" if facts.tiles == 1 else f"{facts.tiles:,} tiles"
        said.append(f"{about} of {tiles}" if one.measure == _VISITS else f"{about} {flows}")
    return " and ".join(said)


def _changes(plan: Plan, facts: Facts) -> Iterator[tuple[str, Plan, Facts]]:
    """Single changes of what is asked: its name, the plan, and the facts it is made for."""
    kept = {name: weight for name, weight in plan.weights.items() if name in {_VISITS, _FLOWS}}
    if len(kept) < len(plan.weights) or plan.five_numbers:
        alone = replace(plan, weights=kept, five_numbers=0, ranges=NOTHING, ranged=None)
        yield "Publish fewer measures, visits and flows alone", alone, facts
    now = plan.bound.max_trips
    smaller = [bound for bound in _SMALLER if now is not None and bound < now]
    if smaller:
        plans = {bound: replace(plan, bound=ContributionBound.per_user(bound)) for bound in smaller}
        best = max(smaller, key=lambda bound: sum(_read(one, facts) for one in _places(plans[bound], facts)))
        yield f"Count fewer trips of each person, M = {best:,}", plans[best], facts
    if facts.tiles > 1:
        fewer = replace(facts, tiles=max(1, facts.tiles // 4))
        yield f"Take larger tiles or districts, {fewer.tiles:,} instead of {facts.tiles:,}", plan, fewer
    higher = [rung for rung in RUNGS if rung > plan.epsilon]
    enough = (rung for rung in higher if not any(_poor(one, facts) for one in _at(plan, rung, facts)))
    if higher:
        rung = next(enough, higher[-1])
        yield f"Spend more, ε = {decimal_text(rung)}", replace(plan, rungs=(rung,)), facts


def _at(plan: Plan, epsilon: Fraction, facts: Facts) -> list[MeasureForecast]:
    return _places(replace(plan, rungs=(epsilon,)), facts)


_CERTAINTY: Final = {
    "reported": "reported, not certified",
    "paper": "from the paper",
    "unverified": "unverified",
}
_OURS: Final = "this plan"
_HOLLOW: Final = "circle-open"


def known_chart(rows: Sequence[Compared]) -> Chart:
    """One mark for each release that can be compared; hollow where the number is unverified."""
    table = pd.DataFrame(
        [
            {
                "name": _label(row),
                "epsilon": row.epsilon,
                "what": _OURS if row.ours else _CERTAINTY[row.certainty],
                "reported": row.reported,
                "how": row.how,
            }
            for row in rows
            if row.epsilon is not None
        ]
    )
    what = [*table["what"]]
    drawn = [row for row in rows if row.epsilon is not None]
    says = [
        "<br>".join(
            charts.text_of(line)
            for line in (_label(row), f"ε = {row.epsilon:.3g}", row.reported, row.how)
            if line
        )
        for row in drawn
    ]
    colours = [NOISY if kind == _OURS else GREY for kind in what]
    marks = charts.dots(
        table["epsilon"],
        np.arange(len(table)),
        says,
        size=11,
        color=colours,
        symbol=[_HOLLOW if kind == _CERTAINTY["unverified"] else "circle" for kind in what],
        line={"width": 2, "color": colours},
    )
    figure = charts.figure(
        [marks],
        height=70 + 24 * len(table),
        x=charts.axis(
            "ε, one person over four weeks",
            type="log",
            range=charts.log_range(*_range(table)),
            tickvals=[10**power for power in range(-3, 7)],
            tickformat="~g",
        ),
        y=charts.named_places([*table["name"]]),
    )
    alt = "Epsilon of this plan and of known releases, for one person over four weeks"
    return Chart(table, figure, alt, "known-releases")


def known_caption(rows: Sequence[Compared]) -> str:
    """What the marks mean, and how many releases have none."""
    without = sum(row.epsilon is None for row in rows)
    missing = f" {without} more cannot be compared; the table says why." if without else ""
    return f"Filled: this plan, reported, or read in the paper. Hollow: unverified.{missing}"


def known_columns(rows: Sequence[Compared]) -> dict[str, list[str]]:
    """Columns of text; releases that cannot be compared are in it, with the reason."""
    return {
        "release": [_label(row) for row in rows],
        "reported": [row.reported for row in rows],
        "for one person over four weeks": [
            "cannot be compared" if row.epsilon is None else f"{row.epsilon:.3g}" for row in rows
        ],
        "how": [
            " ".join(filter(None, (row.how, row.note, "Local model." if row.local else ""))) for row in rows
        ],
        "how sure": ["" if row.ours else _CERTAINTY[row.certainty] for row in rows],
        "source": [row.sources[0] if row.sources else "" for row in rows],
    }


def _label(row: Compared) -> str:
    return "This plan" if row.ours else f"{row.publisher} {row.year}: {row.name}"


def _range(table: pd.DataFrame) -> list[float]:
    """From a little below the smallest to a little above the largest; all of it is public."""
    return [float(table["epsilon"].min()) / 2, float(table["epsilon"].max()) * 2]
