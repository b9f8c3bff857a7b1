from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import PrivacyError
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.synthetic.bounding import smallest_ranks
from tests import engines
from tests.cities import PLACES, Trip, private


def kept(trips, max_trips, batch_rows=1000):
    """The kept trips as a multiset of what measures read."""
    return engines.kept(bounded(private(trips, batch_rows), ContributionBound.per_user(max_trips)))


def someone(user, count):
    tiles = list(PLACES)
    return [
        Trip(
            user,
            tiles[i % 4],
            tiles[(i + 1) % 5],
            f"2024-04-01 {i % 22:02}:{i % 60:02}",
            f"2024-04-01 23:{i % 60:02}",
        )
        for i in range(count)
    ]


@pytest.mark.parametrize(("have", "kept_trips"), [(1, 1), (4, 4), (5, 5), (6, 5), (60, 5)])
def test_a_user_keeps_all_trips_up_to_m_and_m_of_more(have, kept_trips):
    assert kept(someone("u", have), 5).total() == kept_trips


def test_twenty_equal_trips_keep_five():
    assert kept([Trip("u", "A", "B")] * 20, 5).total() == 5


def test_ids_that_look_like_one_number_are_different_people():
    trips = [trip for user in ("7", "007", "7.0", "NA", "nan", "None") for trip in someone(user, 9)]
    assert kept(trips, 2).total() == 12


def test_not_the_first_trips_in_time_are_kept_but_those_of_the_hash():
    trips = someone("u", 200)
    first = Counter()
    for trip in trips[:5]:
        first.update(kept([trip], 5))
    assert kept(trips, 5) != first


users = st.dictionaries(st.text("ab01", min_size=1, max_size=3), st.integers(1, 12), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None)
@given(users=users, data=st.data())
def test_removing_a_user_changes_nothing_about_anybody_else(users, data):
    gone = data.draw(st.sampled_from(sorted(users)))
    rows = [trip for user, count in users.items() for trip in someone(user, count)]
    shuffled = data.draw(st.permutations(rows))
    left = [trip for trip in shuffled if trip.user != gone]
    alone = [trip for trip in rows if trip.user == gone]
    together = kept(shuffled, 4, batch_rows=data.draw(st.integers(1, 9)))
    assert together == kept(left, 4) + kept(alone, 4)


def test_a_form_without_users_cannot_hide_a_user():
    trips = private([Trip(None, "A", "B")], has_users=False)
    with pytest.raises(PrivacyError, match="no user column"):
        bounded(trips, ContributionBound.per_user(5))
    assert repr(bounded(trips, ContributionBound.per_trip())) == "<BoundedTrips>"


def by_definition(users, ranks, content, most):
    """Of each user the first rows by hash, then by content, then as they stand."""
    found = []
    for user in set(users.tolist()):
        rows = np.flatnonzero(users == user)
        keys = [column[rows] for column in reversed(content)]
        found += rows[np.lexsort([*keys, ranks[rows]])][:most].tolist()
    return sorted(found)


@pytest.mark.parametrize("seed", range(30))
def test_columns_in_memory_keep_the_same_rows_as_the_definition(seed):
    rng = np.random.default_rng(seed)
    rows, most = int(rng.integers(1, 60)), int(rng.integers(1, 5))
    users = rng.integers(0, 6, rows)
    ends = np.array([-(2**63), 2**63 - 1, -1, 0, 5])  # few hashes, so that many tie, and those at both ends
    ranks = rng.choice(ends, rows) if seed % 2 else rng.integers(-(2**63), 2**63 - 1, rows)
    content = [rng.integers(0, 3, rows).astype(np.int32) for _ in range(2)]
    before = users.copy(), ranks.copy()
    assert smallest_ranks(users, ranks, content, most).tolist() == by_definition(users, ranks, content, most)
    assert users.flags.writeable
    assert ranks.flags.writeable
    assert np.array_equal(users, before[0])
    assert np.array_equal(ranks, before[1])
