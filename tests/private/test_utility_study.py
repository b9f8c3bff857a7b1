"""Utility curves of the owner's own trips: right against previews that are drawn, and silent about what they hold."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.api import owner, studies
from dpcore.comparison import METRICS, matched, scores, side_of_measurements, side_of_tables
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound
from dpcore.private import utility_study
from dpcore.views.comparison.likeness import curve_words
from tests.cities import PLACES, Trip, four_tiles, private

RUNGS = (Fraction(1, 2), Fraction(2), Fraction(8))
WEIGHTS = {"visits_per_tile": 2, "od_flows": 2, "trips_per_hour": 1, "trips_per_user": 1, "ds_statistics": 1}


@pytest.fixture(scope="module")
def asked():
    return Plan(ContributionBound.per_user(2), WEIGHTS, RUNGS)


@pytest.fixture
def trips():
    names = [name for name in PLACES for _ in range(1 + 3 * (name < "C"))]
    return private(
        [
            Trip(f"u{user}", names[(user * 7 + n) % len(names)], names[(user + 3 * n) % len(names)])
            for user in range(120)
            for n in range(1 + user % 4)
        ]
    )


def test_every_metric_of_every_measure_has_a_curve_over_all_rungs(trips, asked):
    told = []
    study = studies.utility_curves(trips, asked, four_tiles(), draws=3, progress=told.append)
    named = {(curve.measure, curve.metric): curve for curve in study.curves}
    for measure in WEIGHTS:
        assert (measure, "smape") in named
    assert {metric for measure, metric in named if measure == "visits_per_tile"} == set(METRICS)
    assert ("trips_per_hour", "emd") in named
    assert told[-1] == 1
    for curve in study.curves:
        assert tuple(band.epsilon for band in curve.bands) == RUNGS
        assert all(band.low <= band.mean <= band.high for band in curve.bands)
        assert curve.draws == 3


def test_very_many_tiles_are_merged_and_the_curve_says_so(trips, asked, monkeypatch):
    monkeypatch.setattr(utility_study, "MOST_PLACES", 2)
    study = studies.utility_curves(trips, asked, four_tiles(), draws=2)
    curves = {curve.metric: curve for curve in study.curves if curve.measure == "visits_per_tile"}
    assert "neighbouring tiles were merged into 1 place" in curves["emd"].note
    assert curves["emd"].note in curve_words(curves["emd"])
    assert not curves["ssim"].note
    monkeypatch.undo()
    found = studies.utility_curves(trips, asked, four_tiles(), draws=2).curves
    assert not any("merged" in curve.note for curve in found)


def drawn(trips, plan, draws):
    """Every metric of so many previews at every rung, by measure, metric and epsilon."""
    truth = side_of_tables("truth", owner.exact_tables(trips, list(plan.weights), None))
    seen: dict[tuple[str, str, Fraction], list[float]] = {}
    for _ in range(draws):
        noisy = studies.preview(trips, plan).measurements
        for epsilon in plan.rungs:
            side = side_of_measurements("preview", noisy, epsilon)
            for measure, table in side.tables.items():
                for score in scores(matched(truth.tables[measure], table)):
                    if score.value is not None:
                        seen.setdefault((measure, score.metric, epsilon), []).append(score.value)
    return {key: np.array(values) for key, values in seen.items()}


DRAWS = 200


def far_off(curves, seen):
    """Where a curve of ``DRAWS`` lies farther from the mean of other draws than chance, six standard errors, and a hundredth allow."""
    return {
        (curve.measure, curve.metric, band.epsilon)
        for curve in curves
        for band in curve.bands
        for values in [seen[curve.measure, curve.metric, band.epsilon]]
        if abs(band.mean - values.mean())
        > 0.01 * abs(band.mean) + 6 * values.std() * (2 / DRAWS) ** 0.5 + 1e-9
    }


def test_the_curves_lie_where_previews_do(trips, asked):
    seen = drawn(trips, asked, DRAWS)
    curves = studies.utility_curves(trips, asked, draws=DRAWS).curves
    assert {(curve.measure, curve.metric) for curve in curves} > {
        ("trips_per_user", "emd"),
        ("od_flows", "kld"),
    }
    assert far_off(curves, seen) == set()
    half = replace(asked, rungs=tuple(rung / 2 for rung in RUNGS))  # curves of twice the noise are noticed
    wrong = [
        replace(curve, bands=tuple(replace(band, epsilon=2 * band.epsilon) for band in curve.bands))
        for curve in studies.utility_curves(trips, half, draws=DRAWS).curves
    ]
    assert {measure for measure, _, _ in far_off(wrong, seen)} == {curve.measure for curve in curves}


@pytest.mark.parametrize("name", ["visits_per_tile", "trips_per_hour", "od_flows"])
def test_curves_of_a_release_are_those_of_its_finest_counts(trips, name):
    """Where its noise is small beside that of a rung, it has the curves of the truth there."""
    plan = Plan(ContributionBound.per_user(4), {name: 1}, (Fraction(1, 2), Fraction(20)))
    own = {curve.metric: curve for curve in studies.utility_curves(trips, plan, draws=20).curves}
    measurement = studies.preview(trips, plan).measurements[name]
    found = studies.curves_of_release(measurement, plan)
    assert {curve.metric for curve in found} == {*own}
    for curve in found:
        assert own[curve.metric].bands[0].low <= curve.bands[0].mean <= own[curve.metric].bands[0].high
    assert studies.curves_of_release(replace(measurement, values=0 * measurement.values), plan, draws=2) == ()
    assert studies.curves_of_release(replace(measurement, measure="unknown"), plan) == ()


def test_the_curves_hold_what_the_bound_leaves_out(trips):
    everybody = Plan(ContributionBound.per_user(4), {"visits_per_tile": 1}, (Fraction(20),))
    few = Plan(ContributionBound.per_user(1), {"visits_per_tile": 1}, (Fraction(20),))
    jsd = [
        next(
            c.bands[0].mean for c in studies.utility_curves(trips, plan, draws=2).curves if c.metric == "jsd"
        )
        for plan in (everybody, few)
    ]
    assert 10 * jsd[0] < jsd[1]  # nobody has more than 4 trips


def test_a_study_neither_shows_nor_leaves(trips, asked):
    study = studies.utility_curves(trips, asked, draws=2)
    assert repr(study) == "<UtilityStudy>"
    with pytest.raises(Exception, match="private"):
        pickle.dumps(study)
