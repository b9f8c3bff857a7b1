"""The owner's tools: load trips, look at exact answers, compare noise with the truth.

For owner pages, owner commands and notebooks. Everything that this module returns is private and stays with the owner of the
trips. Only a release may be shown to others.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from typing import Final

import numpy as np
import pyarrow as pa

from dpcore import limits, wings
from dpcore.errors import PrivacyError
from dpcore.measures import GRIDS, measure_named
from dpcore.measures.attribute import attributes_of
from dpcore.measures.choices import USUAL, KeyChoices, must_be_split
from dpcore.measures.keys import Period
from dpcore.measures.sums import Sum, exact_sums, sum_named
from dpcore.noise.five_numbers import decimal
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded, must_have_users
from dpcore.private.digests import fingerprints
from dpcore.private.exact import ExactAnswers, exact_answers
from dpcore.private.extent import extent, outside_warning, share_outside, unknown_ids
from dpcore.private.kept_tiles import describe_properties, kept_bytes, read_tessellation
from dpcore.private.loading import faults_of_records, load, to_be_cut
from dpcore.private.loading import name_of as name_of_files
from dpcore.private.looks import call_public, counts_bad_records, must_be_unseen, was_seen
from dpcore.private.looks import of_refusals as looks_of_refusals
from dpcore.private.looks import remember as remember_looks
from dpcore.private.remembered import Said, recalled, remember
from dpcore.private.remembered import forget as forget_columns
from dpcore.private.source import (
    BadRecords,
    Inspection,
    ReadReport,
    TripsFile,
    column_names,
    inspect,
    keeping,
    left_out_notes,
    trips_files,
)
from dpcore.private.source.attribute_columns import attribute_names, columns_apart, recognised_attributes
from dpcore.private.source.declared import DECLARED, LAT_FIRST, NO_PERSON, ONE_TRIP
from dpcore.private.source.every_file import every_file, found_and_refusals
from dpcore.private.source.forms import TIMES, Times
from dpcore.private.source.people import columns_of_people
from dpcore.private.source.roles import counting_columns, lacks_unit, some_names, surely_names
from dpcore.private.source.rows import ROWS, Row, inspected_as, likely_roles, nearest_row, row_of
from dpcore.private.source.shape import FOLDER, TEXT, Column, EmptyFields, columns_of, empty_fields
from dpcore.private.source.vocabulary import NAMES
from dpcore.private.synthetic.counting import CountingTrips
from dpcore.private.trips import PrivateTrips
from dpcore.private.values import Clamping, exact_quantiles
from dpcore.private.values import clamping as clamping_of
from dpcore.tiles import Tessellation
from dpcore.tiles.index import PlainIndex

__all__ = [
    "FOLDER",
    "LAT_FIRST",
    "NO_PERSON",
    "ONE_TRIP",
    "ROLES",
    "ROWS",
    "TEXT",
    "TIMES",
    "BadRecords",
    "Clamping",
    "Column",
    "CountingTrips",
    "EmptyFields",
    "Inspection",
    "PrivateTrips",
    "ReadReport",
    "Row",
    "Said",
    "Times",
    "TripsFile",
    "attribute_names",
    "clamping",
    "column_names",
    "columns_apart",
    "columns_of",
    "columns_of_people",
    "counting_columns",
    "counts_bad_records",
    "demo_city",
    "describe_properties",
    "empty_fields",
    "every_file",
    "exact_columns",
    "exact_five_numbers",
    "exact_table",
    "exact_tables",
    "extent",
    "faults_of_records",
    "fingerprints",
    "forget",
    "forget_columns",
    "found_and_refusals",
    "inspect",
    "inspected_as",
    "invented_city",
    "keeping",
    "kept_bytes",
    "lacks_unit",
    "left_out_notes",
    "likely_roles",
    "load",
    "looks_of_refusals",
    "must_be_unseen",
    "must_have_users",
    "name_of_files",
    "nearest_row",
    "observed_period",
    "outside_warning",
    "read_tessellation",
    "recalled",
    "recognised_attributes",
    "remember",
    "remember_looks",
    "row_of",
    "share_outside",
    "some_names",
    "surely_names",
    "time_zones",
    "to_be_cut",
    "trips_files",
    "unknown_ids",
    "was_seen",
]

Progress = Callable[[float], None]

ROLES: Final = (*NAMES, *DECLARED)
"""What a column of trips can be."""


def forget() -> None:
    """Delete every cached trip and count, and all that other engines hold or left on this computer; keys stay.

    Raises InputError where something could not be deleted, or such an engine does not end.
    """
    try:
        for name in wings.there("engines"):
            wings.engine(name).forget()
    finally:
        store.forget()


def demo_city(progress: Progress | None = None) -> tuple[PrivateTrips, Tessellation]:
    """The built-in synthetic city; its truth is public. Written at first use, then read."""
    from dpcore import demo  # noqa: PLC0415 - most commands build no city

    return invented_city(demo.DEMO_TRIPS, demo.DEMO_TILES, progress)


def invented_city(
    many_trips: int, many_tiles: int, progress: Progress | None = None
) -> tuple[PrivateTrips, Tessellation]:
    """The same city with so many trips and tiles."""
    from dpcore import demo  # noqa: PLC0415 - as above

    folder = store.home() / "demo" / f"{demo.VERSION}-{many_trips}-{many_tiles}-{demo.DEMO_SEED}"
    trips, tiles = folder / "trips.parquet", folder / "tiles.geojson"
    if not (trips.exists() and tiles.exists()):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with store.new_folder(
            folder.parent
        ) as made:  # two sessions may begin together: the first one's city stays
            demo.write_city(made, many_trips, many_tiles, demo.DEMO_SEED)
            if not store.appear(made, folder) and not (trips.exists() and tiles.exists()):
                store.move_into(made, folder, trips.name)
    # Compiling the grid of an index would take ten times as long as looking up these points without one.
    tessellation = replace(read_tessellation(tiles, tiles.name), find_index=_without_grid)
    file = TripsFile.on_disk(trips)
    seen = keeping(file, inspect(file), attributes_of({"mode": demo.MODES}))
    loaded = load(file, seen, tessellation, timezone=demo.DEMO_TIMEZONE, progress=progress)
    call_public(loaded.fingerprints)
    return loaded, tessellation


def _without_grid(tiles: Tessellation) -> PlainIndex:
    return PlainIndex(tiles.polygons)


def observed_period(trips: PrivateTrips) -> Period | None:
    """First and last day with a trip; None without trips.

    This is read off the trips and so tells something about them: before a release, choose a period
    that you would have chosen without looking.
    """
    measure = measure_named("trips_over_time")
    days = exact_answers(bounded(trips, ContributionBound.per_trip()), [measure]).days()
    if days is None:
        return None
    if days[1] - days[0] >= limits.MAX_PERIOD_DAYS:  # said without the days: they are private
        raise PrivacyError(
            "the trips span more days than a series may have", trips.name, "Give the period yourself."
        )
    first, last = (date(1970, 1, 1) + timedelta(days=day) for day in days)
    return Period(first, last)


def exact_table(
    trips: PrivateTrips, measure: str, bound: ContributionBound | None, choices: KeyChoices = USUAL
) -> dict[str, list[str] | list[int]]:
    """The exact answer of one measure: its key columns as text, then ``value``.

    Without a bound all trips count. Flows, and split tables with very many keys, list the keys that occur; every other measure
    lists all its keys. A series over dates runs from the first to the last day with a trip unless a period is chosen.
    Of sums and means values are decimal texts (``measures.sums.exact_sums``).
    """
    return _plain_columns(_columns(trips, measure, bound, choices))


def _plain_columns(table: pa.Table) -> dict[str, list[str] | list[int]]:
    return {
        name: column.to_numpy().tolist()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _columns(
    trips: PrivateTrips,
    measure: str,
    bound: ContributionBound | None,
    choices: KeyChoices,
    answers: ExactAnswers | None = None,
) -> pa.Table:
    """``exact_table`` as a table of Arrow, whose key columns are dictionaries."""
    observed = measure_named(measure, choices).needs_period and choices.period is None
    if observed and (period := observed_period(trips)) is not None:
        choices = replace(choices, period=period)
    asked = measure_named(measure, choices.for_form(has_users=trips.has_users))
    if answers is None:
        answers = exact_answers(bounded(trips, bound or ContributionBound.per_trip()), [asked])
    must_be_split(measure, choices)
    if observed and choices.period is None:
        return pa.table(
            {
                **{name: pa.array([], pa.string()) for name in asked.layout.columns},
                "value": pa.array([], pa.int64()),
            }
        )
    keys = asked.keys(trips.tile_ids)
    cells, counts = answers.on(asked, keys)
    if not asked.sparse and not (asked.splits and keys.size > limits.MAX_DENSE_CELLS):
        cells, counts = keys.all_cells, answers.dense(asked, keys)
    if observed:  # nothing lies before the first or after the last day
        dates = keys.shape[-1]
        inside = (cells % dates > 0) & (cells % dates < dates - 1)
        cells, counts = cells[inside], counts[inside]
    one = sum_named(measure, choices.sums)
    if one is not None:
        return pa.table(exact_sums(asked, one, keys, cells, counts))
    columns = {}
    for axis, where in zip(keys.axes, np.unravel_index(cells, keys.shape), strict=True):
        for name, texts in axis.dictionaries.items():
            columns[name] = pa.DictionaryArray.from_arrays(
                pa.array(where.astype(np.int32)), pa.array(texts, pa.string())
            )
    return pa.table({**columns, "value": pa.array(counts)})


def clamping(trips: PrivateTrips, number: Sum, bound: ContributionBound | None = None) -> Clamping:
    """What the bounds of a sum do to the mean of the trips; without a bound all of them count. Raises PrivacyError."""
    return clamping_of(bounded(trips, bound or ContributionBound.per_trip()), number)


def exact_five_numbers(trips: PrivateTrips, bound: ContributionBound | None) -> dict[str, list[str]]:
    """The exact five-number summaries of every histogram that these trips can answer: measure, statistic, value.

    Linearly interpolated, in the unit of the measure; without a bound over all trips.
    """
    counted = bounded(trips, bound or ContributionBound.per_trip())
    rows = [
        (name, statistic, decimal(value))
        for name in GRIDS
        if not measure_named(name).lacks(trips.form)
        for statistic, value in exact_quantiles(counted, name).items()
    ]
    names = ("measure", "statistic", "value")
    return {name: [row[number] for row in rows] for number, name in enumerate(names)}


def exact_columns(
    trips: PrivateTrips,
    measures: Sequence[str],
    bound: ContributionBound | None,
    choices: KeyChoices = USUAL,
    *,
    progress: Progress | None = None,
) -> dict[str, pa.Table]:
    """The ``exact_table`` of several measures by name, counted together: what they share is made once.

    Tables are those of Arrow, for writing millions of rows: key columns are dictionaries of text, values int64 (text of sums).
    ``progress`` is called with the share that is counted, 0 to 1, if something has to be counted.
    """
    asked = [measure_named(name, choices.for_form(has_users=trips.has_users)) for name in measures]
    answers = exact_answers(bounded(trips, bound or ContributionBound.per_trip()), asked, progress)
    return {name: _columns(trips, name, bound, choices, answers) for name in measures}


def exact_tables(
    trips: PrivateTrips,
    measures: Sequence[str],
    bound: ContributionBound | None,
    choices: KeyChoices = USUAL,
) -> dict[str, dict[str, list[str] | list[int]]]:
    """``exact_columns`` as lists."""
    return {name: _plain_columns(one) for name, one in exact_columns(trips, measures, bound, choices).items()}


@cache
def time_zones() -> tuple[str, ...]:
    """IANA names of all clocks that this computer knows, sorted. They are looked up once: hundreds of files are read for them."""
    return tuple(sorted(zoneinfo.available_timezones()))
