"""What one person or one trip can change, by trying every one of small made-up worlds."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from dpcore.kinds.tree.choices import Making, Outside, Source
from dpcore.kinds.tree.private import positions
from dpcore.kinds.tree.private import sequences as keeping
from dpcore.kinds.tree.private.sequences import sequences_of
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounding_key
from tests.cities import Trip, four_tiles, private
from tests.private.trajectories.plain import MAKINGS, choices, made, plainly, some_trips

MOST = (1, 2, 3)
PEOPLE = ("u", "v", "w", "x")


def changes(before, after):
    """How many sequences go, and how many come."""
    one, other = Counter(before), Counter(after)
    return (one - other).total(), (other - one).total()


def of_everybody(trips):
    """The sequences of all trips, by how they are made and how many count: each is compared with many others."""
    everybody = private(trips)
    return {
        (making, most): made(everybody, choices(making, ContributionBound.per_user(most)))
        for making, most in itertools.product(MAKINGS, MOST)
    }


@pytest.mark.parametrize("seed", range(2))
def test_a_person_more_adds_at_most_m_sequences_and_takes_none_away(seed):
    trips = some_trips(seed, PEOPLE, each=9)
    reached = defaultdict(int)
    of_all = of_everybody(trips)
    for person in PEOPLE:
        others = private([trip for trip in trips if trip.user != person])
        own = [trip for trip in trips if trip.user == person]
        for making, most in itertools.product(MAKINGS, MOST):
            wanted = choices(making, ContributionBound.per_user(most))
            gone, came = changes(made(others, wanted), of_all[making, most])
            assert gone == 0
            slots, with_entries = plainly(own, wanted, empty=True), plainly(own, wanted)
            empty = len(slots) - len(with_entries)  # those may have been kept, or not
            assert max(0, min(most, len(slots)) - empty) <= came <= min(most, len(with_entries))
            reached[most] = max(reached[most], came)
    assert reached == {most: most for most in MOST}


@pytest.mark.parametrize("seed", [1])
def test_a_trip_more_takes_at_most_one_sequence_away_and_brings_at_most_one(seed):
    trips = some_trips(seed, "uv", each=9)
    trips += [Trip("u", "outside", "A", f"2024-04-0{day} 00:00", f"2024-04-0{day} 01:00") for day in (1, 2)]
    of_all, reached = of_everybody(trips), set()
    for left_out in range(len(trips)):
        others = private(trips[:left_out] + trips[left_out + 1 :])
        for making, most in itertools.product(MAKINGS, MOST):
            wanted = choices(making, ContributionBound.per_user(most))
            change = changes(made(others, wanted), of_all[making, most])
            assert max(change) <= 1
            reached.add(change)
    assert reached == {(0, 0), (0, 1), (1, 0), (1, 1)}


@pytest.mark.parametrize("minutes", [None, 7])
@pytest.mark.parametrize("outside", Outside)
def test_where_trips_are_protected_all_count_and_one_more_adds_one_at_most(minutes, outside):
    trips = some_trips(3)
    wanted = choices(Making(Source.TRIP, minutes, outside), ContributionBound.per_trip())
    everything = made(trips, wanted)
    assert everything == plainly(trips, wanted)
    for left_out in range(len(trips)):
        change = changes(made(trips[:left_out] + trips[left_out + 1 :], wanted), everything)
        assert change in {(0, 0), (0, 1)}


def busy_and_quiet(people):
    """Of each person three days: one with five trips, at A alone, and two with one, at B and at C."""
    return [
        Trip(f"u{person}", place, place, f"2024-04-0{day} 0{hour}:00", f"2024-04-0{day} 0{hour}:30")
        for person in range(people)
        for day, place, hours in ((1, "A", 5), (2, "B", 1), (3, "C", 1))
        for hour in range(hours)
    ]


def kept_places(most, people=600):
    found = sequences_of(
        private(busy_and_quiet(people)),
        four_tiles(),
        choices(Making(Source.DAY), ContributionBound.per_user(most)),
        bounding_key(),
    )
    return np.bincount(found.symbols, minlength=3)


def test_busy_days_are_not_kept_more_often_than_others():
    """Standard deviation of a count: 11.5."""
    assert np.abs(kept_places(1) - 200).max() < 70
    assert np.abs(kept_places(2) - 400).max() < 70


def three_trips(first, people=600):
    """Of each person a first trip, given by its two places, one at B and one at C, at times of their own."""
    return [
        Trip(f"u{person}", *places, f"2024-04-01 0{hour}:00", f"2024-04-01 0{hour}:30")
        for person in range(people)
        for hour, places in enumerate((first, "BB", "CC"))
    ]


def kept_of(trips, source=Source.TRIP, most=1):
    wanted = choices(Making(source), ContributionBound.per_user(most))
    found = sequences_of(private(trips), four_tiles(), wanted, bounding_key())
    return np.bincount(found.symbols[found.offsets[:-1]], minlength=3)


def test_a_trajectory_without_a_visit_keeps_its_slot_so_that_others_count_as_often():
    """Standard deviation of a count: 11.5."""
    whole, cut = (kept_of(three_trips(first)) for first in ("AA", ("outside", "outside")))
    assert np.abs(whole - 200).max() < 70
    assert np.abs(cut - [0, 200, 200]).max() < 70


def test_equal_trips_have_a_slot_each():
    """Two equal trips of three are kept in two of three cases; would they share a rank, in one of two."""
    twice = [
        trip for trip in three_trips("AA") for _ in range(1 + (trip.origin == "A")) if trip.origin != "B"
    ]
    assert np.abs(kept_of(twice) - [400, 0, 200]).max() < 60
    assert np.abs(kept_of(twice, most=2) - [800, 0, 400]).max() < 60
    assert kept_of(twice, most=3).tolist() == [1_200, 0, 600]


def test_each_person_has_an_order_of_days_of_their_own():
    """Were it one for all, a place would have all or none."""
    assert kept_places(1, 60).min() > 0


def test_another_key_keeps_other_days_and_the_same_key_the_same():
    own = private(busy_and_quiet(30))
    wanted = choices(Making(Source.DAY), ContributionBound.per_user(1))

    def found(key):
        return sequences_of(own, four_tiles(), wanted, key).symbols.tolist()

    assert found(b"k" * 16) == found(b"k" * 16) != found(b"l" * 16)


# Planted faults: the tests above must see them.


def planted_number(positions, key):  # noqa: ARG001
    """Ranks that follow where a trajectory stands among all."""
    return np.random.default_rng(0).integers(0, 1 << 40, len(positions.day))


def test_ranks_that_depend_on_others_are_caught(monkeypatch):
    monkeypatch.setattr("dpcore.kinds.tree.private.sequences.day_ranks", planted_number)
    with pytest.raises(AssertionError):
        test_a_person_more_adds_at_most_m_sequences_and_takes_none_away(0)


def test_smallest_hashes_that_are_not_hashed_again_are_caught(monkeypatch):
    monkeypatch.setattr(
        "dpcore.kinds.tree.private.sequences.day_ranks",
        lambda positions, key: positions.rank,  # noqa: ARG005
    )
    with pytest.raises(AssertionError):
        test_busy_days_are_not_kept_more_often_than_others()


def test_a_bound_that_keeps_one_too_many_is_caught(monkeypatch):
    ranked = keeping.smallest_ranks
    monkeypatch.setattr(keeping, "smallest_ranks", lambda *args: ranked(*args[:3], args[3] + 1))
    with pytest.raises(AssertionError):
        test_a_person_more_adds_at_most_m_sequences_and_takes_none_away(0)


def test_days_that_are_cut_by_the_place_in_the_file_are_caught(monkeypatch):
    """A trip more would shift the trajectories behind it."""

    def planted(rows):
        number = np.arange(len(rows.day)) // 2
        return positions.positions_of_days(replace(rows, user=number, rank=number))

    monkeypatch.setattr("dpcore.kinds.tree.private.sequences.positions_of_days", planted)
    with pytest.raises(AssertionError):
        test_a_trip_more_takes_at_most_one_sequence_away_and_brings_at_most_one(1)
