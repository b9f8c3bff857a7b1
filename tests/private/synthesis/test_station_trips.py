"""Real trips become exact tables, under a bound that looks at nobody else."""

import numpy as np
import pytest

from dpcore.errors import PrivacyError
from dpcore.kinds.roy.private.station_trips import exact_tables, kept_of_each
from dpcore.privacy import ContributionBound
from tests.synthesis.small import domain, plan, private, some_trips


def l1(left, right):
    return {name: int(np.abs(left[name] - right[name]).sum()) for name in left}


@pytest.mark.parametrize("most", [1, 3, 8])
def test_one_person_changes_each_table_by_at_most_m_and_that_is_reached(most):
    of = domain()
    found = plan(of, bound=ContributionBound.per_user(most))
    columns = some_trips(400, of, seed=4)
    users = [f"u{i % 20}" for i in range(400)]
    with_all = exact_tables(private(columns, of, users), found).counts
    changes = []
    for one in ("u0", "u7", "u19"):
        stay = np.array([user != one for user in users])
        rest = private(columns.at(stay), of, [user for user in users if user != one])
        change = l1(with_all, exact_tables(rest, found).counts)
        changes += list(change.values())
        assert max(change.values()) <= most
    assert max(changes) == most == found.bound.trips


def test_one_trip_more_changes_each_table_by_one_and_a_replaced_one_by_two():
    of = domain()
    found, columns = plan(of), some_trips(50, of)
    whole = exact_tables(private(columns, of), found).counts
    less = exact_tables(private(columns.at(np.arange(49)), of), found).counts
    other = exact_tables(private(columns.at(np.r_[1:50]), of), found).counts
    assert set(l1(whole, less).values()) == {1}
    assert max(l1(other, less).values()) <= 2


def test_what_is_kept_of_a_person_depends_on_nobody_else_and_not_on_the_order():
    of, bound = domain(), ContributionBound.per_user(3)
    columns = some_trips(300, of, seed=9)
    users = [f"u{i % 30}" for i in range(300)]
    kept = kept_of_each(private(columns, of, users), bound)

    def rows(trips, user):
        mine = [i for i, one in enumerate(trips.users) if one == int(user[1:])]
        return sorted(zip(trips.columns.date[mine], trips.columns.second[mine], strict=True))

    order = np.random.default_rng(1).permutation(300)
    shuffled = kept_of_each(private(columns.at(order), of, [users[i] for i in order]), bound)
    few = np.array([user in {"u3", "u4"} for user in users])
    alone = kept_of_each(private(columns.at(few), of, [u for u in users if u in {"u3", "u4"}]), bound)
    for user in ("u3", "u4"):
        assert len(rows(kept, user)) == 3
        assert rows(kept, user) == rows(shuffled, user) == rows(alone, user)
    other_key = kept_of_each(private(columns, of, users, b"another 16 bytes"), bound)
    assert rows(other_key, "u3") + rows(other_key, "u4") != rows(kept, "u3") + rows(kept, "u4")


def test_equal_trips_of_one_person_count_up_to_the_bound():
    of = domain()
    columns = some_trips(1, of).at(np.zeros(10, np.int64))
    kept = kept_of_each(private(columns, of, ["u"] * 10), ContributionBound.per_user(4))
    assert len(kept.columns) == 4
    nobody = private(columns.at(np.zeros(0, np.int64)), of, [])
    assert len(kept_of_each(nobody, ContributionBound.per_user(4)).columns) == 0


def test_at_trip_level_all_trips_count_and_without_users_people_cannot_be_protected():
    of = domain()
    trips = private(some_trips(10, of), of)
    assert kept_of_each(trips, ContributionBound.per_trip()) is trips
    with pytest.raises(PrivacyError, match="user column"):
        kept_of_each(trips, ContributionBound.per_user(4))
    assert repr(trips) == "<StationTrips>"
