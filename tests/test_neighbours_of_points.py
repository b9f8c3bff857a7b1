"""Brute force over neighbouring sets of files of points: a rule cuts them, and no privacy unit moves more than it may.

A person's points lie in two files, in no order, with ties, beside bad records and records without a time or a place.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from dpcore.errors import PrivacyError
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers
from dpcore.private.loading import load
from dpcore.private.source.reading import inspect
from dpcore.private.source.report import BadRecords
from tests import engines
from tests.cities import four_tiles
from tests.engines import count
from tests.points_of import GAP, STAYS, files_of, point, some_points, spoilt, trips_of
from tests.test_neighbours_of_files import MEASURES, TILE_IDS, M

USERS = ("u", "7", "07")
PAIRS = 6


def loaded(rows, rng, rule):
    """The rows over two files, cut by the rule."""
    files = files_of(rows, rng)
    return load(
        files,
        [inspect(file) for file in files],
        four_tiles(),
        timezone="UTC",
        bad_records=BadRecords.DROP,
        rule=rule,
    )


def kept(rows, rng, rule, bound):
    return engines.kept(bounded(loaded(rows, rng, rule), bound))


def a_user(rng, city, _rule):
    """The records of one person, broken ones and all."""
    user = rng.choice(sorted(city))
    return list(city[user])


def a_trip(rng, city, rule):
    """The points of one trip that the rule cuts."""
    user = rng.choice(sorted(city))
    trips = trips_of([row for row in city[user] if is_point(row)], rule)
    return rng.choice(trips)


def is_point(row):
    return len(row) == 4 and all(row) and row[1] != "nonsense" and row[2] != "95"


def some_city(rng):
    return {
        user: [*some_points(rng, user, rng.choice([1, 8, 25])), *(spoilt(rng, user) for _ in range(3))]
        for user in USERS
    }


def answers_of(trips, bound):
    answers = ExactAnswers(count(bounded(trips, bound), [*MEASURES.values()]))
    return {name: answers.dense(m, m.keys(TILE_IDS)) for name, m in MEASURES.items()}


@pytest.mark.parametrize(
    ("rule", "bound", "unit"),
    [
        (GAP, ContributionBound.per_user(M), a_user),
        (STAYS, ContributionBound.per_user(M), a_user),
        (GAP, ContributionBound.per_trip(), a_trip),
    ],
    ids=["gap, user", "stays, user", "gap, trip"],
)
def test_of_points_no_unit_moves_the_trips_of_others_or_more_than_the_sensitivity(rule, bound, unit):
    rng = random.Random(5)
    moved = 0
    for _ in range(PAIRS):
        city = some_city(rng)
        rows = [row for records in city.values() for row in records]
        gone = unit(rng, city, rule)
        left = list(rows)
        for row in gone:
            left.remove(row)
        here, there = loaded(rows, rng, rule), loaded(left, rng, rule)
        alone = kept(gone, rng, rule, bound)
        assert engines.kept(bounded(here, bound)) == engines.kept(bounded(there, bound)) + alone
        assert unit is a_user or alone.total() == 1
        before, after = answers_of(here, bound), answers_of(there, bound)
        for name, measure in MEASURES.items():
            change = int(np.abs(before[name] - after[name]).sum())
            moved = max(moved, change)
            assert change <= measure.sensitivity(bound), name
    assert moved > 0


def test_between_stays_one_trip_moves_others_so_trip_level_is_refused():
    """The tester is tested, and the refusal has its reason: without the points of one trip another trip is lost."""
    rng, bound = random.Random(1), ContributionBound.per_trip()
    there_and_back = [
        ("u", 0, 0.5),
        ("u", 30, 0.5),
        ("u", 40, 1.5),
        ("u", 70, 1.5),
        ("u", 80, 0.5),
        ("u", 110, 0.5),
    ]
    rows = [point(user, minute, lat, 0.5) for user, minute, lat in there_and_back]
    gone = trips_of(rows, STAYS)[0]
    left = [row for row in rows if row not in gone]
    here, there = (kept(part, rng, STAYS, bound) for part in (rows, left))
    assert (here.total(), there.total()) == (2, 1)
    assert not there <= here  # the trip that is left is none of the two

    with pytest.raises(PrivacyError, match=r"one by one.*unit user"):
        loaded(rows, rng, STAYS).must_hide(PrivacyUnit.TRIP)
    loaded(rows, rng, GAP).must_hide(PrivacyUnit.TRIP)


@pytest.fixture(autouse=True)
def one_key(own_home):
    """The same trips are kept in every run."""
    place = store.folder("keys") / "bounding.key"
    store.write_once(place, bytes(range(16)))
    assert place.is_relative_to(own_home)
