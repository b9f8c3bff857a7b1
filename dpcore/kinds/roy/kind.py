"""The kind ``roy``: noisy tables of trips between stations, and trips drawn from the distribution that they give.

``dpcore.kinds.roy`` defines it. A reader of a bundle does not draw the trips again: from the same seed another version of numpy
may draw other trips, and another machine may round the distribution differently. Instead it checks that each row is
possible, and that there are as many rows as the tables count. A row that was changed into another possible one is found
only by the file's SHA-256 and by the ledger's digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import BundleError, InputError
from dpcore.kinds.roy.article import SOUND
from dpcore.kinds.roy.choices import CHOICES, RoyChoices
from dpcore.kinds.roy.declared import NO_AMOUNT
from dpcore.kinds.roy.domain import Group, TripColumns, durations_counted
from dpcore.kinds.roy.sampling import synthetic_trips
from dpcore.kinds.roy.trip_model import fitted
from dpcore.kinds.roy.workload import NoisyTables, SynthesisPlan
from dpcore.measures.attribute import MISSING, Amount, Attribute
from dpcore.noise.accuracy import half_width, stands_out_from
from dpcore.planning.choice import Choice, arguments_of
from dpcore.planning.python_text import call
from dpcore.privacy import decimal_text
from dpcore.release.canonical import AGAIN, CHANGED, epsilon_of
from dpcore.release.files import ListedFiles
from dpcore.release.kind import Expected, Object
from dpcore.release.kinds.counted import NOISE, VALUE, CountedKind, place_of, texts_of
from dpcore.release.kinds.synthetic import Synthetic
from dpcore.release.kinds.trip_rows import BATCH_ROWS, ID, TripRows, label_points, places_words
from dpcore.release.layout import TRIPS
from dpcore.release.release import AnyRelease, Release
from dpcore.tiles import Tessellation

Integers = NDArray[np.int64]
ModelDrawn = Synthetic[NoisyTables]

_DAY_SECONDS: Final = 86_400
_SECOND: Final = 1_000_000  # microseconds


class ModelKind(CountedKind[RoyChoices, NoisyTables, SynthesisPlan]):
    """A release of synthetic trips drawn from noisy tables."""

    name: ClassVar[str] = RoyChoices.kind
    pictures: ClassVar[tuple[str, ...]] = ("map", "flows", "rhythm")
    words: ClassVar[str] = "synthetic trips"
    instead: ClassVar[str] = "Use table or synthetic_trips."
    asked: ClassVar[type] = RoyChoices
    choices: ClassVar[tuple[Choice, ...]] = CHOICES
    made_by: ClassVar[str] = "dpcore.model_plan"
    about: ClassVar[str] = "**Synthetic trips**, drawn from noisy tables"
    noise: ClassVar[str] = "discrete Laplace on all cells of public tables"
    what: ClassVar[str] = (
        "Synthetic trips, and the noisy tables from which they were drawn (differential privacy)."
    )

    extras_words: ClassVar[str] = "Attributes of riders and trips"

    def extras(self, plan: RoyChoices) -> tuple[str, ...]:
        return (*plan.extras, *(one.name for one in plan.draw))

    def amounts(self, plan: RoyChoices) -> frozenset[str]:
        return frozenset(one.name for one in plan.draw if isinstance(one, Amount))

    def python(self, plan: RoyChoices) -> str:
        named = arguments_of(plan, CHOICES) | {"period": None}
        return call(self.made_by, plan.bound, decimal_text(plan.epsilon), plan.period, **named)

    def look(self, plan: RoyChoices) -> str:
        return "dpcore.synthetic_trips(release)"

    def counted(self, plan: RoyChoices, tiles: Tessellation) -> SynthesisPlan:
        return plan.plan(tiles)

    def names(self, counted: SynthesisPlan) -> tuple[str, ...]:
        return tuple(group.name for group in counted.groups)

    def keys(self, counted: SynthesisPlan, name: str) -> tuple[str, ...]:
        return _group(counted, name).axes

    def width(self, counted: SynthesisPlan, name: str) -> int:
        return half_width(counted.rho(_group(counted, name)))

    def cells(self, tables: NoisyTables, name: str) -> tuple[Mapping[str, pa.Array], Integers]:
        return _cells(tables.plan, name), tables.values[name].ravel()

    def facts(self, counted: SynthesisPlan, name: str) -> Object:
        one = _group(counted, name)
        return {
            "cells": counted.cells(one),
            "share": epsilon_of(counted.share(one)),
            "epsilon": epsilon_of(counted.share(one) * counted.epsilon),
            "sensitivity": counted.bound.trips,
        }

    def noise_in(self, counted: SynthesisPlan, name: str, tile_ids: tuple[str, ...]) -> Expected:
        group = _group(counted, name)
        cells = counted.cells(group)
        return Expected(
            name,
            counted.share(group) * counted.epsilon,
            counted.bound.trips,
            self.width(counted, name),
            cells,
            stands_out_from(counted.rho(group), cells, None),
        )

    def tables_of(
        self, counted: SynthesisPlan, found: Mapping[str, pa.Table], tile_ids: tuple[str, ...]
    ) -> NoisyTables:
        return NoisyTables(
            counted, {name: _values(counted, name, table) for name, table in found.items()}, "release"
        )

    def trips(self, release: Release[RoyChoices, ModelDrawn], writer: TripRows) -> Iterator[pa.RecordBatch]:
        trips, domain = trips_of(release), release.drawn.tables.plan.domain
        first = np.datetime64(domain.period.first, "s")
        tile = np.array([writer.place[name] for name in domain.stations.ids], np.int64)
        for begin in range(0, max(1, len(trips)), BATCH_ROWS):
            rows: TripColumns = trips.at(np.arange(begin, min(begin + BATCH_ROWS, len(trips))))
            started = first + (rows.date.astype(np.int64) * _DAY_SECONDS + rows.second).astype(
                "timedelta64[s]"
            )
            extras = {
                extra.name: pa.array(extra.labels, pa.string()).take(pa.array(rows.extras[extra.name]))
                for extra in domain.extras
            } | {one.name: _column(one, rows.extras[one.name]) for one in domain.declared}
            yield writer.batch(
                (tile[rows.start], tile[rows.end]),
                (started, started + rows.seconds.astype("timedelta64[s]")),
                extras,
            )

    def check_rows(self, release: Release[RoyChoices, ModelDrawn], rows: int, files: ListedFiles) -> None:
        """Check that there are as many trips as the tables count, up to rounding, and that each is possible."""
        wanted = min(max(0.0, release.drawn.tables.total), limits.MAX_SYNTHETIC_TRIPS)
        if abs(rows - wanted) > 1:
            raise BundleError("the number of trips does not follow from the tables", TRIPS, AGAIN)
        super().check_rows(release, rows, files)

    def fits(self, release: Release[RoyChoices, ModelDrawn], tables: Iterator[pa.Table]) -> bool:
        """Whether all rows are possible, in the order of their start, and numbered from 1."""
        possible = _Possible(release)
        return all(possible.next(table) for table in tables)

    def mechanism(self, release: Release[RoyChoices, ModelDrawn]) -> str:
        return (
            f"Every cell of every table, occupied or not, is {NOISE} The rate is the table's share of epsilon, divided by the most "
            "trips of one privacy unit that count. The shares add up to epsilon (sequential composition). A seeded generator draws "
            "the trips from the distribution that the noisy tables give; its seed is in the manifest. This step sees no data, costs "
            f"nothing, and reveals nothing beyond the tables (post-processing). {SOUND}"
        )

    def rows_words(self, release: Release[RoyChoices, ModelDrawn]) -> str:
        lost = (
            "what no table counts together"
            if release.plan.together
            else "stations that are busy on one date only, routes that exist at certain hours only"
        )
        return (
            "The trips are drawn from the noisy tables, about as many as these count. They follow the tables and nothing else. Lost "
            f"are: which trips one person makes, {lost}, and the way between start and end. No trip is that of a real person. "
            f"{places_words(release.drawn.form)}"
        )

    def particulars(self, plan: RoyChoices) -> tuple[str, ...]:
        attributes = ", ".join(name.replace("_", " ") for name in self.extras(plan))
        together = "; ".join(group.name.replace("+", ", ").replace("_", " ") for group in plan.together)
        return (
            f"With attributes: {attributes}." if attributes else "Without attributes of riders.",
            *([f"Drawn together: {together}."] if together else []),
        )


class _Possible:
    """Checks batches of trips, each once and in their order."""

    def __init__(self, release: Release[RoyChoices, ModelDrawn]) -> None:
        domain = release.drawn.tables.plan.domain
        self._release = release
        self._tiles = pa.array(release.tessellation.tile_ids, pa.string())
        self._lists = {"start_tile": self._tiles, "end_tile": self._tiles} | {
            extra.name: pa.array(extra.labels, pa.string()) for extra in domain.extras
        }
        self._declared = domain.declared
        self._latest, self._beyond = (
            int(day.astype("datetime64[us]").astype(np.int64))
            for day in (
                np.datetime64(domain.period.first, "D"),
                np.datetime64(domain.period.last, "D") + 1,
            )
        )
        self._rows = 0

    def next(self, table: pa.Table) -> bool:
        """Whether a batch can follow the ones before it."""
        may_lack = {one.name for one in self._declared}
        if any(table[name].null_count for name in table.column_names if name not in may_lack):
            return False
        began, ended = (table[name].cast(pa.int64()).to_numpy() for name in ("started_at", "ended_at"))
        ids = np.arange(self._rows + 1, self._rows + len(table) + 1)
        if not (np.array_equal(table[ID].to_numpy(), ids) and self._timed(began, ended)):
            return False
        self._rows += len(table)
        self._latest = int(began[-1]) if len(began) else self._latest
        return self._is_within_lists(table) and self._stands(table)

    def _timed(self, began: Integers, ended: Integers) -> bool:
        """Whether times are possible: within the period, in order, with durations that are counted."""
        ordered = (np.diff(began, prepend=self._latest) >= 0) & (began < self._beyond)
        whole = (began % _SECOND == 0) & (ended % _SECOND == 0)
        return bool((ordered & whole & durations_counted((ended - began) // _SECOND)).all())

    def _is_within_lists(self, table: pa.Table) -> bool:
        """Whether every text is on its public list, and every declared value within what is declared."""
        return all(
            pc.index_in(table[name], value_set=listed).null_count == 0 for name, listed in self._lists.items()
        ) and all(_possible(one, table[one.name]) for one in self._declared)

    def _stands(self, table: pa.Table) -> bool:
        """Whether coordinates are the label points of the tiles."""
        if self._release.drawn.form != "points":
            return True
        lat, lng = label_points(self._release.tessellation)
        for end in ("start", "end"):
            place = pc.index_in(table[f"{end}_tile"], value_set=self._tiles).to_numpy()
            for side, degrees in (("lat", lat), ("lng", lng)):
                if not np.array_equal(table[f"{end}_{side}"].to_numpy(), degrees[place]):
                    return False
        return True


def trips_of(release: Release[RoyChoices, ModelDrawn]) -> TripColumns:
    """The synthetic trips of a release, drawn from its public seed: it costs no privacy but may take a minute."""
    model = fitted(release.drawn.tables)
    most = min(model.trips, limits.MAX_SYNTHETIC_TRIPS)
    return synthetic_trips(replace(model, trips=most), release.drawn.seed)


def noisy_tables_of(release: AnyRelease) -> NoisyTables:
    """The noisy tables of a release of synthetic trips; InputError for a release of another kind."""
    if type(release.plan) is not KIND.asked:
        raise InputError(
            "this release has no tables of synthetic trips", release.id, "Give a bundle of synth roy."
        )
    found: NoisyTables = release.drawn.tables
    return found


def _column(attribute: Attribute, values: NDArray[np.int32]) -> pa.Array:
    """Values of a declared attribute as a trips file writes them: a missing one is empty."""
    if isinstance(attribute, Amount):
        missing = values == NO_AMOUNT
        unit = attribute.unit
        return pa.array(
            np.where(missing, 0, values) * unit.numerator / unit.denominator, pa.float64(), mask=missing
        )
    words = pa.array([None if word == MISSING else word for word in attribute.labels], pa.string())
    return words.take(pa.array(values))


def _possible(attribute: Attribute, column: pa.ChunkedArray) -> bool:
    """Whether every value of a column could be one of the attribute."""
    there = column.drop_null()
    if not isinstance(attribute, Amount):
        listed = pa.array([word for word in attribute.labels if word != MISSING], pa.string())
        return bool(pc.index_in(there, value_set=listed).null_count == 0)
    found, unit = there.to_numpy(), attribute.unit
    units = np.clip(np.rint(found * unit.denominator / unit.numerator), attribute.lowest, attribute.highest)
    return np.array_equal(units * unit.numerator / unit.denominator, found)


def _group(plan: SynthesisPlan, name: str) -> Group:
    return next(one for one in plan.groups if one.name == name)


def _cells(plan: SynthesisPlan, name: str) -> dict[str, pa.Array]:
    """The key columns of all cells, the last axis fastest."""
    group = _group(plan, name)
    shape = plan.shape(group)
    keys = {}
    for number, axis in enumerate(group.axes):
        codes = np.arange(shape[number], dtype=np.int32).reshape(
            [-1 if i == number else 1 for i in range(len(shape))]
        )
        labels = pa.array(plan.domain.texts(axis), pa.string())
        keys[axis] = labels.take(pa.array(np.broadcast_to(codes, shape).ravel()))
    return keys


def _values(plan: SynthesisPlan, name: str, table: pa.Table) -> Integers:
    group = _group(plan, name)
    listed = len(table) == plan.cells(group) and all(
        texts_of(table[column]).equals(keys) for column, keys in _cells(plan, name).items()
    )
    if not listed:
        raise BundleError("the table does not list the public cells", place_of(name), CHANGED)
    found: Integers = table[VALUE].to_numpy().reshape(plan.shape(group)).copy()
    return found


KIND: Final = ModelKind()
