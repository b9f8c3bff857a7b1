"""The tables in synthetic bundles have the law that their manifests state, and give no more away than they say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator
from dpcore.curator.makers import maker_of
from dpcore.kinds.roy.private import drawing
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.roy.private.station_trips import exact_tables, station_trips_of
from dpcore.kinds.stability.private.trip_ends import occupied, trip_ends_of
from dpcore.ledger import Account
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release import read_bundle
from tests.chance import must_be_noticed, must_fit
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import trips
from tests.curator.asking_synthetic import PERSON, asked, roy, stability
from tests.noise_law import edges_of, rung
from tests.table_mechanisms.attacks import must_tell_at_most, must_tell_more_than


def bundles_of(choices, number, place):
    ledger = curator.ledger_at(place / "ledger.db")
    curator.register(ledger, Account("town", "", PrivacyUnit.USER, Fraction(100)))
    city = trips()
    for nonce in range(number):
        receipt = curator.publish(city, four_tiles(), asked(choices, f"n{nonce}"), ledger)
        yield read_bundle(receipt.folder)


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
        must_fit(rung(found, plan.rho(group)))
    widest, rho = np.concatenate(noise[hours.name]), plan.rho(hours)
    edges = edges_of(rho)
    for wrong in (Fraction(2, 5), Fraction(5, 2)):
        must_be_noticed(rung(widest, rho * wrong, edges), drawn_from=rung(widest, rho, edges))


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
    # counts of 30 lie so far above the threshold that nothing is cut off
    assert len(off) > 50
    must_fit(rung(np.array(off), plan.rho(plan.combinations[0])))


def neighbours(epsilon):
    """The tables with a person whose three trips are all alike, and without."""
    others = [Trip(f"u{i}", "ABCD"[i % 4], "ABCD"[(i + 1) % 4]) for i in range(12)]
    person = [Trip("canary", "A", "D")] * 5
    choices = roy(epsilon)
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


def attacked(runs, epsilon="2"):
    plan, here, there = neighbours(epsilon)
    cells = {}
    for name, table in here.items():
        change = (table - there[name]).ravel()
        assert np.abs(change).sum() == PERSON.trips  # five trips were bounded to three, all in one cell
        cells[name] = int(np.argmax(change))
    shifted = {name: table - there[name] for name, table in here.items()}
    nobody = {name: np.zeros_like(table) for name, table in here.items()}
    return plan.epsilon, (scores(plan, shifted, cells, runs), scores(plan, nobody, cells, runs))


def test_an_attack_on_the_tables_proves_no_more_than_epsilon():
    epsilon, attack = attacked(800)
    must_tell_at_most(epsilon, attack)


def test_the_same_attack_notices_noise_that_is_twelve_times_too_small(monkeypatch):
    real = drawing.noised
    monkeypatch.setattr(drawing, "noised", lambda counts, rho: real(counts, 12 * rho))
    epsilon, attack = attacked(2_000, "1")
    must_tell_more_than(epsilon, attack)


@pytest.mark.audit
def test_the_attack_over_many_draws_proves_no_more_than_epsilon_and_comes_near():
    epsilon, attack = attacked(30_000)
    must_tell_at_most(epsilon, attack)
    must_tell_more_than(float(epsilon) / 2, attack)
