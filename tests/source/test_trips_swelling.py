"""Files that are small and would fill the memory: what they declare is looked at before anybody believes it."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import tracemalloc
from types import SimpleNamespace
from unittest.mock import MagicMock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading_of import CANONICAL, GOOD, parquet, reading_of, upload, zipped

from dpcore import limits
from dpcore.errors import InputError
from dpcore.parquet import Footer
from dpcore.private.source import inspect, parquet_file, parquet_pages, read

TIMES = pa.array([1_709_287_200_000_000], pa.timestamp("us"))


def trips(ids, **options):
    """A Parquet file of one trip for each id."""
    rows = len(ids)
    columns = {name: [1.5] * rows for name in ("start_lat", "start_lng", "end_lat", "end_lng")}
    times = TIMES.take(pa.array([0] * rows))
    out = io.BytesIO()
    pq.write_table(
        pa.table({"user_id": ids, "started_at": times, "ended_at": times, **columns}), out, **options
    )
    return out.getvalue()


def refused(data, name="trips.parquet", **options):
    with pytest.raises(InputError) as error:
        reading_of(data, name, **options)
    return str(error.value)


# ---- Parquet


def test_an_id_that_stands_in_two_million_rows_is_never_written_out_as_often():
    """In a process of its own: its peak is its own."""
    code = """
import io, resource
import pyarrow as pa, pyarrow.parquet as pq
from dpcore.errors import InputError
from dpcore.parquet import Footer
from dpcore.private.source import TripsFile, inspect, read
rows = pa.array([0] * 2_000_000, pa.int32())
times = pa.array([1_709_287_200_000_000], pa.timestamp("us")).take(rows)
place = {name: pa.array([1.5]).take(rows) for name in ("start_lat", "start_lng", "end_lat", "end_lng")}
ids = pa.DictionaryArray.from_arrays(rows, ["x" * 4000])
out = io.BytesIO()
pq.write_table(pa.table({"user_id": ids, "started_at": times, "ended_at": times, **place}), out)
file = TripsFile.uploaded("trips.parquet", out.getvalue())
seen = inspect(file)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    for _ in read(file, seen, timezone="UTC").batches():
        pass
except InputError as error:
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print("unpacks to more than 2,147,483,648 bytes" in str(error), grown < 400_000)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "True True\n"


def test_batches_are_smaller_where_texts_are_long():
    ids = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 50_000, pa.int32()), ["x" * 4000, "short"])
    before, most = pa.total_allocated_bytes(), 0
    file = upload(trips(ids), "trips.parquet")
    rows = 0
    for batch in read(file, inspect(file), timezone="UTC").batches():
        rows += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert rows == 100_000
    assert most < 4 * limits.DECODED_TEXT_BYTES < 100_000 * 4000


@pytest.mark.parametrize("dictionary", [True, False])
def test_a_record_with_a_long_field_is_bad_alone_and_one_out_of_all_bounds_refuses_the_file(dictionary):
    long = ["a", "b" * (limits.MAX_FIELD_CHARACTERS + 1), "c", "b" * (limits.MAX_FIELD_CHARACTERS + 1), "d"]
    data = trips(long, use_dictionary=dictionary)
    assert "a field longer than 4,096 characters: trips.parquet, row 2" in refused(data)
    table, report = reading_of(data, "trips.parquet", drop=True)
    assert table["user_id"].to_pylist() == ["a", "c", "d"]
    assert report.records == 5
    endless = trips(["a", "b" * 20_000, "c"], use_dictionary=dictionary)
    for drop in (True, False):
        assert "a text of more than 16,384 bytes" in refused(endless, drop=drop)


def test_texts_of_times_are_bounded_as_well_before_the_first_is_looked_at():
    columns = {
        **{key: ["2024-03-01 10:00:00" + "0" * 20000] for key in ("started_at", "ended_at")},
        "user_id": ["u"],
        **{key: [1.5] for key in ("start_lat", "start_lng", "end_lat", "end_lng")},
    }
    assert "a text of more than 16,384 bytes" in refused(parquet(columns))


def test_a_page_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(monkeypatch):
    data = trips([f"{row:01000}" for row in range(5_000)], compression="zstd", data_page_size=2**30)
    assert reading_of(data, "trips.parquet")[0].num_rows == 5_000
    assert len(data) < 2_000_000
    monkeypatch.setattr(limits, "MAX_PAGES_BYTES", 4_000_000)
    monkeypatch.setattr(parquet_file.pq.ParquetFile, "iter_batches", lambda *_, **__: pytest.fail("unpacked"))
    assert "pages of more than 4,000,000 bytes" in refused(data)


def test_values_that_repeat_the_one_before_are_refused_because_nobody_can_tell_their_size():
    data = trips(["x" * 4000] * 1000, use_dictionary=False, column_encoding={"user_id": "DELTA_BYTE_ARRAY"})
    message = refused(data)
    assert "DELTA_BYTE_ARRAY: trips.parquet, column user_id. Write it plain" in message


def test_decimals_without_a_fixed_length_are_refused():
    """Only other writers make them."""
    column = SimpleNamespace(
        path="start_lat", physical_type="BYTE_ARRAY", logical_type=SimpleNamespace(type="DECIMAL")
    )
    schema = MagicMock(**{"__len__.return_value": 1, "column.return_value": column})
    with pytest.raises(InputError, match="decimals without a fixed length"):
        parquet_pages.read_pages(io.BytesIO(), Footer(2, (), ()), schema, ["start_lat"], "t.parquet")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
def test_every_way_to_write_a_file_gives_the_same_trips(version, compression):
    ids = [f"user {row % 700}" + "é" * (row % 50) for row in range(3_000)] + [
        f"{row}" for row in range(3_000)
    ]
    options = {"data_page_version": version, "compression": compression}
    expected = reading_of(trips(ids), "trips.parquet", timezone="UTC")[0]
    for more in (
        {"use_dictionary": False},
        {"dictionary_pagesize_limit": 4_000},
        {"row_group_size": 500},
        {"data_page_size": 300},
        {"use_dictionary": False, "column_encoding": {"user_id": "DELTA_LENGTH_BYTE_ARRAY"}},
        {"write_page_checksum": True, "write_page_index": True},
    ):
        assert reading_of(trips(ids, **options, **more), "trips.parquet", timezone="UTC")[0] == expected


def number(value):
    """A number in Thrift's compact protocol."""
    out, value = b"", value << 1
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def listed(length):
    return b"\x19\xfc" + bytes([length & 0x7F | 0x80, length >> 7 & 0x7F | 0x80, length >> 14])


def footer_of(schema, groups):
    body = b"\x15" + number(1) + listed(len(schema)) + b"".join(schema) + b"\x16" + number(1)
    body += listed(len(groups)) + b"".join(groups) + b"\x00"
    return b"PAR1" + body + len(body).to_bytes(4, "little") + b"PAR1"


def element(children=0):
    return b"\x35\x00\x18\x01a" + (b"\x15" + number(children) if children else b"") + b"\x00"


def test_a_footer_of_very_many_empty_pieces_is_refused_before_arrow_reads_it(monkeypatch):
    pieces = listed(900_000) + b"\x26\x00\x00" * 900_000 + b"\x16\x00\x16\x00\x00"
    data = footer_of([element(1), element()], [pieces])
    monkeypatch.setattr(parquet_file.pq, "ParquetFile", lambda *_, **__: pytest.fail("Arrow read it"))
    assert "the footer is too large" in refused(data)
    monkeypatch.setattr(limits, "MAX_FOOTER_BYTES", 1000)
    monkeypatch.setattr("dpcore.parquet._Compact", lambda *_: pytest.fail("parsed"))
    assert "the footer is too large" in refused(data)


def test_columns_within_columns_without_end_are_refused_before_arrow_reads_them(monkeypatch):
    monkeypatch.setattr(parquet_file.pq, "ParquetFile", lambda *_, **__: pytest.fail("Arrow read it"))
    assert "columns and groups" in refused(footer_of([element(1)] * 100_000, []))


# ---- zip


def archive_of(count, wide=False):
    """A zip archive with one CSV file and very many empty ones in its table of contents."""
    text = (CANONICAL + GOOD).encode()
    data = zipped({"trips.csv": text})
    start = data.index(b"PK\x01\x02")
    table = data[start : data.index(b"PK\x05\x06")]
    empty = (
        struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"x"
    )
    table += empty * count
    end = b""
    declared = (0, len(table), start)
    if wide:
        end = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(table), start)
        end += struct.pack("<4sIQI", b"PK\x06\x07", 0, start + len(table), 1)
        declared = (0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    entries, size, at = declared
    end += struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, entries, entries, size, at, 0)
    return data[:start] + table + end


@pytest.mark.parametrize("wide", [False, True])
def test_a_zip_of_900_000_names_is_refused_before_its_names_are_read(wide):
    """Whatever number of them it declares: here none, or one."""
    assert reading_of(archive_of(0, wide), "trips.zip")[0].num_rows == 1
    file = upload(archive_of(900_000, wide), "trips.zip")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="holds too many files"):
            inspect(file)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_a_zip_may_carry_a_remark():
    data = archive_of(0)
    assert reading_of(data[:-2] + struct.pack("<H", 5) + b"hello", "trips.zip")[0].num_rows == 1
