"""What Gaussian noise would give for drawn visits: the figures of docs/explanation/promise.md, computed on the built-in city."""

from __future__ import annotations

import re
from fractions import Fraction
from math import exp, pi, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy import sparse

from dpcore import demo
from dpcore.api import owner
from dpcore.kinds.roy.choices import domain_of
from dpcore.kinds.roy.private.preview import trips_within
from dpcore.kinds.roy.private.station_trips import kept_of_each
from dpcore.measures.choices import KeyChoices
from dpcore.noise.forecast import Facts
from dpcore.planning.default_plan import default_plan
from dpcore.privacy import ContributionBound
from tests.conftest import ROOT

NORMAL = NormalDist()
BOUND = ContributionBound.per_user(8)
VISITS = 2 * BOUND.trips  # of one person at most
TEN_EQUAL = 0.1


def shift_of(delta, epsilon=1.0):
    """The largest shift of a normal law, in standard deviations, that is (epsilon, delta) private (Balle and Wang 2018)."""
    low, high = 1e-6, 10.0
    for _ in range(100):
        middle = (low + high) / 2
        passed = NORMAL.cdf(middle / 2 - epsilon / middle) - exp(epsilon) * NORMAL.cdf(
            -middle / 2 - epsilon / middle
        )
        low, high = (low, middle) if passed > delta else (middle, high)
    return low


@pytest.fixture(scope="module")
def added():
    """Visits of each person at each tile, of the trips that count, and the share of epsilon that visits have in the usual plan."""
    trips, tiles = owner.demo_city()
    kept = kept_of_each(trips_within(trips, tiles, domain_of(tiles, demo.DEMO_PERIOD)), BOUND)
    person = np.unique(kept.users, return_inverse=True)[1]
    rows, tile = np.r_[person, person], np.r_[kept.columns.start, kept.columns.end]
    visits = sparse.coo_matrix(
        (np.ones(len(rows)), (rows, tile)), (person.max() + 1, len(tiles.tile_ids))
    ).tocsr()
    facts = Facts(demo.DEMO_TRIPS, 30_000, len(tiles.tile_ids))
    choices = KeyChoices(demo.DEMO_PERIOD)
    plan = default_plan(BOUND, Fraction(1), tiles, facts, choices)
    return visits, float(plan.share("visits_per_tile"))


def more(visits, share, delta, lengths):
    """By how many per cent the mean error with Gaussian noise exceeds that with Laplace noise, at the best of some lengths."""
    norms = np.sqrt(np.asarray(visits.multiply(visits).sum(axis=1)).ravel())
    true, errors = np.asarray(visits.sum(axis=0)).ravel(), []
    for length in lengths:
        lost = true - np.asarray(sparse.diags(np.minimum(1, length / norms)).dot(visits).sum(axis=0)).ravel()
        sd = length / (shift_of(delta) * sqrt(share))  # the squares of the shifts of all tables add up
        z = lost / sd
        beyond = 1 - 2 * np.array([NORMAL.cdf(-one) for one in z])
        errors.append(float((sd * sqrt(2 / pi) * np.exp(-(z**2) / 2) + lost * beyond).mean()))
    return 100 * (min(errors) / (VISITS / share) - 1)


def test_the_page_of_the_promise_says_what_gaussian_noise_would_give(added):
    text = (ROOT / "docs" / "explanation" / "promise.md").read_text(encoding="utf-8")
    said = " ".join(text.partition("## Why pure epsilon and whole numbers")[2].partition("## ")[0].split())
    visits, usual = added
    assert usual == pytest.approx(0.24, abs=0.02)
    clips = np.linspace(0.3, 1, 29) * VISITS
    found = [
        -more(visits, TEN_EQUAL, 1e-6, clips),
        -more(visits, TEN_EQUAL, 1e-9, clips),
        more(visits, TEN_EQUAL, 1e-6, [VISITS]),
        more(visits, TEN_EQUAL, 1e-9, [VISITS]),
        more(visits, usual, 1e-6, clips),
        more(visits, usual, 1e-6, [VISITS]),
    ]
    told = [float(one) for one in re.findall(r"(\d+) % (?:less|more)", said)]
    assert told == pytest.approx(found, abs=2)  # which trips count follows from the key of an installation


def test_the_sum_of_two_whole_gaussian_noises_is_none():
    values = np.arange(-40, 41)
    one = np.exp(-(values**2) / 0.8)
    one /= one.sum()
    both = np.convolve(one, one, mode="same")
    variance = float((both * values**2).sum())
    steps = np.log(both[41:45] / both[40:44])  # of a discrete Gaussian they fall evenly
    assert variance > 0
    assert np.ptp(np.diff(steps)) > 1e-3
    assert np.ptp(np.diff(np.log(one[41:45] / one[40:44]))) < 1e-9
