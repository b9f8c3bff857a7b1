"""The exact lengths that an owner looks at."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.errors import PrivacyError
from dpcore.kinds.tree import owner as tree_owner
from dpcore.kinds.tree.choices import Making, Source
from dpcore.kinds.tree.plan import MAX_HEIGHT
from dpcore.privacy import ContributionBound
from tests.cities import Trip, four_tiles, private
from tests.private.trajectories.plain import MAKINGS, choices, plainly, some_trips


def test_lengths_are_those_of_the_plain_trajectories_whatever_the_height():
    trips = some_trips(4, users=[f"u{number}" for number in range(30)])
    own = private(trips)
    for making in MAKINGS:
        found = tree_owner.trajectory_lengths(own, four_tiles(), choices(making, height=1))
        sizes = [len(one) for one in plainly(trips, choices(making))]
        expected = np.bincount(np.minimum(sizes, MAX_HEIGHT + 1), minlength=MAX_HEIGHT + 2)
        assert found.complete.tolist() == expected[:-1].tolist()
        assert found.longer == expected[-1]
        assert (found.total, found.not_counted) == (len(sizes), 0)


def test_what_is_left_out_is_counted_too():
    trips = [*[Trip("u", "A", "B")] * 7, Trip("v", "outside", "outside"), Trip("v", "A", "A")]
    found = tree_owner.trajectory_lengths(
        private(trips), four_tiles(), choices(bound=ContributionBound.per_user(3))
    )
    assert (found.total, found.empty, found.not_counted, found.longer) == (4, 1, 4, 0)
    assert found.complete[:4].tolist() == [0, 1, 3, 0]
    assert [found.cut(height) for height in (0, 1, 2, MAX_HEIGHT)] == [1, 0.75, 0, 0]
    assert repr(found) == "<TrajectoryLengths>"


def test_a_stay_longer_than_the_greatest_height_is_cut_at_every_height():
    stays = private([Trip("u", "A", "A", "2024-04-01 00:00", "2024-04-01 05:00")])
    found = tree_owner.trajectory_lengths(stays, four_tiles(), choices(Making(Source.DAY, 1)))
    assert (found.longer, found.cut(MAX_HEIGHT), found.cut(5)) == (1, 1, 1)


def test_without_trips_nothing_is_cut():
    found = tree_owner.trajectory_lengths(private([]), four_tiles(), choices())
    assert (found.total, found.empty, found.cut(3)) == (0, 0, 0)


def test_days_of_people_need_people():
    nobody = private([Trip(None, "A", "B")], has_users=False)
    with pytest.raises(PrivacyError, match="no user column"):
        tree_owner.trajectory_lengths(nobody, four_tiles(), choices(Making(Source.DAY)))
