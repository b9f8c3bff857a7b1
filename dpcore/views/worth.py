"""Whether a planned release can be read at all, and what would help: from its forecast, so from public facts alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Final

from dpcore.measures.plan import NOTHING, Plan
from dpcore.noise.forecast import Facts, MeasureForecast, forecast
from dpcore.privacy import RUNGS, ContributionBound, decimal_text
from dpcore.views.plain import rough

_VISITS: Final = "visits_per_tile"
_FLOWS: Final = "od_flows"
_LITTLE: Final = Fraction(1, 4)  # fewer of the tiles, or of the pairs, and the picture is noise
_FEW_FLOWS: Final = 10  # so many are worth a look, however many pairs there are
_HELPS: Final = 1.2  # a change is proposed that gives a fifth more
_SMALLER: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Worth:
    """What is to be said before a spend; both lists are empty where enough can be read."""

    little: str
    """How little could be read, or that nobody can tell yet, in a sentence or two."""
    helps: tuple[str, ...]
    """What would help, each by itself, with what it would give."""


def worth(plan: Plan, facts: Facts) -> Worth:
    """Whether little of the tiles or flows of a plan can be expected to stand out of the noise, and what would help."""
    places = _places(plan, facts)
    if any(one.readable is None for one in places):
        return Worth(
            "Nobody can tell yet whether any tile or flow could be read. Declare about how many trips and people there "
            "are, from what is known anyway.",
            (),
        )
    if not any(_poor(one, facts) for one in places):
        return Worth("", ())
    better = tuple(
        f"{name}: {_told(then, changed)}"
        for name, other, changed in _changes(plan, facts)
        if _more(places, facts, then := _places(other, changed), changed)
    )
    return Worth(f"Little of this could be read: {_told(places, facts)}. Noise drowns the rest.", better)


def _places(plan: Plan, facts: Facts) -> list[MeasureForecast]:
    return [one for one in forecast(plan, facts) if one.measure in {_VISITS, _FLOWS}]


def _poor(one: MeasureForecast, facts: Facts) -> bool:
    if (one.readable_share or 0) >= _LITTLE:
        return False
    return one.measure == _VISITS or _read(one, facts) < _FEW_FLOWS


def _more(now: list[MeasureForecast], facts: Facts, then: list[MeasureForecast], changed: Facts) -> bool:
    """Whether visibly more of what is poor can be read, a larger share of the tiles or more flows, and of nothing less."""
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


def _told(places: list[MeasureForecast], facts: Facts) -> str:
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
