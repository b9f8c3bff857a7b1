"""Every mechanism of the product: where it stands, what of its arguments is public, and what is declared for it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import cycle
from typing import Any

import numpy as np

from dpcore.curator import makers, topping_up
from dpcore.kinds.roy.private import drawing as roy_drawing
from dpcore.kinds.roy.private import maker as roy_maker
from dpcore.kinds.stability.private import large_counts as stability_counts
from dpcore.kinds.stability.private import maker as stability_maker
from dpcore.kinds.tree.allocation import unit_rate
from dpcore.kinds.tree.private.growth import Siblings, _Growth
from dpcore.measures import Measure, bought
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.exponential import scores
from dpcore.privacy import ContributionBound, PrivacyUnit, noise_rate
from tests.replay.recorder import Mechanism, Recorder, Seen

NOTHING = Fraction(0)


def recorder_of(plan: Any, currency: PrivacyUnit) -> Recorder:
    """A recorder for one release; an account counts its epsilon for each ``currency``."""
    bound, displaces = plan.bound, plan.bound.unit is not currency
    counts = 2 if displaces else bound.trips
    of_tables = _of_all_tables(plan, displaces) if isinstance(plan, Plan) else ()
    return Recorder(*of_tables, *_of_syntheses(counts), *_of_trees(counts))


def _occupied(cells: Any, counts: Any) -> dict[object, int]:
    return dict(zip(cells.tolist(), counts.tolist(), strict=True))


def _alike(rate: Fraction) -> Any:
    return lambda _cell: rate


def _declared(measure: Measure, bound: ContributionBound, displaces: bool) -> int:
    return int(measure.change_of_one_trip(bound) if displaces else measure.sensitivity(bound))


def _of_all_tables(plan: Plan, displaces: bool) -> tuple[Mechanism, ...]:
    """Tables, quantiles that are bought (ranges first), and top-ups."""
    measures = {measure.name: measure for measure in plan.measures}
    turns = cycle((*bought.draws_of_ranges(plan), *bought.draws_of_five_numbers(plan)))
    of_scores = bought.change_of_one_trip if displaces else bought.sensitivity

    def of_table(measure: Measure, keys: Any, cells: Any, counts: Any, asked: Plan, *, origin: str) -> Seen:
        rate = noise_rate(asked.share(measure.name), asked.rungs[-1], measure.sensitivity(asked.bound))
        most = _declared(measure, asked.bound, displaces)
        public = (most, keys, asked, origin)
        return Seen(measure.name, public, _occupied(cells, counts), _alike(rate), most)

    def of_quantile(counts: Any, level: int, *, sensitivity: int, epsilon: Fraction) -> Seen:
        draw = next(turns)  # each run draws all of them
        return Seen(
            f"{draw.statistic} of {draw.measure}",
            (len(counts), level, sensitivity, epsilon),
            dict(enumerate(scores(counts, level))),
            _alike(epsilon / sensitivity),
            of_scores(measures[draw.measure], plan.bound, draw.level),
            largest=True,
        )

    def of_raised(before: Measurement, counts: Any, finer: Sequence[Fraction]) -> Seen:
        rate = before.rho_at(finer[-1]) - before.rho(-1)  # the rungs of before were paid for
        most = _declared(measures[before.measure], before.bound, displaces)
        return Seen(
            before.measure,
            (before, finer),
            _occupied(before.cell_numbers, counts),
            _alike(rate),
            most,
        )

    return (
        Mechanism(makers, "measured", of_table, ("values", "cells")),
        Mechanism(makers, "winner", of_quantile),
        Mechanism(topping_up, "raised", of_raised, ("values",)),
    )


def _of_syntheses(trips: int) -> tuple[Mechanism, ...]:
    """Tables of groups, large counts, and the seeds of what is drawn from them. One unit changes ``trips`` counts of a table."""

    def of_group(counts: Any, rho: Fraction) -> Seen:
        return Seen(
            f"table of {counts.shape}",
            (counts.shape, rho),
            dict(enumerate(counts.ravel().tolist())),
            _alike(rho),
            trips,
        )

    def of_keys(keys: Any, counts: Any, rho: Fraction, threshold: int) -> Seen:
        return Seen("large counts", (rho, threshold), _occupied(keys, counts), _alike(rho), trips)

    def of_seed() -> Seen:
        return Seen("a seed", (), {}, _alike(NOTHING), 0)

    return (
        Mechanism(roy_drawing, "noised", of_group),
        Mechanism(stability_counts, "large_counts", of_keys),
        Mechanism(roy_maker, "fresh_seed", of_seed),
        Mechanism(stability_maker, "fresh_seed", of_seed),
    )


def _of_trees(trajectories: int) -> tuple[Mechanism, ...]:
    """The children of one depth of a tree. One trajectory is below one open node of a depth at most."""

    def of_ends(growth: _Growth, frontier: Any, depth: int) -> Seen:
        plan, walkers = growth.plan, growth.walkers
        here = walkers._at < walkers._end
        kinds = {"$": (~here, False)} | ({"+": (here, True)} if depth > plan.height else {})
        counts: dict[object, int] = {}
        rates: dict[str, list[int]] = {}
        for kind, (which, cut) in kinds.items():
            found = np.bincount(walkers._node[which], minlength=len(frontier)).tolist()
            counts |= {(node, kind): count for node, count in enumerate(found) if count}
            rates[kind] = growth.budgets.marker_units(frontier.state, cut=cut).tolist()
        public = (_shape(plan), frontier, depth)
        return Seen(
            f"ends of depth {depth}",
            public,
            counts,
            lambda cell: unit_rate(rates[cell[1]][cell[0]]),
            trajectories,
        )

    def of_places(growth: _Growth, frontier: Any, depth: int) -> Seen:
        plan, walkers = growth.plan, growth.walkers
        pairs, found = np.unique(
            walkers._node * plan.locations + walkers._symbols[walkers._at], return_counts=True
        )
        states = growth.budgets.children(frontier.state, depth)
        units = growth.budgets.units()[states][:, plan.levels.level - 1]
        counts = _occupied(pairs, found)
        rates = {pair: unit_rate(int(units[divmod(pair, plan.locations)])) for pair in range(units.size)}
        return Seen(
            f"places of depth {depth}",
            (_shape(plan), frontier, depth),
            counts,
            rates.__getitem__,
            trajectories,
        )

    def as_found(result: list[Siblings], seen: Seen) -> list[Siblings]:
        """The same nodes in the order of the other file: those that occur there come first, as they do in a run."""
        every = Siblings(
            **{name: np.concatenate([vars(part)[name] for part in result]) for name in vars(result[0])}
        )
        locations = seen.public[0][0]
        occur = np.isin(every.parent * locations + every.symbol, [*seen.counts])
        return [every.at(np.flatnonzero(occur)), every.at(np.flatnonzero(~occur))]

    return (
        Mechanism(_Growth, "_end_markers", of_ends),
        Mechanism(_Growth, "_locations", of_places, again=as_found),
    )


def _shape(plan: Any) -> tuple[Any, ...]:
    return plan.locations, plan
