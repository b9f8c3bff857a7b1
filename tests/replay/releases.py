"""Pairs of neighbouring files, and every kind of release of both: the first recorded, the second replayed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpcore import curator, limits
from dpcore.kinds.roy.choices import RoyChoices
from dpcore.kinds.stability.choices import StabilityChoices, usual_variant
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.tree.choices import Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.plan import Definition, Strategy
from dpcore.ledger import Account
from dpcore.measures import MEASURES
from dpcore.measures.attribute import attribute_of
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import OUTSIDE, Period
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private import store
from dpcore.private.loading import load
from dpcore.private.source import BadRecords, TripsFile, inspect, keeping
from dpcore.private.trips import PrivateTrips
from tests import points_of
from tests import test_neighbours_of_files as files
from tests.cities import DISTRICTS, four_tiles
from tests.replay.mechanisms import recorder_of
from tests.replay.recorder import Violation

DAYS = Period(date(2024, 4, 1), date(2024, 4, 9))
M = 3
USER, TRIP = PrivacyUnit.USER, PrivacyUnit.TRIP
PERSON, ALONE = ContributionBound.per_user(M), ContributionBound.per_trip()
NAMES = ("mode", "fare")
DECLARED = tuple(map(attribute_of, ("mode=bus,rail", "fare=0:10:0.5")))
DENSE, SPARSE = limits.MAX_DENSE_CELLS, 12
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)

Rows = list[tuple[Any, ...]]


# Pairs of files


@dataclass(frozen=True)
class Pair:
    """Two neighbouring files, loaded."""

    form: str
    change: str
    """What happened to one person, or to one trip."""
    here: PrivateTrips
    there: PrivateTrips


def as_modes(rng: random.Random, user: str, number: int, bad: bool) -> files.Written:
    """A trip with a mode and a fare, which may be on no list and no number."""
    (row,) = files.as_trips(rng, user, number, bad).rows
    mode, fare = rng.choice(["bus", "rail", "tram", "", '"']), rng.choice(["2.5", "0", "999", "-1", "", "x"])
    return files.Written(((*row, mode, fare),))


FORMS = {
    "records.csv": (files.as_records, files.csv, files.RECORDS),
    "modes.csv": (as_modes, files.csv, (*files.TRIPS, *NAMES)),
    "trips.parquet": (files.as_trips, files.parquet, files.TRIPS),
    "points": (None, None, None),
}
CHANGES = ("removed", "added", "broken", "added in part")
SEED = 100
"""Chosen so that the first twenty pairs reach every kind of release."""
BAD_PLACE = 99.0


def some_pair(number: int, unit: PrivacyUnit) -> Pair:
    """The pair of a number: every form, and every change of it."""
    rng = random.Random(SEED + number)
    form, change = [*FORMS][number % len(FORMS)], CHANGES[(number + number // len(FORMS)) % len(CHANGES)]
    if form == "points":
        city = {user: points_of.some_points(rng, user, rng.choice([1, 8, 25])) for user in ("u", "7", "07")}
        every = [row for rows in city.values() for row in rows]
        mine = city[rng.choice(sorted(city))]
        gone = mine if unit is USER else rng.choice(points_of.trips_of(mine, points_of.GAP))
        others = list(every)
        for row in gone:
            others.remove(row)
        others += [points_of.spoilt(rng, "w") for _ in range(3)]
    else:
        people = files.some_city(rng, FORMS[form][0], some_bad=True)
        left, alone = (files.a_user if unit is USER else files.a_trip)(rng, people)
        others, gone = rows_of(left), rows_of(alone)
    broken = [spoilt(rng, row, form) for row in gone]
    # a trip without some of its points may be two trips
    some = broken if form == "points" else [rng.choice(pair) for pair in zip(gone, broken, strict=True)]
    both = {
        "removed": ([*others, *gone], others),
        "added": (others, [*others, *gone]),
        "broken": ([*others, *gone], [*others, *broken]),
        "added in part": (others, [*others, *some]),
    }[change]
    here, there = (loaded(form, rng.sample(rows, len(rows)), rng) for rows in both)
    return Pair(form, change, here, there)


def rows_of(city: files.City) -> Rows:
    return [row for trips in city for trip in trips for row in trip.rows]


def spoilt(rng: random.Random, row: tuple[Any, ...], form: str) -> tuple[Any, ...]:
    """The record with a latitude that no place has, a place or a time that is none, or one field more: it is dropped as a whole."""
    more, time = (*row, "one field more"), 2 if form == "records.csv" else 1
    at = next((at for at, cell in enumerate(row) if isinstance(cell, float)), 2 if form == "points" else None)
    if at is None:
        return more
    beyond = (*row[:at], BAD_PLACE, *row[at + 1 :])
    texts = ((*row[:at], "nonsense", *row[at + 1 :]), (*row[:time], "never", *row[time + 1 :]), more)
    return beyond if form == "trips.parquet" else rng.choice([beyond, *texts])


def loaded(form: str, rows: Rows, rng: random.Random) -> PrivateTrips:
    """The file written, uploaded and read; what is bad is dropped."""
    options = {"timezone": "Europe/Berlin", "bad_records": BadRecords.DROP}
    if form == "points":
        parts = points_of.files_of([tuple(map(str, row)) for row in rows], rng)
        return load(parts, [*map(inspect, parts)], four_tiles(), rule=points_of.GAP, **options)
    _, write, header = FORMS[form]
    file = TripsFile.uploaded(form, write(header, rows))
    seen = inspect(file)
    if form == "modes.csv":
        seen = keeping(file, seen, DECLARED, None)
    return load(file, seen, four_tiles(), **options)


# Kinds of release


@dataclass(frozen=True)
class Asked:
    """One release of both files."""

    kind: str
    plan: Any
    currency: PrivacyUnit
    """What the account counts."""
    dense: int = DENSE
    """Tables with more cells are listed in part."""
    raised: Fraction | None = None
    """The epsilon to which it is topped up afterwards."""


def every_kind(unit: PrivacyUnit, bound: ContributionBound, trips: PrivateTrips) -> Iterator[Asked]:
    """A release of every kind under a bound, for neighbours by a unit, of which the account counts epsilon."""

    def tables(kind: str, names: Any, choices: KeyChoices, epsilon: str = "1", **more: Any) -> Asked:
        asked = {name: more.pop(name) for name in ("dense", "raised") if name in more}
        weights = {name: 1 + len(name) % 3 for name in names}
        rungs = (Fraction(epsilon) / 2, Fraction(epsilon))
        return Asked(kind, Plan(bound, weights, rungs, choices, **more), unit, **asked)

    keys = KeyChoices(DAYS, districts=DISTRICTS, most_trips=5)
    of_data = [name for name in MEASURES if trips.has_users or not MEASURES[name].needs_users]
    yield tables("tables", of_data, keys)
    few = [
        name
        for name in ("visits_per_tile", "travel_time", "jump_length", "trips_per_user")
        if name in of_data
    ]
    yield tables("tables, ranges and five numbers", few, keys, five_numbers=2, ranges=Fraction(1, 10))
    flows = ("od_flows", "od_flows_per_window")
    yield tables("sparse flows, topped up", flows, KeyChoices(DAYS), "3", dense=SPARSE, raised=Fraction(4))
    ways = KeyChoices(DAYS, visits_cap=4, sums={"duration": "0:60:0.5"}, by="visits_per_tile")
    names = ("visits_per_tile", "sum_duration", "mean_duration")
    yield tables("visits on the way, sums and means, topped up", names, ways, raised=Fraction(2))
    if trips.attributes:
        fares = {"fare": "0:10:0.5", "distance": "0:20:0.5"}
        split = KeyChoices(DAYS, splits={"mode": ["bus", "rail"]}, sums=fares, by="od_flows")
        yield tables(
            "split tables, sums and means", ("od_flows", "sum_fare", "mean_fare", "mean_distance"), split
        )
    yield Asked("synthetic trips", RoyChoices(bound, Fraction(2), DAYS), unit)
    usual, little = usual_variant(bound.unit), Fraction(1, 100_000)
    large = StabilityChoices(
        bound, Fraction(20), little, usual, (("on_loc",), ("off_loc", "off_time")), minutes=720
    )
    parts = replace(large, period=DAYS, combinations=(("on_loc",), ("off_time",)))
    yield Asked("large counts", large, unit)
    yield Asked("large counts by date", parts, unit)
    if bound.unit is TRIP:
        yield Asked("large counts as for Opal", replace(large, variant=Variant.OPAL), unit)
    levels = (("A", "Low"), ("B", "High"), ("C", "Medium"))
    tree = TreeChoices(bound, Fraction(2), 3, levels)
    yield Asked("tree of trips", tree, unit)
    record = replace(tree, definition=Definition.RECORD, strategy=Strategy.RECORD)
    yield Asked("tree of trips, promise about records", record, unit)
    if bound.unit is USER:
        making = Making(Source.DAY, 60, Outside.PLACE)
        yield Asked("tree of days", replace(tree, making=making, named=(*levels, (OUTSIDE, "Low"))), unit)


# Recording and replaying


class House:
    """A data folder at one place, set back before each run: so that all that is public is the same in both."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch) -> None:
        self.home, self._patch = home, patch
        self._begun: dict[PrivacyUnit, Path] = {}
        patch.setenv("EPSILON_ATLAS_HOME", str(home))
        patch.setattr("dpcore.curator.publishing.now", lambda: NOON)
        patch.setattr("dpcore.curator.topping_up.now", lambda: NOON)
        patch.setattr("dpcore.ledger.replay.datetime", SimpleNamespace(now=lambda _zone: NOON))
        store.write_once(store.folder("keys") / "bounding.key", bytes(range(16)))

    def set_back(self, currency: PrivacyUnit) -> Any:
        """The ledger with one account of a currency, and nothing published; the trips that were read stay."""
        self._clear()
        begun = self._begun.get(currency)
        if begun is None:
            account = Account("town", "everybody with a card", currency, Fraction(100))
            curator.register(curator.default_ledger(), account)
            begun = self._begun[currency] = self.home.with_name(f"{self.home.name}-{currency.value}")
            for name in ("ledger", "ledgers-seen"):
                shutil.copytree(self.home / name, begun / name)
            self._clear()
        shutil.copytree(begun, self.home, dirs_exist_ok=True)
        return curator.default_ledger()

    def _clear(self) -> None:
        for place in (*self.home.iterdir(), *(self.home / "private").iterdir()):
            if place.name not in {"private", "keys", "cache"}:
                shutil.rmtree(place)

    def forget(self) -> None:
        """Let go of the trips that were read."""
        self._clear()
        shutil.rmtree(self.home / "private" / "cache")

    def published(self, asked: Asked, trips: PrivateTrips) -> tuple[Mapping[str, bytes], Fraction]:
        """Everything that a release shows: all bytes of its bundles and all lines of the ledger; and what was charged."""
        ledger = self.set_back(asked.currency)
        request = curator.Request("town", asked.plan, "Town", "", "first", "before_data")
        self._patch.setattr(limits, "MAX_DENSE_CELLS", asked.dense)
        receipts = [curator.publish(trips, four_tiles(), request, ledger)]
        if asked.raised is not None:
            receipts.append(curator.top_up(ledger, receipts[0].release.id, asked.raised, nonce="up"))
        shown = {str(receipt.digest): b"" for receipt in receipts}
        for place in sorted((self.home / "releases").rglob("*")):
            if place.is_file():
                shown[str(place.relative_to(self.home))] = place.read_bytes()
        shown["ledger"] = repr(ledger.entries()).encode()
        return shown, sum((receipt.charged for receipt in receipts), Fraction())


def replayed(house: House, asked: Asked, pair: Pair) -> Fraction:
    """Epsilon that the two files cost apart; raises Violation where a release tells them apart with the noise frozen."""
    recorder = recorder_of(asked.plan, asked.currency)
    with recorder.recording():
        here, charged = house.published(asked, pair.here)
    with recorder.replaying(charged):
        there, _ = house.published(asked, pair.there)
    for name in sorted({*here, *there}):
        if here.get(name) != there.get(name):
            raise Violation(f"{name} differs")
    return recorder.reached
