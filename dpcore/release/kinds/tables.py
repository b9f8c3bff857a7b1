"""The kind ``tables``: measures of a plan on public keys, each with a ladder of noise."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar, Final, cast

import numpy as np
import pyarrow as pa

from dpcore.errors import AtlasError, BundleError, InputError, PrivacyError
from dpcore.estimates import Estimates, estimated_measures, known_tiles, known_words, of_tiles
from dpcore.estimates.words import METHOD, NOT_COMPUTED, share_words
from dpcore.exact_json import read_as
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import FIVE_NUMBERS, USUAL_FALSE_FLOWS, Plan, exact_false_flows
from dpcore.measures.split import drawable_keys, not_split, parts_of
from dpcore.measures.sums import COMPONENT, sum_named
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.noise.five_numbers import columns as columns_of
from dpcore.noise.forecast import Facts, forecast
from dpcore.planning.choice import words_of
from dpcore.planning.key_choices import KEY_CHOICES
from dpcore.planning.python_text import Raw, call
from dpcore.privacy import PrivacyUnit, decimal_text, rung_number
from dpcore.release import draws, estimate_files
from dpcore.release.canonical import CHANGED
from dpcore.release.derived import derivable, derived, derived_table
from dpcore.release.estimates import estimates_of, must_be_estimated, stated_of
from dpcore.release.fields import sums_of, wrong
from dpcore.release.files import ListedFiles
from dpcore.release.five_numbers import five_numbers, five_numbers_table
from dpcore.release.kind import Card, Expected, Kind, Object, Progress
from dpcore.release.kinds import registry_record, tables_manifest, tables_readme
from dpcore.release.layout import (
    CONTEXT,
    DRAWS_SINCE,
    FOR_MAPS,
    MAP,
    MAPPED,
    README,
    REGISTRY,
    STATED_SINCE,
    TILES,
    csv_name,
    parquet_name,
)
from dpcore.release.release import Release, Tables
from dpcore.release.sums import told_table
from dpcore.release.table_checks import Listing, check_points, check_rows, measurement_of
from dpcore.release.table_files import csv_bytes, must_say_the_same, parquet_bytes, read_table, same_values
from dpcore.release.tables import key_columns, release_table, schema_of, table_of
from dpcore.release.terms import bound_of, bound_terms
from dpcore.tiles import Tessellation
from dpcore.tiles.drawn import tiles_geojson

_TOTAL: Final = "total_trips"


class TablesKind(Kind[Plan, Tables]):
    """A release of tables of counts."""

    name: ClassVar[str] = "tables"
    words: ClassVar[str] = "tables"
    asked: ClassVar[type] = Plan
    format: ClassVar[str] = "epsilon-atlas release bundle"
    entry: ClassVar[str] = "release"
    page: ClassVar[str] = "Release"
    in_viewer: ClassVar[bool] = True
    can_be_raised: ClassVar[bool] = True
    views: ClassVar[tuple[str, ...]] = (
        "read",
        "map",
        "flows",
        "rhythm",
        "rankings",
        "measures",
        "accuracy",
        "guarantee",
        "download",
    )

    def must_be_asked(self, plan: Plan) -> None:
        """Refuse measures without the public keys that they need, and bins that are both chosen and bought."""
        if plan.choices.period is None and any(measure.needs_period for measure in plan.measures):
            raise PrivacyError(
                "a series over dates needs a public period",
                "trips_over_time",
                "Give its first and last day: they are never read off the data.",
            )
        if plan.choices.districts is None and any(measure.needs_districts for measure in plan.measures):
            raise PrivacyError(
                "flows between districts need districts",
                "od_districts",
                "Give the district of each tile. It is never read off the trips.",
            )
        _must_be_split_alike(plan)
        _must_count_all(plan)
        twice = [name for name in plan.ranged or () if name in plan.choices.edges]
        if twice:
            raise PrivacyError(
                "these bins are chosen, and their range is to be bought too",
                ", ".join(twice),
                "Choose the bins or buy their range: bought bins would replace the chosen ones.",
            )

    def districts(self, plan: Plan) -> Districts | None:
        return plan.choices.districts

    def for_form(self, plan: Plan, *, has_users: bool) -> Plan:
        return plan.for_form(has_users=has_users)

    def expected(
        self, plan: Plan, tiles: Tessellation, *, trips: int | None, users: int | None
    ) -> tuple[Expected, ...]:
        return tuple(
            Expected(
                one.measure,
                one.epsilon,
                one.sensitivity,
                one.half_width,
                one.cells,
                one.stands_out_from,
                one.readable_share,
            )
            for one in forecast(plan, Facts(trips, users, len(tiles.tile_ids)))
        )

    def terms(self, plan: Plan) -> Object:
        """Bound, weights, rungs and keys. What is bought or unusual is there only if something is."""
        bought: Object = {}
        if plan.five_numbers:
            bought["five_numbers"] = plan.five_numbers
        if plan.ranges:
            bought["ranges"] = str(plan.ranges)
            if plan.ranged is not None:
                bought["ranged"] = list(plan.ranged)
        if plan.false_flows != USUAL_FALSE_FLOWS:
            bought["false_flows"] = decimal_text(plan.false_flows)
        return {
            "kind": self.entry,
            **bound_terms(plan.bound),
            "weights": [[name, weight] for name, weight in plan.weights.items()],
            "rungs": [str(rung) for rung in plan.rungs],
            "keys": plan.choices.terms(),
            **bought,
        }

    def plan_of_terms(self, terms: Mapping[str, object]) -> Plan:
        return Plan(
            bound_of(terms),
            dict(read_as(tuple[tuple[str, int], ...], terms["weights"])),
            read_as(tuple[Fraction, ...], terms["rungs"]),
            KeyChoices.of_terms(cast("Mapping[str, object]", terms["keys"])),
            read_as(int, terms.get("five_numbers", 0)),
            read_as(Fraction, terms.get("ranges", "0")),
            read_as(tuple[str, ...] | None, terms.get("ranged")),
            exact_false_flows(read_as(str, terms.get("false_flows", decimal_text(USUAL_FALSE_FLOWS)))),
        )

    def loss(self, plan: Plan) -> tuple[Fraction, Fraction]:
        return plan.epsilon, Fraction(0)

    def command(self, plan: Plan, dataset: str, timezone: str) -> str:
        words = ["python", "-m", "dpcore", "release", "--trips", "TRIPS", "--tiles", "TILES"]
        words += ["--timezone", timezone, "--privacy-unit", plan.bound.unit.value]
        if plan.bound.max_trips is not None:
            words += ["--max-trips", str(plan.bound.max_trips)]
        words += ["--epsilon", decimal_text(plan.epsilon)]
        words += words_of(plan.choices, KEY_CHOICES, ("splits",))
        # the usual bins of some histograms, while the ranges of others are bought
        for name in (one for one in plan.open_ended if plan.ranges and one not in plan.to_be_ranged):
            words += ["--bins", f"{name}={','.join(plan.choices.bins(name).edges)}"]
        weights = dict(plan.weights) | ({FIVE_NUMBERS: plan.five_numbers} if plan.five_numbers else {})
        words += ["--measures", ",".join(weights)]
        words += ["--weights", ",".join(f"{name}={weight}" for name, weight in weights.items())]
        if plan.ranges:
            words += ["--buy-ranges", decimal_text(plan.ranges)]
        if plan.false_flows != USUAL_FALSE_FLOWS:
            words += ["--false-flows", decimal_text(plan.false_flows)]
        return shlex.join([*words, "--dataset", dataset, "--out", "DIR"])

    def python(self, plan: Plan) -> str:
        more: dict[str, object] = {"five_numbers": plan.five_numbers or None, "ranges": plan.ranges or None}
        more["ranged"] = plan.ranged
        if plan.false_flows != USUAL_FALSE_FLOWS:
            more["false_flows"] = plan.false_flows
        choices = () if plan.choices.for_form(has_users=True) == KeyChoices() else (plan.choices,)
        return call(
            "dpcore.Plan.up_to", plan.bound, plan.weights, decimal_text(plan.epsilon), *choices, **more
        )

    def look(self, plan: Plan) -> str:
        whole = plan.bound.unit is PrivacyUnit.TRIP or "total_trips" in plan.weights
        first = MAPPED if MAPPED in plan.weights else next(iter(plan.weights))
        if sum_named(first, plan.choices.sums):
            return call("dpcore.table", Raw("release"), first)
        return call("dpcore.table", Raw("release"), first, estimate="all" if whole else "counted")

    def files(self, plan: Plan, tiles: Tessellation) -> tuple[str, ...]:
        """README, tiles, two files a table, the registry record, and the map if visits are released."""
        return _files(plan)

    def stated_files(self, plan: Plan, members: Object | None = None) -> tuple[str, ...]:
        """Two files for the estimates of each measure, and of flows where they follow from visits; and two for each table of draws."""
        if members is None:
            return (*estimate_files.names(plan), *draws.names(plan))
        if tables_manifest.says_not_computed(members):
            return ()
        return (*estimate_files.names(plan), *draws.names(plan, tables_manifest.drawn_tables(members)))

    def least_version(self, release: Release) -> int:
        stated = release.drawn.stated
        return STATED_SINCE if stated is None or stated.draws is None else DRAWS_SINCE

    def to_write(self, release: Release, progress: Progress | None = None) -> Release:
        """The release with its estimates, which take seconds on thousands of tiles."""
        stated = draws.with_draws(release, stated_of(release, progress))
        return replace(release, drawn=replace(release.drawn, stated=stated))

    def must_follow(self, release: Release, progress: Progress | None = None) -> bool:
        stated = release.drawn.stated
        if stated is None or not stated.computed:
            return True
        if stated.method != METHOD:
            return False
        estimate_files.must_follow(stated, estimates_of(release, progress=progress))
        return draws.must_follow(release, stated)

    def contents(self, release: Release, tiles: Tessellation) -> Iterator[tuple[str, bytes]]:
        yield REGISTRY, registry_record.registry_yaml(release)
        if MAPPED in release.measurements:
            yield MAP, _map(tiles, self.on_tiles(release))
        for name, measurement in release.measurements.items():
            table = table_of(measurement, tiles)
            yield csv_name(name), csv_bytes(table)
            yield parquet_name(name), parquet_bytes(table)
        if release.five_numbers is not None:
            table = five_numbers_table(release)
            yield csv_name(FIVE_NUMBERS), csv_bytes(table)
            yield parquet_name(FIVE_NUMBERS), parquet_bytes(table)
        if release.drawn.stated is not None:
            yield from estimate_files.contents(release.drawn.stated)
            yield from draws.contents(release.drawn.stated)

    def on_tiles(self, release: Release) -> Mapping[str, pa.Array]:
        """Of each tile, where visits are released: the finest value with its half width, and the estimate with its range.

        The estimate is of all trips (``estimate_all``), or of those that count (``estimate_counted``) where nothing says how
        many there are.
        """
        if MAPPED not in release.measurements:
            return {}
        if release.plan.choices.splits:
            return _sums_on_tiles(release)
        values, width = _values_on_tiles(release.tessellation, release.measurements[MAPPED])
        columns = {
            MAPPED: pa.array(values, pa.int64()),
            "half_width_95": pa.array(np.full(len(values), width, np.int64)),
        }
        if release.drawn.stated is not None and release.drawn.stated.computed:
            columns |= estimate_files.on_tiles(
                release.drawn.stated.estimates.tables[MAPPED], len(release.tessellation.tile_ids)
            )
        return columns

    def members(self, release: Release, rows: int) -> Object:
        return tables_manifest.members(release)

    def plan_of(self, members: Object) -> Plan:
        plan = tables_manifest.plan_of(members)
        _must_be_split_alike(plan)
        tables_manifest.bought_of(members, plan)
        expected = _files(plan)
        if {*sums_of(members)} - {*FOR_MAPS, CONTEXT, *self.stated_files(plan)} != {*expected}:
            raise wrong("files", f"the list {', '.join(expected)}")
        return plan

    def read(self, members: Object, plan: Plan, tiles: Tessellation, files: ListedFiles) -> Tables:
        listings = tables_manifest.listings_of(members)
        five_numbers, ranges = tables_manifest.bought_of(members, plan)
        measurements = {
            name: _measurement(name, plan, tiles, listings.get(name), files) for name in plan.weights
        }
        stated = tables_manifest.stated_of(members)
        if stated is not None:
            stated = estimate_files.stated_estimates(plan, tiles, stated, files)
            stated = draws.stated_draws(plan, tiles, measurements, stated, files)
        return Tables(measurements, five_numbers, ranges, stated)

    def check(self, release: Release, members: Object, files: ListedFiles) -> int:
        """Check that map and summaries follow from tables and manifest; the words of the registry record are free."""
        files.content(REGISTRY)
        if release.five_numbers is not None:
            # the summaries follow from the manifest, their intervals from the tables
            expected = five_numbers_table(release)
            table = read_table(files, FIVE_NUMBERS, expected.schema)
            must_say_the_same(files, csv_name(FIVE_NUMBERS), table, expected.schema)
            if not same_values(table, expected):
                raise BundleError(
                    "the summaries do not follow from the manifest and the tables",
                    parquet_name(FIVE_NUMBERS),
                    CHANGED,
                )
        if MAPPED in release.measurements and files.content(MAP) != _map(
            release.tessellation, self.on_tiles(release)
        ):
            raise BundleError("the map does not follow from the tables", MAP, CHANGED)
        return 0

    def tables(self, release: Release) -> tuple[str, ...]:
        """Its measures, those that follow from them, and the summaries of their histograms."""
        follow = derivable(release.plan)
        return (*release.measurements, *follow, *([FIVE_NUMBERS] if release.plan.histograms else ()))

    def shown_table(self, release: Release, name: str, epsilon: Fraction | None) -> pa.Table:
        if name == FIVE_NUMBERS:
            return pa.table(columns_of(five_numbers(release, epsilon)))
        if name in derivable(release.plan):
            return pa.table(derived_table(release, name, epsilon))
        if name not in release.measurements and name in estimated_measures(release.plan):
            raise InputError(
                "unknown measure in this release",
                repr(name),
                f"This release holds no counts of it, only estimates: add --estimate counted (in Python estimate='counted'), or "
                f"choose one of: {', '.join(self.tables(release))}.",
            )
        one = sum_named(name, release.plan.choices.sums)
        if one is not None and name in release.measurements:
            return pa.table(
                told_table(release.measurements[name], one, rung_number(release.plan.rungs, epsilon))
            )
        return pa.table(release_table(release, name, epsilon))

    def table_note(self, release: Release, name: str) -> str:
        follows = name in derivable(release.plan)
        return derived(release.plan, release.measurements, name).note if follows else ""

    def estimates(
        self,
        release: Release,
        name: str,
        epsilon: Fraction | None = None,
        progress: Progress | None = None,
    ) -> Estimates:
        must_be_estimated(release.plan, name)
        rung = rung_number(release.plan.rungs, epsilon)
        return estimates_of(release, rung, of={name}, progress=progress)

    def numbers_of(self, release: Release, name: str) -> Mapping[str, type]:
        if name == FIVE_NUMBERS:
            return dict.fromkeys(("value", "half_width_95", "low_95", "high_95"), float)
        keys = release.plan.measure(name).keys(release.tessellation.tile_ids)
        return {
            column: texts.type.to_pandas_dtype()
            for axis in keys.axes
            if axis.column != COMPONENT
            for column, texts in key_columns(axis).items()
            if not pa.types.is_string(texts.type)
        }

    def statements(self, release: Release) -> Object:
        return tables_manifest.sentences(release)

    def readme(self, release: Release) -> list[str]:
        return tables_readme.blocks(release)

    def card(self, release: Release) -> Card:
        return replace(
            super().card(release),
            period=release.plan.choices.period,
            raised_from=release.raised_from,
            told=(_share_told(release),),
        )

    def told(self, release: Release) -> tuple[str, ...]:
        return tuple(said.rstrip(".") for said in (_share_told(release), _known_told(release)) if said)


def _share_told(release: Release) -> str:
    """Which share of the trips counts, or why nothing says it, as a sentence."""
    try:
        found = estimates_of(release, of=())
    except (InputError, MemoryError):
        return NOT_COMPUTED
    return found.why_not_all if found.share is None else share_words(found.share)


def _known_told(release: Release) -> str:
    """How much is known of the tiles at the highest epsilon, as a sentence; empty without visits or where nothing is estimated.

    Of tables that are split nothing is said: each part has a map of its own.
    """
    if MAPPED not in release.measurements or release.plan.choices.splits:
        return ""
    try:
        found = estimates_of(release, of=(MAPPED,)).tables[MAPPED]
    except (InputError, MemoryError):
        return ""
    shown = found.counted if found.all_trips is None else found.all_trips
    return known_words(known_tiles(of_tiles(found, shown)))


def _files(plan: Plan) -> tuple[str, ...]:
    tabled = [*plan.weights, FIVE_NUMBERS] if plan.five_numbers else list(plan.weights)
    tables = [name for measure in tabled for name in (csv_name(measure), parquet_name(measure))]
    maps = [MAP] if MAPPED in plan.weights else []
    return tuple(sorted([README, REGISTRY, TILES, *tables, *maps]))


def _map(tiles: Tessellation, columns: Mapping[str, pa.Array]) -> bytes:
    """The tiles with the columns of ``on_tiles`` as GeoJSON, where the visits are called ``value``.

    ``outside`` has no shape and is left out. A tile that the table does not list has the value null.
    """
    named = {"value" if name == MAPPED else name: column.to_pylist() for name, column in columns.items()}
    return tiles_geojson(
        tiles, [dict(zip(named, row, strict=True)) for row in zip(*named.values(), strict=True)]
    )


def _values_on_tiles(tiles: Tessellation, visits: Measurement) -> tuple[list[int | None], int]:
    """The finest value of each tile, None for one that the table does not list, and the half width of all of them."""
    counts = dict(zip(visits.cell_numbers.tolist(), visits.values[-1].tolist(), strict=True))
    return [counts.get(cell) for cell in range(len(tiles.tile_ids))], visits.half_widths[-1]


def _sums_on_tiles(release: Release) -> Mapping[str, pa.Array]:
    """Of each tile the sum over all parts, with its half width; null where the table does not list all parts of a tile."""
    visits, tiles = release.measurements[MAPPED], len(release.tessellation.tile_ids)
    parts = len(parts_of(release.plan.choices.splits))
    places = visits.keys.size // parts
    sums = np.zeros(places, np.int64)
    np.add.at(sums, visits.cell_numbers % places, visits.values[-1])
    listed = np.bincount(visits.cell_numbers % places, minlength=places)
    width = half_width_of_sum(visits.rho(-1), parts)
    return {
        MAPPED: pa.array(sums[:tiles], pa.int64(), mask=listed[:tiles] < parts),
        "half_width_95": pa.array(np.full(tiles, width, np.int64)),
    }


def _measurement(
    name: str, plan: Plan, tiles: Tessellation, listing: Listing | None, files: ListedFiles
) -> Measurement:
    measure, place = plan.measure(name), parquet_name(name)
    try:
        keys = drawable_keys(measure, tiles.tile_ids)
        check_rows(keys, listing, place)
        schema = schema_of(keys, plan.rungs)
    except BundleError:
        raise
    except AtlasError as error:
        raise BundleError(error.what, error.where, error.mend) from None
    table = read_table(files, name, schema)
    measurement = measurement_of(table, measure, keys, plan, listing=listing, where=place)
    check_points(table, measurement, tiles, place)
    # last: by now every text is known to be a public key
    must_say_the_same(files, csv_name(name), table, schema)
    return measurement


def _must_be_split_alike(plan: Plan) -> None:
    """Refuse a split of tables that no split can part, and a table that counts the trips of all categories beside split ones."""
    if plan.choices.splits and not any(measure.splits for measure in plan.measures):
        raise not_split(next(iter(plan.weights)))
    together = [one.name for one in plan.measures if not one.splits and one.counts != "people"]
    if plan.choices.splits and together:
        raise PrivacyError(
            "a table that counts the trips of all categories together stands beside split ones",
            ", ".join(together),
            "Leave it out: overall numbers are derived from the split tables at no cost.",
        )


def _must_count_all(plan: Plan) -> None:
    """Refuse a total of all trips that leaves out trips of a person which the other tables count."""
    if _TOTAL in plan.weights and plan.bound.max_trips is not None:
        most = plan.measure(_TOTAL).sensitivity(plan.bound)
        if most < plan.bound.max_trips:
            raise PrivacyError(
                "the total would count fewer trips of a person than the other tables",
                f"most trips {most:,}, at most {plan.bound.max_trips:,} trips of a person count",
                "Give more trips of a person to the total: a few times as many as people usually make.",
            )


TABLES: Final = TablesKind()
