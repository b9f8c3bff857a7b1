"""Real trips become codes and exact tables, under a bound that looks at nobody else."""

import numpy as np
import pytest

from dpcore.errors import InputError, PrivacyError
from dpcore.privacy import ContributionBound
from dpcore.private.synthesis.records import exact_tables, kept_of_each, station_trips
from tests.synthesis.small import KEY, domain, plan, private, some_trips


def read(start="a", end="b", when="2024-04-22T08:30:05", seconds=600, zip_="1", gender="m", times=1):
    return station_trips(
        domain(),
        start=[start] * times,
        end=[end] * times,
        started=np.array([when] * times, "datetime64[s]"),
        seconds=np.array([seconds] * times, np.int64),
        extras={"zip": [zip_] * times, "gender": [gender] * times},
    )


def test_a_trip_inside_the_domain_is_coded():
    columns = read().columns
    assert [columns.start[0], columns.end[0], columns.date[0], columns.second[0]] == [
        0,
        1,
        0,
        8 * 3600 + 1805,
    ]
    assert [columns.seconds[0], columns.extras["zip"][0], columns.extras["gender"][0]] == [600, 0, 0]
    assert read(zip_=None, gender="other").columns.extras["zip"].tolist() == [2]


@pytest.mark.parametrize(
    "outside",
    [
        {"start": "z"},
        {"end": None},
        {"end": "not listed"},
        {"when": "2024-04-21T23:59:59"},
        {"when": "2024-05-13T00:00:00"},
        {"seconds": 59},
        {"seconds": 86_400},
        {"seconds": -1},
    ],
)
def test_a_trip_outside_the_public_domain_is_left_out(outside):
    assert len(read(**outside).columns) == 0
    assert len(read(when="2024-05-12T23:59:59").columns) == 1


def test_a_file_that_lacks_a_listed_attribute_or_has_other_values_says_so():
    of = domain(area=False)
    kept = {
        "start": ["a"],
        "end": ["a"],
        "started": np.array(["2024-04-22"], "datetime64[s]"),
        "seconds": np.array([90]),
    }
    with pytest.raises(InputError, match="gender"):
        station_trips(of, **kept)


def l1(left, right):
    return {name: int(np.abs(left[name] - right[name]).sum()) for name in left}


@pytest.mark.parametrize("most", [1, 3, 8])
def test_one_person_changes_each_table_by_at_most_m_and_that_is_reached(most):
    of = domain()
    found = plan(of, bound=ContributionBound.per_user(most))
    columns = some_trips(400, of, seed=4)
    users = [f"u{i % 20}" for i in range(400)]
    with_all = exact_tables(private(columns, of, users), found, KEY).counts
    changes = []
    for one in ("u0", "u7", "u19"):
        stay = np.array([user != one for user in users])
        rest = private(columns.at(stay), of, [user for user in users if user != one])
        change = l1(with_all, exact_tables(rest, found, KEY).counts)
        changes += list(change.values())
        assert max(change.values()) <= most
    assert max(changes) == most == found.bound.trips


def test_one_trip_more_changes_each_table_by_one_and_a_replaced_one_by_two():
    of = domain()
    found, columns = plan(of), some_trips(50, of)
    whole = exact_tables(private(columns, of), found, KEY).counts
    less = exact_tables(private(columns.at(np.arange(49)), of), found, KEY).counts
    other = exact_tables(private(columns.at(np.r_[1:50]), of), found, KEY).counts
    assert set(l1(whole, less).values()) == {1}
    assert max(l1(other, less).values()) <= 2


def test_what_is_kept_of_a_person_depends_on_nobody_else_and_not_on_the_order():
    of, bound = domain(), ContributionBound.per_user(3)
    columns = some_trips(300, of, seed=9)
    users = [f"u{i % 30}" for i in range(300)]
    kept = kept_of_each(private(columns, of, users), bound, KEY)

    def rows(trips, user):
        mine = [i for i, one in enumerate(trips.users) if one == user]
        return sorted(zip(trips.columns.date[mine], trips.columns.second[mine], strict=True))

    order = np.random.default_rng(1).permutation(300)
    shuffled = kept_of_each(private(columns.at(order), of, [users[i] for i in order]), bound, KEY)
    few = np.array([user in {"u3", "u4"} for user in users])
    alone = kept_of_each(private(columns.at(few), of, [u for u in users if u in {"u3", "u4"}]), bound, KEY)
    for user in ("u3", "u4"):
        assert len(rows(kept, user)) == 3
        assert rows(kept, user) == rows(shuffled, user) == rows(alone, user)
    other_key = kept_of_each(private(columns, of, users), bound, b"another 16 bytes")
    assert rows(other_key, "u3") + rows(other_key, "u4") != rows(kept, "u3") + rows(kept, "u4")


def test_equal_trips_of_one_person_count_up_to_the_bound():
    of = domain()
    columns = some_trips(1, of).at(np.zeros(10, np.int64))
    kept = kept_of_each(private(columns, of, ["u"] * 10), ContributionBound.per_user(4), KEY)
    assert len(kept.columns) == 4
    nobody = private(columns.at(np.zeros(0, np.int64)), of, [])
    assert len(kept_of_each(nobody, ContributionBound.per_user(4), KEY).columns) == 0


def test_at_trip_level_all_trips_count_and_without_users_people_cannot_be_protected():
    of = domain()
    trips = private(some_trips(10, of), of)
    assert kept_of_each(trips, ContributionBound.per_trip(), KEY) is trips
    with pytest.raises(PrivacyError, match="user column"):
        kept_of_each(trips, ContributionBound.per_user(4), KEY)
    assert repr(trips) == "<StationTrips>"
