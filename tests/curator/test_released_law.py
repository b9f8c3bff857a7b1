"""What lies in many bundles has the law that each of them states, and gives no more away than it says.

The values are read back from the files that anyone may hold. A few releases are made here; two thousand, and the
attack on the promise, run as an audit.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator
from dpcore.ledger import Account
from dpcore.measures import MEASURES
from dpcore.measures.plan import Plan
from dpcore.noise import mechanisms
from dpcore.noise.samplers import ladder
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.release import read_bundle
from tests.chance import must_be_noticed, must_fit
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import CHOICES, WEIGHTS, trips
from tests.noise_law import edges_of, pair, rung
from tests.table_mechanisms.attacks import must_tell_at_most, must_tell_more_than

PER_LEDGER = 10  # each spend replays what its ledger holds


def releases(city, plan, number, place):
    """Many releases of one plan, read back from disk; their budgets are those of many ledgers."""
    for start in range(0, number, PER_LEDGER):
        ledger = curator.ledger_at(place / f"ledger-{start}.db")
        curator.register(ledger, Account("town", "", PrivacyUnit.USER, Fraction(100)))
        for nonce in range(min(PER_LEDGER, number - start)):
            request = curator.Request("town", plan, "Town", "", f"n{nonce}", "before_data")
            yield read_bundle(curator.publish(city, four_tiles(), request, ledger).folder)


def law_of(number, place):
    city, seen = trips(), {}
    plan = Plan.up_to(ContributionBound.per_user(3), WEIGHTS, Fraction(1), CHOICES)
    for release in releases(city, plan, number, place):
        for name, measurement in release.measurements.items():
            seen.setdefault(name, []).append(measurement.values)
    answers = exact_answers(bounded(city, plan.bound), [MEASURES[name] for name in seen])
    most = 0
    for name, values in seen.items():
        measurement = release.measurements[name]
        noise = np.stack(values) - answers.dense(MEASURES[name], measurement.keys)
        flat = [noise[:, rung].ravel() for rung in range(len(measurement.rungs))]
        rhos = [measurement.rho(rung) for rung in range(len(measurement.rungs))]
        for number_of, rho in enumerate(rhos):
            must_fit(rung(flat[number_of], rho))
            if number_of:
                must_fit(pair(flat[number_of - 1], flat[number_of], rhos[number_of - 1], rho))
        if flat[-1].size > most:
            most, largest = flat[-1].size, (flat[-1], rhos[-1])
    values, rho = largest
    edges = edges_of(rho)
    must_be_noticed(rung(values, rho * Fraction(3, 5), edges), drawn_from=rung(values, rho, edges))


def test_every_rung_in_forty_bundles_has_its_stated_law(tmp_path):
    law_of(40, tmp_path)


@pytest.mark.audit
def test_every_rung_in_two_thousand_bundles_has_its_stated_law(tmp_path):
    law_of(2_000, tmp_path)


EPSILON = Fraction(1)
ONE_TILE = [Trip("u", "A", "A", "2024-04-02 08:10", "2024-04-02 08:50")] * 3


def attacked(place, number=1_000):
    """Scores of an attack on the files alone: with and without a person whose trips are all in one tile."""
    plan = Plan.up_to(ContributionBound.per_user(3), {"visits_per_tile": 1}, EPSILON)
    others = [Trip("v", "A", "B"), Trip("w", "C", "D")]
    scores = []
    for name, people in (("with", [*others, *ONE_TILE]), ("without", others)):
        (place / name).mkdir()
        found = [
            release.measurements["visits_per_tile"].values[-1, 0]
            for release in releases(private(people), plan, number, place / name)
        ]
        scores.append(np.array(found))
    return tuple(scores)


@pytest.mark.audit
def test_the_files_tell_no_more_of_a_person_than_epsilon(tmp_path):
    must_tell_at_most(EPSILON, attacked(tmp_path))


@pytest.mark.audit
def test_half_the_noise_in_the_files_is_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(mechanisms, "ladder", lambda rhos, n: ladder([2 * rho for rho in rhos], n))
    must_tell_more_than(EPSILON, attacked(tmp_path))
