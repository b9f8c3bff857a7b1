"""The day of a vehicle: a bike share file whose column of bicycles was renamed, as docs/how-to/publish-trajectories.md says."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcore.api import owner
from dpcore.errors import InputError
from dpcore.kinds.tree import owner as tree_owner
from dpcore.kinds.tree.choices import Making, Source, TreeChoices
from dpcore.privacy import ContributionBound
from tests.cities import four_tiles

HEADER = (
    "tripduration,starttime,stoptime,start station id,start station name,start station latitude,start station longitude,"
    "end station id,end station name,end station latitude,end station longitude,{},usertype,birth year,gender\n"
)
ROLES = {
    "started_at": "starttime",
    "ended_at": "stoptime",
    "start_lat": "start station latitude",
    "start_lng": "start station longitude",
    "end_lat": "end station latitude",
    "end_lng": "end station longitude",
}


def bikes(column: str) -> owner.TripsFile:
    """Three bicycles, two trips of each on each of two days."""
    rows = "".join(
        f"60,2024-04-0{day} {hour}:00:00,2024-04-0{day} {hour}:30:00,1,a,{place},0.5,2,b,{place},1.5,"
        f"{bike},Subscriber,1990,1\n"
        for bike in range(3)
        for day in (1, 2)
        for hour, place in ((10, 0.5), (12, 1.5))
    )
    return owner.TripsFile.uploaded("bikes.csv", (HEADER.format(column) + rows).encode())


def test_with_the_roles_named_a_trajectory_is_the_day_of_one_bicycle():
    seen = owner.inspect(bikes("user_id"), {"user_id": "user_id", **ROLES})
    trips = owner.load(bikes("user_id"), seen, four_tiles(), timezone="Europe/Berlin")
    choices = TreeChoices(ContributionBound.per_user(1), Fraction(1), 4, making=Making(Source.DAY))
    found = tree_owner.trajectory_lengths(trips, four_tiles(), choices)
    assert trips.has_users
    assert (found.total, found.not_counted, found.empty) == (
        3,
        3,
        0,
    )  # three bicycles on two days, one of each counts


def test_by_its_own_name_a_bicycle_is_no_user():
    with pytest.raises(InputError, match="a vehicle is not a user"):
        owner.inspect(bikes("bikeid"), {"user_id": "bikeid", **ROLES})
