"""What a plan of tables will tell, and what would help most, before anything is spent and from declared facts alone.

A tile is known by the one rule of ``dpcore.estimates.known``. How many will be known is told as a range, because nobody knows
beforehand how trips are spread; the receipt says what was expected and what came. Each piece of advice is one change of the plan
with the number of known tiles that it is expected to add in a typical city. Where hardly a tile is known, a change that makes the
error clearly smaller is advice too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from dpcore.measures import Section
from dpcore.measures.plan import NOTHING, Plan
from dpcore.noise.expected_estimates import (
    CERTAIN,
    FIRST_FLOWS,
    TOTAL,
    VISITS,
    VisitsForecast,
    flows_forecast,
    visits_forecast,
)
from dpcore.noise.forecast import Facts, forecast
from dpcore.planning.default_plan import BOUNDS, DISTRICTS, cap_of_total
from dpcore.privacy import RUNGS, ContributionBound, decimal_text
from dpcore.views.ground.plain import percent, plus_minus
from dpcore.views.numbers.estimated import KNOWN_MEANS, TILES_KNOWN
from dpcore.views.numbers.sentences import Card

WORSE: Final = (
    "The ends are the least and the most of six cities: trips spread more or less evenly, most tiles empty, errors larger or "
    "smaller. Of 50 releases of real and invented trips, 47 came out between them. Nothing here is computed from the trips."
)
"""How wrong a forecast has been."""
HOPE: Final = f"Expected if people who travel a lot go where others go, and when others go. {WORSE}"
"""What the forecast of the estimates rests on."""
FLOWS_HOPE: Final = (
    f"A flow counts as known here if its estimate is expected to be off by at most {percent(CERTAIN)} in 95 of 100 cases. Expected if flows are as uneven as in the "
    "built-in city: many more pairs without trips on finer tiles. Nothing here is computed from the trips."
)
"""What the forecast of flows rests on."""

_WINDOWS: Final = "visits_per_time_tile"
_READ_TOGETHER: Final = frozenset(
    {VISITS, _WINDOWS, DISTRICTS, TOTAL, "jump_length"}
)  # estimates rest on them
_LITTLE: Final = 0.25  # with a smaller share of known tiles the map is mostly noise
_WORTHWHILE: Final = 0.08  # of the tiles: less is no advice
_CLEARLY: Final = 0.8  # where hardly a tile is known, so much less error is advice too
_MOST: Final = 3
_LARGER: Final = 4


@dataclass(frozen=True)
class Advice:
    """One change that would help."""

    change: str
    """Such as ``M = 4 instead of 10``."""
    gives: str
    """Such as ``60 tiles more``."""
    plan: Plan | None
    """The changed plan; None if it is no change of a plan, such as larger tiles."""

    @property
    def words(self) -> str:
        """Both in one line."""
        return f"{self.change}: {self.gives}"


@dataclass(frozen=True)
class Worth:
    """What a plan is worth before a spend."""

    little: str
    """How little could be read, or that this is not known yet; empty if enough can be read."""
    helps: tuple[Advice, ...]
    """What would help most, the best first."""


def cards(plan: Plan, facts: Facts) -> tuple[Card, ...]:
    """Before the spend: how many tiles will be known, how far off they are, which share of the trips counts.

    Empty without visits and flows.
    """
    return (*_of_visits(plan, facts), *_of_flows(plan, facts))


def _of_flows(plan: Plan, facts: Facts) -> tuple[Card, ...]:
    found = flows_forecast(plan, facts)
    if found is None:
        return ()
    part = ", in an average part" if plan.choices.splits else ""
    first = f"Of the {FIRST_FLOWS} strongest about {found.first}. Trips within a tile are listed apart."
    return (
        Card(
            f"Flows between tiles known{part}",
            f"about {round(found.known):,}" if found.known >= 0.5 else "hardly one",
            first,
            FLOWS_HOPE,
        ),
    )


def _of_visits(plan: Plan, facts: Facts) -> tuple[Card, ...]:
    if VISITS not in plan.weights:
        return ()
    title, found = TILES_KNOWN, visits_forecast(plan, facts)
    if found is None:
        missing = "trips" if facts.trips is None else "people"
        note = f"Declare about how many {missing} there are to see more."
        return (Card(title, "unknown", note, HOPE),)
    whom = "all trips" if found.of_all else "the trips that count"
    if plan.choices.splits:
        title, whom = f"{title}, in an average part", f"{whom} of that part"
    share = "all" if found.share == 1 else f"≈ {percent(found.share)}"
    unknown = NOT_OF_PARTS if plan.choices.splits else NOT_ALL
    return (
        Card(
            title,
            f"{found.known_tiles} of {facts.tiles:,}",
            f"In a typical city, where all tiles have trips, about {round(found.readable):,}. Of 100 visits, {found.known_visits} lie in them. Merged where needed: about {round(found.regions):,} places.",
            f"Estimates of {whom}. {KNOWN_MEANS} {HOPE}",
        ),
        Card("Trips that count", share, "Their number is released too." if found.of_all else unknown, HOPE),
    )


NOT_OF_PARTS: Final = "Of all together. Nothing tells the share of one category."
NOT_ALL: Final = "Without the total of all trips nobody can scale to all."


def last_words(plan: Plan, facts: Facts) -> dict[str, str]:
    """What the confirmation repeats: the noise of released counts, the share that counts, the error of the estimate."""
    found, said = visits_forecast(plan, facts), {}
    of_visits = [one for one in forecast(plan, facts) if one.measure == VISITS]
    for one in of_visits:
        said["Noise of a released count"] = f"{plus_minus(one.half_width, one.counts)} of a tile (95 %)"
    if found is not None:
        said["Trips that count"] = "all" if found.share == 1 else f"about {percent(found.share)}, expected"
        whom = "all trips" if found.of_all else "the trips that count"
        said["Expected"] = f"{found.words}; estimates of {whom}"
    flows = flows_forecast(plan, facts)
    if flows is not None:
        said["Flows"] = f"{flows.words}{', in an average part' if plan.choices.splits else ''}"
    return said


def worth(plan: Plan, facts: Facts) -> Worth:
    """Whether little of the tiles can be expected to be known, and what would help most."""
    if VISITS not in plan.weights:
        return Worth("", ())
    found = visits_forecast(plan, facts)
    if found is None:
        missing = "trips" if facts.trips is None else "people"
        return Worth(
            f"It is not known yet whether any tile could be read. Declare about how many {missing} there are, from what is known "
            "anyway.",
            (),
        )
    little = ""
    if _is_little(found, facts):
        many = found.known_tiles if found.tiles[1] >= 0.5 else "not even one"
        little = f"Little of this could be read: {many} of {facts.tiles:,} tiles would be known within {percent(CERTAIN)}."
    return Worth(little, _advice(plan, facts, found))


def _is_little(found: VisitsForecast | None, facts: Facts) -> bool:
    return found is None or found.readable < _LITTLE * facts.tiles


def _advice(plan: Plan, facts: Facts, now: VisitsForecast) -> tuple[Advice, ...]:
    found = []
    for change, changed, other in _changes(plan, facts):
        then = visits_forecast(changed, other)
        if then is None:
            continue
        share, off = then.readable / other.tiles - now.readable / facts.tiles, then.error / now.error
        more = round(then.readable) - round(now.readable)
        if share >= _WORTHWHILE and (more >= 1 or other is not facts):
            gives = f"about {more:,} {'tile' if more == 1 else 'tiles'} more"
            if other is not facts:
                gives = f"{then.known_tiles} of {other.tiles:,} known"
        elif _is_little(now, facts) and off <= _CLEARLY:
            share, gives = (
                0.0,
                f"estimates off by {percent(then.error)} of the mean tile instead of {percent(now.error)}",
            )
        else:
            continue
        found.append((share, off, Advice(change, gives, changed if other is facts else None)))
    return tuple(one for *_, one in sorted(found, key=lambda row: (-row[0], row[1]))[:_MOST])


def _changes(plan: Plan, facts: Facts) -> Iterator[tuple[str, Plan, Facts]]:
    """Single changes of what is asked: in words, the plan, and the facts it is made for."""
    bound = _best_bound(plan, facts)
    if bound is not None:
        changed = _capped(replace(plan, bound=ContributionBound.per_user(bound)), facts)
        yield f"M = {bound:,} instead of {plan.bound.max_trips:,}", changed, facts
    yield from _left_out(plan, facts)
    finer = [
        _capped(replace(plan, rungs=(*plan.rungs, rung)), facts) for rung in RUNGS if rung > plan.epsilon
    ]
    if finer:
        more = next((one for one in finer if not _is_little(visits_forecast(one, facts), facts)), finer[-1])
        yield f"ε = {decimal_text(more.epsilon)} instead of {decimal_text(plan.epsilon)}", more, facts
    if facts.tiles >= 2 * _LARGER:
        fewer = replace(facts, tiles=facts.tiles // _LARGER)
        yield f"Larger tiles, {fewer.tiles:,} instead of {facts.tiles:,}", plan, fewer


def _best_bound(plan: Plan, facts: Facts) -> int | None:
    """The bound that makes most tiles known; None at trip level, or if it is the chosen one."""
    if plan.bound.max_trips is None:
        return None
    expected = {
        most: visits_forecast(_capped(replace(plan, bound=ContributionBound.per_user(most)), facts), facts)
        for most in {*BOUNDS, plan.bound.max_trips}
    }
    read = {most: (one.readable, -one.error, -most) for most, one in expected.items() if one is not None}
    best = max(read, key=lambda most: read[most], default=plan.bound.max_trips)
    return None if best == plan.bound.max_trips else best


def _capped(plan: Plan, facts: Facts) -> Plan:
    """The plan with the cap of the total that is proposed for it: another bound or epsilon has another cap."""
    if TOTAL not in plan.weights or plan.bound.max_trips is None:
        return plan
    return replace(plan, choices=replace(plan.choices, most_trips=cap_of_total(plan, facts)))


def _left_out(plan: Plan, facts: Facts) -> Iterator[tuple[str, Plan, Facts]]:
    """The one table, or the tables about people, whose share helps the others most."""
    groups = {plan.measure(name).title: {name} for name in plan.weights if name not in _READ_TOGETHER}
    people = {name for name in plan.weights if plan.measure(name).section is Section.USER}
    if len(people) > 1:
        groups["the tables about people"] = people
    plans = {title: _without(plan, names) for title, names in groups.items()}
    gains = {
        title: (found.readable, -found.error)
        for title, one in plans.items()
        if (found := visits_forecast(one, facts)) is not None
    }
    if gains:
        best = max(gains, key=lambda title: gains[title])
        yield f"Leave out {best[:1].lower()}{best[1:]}", plans[best], facts


def _without(plan: Plan, names: set[str]) -> Plan:
    """The plan without some measures; what was to be bought for them goes too."""
    weights = {name: weight for name, weight in plan.weights.items() if name not in names}
    kept = replace(plan, weights=weights, five_numbers=0, ranges=NOTHING, ranged=None)
    if kept.histograms:
        kept = replace(kept, five_numbers=plan.five_numbers)
    if plan.ranged is not None:
        ranged = tuple(name for name in plan.ranged if name in weights)
        return replace(kept, ranges=plan.ranges, ranged=ranged) if ranged else kept
    return replace(kept, ranges=plan.ranges) if kept.open_ended else kept
