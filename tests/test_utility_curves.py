"""Curves that are read off drawn tables: bands that cover one more draw, and what has no curve."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpcore.comparison import curves
from dpcore.comparison.scoring import Score


def test_curves_hold_every_metric_that_has_two_answers_at_an_epsilon():
    rungs = [Fraction(1), Fraction(2)]
    scored = [
        (rung, Score("od_flows", name, value, unit, note=f"note of {name}"))
        for value in (0.25, 0.75)
        for rung in rungs
        for name, unit in (("jsd", ""), ("kld", "bits"))
    ]
    scored += [(rungs[0], Score("od_flows", "smape", 0.5)), (rungs[0], Score("od_flows", "emd", None))]
    found = curves.curves_of_scores(scored, 2)
    assert [(one.metric, one.unit, one.draws, one.note) for one in found] == [
        ("jsd", "", 2, "note of jsd"),
        ("kld", "bits", 2, "note of kld"),
    ]
    for curve in found:
        assert [band.epsilon for band in curve.bands] == rungs
        assert [band.mean for band in curve.bands] == [0.5, 0.5]
    assert {band.high for band in found[0].bands} == {1}  # no divergence is more
    assert {band.low for one in found for band in one.bands} == {0}


def test_a_band_of_draws_covers_one_more_draw():
    rng = np.random.default_rng(4)
    covered = []
    for _ in range(2000):
        drawn = rng.normal(0.5, 0.05, 11)
        band = curves.drawn_band(Fraction(1), drawn[:10], 0, 1)
        covered.append(band.low <= drawn[10] <= band.high)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
    assert curves.drawn_band(Fraction(1), [0.0, 1.0], 0, 1).low == 0
    with pytest.raises(ValueError, match="two draws"):
        curves.drawn_band(Fraction(1), [0.5], 0, 1)
    reach = curves.drawn_band(Fraction(1), [0.4, 0.6], -9, 9).high - 0.5
    assert reach == pytest.approx(stats.t.ppf(0.975, 1) * np.std([0.4, 0.6], ddof=1) * 1.5**0.5)
