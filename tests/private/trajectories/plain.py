"""Trajectories made the slow and plain way, instant by instant, to compare with; and small made-up days of people."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, datetime, timedelta
from fractions import Fraction

from dpcore.kinds.tree.choices import Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.private.sequences import sequences_of
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounding_key
from tests.cities import PLACES, Trip, four_tiles, private

EPOCH = datetime(1970, 1, 1)
NUMBER = {"A": 0, "B": 1, "C": 2, "D": 3, "outside": -1}
PLACE = 4
MAKINGS = [
    Making(source, minutes, outside) for source in Source for minutes in (None, 7, 60) for outside in Outside
]


def choices(making=None, bound=None, height=64, **more):
    """Choices of a tree of four tiles; people are protected, as days ask for, by a bound that nobody reaches."""
    return TreeChoices(
        bound or ContributionBound.per_user(1_000), Fraction(1), height, making=making or Making(), **more
    )


def made(trips, wanted):
    """The sequences of some trips, listed or behind the wall, as sorted tuples."""
    own = private(trips) if isinstance(trips, list) else trips
    found = sequences_of(own, four_tiles(), wanted, bounding_key())
    return sorted(
        tuple(found.symbols[i:j].tolist()) for i, j in zip(found.offsets, found.offsets[1:], strict=False)
    )


def clock(text):
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


def positions(trip):
    """(time, tile) of a trip in order."""
    if trip.origin is None:
        return [(clock(trip.end), NUMBER[trip.destination])]
    way = [trip.origin]
    for place in trip.via:
        if place != way[-1]:
            way.append(place)
    if len(way) > 1 and way[-1] == trip.destination:
        way.pop()
    way.append(trip.destination)
    start, end = clock(trip.start), clock(trip.end)
    return [(start + (end - start) * at // (len(way) - 1), NUMBER[place]) for at, place in enumerate(way)]


def day_of(trip):
    return date.fromisoformat((trip.start if trip.origin else trip.end)[:10])


def entries(places, making):
    """The entries of one trajectory, whose positions are in order of time."""
    if making.minutes is None:
        tiles = [tile for _, tile in places]
    else:
        tiles, instant = [], places[0][0]
        while True:
            tiles.append([tile for at, tile in places if at <= instant][-1])
            if instant >= places[-1][0]:
                break
            instant += making.minutes * 60_000_000
    if making.outside is Outside.END and -1 in tiles:
        tiles = tiles[: tiles.index(-1)]
    if making.outside is Outside.LEAVE_OUT:
        tiles = [tile for tile in tiles if tile != -1]
    tiles = [PLACE if tile == -1 else tile for tile in tiles]
    if making.minutes is None:
        tiles = [tile for at, tile in enumerate(tiles) if at == 0 or tile != tiles[at - 1]]
    return tuple(tiles)


def plainly(trips, wanted, *, empty=False):
    """All trajectories without any bound, those without entries left out unless they are asked for, sorted."""
    making, period = wanted.making, wanted.period
    groups = defaultdict(list)
    for number, trip in enumerate(trips):
        if period is None or period.first <= day_of(trip) <= period.last:
            whose = number if making.source is Source.TRIP else (trip.user, day_of(trip))
            groups[whose].append(trip)
    found = []
    for group in groups.values():
        group.sort(key=lambda trip: (clock(trip.start if trip.origin else trip.end), clock(trip.end)))
        places = sorted(
            (place for trip in group for place in positions(trip)), key=lambda place: place[0]
        )  # stable
        found.append(entries(places, making))
    return sorted(one[: wanted.height + 1] for one in found if one or empty)


def some_trips(seed, users="uvw", each=6):
    """Trips of some people on three days: some at the same time, over midnight, with one end, with places on the way.

    No two of a person have both times in common, so that their order is plain.
    """
    rng = random.Random(seed)
    trips = []
    for user in users:
        times = set()
        while len(times) < rng.randint(1, each):
            start = rng.randrange(0, 3 * 1_440, rng.choice([1, 30]))
            times.add((start, start + rng.choice([0, 3, 20, 60, 61, 700])))
        for start, end in sorted(times, key=lambda _: rng.random()):
            begun, ended = (str(datetime(2024, 4, 1) + timedelta(minutes=at)) for at in (start, end))
            places = list(PLACES)
            origin = None if rng.random() < 0.1 else rng.choice(places)
            via = tuple(rng.choices(places, k=rng.choice([0, 0, 1, 2, 5]))) if origin else ()
            trips.append(Trip(user, origin, rng.choice(places), begun, ended, via=via))
    return trips
