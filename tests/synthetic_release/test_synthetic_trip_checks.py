"""Trips that do not follow from their tables are refused, however well sums and seal of the bundle were made again."""

from __future__ import annotations

from fractions import Fraction
from io import BytesIO
from pathlib import Path
from shutil import copytree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.errors import BundleError
from dpcore.kinds.roy.choices import groups_of
from dpcore.measures.attribute import attribute_of
from dpcore.release import kind_of, read_bundle, write_bundle
from tests.release.tampering import rewrite
from tests.synthetic_release.made_synthetic import made_synthetic, roy_choices, stability_choices

DAY, SECOND = np.timedelta64(1, "D"), np.timedelta64(1, "s")


BATCH = 64
"""Rows of a batch here, so that there are many."""


DECLARED = (attribute_of("mode=bus,rail"), attribute_of("fare=0:1:0.1"))


@pytest.fixture(autouse=True)
def many_batches(monkeypatch):
    for place in ("kinds.roy.kind", "kinds.stability.kind", "release.kinds.trip_rows"):
        monkeypatch.setattr(f"dpcore.{place}.BATCH_ROWS", BATCH)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """One bundle of each kind."""
    folder = tmp_path_factory.mktemp("written")
    write_bundle(made_synthetic(roy_choices(extras=("gender",), zips=())), folder / "roy")
    # Few values and little noise, so that each of them is drawn, the missing one too.
    own = roy_choices(
        epsilon=Fraction(8),
        extras=(),
        zips=(),
        draw=DECLARED,
        together=groups_of(["start,mode", "mode,fare"], 2, ""),
    )
    write_bundle(made_synthetic(own), folder / "own")
    large = stability_choices(combinations=(("on_time", "on_loc", "off_time", "off_loc"),), minutes=720)
    write_bundle(made_synthetic(large), folder / "large")
    return folder


@pytest.fixture
def roy(written, tmp_path):
    return Path(copytree(written / "roy", tmp_path / "roy"))


@pytest.fixture
def large(written, tmp_path):
    return Path(copytree(written / "large", tmp_path / "large"))


def forged(folder, change):
    """Change the trips and make everything else fit: sums, seal and the number of rows."""
    table = change(pq.read_table(folder / "trips.parquet"))
    written = BytesIO()
    pq.write_table(table, written, row_group_size=BATCH, store_schema=False)

    def tell(document):
        document["trips"]["rows"] = len(table)

    rewrite(folder, tell, trips__parquet=written.getvalue())


def test_trips_that_are_only_packed_otherwise_are_accepted(roy, large):
    for folder in (roy, large):
        forged(folder, lambda table: table)
        assert pq.read_metadata(folder / "trips.parquet").num_row_groups > 5
        read_bundle(folder)


def column(name, values):
    """A change of one column by a function of its array, or of its list of texts."""

    def change(table):
        old = table[name]
        new = values(old.to_pylist() if pa.types.is_string(old.type) else old.to_numpy())
        return table.set_column(table.schema.get_field_index(name), name, pa.array(new, old.type))

    return change


def nulls(name):
    def change(table):
        empty = pa.nulls(len(table), table.schema.field(name).type)
        return table.set_column(table.schema.get_field_index(name), name, empty)

    return change


def both(*changes):
    def change(table):
        for one in changes:
            table = one(table)
        return table

    return change


def in_1999(table):
    """All trips moved a quarter of a century back."""
    return both(
        column("started_at", lambda old: old - 9_131 * DAY),
        column("ended_at", lambda old: old - 9_131 * DAY),
    )(table)


def last_of(change):
    """Only the last row is changed: no check may stop at the first batch."""

    def changed(table):
        return pa.concat_tables([table.slice(0, len(table) - 1), change(table.slice(len(table) - 1))])

    return changed


IMPOSSIBLE = {
    "all in 1999": in_1999,
    "no duration": lambda table: table.set_column(2, "ended_at", table["started_at"]),
    "a day long": column("ended_at", lambda old: old + DAY),
    "under a minute": last_of(
        both(
            lambda table: table.set_column(2, "ended_at", table["started_at"]),
            column("ended_at", lambda old: old + 59 * SECOND),
        )
    ),
    "half a second": both(
        column("started_at", lambda old: old + np.timedelta64(500, "ms")),
        column("ended_at", lambda old: old + SECOND // 2),
    ),
    "after the period": last_of(
        both(column("started_at", lambda old: old + 8 * DAY), column("ended_at", lambda old: old + 8 * DAY))
    ),
    "no start": nulls("started_at"),
    "no end": last_of(nulls("ended_at")),
    "no times": both(nulls("started_at"), nulls("ended_at")),
    "no tile": last_of(nulls("end_tile")),
    "all with number 7": column("synthetic_id", lambda old: np.full(len(old), 7)),
    "numbers from 0": column("synthetic_id", lambda old: old - 1),
    "numbers again": last_of(column("synthetic_id", lambda old: old * 0 + 1)),
    "in no order": lambda table: table.take(list(range(len(table)))[::-1]).set_column(
        0, "synthetic_id", table[0]
    ),
    "a gender that is none": last_of(column("gender", lambda old: ["other"] * len(old))),
}


@pytest.mark.parametrize("change", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_drawn_trip_that_cannot_be_is_refused(change, roy):
    forged(roy, change)
    with pytest.raises(BundleError, match="trips"):
        read_bundle(roy)


OTHERS = {
    "one row": lambda table: table.slice(0, 1),
    "one row less": lambda table: table.slice(0, len(table) - 1),
    "one row more": lambda table: pa.concat_tables([table, table.slice(0, 1)]),
    "no row": lambda table: table.slice(0, 0),
    "all in 1999": in_1999,
    "the last an hour later": last_of(column("ended_at", lambda old: old + 3_600 * SECOND)),
    "the last elsewhere": last_of(column("start_tile", lambda old: ["A" if old[0] != "A" else "B"])),
    "all with number 7": column("synthetic_id", lambda old: np.full(len(old), 7)),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_repeated_rows_that_are_not_exactly_those_of_the_table_are_refused(change, large):
    forged(large, change)
    with pytest.raises(BundleError, match="trips"):
        read_bundle(large)


def test_huge_counts_of_many_keys_give_as_many_rows_as_the_limit(monkeypatch):
    monkeypatch.setattr("dpcore.limits.MAX_SYNTHETIC_TRIPS", 50)
    release = made_synthetic(stability_choices())
    for one in release.drawn.tables.large.values():
        one.counts[:] = 2**62  # their sum is more than 64 bits hold
    assert sum(len(batch) for batch in kind_of(release.plan).batches_of_trips(release)) == 50


@pytest.fixture
def own(written, tmp_path):
    place = Path(copytree(written / "own", tmp_path / "own"))
    forged(place, lambda table: table)
    return place


def test_declared_attributes_may_be_missing_and_read_back(own):
    release = read_bundle(own)
    assert release.plan.draw == DECLARED
    trips = pq.read_table(own / "trips.parquet").to_pandas()
    assert {*trips["mode"].dropna()} <= {"bus", "rail", "other"}
    assert trips["mode"].isna().any()
    assert trips["fare"].isna().any()
    assert trips["fare"].dropna().between(0, 1).all()


IMPOSSIBLE_VALUES = {
    "a word that is not listed": column("mode", lambda old: ["tram", *old[1:]]),
    "the word for a missing one": column("mode", lambda old: ["missing", *old[1:]]),
    "more than the bound": column("fare", lambda old: np.append(old[:-1], 1.1)),
    "less than the bound": column("fare", lambda old: np.append(old[:-1], -0.1)),
    "between two units": column("fare", lambda old: np.append(old[:-1], 0.15)),
    "infinite": last_of(column("fare", lambda old: old * 0 + np.inf)),
    "no number": last_of(column("fare", lambda old: old * 0 + np.nan)),
}


@pytest.mark.parametrize("change", IMPOSSIBLE_VALUES.values(), ids=IMPOSSIBLE_VALUES)
def test_values_beyond_what_is_declared_are_refused(own, change):
    forged(own, change)
    with pytest.raises(BundleError, match="trips"):
        read_bundle(own)
