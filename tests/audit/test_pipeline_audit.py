"""Attacks on the whole way from neighbouring trips to published values, none of which may exceed epsilon.

Each data set is counted once and measured a hundred thousand times. The attacker knows everything but one privacy
unit: both exact tables, the rates of the noise, every rung. A pass bounds how large an error can be; it
proves nothing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from dpcore import limits
from dpcore.measures import MEASURES as ALL_MEASURES
from dpcore.measures import Measure, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import KeySet, Period, plain_axis
from dpcore.measures.plan import EXPLORED_WEIGHTS, Plan
from dpcore.noise import mechanisms
from dpcore.noise.mechanisms import measured
from dpcore.noise.samplers import discrete_laplace, ladder
from dpcore.noise.sparse import sparse_ladder
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.engine.compiled import shard
from dpcore.private.exact import exact_answers
from tests.cities import DISTRICTS, Trip, four_tiles, private
from tests.table_mechanisms.attacks import must_tell_at_most, must_tell_more_than

pytestmark = pytest.mark.audit

COPIES = 500
DRAWS = 100_000
"""Fewer would notice a planted bug in most audits, and not in all but one of a thousand million."""
M = 3
EPSILON = Fraction(1)
RUNGS = (Fraction(3, 4), EPSILON)
TILE_IDS = four_tiles().tile_ids
CHOICES = KeyChoices(
    Period(date(2024, 4, 1), date(2024, 4, 3)),
    districts=DISTRICTS,
    most_trips=2 * M,  # as many as the attacked user has
)
MEASURES = {name: measure_named(name, CHOICES) for name in ALL_MEASURES}

OTHERS = [
    Trip("v", "B", "B"),
    Trip("v", "B", "B", "2024-04-03 08:00", "2024-04-03 09:00"),
    Trip("w", "C", "D"),
    Trip("w", None, "A"),
    Trip("x", "B", "B"),
]
ONE_PLACE = Trip("u", "A", "A", "2024-04-02 08:10", "2024-04-02 08:50", missing=(2, 2, 2))
USER, TRIP = ContributionBound.per_user(M), ContributionBound.per_trip()
UNIT = {USER: [ONE_PLACE] * (2 * M), TRIP: [replace(ONE_PLACE, user="v")]}
"""The privacy unit whose presence is attacked: all that counts of it falls into as few cells as can be. The single
trip is one more of a known user, who changes its bins by it, between two trips whose gap it parts."""
WEIGHTS = {**dict.fromkeys(MEASURES, 1), **EXPLORED_WEIGHTS}


def exact_tables(trips, names, bound):
    """Key set, occupied cells and counts of each measure: counted once, from the trips."""
    answers = exact_answers(bounded(private(trips), bound), [MEASURES[name] for name in names])
    keys = {name: MEASURES[name].keys(TILE_IDS) for name in names}
    return {name: (keys[name], *answers.on(MEASURES[name], keys[name])) for name in names}


def dense(keys, cells, counts):
    table = np.zeros(keys.size, np.int64)
    table[cells] = counts
    return table


def published(tables, plan):
    """Values of each measure at every rung: shape (copies, rungs, cells).

    A table of many copies of all cells is drawn at once: each cell has noise of its own, so that each copy is a draw.
    """
    found = {}
    for name, (keys, cells, counts) in tables.items():
        several = KeySet((plain_axis("copy", tuple(map(str, range(COPIES)))), *keys.axes))
        everywhere = (np.arange(COPIES)[:, None] * keys.size + cells).ravel()
        drawn = measured(MEASURES[name], several, everywhere, np.tile(counts, COPIES), plan, origin="release")
        assert drawn.cells is None
        found[name] = drawn.values.reshape(len(RUNGS), COPIES, keys.size).swapaxes(0, 1)
    return found


def top_rung(values, moved, _):
    """Sum of the cells that the unit moves, at the highest rung."""
    return (values[:, -1] * np.sign(moved)).sum(axis=1)


def likelihood(values, moved, _):
    """Log likelihood ratio at the highest rung, of noise in proportion to what the unit moves."""
    return (np.abs(values[:, -1]) - np.abs(values[:, -1] - moved)).sum(axis=1)


def as_if_fresh(values, moved, rungs):
    """The same over all rungs, as if their noise were independent."""
    weights = np.array([float(rung) for rung in rungs])
    gained = (np.abs(values) - np.abs(values - moved)).sum(axis=2)
    return gained @ weights


SCORES = (top_rung, likelihood, as_if_fresh)


def attacks(names, bound, weights=None, draws=DRAWS):
    """Scores of all attacks on what measuring these measures together cost."""
    plan = Plan(bound, weights or dict.fromkeys(names, 1), RUNGS)
    there = exact_tables(OTHERS, names, bound)
    unit = UNIT[bound]
    if list(names) == ["incomplete_trips"]:  # alone it counts nothing of complete trips
        unit = [replace(trip, origin=None) for trip in unit]
    here = exact_tables([*OTHERS, *unit], names, bound)
    known = {name: dense(*there[name]) for name in names}
    moved = {name: dense(*here[name]) - known[name] for name in names}

    def scores(tables):
        """Every score of every draw."""
        for _ in range(draws // COPIES):
            values = published(tables, plan)
            yield [
                sum(
                    score(values[name] - known[name], moved[name], RUNGS)
                    * float(plan.share(name) / MEASURES[name].sensitivity(bound))
                    for name in names
                )
                for score in SCORES
            ]

    with_unit, without_unit = (np.concatenate(list(scores(tables)), axis=1) for tables in (here, there))
    return list(zip(with_unit, without_unit, strict=True))


def half_noise(patch):
    """Planted bug: noise for half of the sensitivity."""
    patch.setattr(mechanisms, "ladder", lambda rhos, n: ladder([2 * rho for rho in rhos], n))


def fresh(patch):
    """Planted bug: new noise at each rung."""
    patch.setattr(mechanisms, "ladder", lambda rhos, n: np.stack([discrete_laplace(rho, n) for rho in rhos]))


def for_one_trip_only(patch):
    """Planted bug: the sensitivity of one trip, whatever a user may add."""
    patch.setattr(Measure, "sensitivity", lambda measure, _: measure.cells_per_trip)


def without_share(patch):
    """Planted bug: every measure spends all of epsilon."""
    patch.setattr(Plan, "share", lambda *_: Fraction(1))


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("bound", [USER, TRIP], ids=["user", "trip"])
def test_one_measure_costs_what_it_claims_and_half_of_the_noise_is_noticed(name, bound, monkeypatch):
    must_tell_at_most(EPSILON, *attacks([name], bound))
    half_noise(monkeypatch)
    must_tell_more_than(EPSILON, *attacks([name], bound))


@pytest.mark.parametrize("bound", [USER, TRIP], ids=["user", "trip"])
def test_all_measures_together_cost_what_the_plan_claims_and_a_lost_share_is_noticed(bound, monkeypatch):
    must_tell_at_most(EPSILON, *attacks(list(MEASURES), bound, WEIGHTS))
    without_share(monkeypatch)
    must_tell_more_than(EPSILON, *attacks(list(MEASURES), bound, WEIGHTS))


@pytest.mark.parametrize("bug", [fresh, for_one_trip_only])
def test_other_planted_bugs_are_noticed(bug, monkeypatch):
    bug(monkeypatch)
    must_tell_more_than(EPSILON, *attacks(["visits_per_tile"], USER))


def test_an_unbounded_user_would_be_noticed(monkeypatch):
    monkeypatch.setattr(shard, "kept_rows", lambda _, rnd, *__: np.arange(len(rnd)))
    must_tell_more_than(EPSILON, *attacks(["visits_per_tile"], USER))


def sparse_half_noise(patch):
    """Planted bug: a sparse table with noise for half of the sensitivity."""
    patch.setattr(
        mechanisms,
        "sparse_ladder",
        lambda cells, counts, size, rhos, threshold: sparse_ladder(
            cells, counts, size, [2 * rho for rho in rhos], threshold
        ),
    )


def occupied_only(patch):
    """Planted bug: empty cells are never listed, so a listed cell gives its trips away."""

    def listed(cells, counts, size, rhos, threshold):
        shown, values = sparse_ladder(cells, counts, size, rhos, threshold)
        true = np.isin(shown, cells)
        return shown[true], values[:, true]

    patch.setattr(mechanisms, "sparse_ladder", listed)


def sparse_attack(draws=20_000):
    """Scores of an attack where flows are measured sparsely: which cells are listed tells, too."""
    plan = Plan(USER, {"od_flows": 1}, RUNGS, false_flows=Fraction(8))  # of 25: a low threshold, much to see
    here, there = (
        exact_tables(trips, ["od_flows"], USER)["od_flows"] for trips in ([*OTHERS, *UNIT[USER]], OTHERS)
    )
    (cell,) = set(here[1].tolist()) - set(there[1].tolist())

    def scores(table):
        for _ in range(draws):
            seen = measured(MEASURES["od_flows"], *table, plan, origin="release")
            where = np.flatnonzero(seen.cells == cell)
            yield seen.values[-1, where[0]] if len(where) else seen.threshold - 1

    return tuple(np.fromiter(scores(table), np.int64, draws) for table in (here, there))


@pytest.mark.parametrize("bug", [sparse_half_noise, occupied_only])
def test_a_sparse_table_costs_what_it_claims_and_planted_bugs_are_noticed(bug, monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 10)
    honest = sparse_attack()
    must_tell_at_most(EPSILON, honest)
    must_tell_more_than(0, honest)
    bug(monkeypatch)
    must_tell_more_than(EPSILON, sparse_attack())
