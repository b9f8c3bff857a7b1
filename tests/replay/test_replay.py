"""Recorded and replayed: with the noise frozen, a neighbouring file gives the same release, byte for byte.

Everything of a release that is not noise may depend on public facts alone. So each kind is published from a file, and its mechanisms are
recorded. Then it is published from a neighbouring file with the recorded results in their place (``recorder``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import pytest

from tests.replay.recorder import Violation
from tests.replay.releases import (
    ALONE,
    CHANGES,
    FORMS,
    PERSON,
    TRIP,
    USER,
    House,
    every_kind,
    replayed,
    some_pair,
)

UNITS = {"user": (USER, PERSON), "trip": (TRIP, ALONE), "trip under a bound on users": (TRIP, PERSON)}
"""What neighbours differ in and an account counts, and the bound of the release."""
KINDS = {
    "tables", "tables, ranges and five numbers", "sparse flows, topped up", "visits on the way, sums and means, topped up",
    "split tables, sums and means", "synthetic trips", "large counts", "large counts by date", "tree of trips",
    "tree of trips, promise about records",
}  # fmt: skip
OF_PEOPLE, OF_TRIPS = {"tree of days"}, {"large counts as for Opal"}
FEW = {"user": range(7), "trip": range(7, 14), "trip under a bound on users": range(14, 20)}
"""Twenty pairs of files."""
MANY = 100
"""More of each unit, in an audit."""


@pytest.fixture
def house(own_home, monkeypatch):
    return House(own_home, monkeypatch)


def run(house, unit, numbers):
    """Replayed pairs by kind of release, and the most epsilon that the files of a pair cost apart."""
    currency, bound = UNITS[unit]
    pairs: Counter[str] = Counter()
    most: defaultdict[str, Fraction] = defaultdict(Fraction)
    forms, changes = set(), set()
    for number in numbers:
        pair = some_pair(number, currency)
        forms.add(pair.form)
        changes.add(pair.change)
        for asked in every_kind(currency, bound, pair.here):
            try:
                cost = replayed(house, asked, pair)
            except Violation as found:
                pytest.fail(f"{asked.kind} of pair {number}, {pair.form}, {pair.change}: {found}")
            pairs[asked.kind] += 1
            most[asked.kind] = max(most[asked.kind], cost)
        house.forget()
    assert (forms, changes) == ({*FORMS}, {*CHANGES})
    return pairs, most


def kinds_of(unit):
    return KINDS | (OF_TRIPS if UNITS[unit][1] is ALONE else OF_PEOPLE)


@pytest.mark.parametrize("unit", UNITS)
def test_with_the_noise_frozen_a_neighbouring_file_gives_the_same_release(unit, house):
    """The twenty pairs are divided among the units; each has every form, every change and every kind of release."""
    pairs, most = run(house, unit, FEW[unit])
    assert {*pairs} == kinds_of(unit)
    assert all(most.values())


@pytest.mark.audit
@pytest.mark.parametrize("unit", UNITS)
def test_with_the_noise_frozen_many_neighbouring_files_give_the_same_release(unit, house):
    pairs, most = run(house, unit, range(20, 20 + MANY))
    assert {*pairs} == kinds_of(unit)
    assert pairs["tables"] == MANY
    assert all(most.values())
    print(unit, {kind: (pairs[kind], float(most[kind])) for kind in pairs})
