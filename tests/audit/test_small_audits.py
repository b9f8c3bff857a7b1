"""Every audit on the smallest case: a few draws, which prove nothing, but nothing rots that only `make audit` runs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore import limits
from dpcore.kinds.roy import hubway as demo
from dpcore.noise.samplers import discrete_laplace, ladder
from dpcore.noise.sparse import sparse_ladder
from dpcore.privacy import RUNGS, ContributionBound
from tests.audit import test_noise_audit as of_noise
from tests.audit import test_pipeline_audit as of_pipeline
from tests.audit import test_sparse_audit as of_sparse
from tests.audit import test_synthesis_audit as of_synthesis
from tests.audit import test_trajectory_tree_audit as of_trees
from tests.chance import must_fit, two_samples
from tests.sparse_law import drawn, looks_at
from tests.synthesis.tree.growing import EXACT
from tests.table_mechanisms.attacks import must_tell_at_most


def test_noise_and_its_rungs():
    must_fit(*(of_noise.alone(discrete_laplace(rho, 2_000), rho) for rho in of_noise.RHOS[:8]))
    low, high = ladder([Fraction(1, 2), Fraction(1)], 2_000)
    must_fit(of_noise.both(low, high, Fraction(1, 2), Fraction(1)))


@pytest.mark.parametrize("draw", [of_noise.honest, of_noise.fresh, of_noise.half, of_noise.rescaled])
def test_attacks_on_all_rungs(draw):
    rhos = [Fraction(3, 4), Fraction(1)]
    for score in of_noise.SCORES.values():
        scores = score(draw(rhos, 100) + 1, rhos), score(draw(rhos, 100), rhos)
        must_tell_at_most(4.0, scores)  # so few draws prove nothing of anybody


def test_a_list_that_is_raised():
    counts = np.repeat(np.arange(9), 200)
    exact, values = of_sparse.raised(counts)
    other, at_once = of_sparse.at_once(counts)
    assert values.shape == (3, len(exact))
    must_fit(two_samples(np.bincount(exact, minlength=9), np.bincount(other, minlength=9)))
    assert at_once.shape == (3, len(other))
    assert of_sparse.without_the_listing(counts)[1].shape[0] == 3


def test_all_rungs_of_sparse_tables():
    one = of_sparse.asked([rung / 2 for rung in RUNGS], 1)
    must_fit(*looks_at(one, drawn(one, sparse_ladder, 20), 20).values())


@pytest.mark.parametrize("bound", [of_pipeline.USER, of_pipeline.TRIP], ids=["user", "trip"])
def test_attacks_on_all_measures(bound, monkeypatch):
    monkeypatch.setattr(of_pipeline, "COPIES", 30)
    names = list(of_pipeline.MEASURES)
    must_tell_at_most(of_pipeline.EPSILON, *of_pipeline.attacks(names, bound, of_pipeline.WEIGHTS, draws=60))


@pytest.mark.parametrize("bug", [of_pipeline.sparse_half_noise, of_pipeline.occupied_only])
def test_attacks_on_a_sparse_table(bug, monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 10)
    must_tell_at_most(of_pipeline.EPSILON, of_pipeline.sparse_attack(40))
    bug(monkeypatch)
    assert all(len(scores) == 40 for scores in of_pipeline.sparse_attack(40))


def test_figures_of_synthetic_trips(monkeypatch):
    monkeypatch.setattr(of_synthesis, "RUNS", 1)
    invented = demo.hubway()
    original, found = of_synthesis.figures(invented, invented.domain, ContributionBound.per_trip())
    assert original.trips == demo.TRIPS
    assert len(found) == 1


@pytest.mark.parametrize(("name", "strategy"), of_trees.CASES)
def test_grown_trees(name, strategy, monkeypatch):
    monkeypatch.setattr(of_trees, "WORLDS", 20)
    monkeypatch.setattr(of_trees, "TREES", 1)
    must_tell_at_most(*of_trees.attacked(name, strategy, EXACT))
