"""The tables in synthetic bundles have the law that their manifests state, and give no more away than they say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator
from dpcore.curator.makers import maker_of
from dpcore.ledger import Account
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.synthesis import drawing
from dpcore.private.synthesis.drawing import noisy_tables
from dpcore.private.synthesis.station_trips import exact_tables, station_trips_of
from dpcore.private.synthesis.trip_ends import occupied, trip_ends_of
from dpcore.release import read_bundle
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import trips
from tests.curator.asking_synthetic import PERSON, asked, roy, stability
from tests.table_mechanisms.attacks import proven_epsilon
from tests.test_ladder import marginal_fit

LEVEL = 1e-9  # no test fails by chance
FAR = 6.5  # standard deviations, alike


def bundles_of(choices, number, place):
    ledger = curator.ledger_at(place / "ledger.db")
    curator.register(ledger, Account("town", "", PrivacyUnit.USER, Fraction(100)))
    city = trips()
    for nonce in range(number):
        receipt = curator.publish(city, four_tiles(), asked(choices, f"n{nonce}"), ledger)
        yield read_bundle(receipt.folder)


def width_score(noise, rho):
    """By how many standard deviations the mean size of the noise is off."""
    q = np.exp(-float(rho))
    mean, square = 2 * q / (1 - q**2), 2 * q / (1 - q) ** 2
    return (np.abs(noise).mean() - mean) / np.sqrt((square - mean**2) / noise.size)


def test_tables_of_bundles_have_their_stated_law_and_no_other(tmp_path):
    choices = roy("1")
    plan = choices.plan(four_tiles())
    city = station_trips_of(trips(), four_tiles(), plan.domain)
    exact = exact_tables(city, plan).counts
    noise = {name: [] for name in exact}
    for release in bundles_of(choices, 12, tmp_path):
        for name, table in release.drawn.tables.values.items():
            noise[name].append((table - exact[name]).ravel())
    (hours,) = (group for group in plan.groups if "hour" in group.axes)
    for group in plan.groups:
        found = np.concatenate(noise[group.name])
        assert not marginal_fit(found, plan.rho(group)) <= LEVEL, group.name
    widest = np.concatenate(noise[hours.name])
    assert abs(width_score(widest, plan.rho(hours))) < FAR
    for wrong in (Fraction(7, 10), Fraction(13, 10)):
        assert abs(width_score(widest, plan.rho(hours) * wrong)) > FAR


def test_large_counts_of_bundles_have_their_stated_law_above_their_threshold(tmp_path):
    choices = stability("12", ContributionBound.per_user(3), combinations=(("on_loc",), ("off_loc",)))
    plan = choices.plan()
    found = trip_ends_of(trips(), four_tiles(), plan)
    off = []
    for release in bundles_of(choices, 8, tmp_path):
        for one in plan.combinations:
            keys, counts = occupied(found, one)
            true = {found.columns[one.columns[0]].texts[key]: n for key, n in zip(keys, counts, strict=True)}
            large = release.drawn.tables.large[one.name]
            assert (large.counts >= plan.threshold(one)).all()
            assert set(large.keys[0]) <= set(true)
            off += [n - true[text] for text, n in zip(large.keys[0], large.counts, strict=True)]
    rho = float(plan.rho(plan.combinations[0]))
    expected = 2 * np.exp(-rho) / (1 - np.exp(-2 * rho))  # mean of the noise without its sign
    # about 60 values whose mean deviates by an eighth of itself; counts of 30 lie far above the threshold
    assert len(off) > 50
    assert 0.3 * expected < np.abs(off).mean() < 2.2 * expected


def neighbours():
    """The tables with a person whose three trips are all alike, and without."""
    others = [Trip(f"u{i}", "ABCD"[i % 4], "ABCD"[(i + 1) % 4]) for i in range(12)]
    person = [Trip("canary", "A", "D")] * 5
    choices = roy("2")
    here, there = (
        maker_of(choices).count(private(rows), four_tiles(), choices, None)
        for rows in (others + person, others)
    )
    return choices.plan(four_tiles()), here.counts, there.counts


def scores(plan, exact, cells, runs):
    """How much each draw looks as if the person were there."""
    found = np.zeros(runs)
    for number in range(runs):
        tables = noisy_tables(exact, plan, origin="release")
        for group in plan.groups:
            found[number] += np.sign(tables.values[group.name].ravel()[cells[group.name]] - 1.5) * float(
                plan.share(group)
            )
    return found


def proven(runs):
    plan, here, there = neighbours()
    cells = {}
    for name, table in here.items():
        change = (table - there[name]).ravel()
        assert np.abs(change).sum() == PERSON.trips  # five trips were bounded to three, all in one cell
        cells[name] = int(np.argmax(change))
    shifted = {name: table - there[name] for name, table in here.items()}
    nobody = {name: np.zeros_like(table) for name, table in here.items()}
    return plan.epsilon, proven_epsilon(scores(plan, shifted, cells, runs), scores(plan, nobody, cells, runs))


def test_an_attack_on_the_tables_proves_no_more_than_epsilon():
    epsilon, found = proven(800)
    assert found <= epsilon


def test_the_same_attack_notices_noise_that_is_six_times_too_small(monkeypatch):
    real = drawing.noised
    monkeypatch.setattr(drawing, "noised", lambda counts, rho: real(counts, 6 * rho))
    epsilon, found = proven(800)
    assert found > epsilon


@pytest.mark.audit
def test_the_attack_over_many_draws_proves_no_more_than_epsilon_and_comes_near():
    epsilon, found = proven(30_000)
    assert 0.5 * epsilon < found <= epsilon
