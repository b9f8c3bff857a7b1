"""The owner's tools: load trips, look at exact answers, compare noise with the truth.

For owner pages, owner commands and notebooks. Everything that this module returns is private and stays with the owner of the
trips. Only a release may be shown to others.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures import GRIDS, measure_named
from dpcore.measures.attribute import attributes_of
from dpcore.measures.choices import USUAL, KeyChoices, must_be_split
from dpcore.measures.keys import Period
from dpcore.measures.plan import Plan
from dpcore.measures.sums import Sum, exact_sums, sum_named
from dpcore.noise.five_numbers import decimal
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.digests import fingerprints
from dpcore.private.exact import exact_answers
from dpcore.private.extent import extent, outside_warning, share_outside
from dpcore.private.kept_tiles import describe_properties, kept_bytes, read_tessellation
from dpcore.private.loading import load
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
    trips_files,
)
from dpcore.private.source.attribute_columns import attribute_names, columns_apart, recognised_attributes
from dpcore.private.source.forms import TIMES, Times
from dpcore.private.source.roles import some_names, surely_names
from dpcore.private.source.rows import ROWS, Row, inspected_as, likely_roles, nearest_row, row_of
from dpcore.private.source.shape import TEXT, Column, EmptyFields, columns_of, empty_fields
from dpcore.private.source.vocabulary import NAMES
from dpcore.private.spark.session import forget_on_spark
from dpcore.private.trips import PrivateTrips
from dpcore.private.values import Clamping, exact_quantiles
from dpcore.private.values import clamping as clamping_of
from dpcore.tiles import Tessellation
from dpcore.tiles.index import PlainIndex

if TYPE_CHECKING:
    from dpcore.exact_json import plain as written
    from dpcore.exact_json import read_as
    from dpcore.private.bound_study import BoundStudy, bound_study
    from dpcore.private.counting_trips import CountingTrips, counted_as_keys, counted_in_model
    from dpcore.private.frames import load_frame
    from dpcore.private.preview import Preview, exact_at
    from dpcore.private.projects import saved as projects
    from dpcore.private.projects.data import kept_trips, reopened
    from dpcore.private.projects.project import Loaded, Project
    from dpcore.private.spark.loading import fingerprint_on_spark, inspect_on_spark, load_on_spark
    from dpcore.private.spark.session import spark_is_installed
    from dpcore.private.synthesis.large_counts import StabilityPreview, stability_preview
    from dpcore.private.synthesis.levels_study import LEVEL_EPSILONS, LevelsStudy, levels_plans, levels_study
    from dpcore.private.synthesis.opal_week import invented_opal_week
    from dpcore.private.synthesis.paper import (
        PaperNoise,
        PaperPreview,
        PaperVariants,
        paper_cost,
        paper_variants,
        paper_variants_of_invented,
    )
    from dpcore.private.synthesis.paper import paper_preview as paper_study
    from dpcore.private.synthesis.preview import (
        RUNS,
        Beside,
        Spread,
        SynthesisPreview,
        SynthesisRuns,
        synthesis_preview,
        synthesis_runs,
    )
    from dpcore.private.synthesis.reading import must_have_users
    from dpcore.private.synthesis.station_trips import must_have_kept
    from dpcore.private.synthesis.sweep import EPSILONS, MODES, Sweep, SweepRow, bounds_of, sweep, swept_plans
    from dpcore.private.synthesis.tree_preview import (
        ComparedPatterns,
        ComparedQuery,
        ComparedWorkload,
        TreePreview,
        compare_queries,
        compare_top_patterns,
        compare_workload,
        tree_preview,
    )
    from dpcore.private.trajectories.sequences import TrajectoryLengths, trajectory_lengths
    from dpcore.private.utility_study import UtilityStudy, curves_of_release, utility_curves

__all__ = [
    "EPSILONS",
    "LEVEL_EPSILONS",
    "MODES",
    "ROLES",
    "ROWS",
    "RUNS",
    "TEXT",
    "TIMES",
    "BadRecords",
    "Beside",
    "BoundStudy",
    "Clamping",
    "Column",
    "ComparedPatterns",
    "ComparedQuery",
    "ComparedWorkload",
    "CountingTrips",
    "EmptyFields",
    "Inspection",
    "LevelsStudy",
    "Loaded",
    "PaperNoise",
    "PaperPreview",
    "PaperVariants",
    "Preview",
    "PrivateTrips",
    "Project",
    "ReadReport",
    "Row",
    "Said",
    "Spread",
    "StabilityPreview",
    "Sweep",
    "SweepRow",
    "SynthesisPreview",
    "SynthesisRuns",
    "Times",
    "TrajectoryLengths",
    "TreePreview",
    "TripsFile",
    "UtilityStudy",
    "attribute_names",
    "bound_study",
    "bounds_of",
    "clamping",
    "column_names",
    "columns_apart",
    "columns_of",
    "compare_queries",
    "compare_top_patterns",
    "compare_workload",
    "counted_as_keys",
    "counted_in_model",
    "counts_bad_records",
    "curves_of_release",
    "demo_city",
    "describe_properties",
    "empty_fields",
    "exact_at",
    "exact_columns",
    "exact_five_numbers",
    "exact_table",
    "exact_tables",
    "extent",
    "fingerprint_on_spark",
    "fingerprints",
    "forget",
    "forget_columns",
    "inspect",
    "inspect_on_spark",
    "inspected_as",
    "invented_city",
    "invented_opal_week",
    "keeping",
    "kept_bytes",
    "kept_trips",
    "levels_plans",
    "levels_study",
    "likely_roles",
    "load",
    "load_frame",
    "load_on_spark",
    "looks_of_refusals",
    "must_be_unseen",
    "must_have_kept",
    "must_have_users",
    "name_of_files",
    "nearest_row",
    "observed_period",
    "outside_warning",
    "paper_cost",
    "paper_study",
    "paper_variants",
    "paper_variants_of_invented",
    "preview",
    "projects",
    "read_as",
    "read_tessellation",
    "recalled",
    "recognised_attributes",
    "remember",
    "remember_looks",
    "reopened",
    "row_of",
    "share_outside",
    "some_names",
    "spark_is_installed",
    "stability_preview",
    "surely_names",
    "sweep",
    "swept_plans",
    "synthesis_preview",
    "synthesis_runs",
    "time_zones",
    "trajectory_lengths",
    "tree_preview",
    "trips_files",
    "utility_curves",
    "was_seen",
    "written",
]

Progress = Callable[[float], None]

if not TYPE_CHECKING:  # a checker of types knows the names above and no others

    def __getattr__(name: str) -> object:
        """A study; AttributeError for any other name."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from dpcore.private.studies import STUDIES  # noqa: PLC0415 - the module says why

        return STUDIES[name]


ROLES: Final = tuple(NAMES)
"""What a column of trips can be."""


def forget() -> None:
    """Delete every cached trip and count, and all that Spark holds or left on this computer; keys stay.

    Raises InputError where something could not be deleted, or Spark does not end.
    """
    try:
        forget_on_spark()
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


def preview(
    trips: PrivateTrips,
    plan: Plan,
    measures: Collection[str] | None = None,
    *,
    progress: Progress | None = None,
) -> Preview:
    """A throw-away ladder for every measure of the plan, or for some of them, beside the truth; never a release.

    ``progress`` is called with the share that is counted, 0 to 1, if something has to be counted.
    """
    from dpcore.private.preview import preview as made  # noqa: PLC0415 - a study, as above

    return made(trips, plan.for_form(has_users=trips.has_users), measures, progress=progress)


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
    return _listed(_columns(trips, measure, bound, choices))


def _listed(table: pa.Table) -> dict[str, list[str] | list[int]]:
    return {
        name: column.to_numpy().tolist()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _columns(
    trips: PrivateTrips, measure: str, bound: ContributionBound | None, choices: KeyChoices
) -> pa.Table:
    """``exact_table`` as a table of Arrow, whose key columns are dictionaries."""
    observed = measure_named(measure, choices).needs_period and choices.period is None
    if observed and (period := observed_period(trips)) is not None:
        choices = replace(choices, period=period)
    asked = measure_named(measure, choices.for_form(has_users=trips.has_users))
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
        if measure_named(name).answerable(has_users=trips.has_users, has_points=trips.has_points)
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
    exact_answers(bounded(trips, bound or ContributionBound.per_trip()), asked, progress)
    return {name: _columns(trips, name, bound, choices) for name in measures}


def exact_tables(
    trips: PrivateTrips,
    measures: Sequence[str],
    bound: ContributionBound | None,
    choices: KeyChoices = USUAL,
) -> dict[str, dict[str, list[str] | list[int]]]:
    """``exact_columns`` as lists."""
    return {name: _listed(one) for name, one in exact_columns(trips, measures, bound, choices).items()}


@cache
def time_zones() -> tuple[str, ...]:
    """IANA names of all clocks that this computer knows, sorted. They are looked up once: hundreds of files are read for them."""
    return tuple(sorted(zoneinfo.available_timezones()))
