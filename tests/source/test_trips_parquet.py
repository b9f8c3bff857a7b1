"""Parquet: the same trips as from CSV, types that fit, footers that do not lie."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading_of import CANONICAL, GOOD, parquet, reading_of, rows_of, upload

from dpcore.errors import InputError
from dpcore.private.source import TripsFile, inspect, parquet_file, read

TIMES = pa.array([1_709_287_200_000_000], pa.timestamp("us"))
GOOD_COLUMNS = {
    "user_id": ["u1"],
    "started_at": TIMES,
    "ended_at": pa.array([1_709_289_000_000_000], pa.timestamp("us")),
    "start_lat": [52.5],
    "start_lng": [13.4],
    "end_lat": [52.6],
    "end_lng": [13.5],
}


def test_the_same_trip_as_from_csv(tmp_path):
    data = parquet(GOOD_COLUMNS | {"phone": ["canary"]})
    assert rows_of(data, "trips.parquet") == rows_of(CANONICAL + GOOD)
    place = tmp_path / "trips.pq"
    place.write_bytes(data)
    assert rows_of(TripsFile.on_disk(place)) == rows_of(CANONICAL + GOOD)


def test_no_rows_are_fine():
    schema = pa.schema([(name, pa.table(GOOD_COLUMNS).schema.field(name).type) for name in GOOD_COLUMNS])
    table, report = reading_of(parquet(schema.empty_table().to_pydict(), schema), "trips.parquet")
    assert (table.num_rows, report.trips) == (0, 0)
    text = pa.schema([(name, pa.string()) for name in GOOD_COLUMNS])
    assert reading_of(parquet(text.empty_table().to_pydict(), text), "t.parquet")[0].num_rows == 0


@pytest.mark.parametrize("kind", [pa.float32(), pa.int64(), pa.decimal128(12, 6), pa.string(), pa.float16()])
def test_degrees_of_any_number_type(kind):
    values = (
        ["52.5"]
        if kind == pa.string()
        else pa.array([Decimal(52) if pa.types.is_decimal(kind) else 52], kind)
    )
    (row,) = rows_of(parquet(GOOD_COLUMNS | {"start_lat": values}), "trips.parquet")
    assert row["start_lat"] in {52.0, 52.5}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("started_at", pa.array([b"1709287200"])),
        ("started_at", pa.array([0], pa.duration("us"))),
        ("start_lat", pa.array([[1.0]])),
        ("end_lng", pa.array([True])),
        ("end_lng", pa.array([{"canary": 1.0}])),
    ],
)
def test_types_that_cannot_play_their_role_are_refused(column, values):
    with pytest.raises(InputError, match=f"has type .*: trips.parquet, column {column}") as error:
        inspect(upload(parquet(GOOD_COLUMNS | {column: values}), "trips.parquet"))
    assert "canary" not in str(error.value)


@pytest.mark.parametrize("missing", ["", "NULL", "\\N", None, " "])
def test_missing_text_is_the_same_as_in_csv(missing):
    table, report = reading_of(
        parquet(GOOD_COLUMNS | {"end_lat": pa.array([missing], pa.string())}), "t.parquet"
    )
    assert table["complete"].to_pylist() == [False]
    assert report.missing["end_lat"] == 1


def test_columns_given_twice_are_refused():
    table = pa.table([*GOOD_COLUMNS.values(), ["u2"]], names=[*GOOD_COLUMNS, "user_id"])
    out = pa.BufferOutputStream()
    pq.write_table(table, out)
    with pytest.raises(InputError, match="two columns have the same name"):
        inspect(upload(out.getvalue().to_pybytes(), "trips.parquet"))


def test_a_file_that_changes_between_looking_and_reading_is_refused():
    found = inspect(upload(parquet(GOOD_COLUMNS), "trips.parquet"))
    other = upload(parquet({"a": [1]}), "trips.parquet")
    with pytest.raises(InputError, match="columns have changed"):
        list(read(other, found, timezone="UTC").batches())


def test_rows_are_counted_while_they_are_decoded(monkeypatch):
    file = upload(parquet(GOOD_COLUMNS), "trips.parquet")
    found, opened = inspect(file), parquet_file.open_parquet

    @contextmanager
    def lying(file):
        with opened(file) as (table, footer):
            declaring_none = SimpleNamespace(
                schema=table.schema,
                schema_arrow=table.schema_arrow,
                metadata=SimpleNamespace(num_rows=0),
                iter_batches=table.iter_batches,
            )
            yield declaring_none, replace(footer, unpacked=(), groups=())

    monkeypatch.setattr(parquet_file, "open_parquet", lying)
    with pytest.raises(InputError, match="more rows than the footer declares"):
        list(read(file, found, timezone="UTC").batches())


def test_the_bytes_of_a_file_are_not_kept_while_it_is_read(tmp_path):
    """The reader of Parquet buffers ahead unless it is told not to, and lets go of nothing before the end."""
    rng = np.random.default_rng(7)
    place, rows = tmp_path / "trips.parquet", 20_000
    instants = pa.array(np.full(rows, 1_709_287_200_000_000)).cast(pa.timestamp("us"))
    with pq.ParquetWriter(place, pa.table(GOOD_COLUMNS).schema) as writer:
        for _ in range(40):
            places = {
                name: rng.uniform(0, 1, rows) for name in ("start_lat", "start_lng", "end_lat", "end_lng")
            }
            ids = [f"u{row}" for row in range(rows)]
            writer.write_table(
                pa.table({"user_id": ids, "started_at": instants, "ended_at": instants, **places})
            )
    file = TripsFile.on_disk(place)
    assert file.size > 25_000_000
    before, most = pa.total_allocated_bytes(), 0
    for _batch in read(file, inspect(file), timezone="UTC").batches():
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < file.size // 2


def test_one_flipped_bit_in_a_footer_never_ends_the_process():
    """Arrow's own object for a column ends it where the footer contradicts itself."""
    data = parquet(GOOD_COLUMNS)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = 0
    for at in range(footer, len(data), 2):
        try:
            reading_of(upload(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :], "trips.parquet"))
        except InputError:
            refused += 1
    assert refused
