"""Hostile uploads: bombs, endless lines, damaged archives, lying footers. Nothing grows beyond its limit."""

from __future__ import annotations

import contextlib
import io
import struct
import subprocess
import sys
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading_of import CANONICAL, GOOD, LONG, gzipped, parquet, reading_of, rows_of, upload, zipped

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source import inspect
from dpcore.private.source.content import ByteStream

TEXT = CANONICAL + GOOD


def refused(data, name="trips.csv", **options):
    """The text of the error; every failure must be one of ours."""
    with pytest.raises(InputError) as error:
        reading_of(data, name, **options)
    return str(error.value)


@pytest.mark.parametrize("name", ["bomb.zip", "bomb.csv.gz"])
def test_a_bomb_stops_at_the_limit_counted_on_real_bytes(monkeypatch, name):
    text = CANONICAL + GOOD * 200_000
    data = zipped({"a.csv": text}) if name.endswith("zip") else gzipped(text)
    assert len(data) < len(text) / 50
    monkeypatch.setattr(limits, "MAX_UPLOAD_UNPACKED_BYTES", 1_000_000)
    produced, check = [], ByteStream._check_text
    monkeypatch.setattr(
        ByteStream, "_check_text", lambda stream, data: produced.append(len(data)) or check(stream, data)
    )
    assert "unpacks to more than 1,000,000 bytes" in refused(data, name)
    assert sum(produced) <= 1_000_000, "nothing beyond the limit reaches the checks or the parser"


@pytest.mark.parametrize("declared", [10, 2**31])
def test_the_size_that_a_zip_declares_is_not_believed(monkeypatch, declared):
    text = CANONICAL + GOOD * 50_000
    data = bytearray(zipped({"a.csv": text}))
    true = struct.pack("<I", len(text))
    while (at := data.find(true)) >= 0:
        data[at : at + 4] = struct.pack("<I", declared)
    monkeypatch.setattr(limits, "MAX_UPLOAD_UNPACKED_BYTES", 1_000_000)
    assert refused(bytes(data), "bomb.zip")


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"a.csv": TEXT, "b.csv": TEXT}, "holds 2 files"),
        ({"__MACOSX/a.csv": TEXT}, "holds 0 files"),
        ({"a.csv": zipped({"b.csv": TEXT})}, "a zip archive inside an archive"),
        ({"a.csv": gzipped(TEXT)}, "not UTF-8|holds a NUL|the content is"),
        ({"a.csv": parquet({"a": [1]})}, "not UTF-8|holds a NUL|the content is"),
        ({"a.csv": b""}, "no header"),
    ],
)
def test_a_zip_holds_one_csv_and_nothing_else(members, text):
    with pytest.raises(InputError, match=text):
        reading_of(zipped(members), "trips.zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_cannot_be_counted_are_refused(method):
    assert "rare method" in refused(zipped({"a.csv": TEXT}, method), "trips.zip")


def test_an_encrypted_zip_is_refused():
    data = bytearray(zipped({"a.csv": TEXT}))
    data[data.find(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refused(bytes(data), "trips.zip")


@pytest.mark.parametrize("name", ["trips.zip", "trips.csv.gz", "trips.parquet"])
def test_any_cut_or_flipped_byte_of_an_archive_is_an_error_of_ours_or_harmless(name):
    times = pa.array([0], pa.timestamp("us"))
    columns = dict.fromkeys(["started_at", "ended_at"], times) | {"user_id": ["u"]}
    columns |= {c: [1.5] for c in ("start_lat", "start_lng", "end_lat", "end_lng")}
    data = {
        "trips.zip": zipped({"a.csv": TEXT}),
        "trips.csv.gz": gzipped(TEXT),
        "trips.parquet": parquet(columns),
    }[name]
    step = max(1, len(data) // 150)
    for at in range(4, len(data), step):
        for broken in (data[:at], data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]):
            with contextlib.suppress(InputError):
                reading_of(broken, name)


def test_one_endless_line_is_refused():
    assert "a line has more than" in refused(CANONICAL + "x" * 5_000_000)
    assert "looks like data" in refused("x" * 5_000_000)
    assert "a line has more than" in refused(CANONICAL + GOOD * 3 + "x" * 1_100_000 + "\n" + GOOD)


def test_a_cell_of_ten_megabytes_is_refused_with_bounded_memory():
    """In a process of its own: its peak is its own, and tracing allocations beside other threads is not safe."""
    code = f"""
import resource
from dpcore.errors import InputError
from dpcore.private.source import TripsFile, inspect, read
data = ({CANONICAL!r} + '"' + "x" * 10_000_000 + '",2024-03-01 10:00:00,2024-03-01 10:30:00,1,2,3,4').encode()
file = TripsFile.uploaded("trips.csv", data)
seen = inspect(file)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    list(read(file, seen, timezone="UTC").batches())
except InputError as error:
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print("line 2" in str(error), grown * 1024 < 3 * len(data))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "True True\n"


def test_a_quotation_mark_left_open_is_refused_and_does_not_swallow_the_file(monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 2 * limits.MAX_RECORD_BYTES)
    assert "quotation mark" in refused(CANONICAL + '"' + GOOD * 60_000)


def test_a_field_over_the_limit_is_bad_by_line():
    long = "x" * (limits.MAX_FIELD_CHARACTERS + 1)
    message = refused(CANONICAL + GOOD + GOOD.replace("u1", long))
    assert "a field longer than 4,096 characters: trips.csv, line 3, column user_id" in message
    for column in ("52.5", "2024-03-01 10:00:00"):
        assert "line 2" in refused(CANONICAL + GOOD.replace(column, column + "0" * 5000))
    exact = "ä" * limits.MAX_FIELD_CHARACTERS
    assert rows_of(CANONICAL + GOOD.replace("u1", exact))[0]["user_id"] == exact


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-32"),
        TEXT.replace("u1", "Jürgen").encode("latin-1"),
        TEXT.encode() + b"\xed\xa0\x80," + GOOD.encode(),
        TEXT.replace("u1", "u\x001").encode(),
        (CANONICAL.strip() + ",note\n" + GOOD.strip() + ",Jürgen\n").encode("latin-1"),
        TEXT.encode() + b"\xc3",
    ],
    ids=["utf-16", "utf-32", "latin-1", "surrogate", "nul", "latin-1 in an extra column", "cut letter"],
)
def test_text_that_is_not_utf8_is_refused_with_the_question(data):
    assert "UTF-8" in refused(data, "trips.csv")


def test_utf8_is_checked_across_the_pieces_in_which_it_is_read():
    text = CANONICAL + GOOD.replace("u1", "ü" * 100) * 12_000
    assert len(set(reading_of(text)[0]["user_id"].to_pylist())) == 1
    broken = text.encode()[:-2000] + b"\xff" + text.encode()[-2000:]
    assert "is not UTF-8: trips.csv, line 11," in refused(broken)


def test_rows_over_the_limit_are_refused_while_reading(monkeypatch):
    monkeypatch.setattr(limits, "MAX_UPLOAD_ROWS", 1000)
    assert len(rows_of(CANONICAL + GOOD * 1000)) == 1000
    assert "more than 1,000 records" in refused(CANONICAL + GOOD * 1001)
    assert "more than 1,000 records" in refused(CANONICAL + "x\n" * 1001, drop=True)


def test_a_parquet_footer_of_100_million_rows_is_refused_before_decoding():
    out = io.BytesIO()
    schema = pa.schema([("user_id", pa.dictionary(pa.int32(), pa.string()))])
    with pq.ParquetWriter(out, schema) as writer:
        column = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), ["u"])
        for _ in range(100):
            writer.write_batch(pa.record_batch([column], schema=schema))
    assert len(out.getvalue()) < 300_000
    with pytest.raises(InputError, match="declares 100,000,000 rows"):
        inspect(upload(out.getvalue(), "trips.parquet"))


def test_a_parquet_file_that_unpacks_to_too_much_is_refused_before_decoding(monkeypatch):
    data = parquet({"user_id": ["x" * 1000] * 5000})
    monkeypatch.setattr(limits, "MAX_UPLOAD_UNPACKED_BYTES", 1000)
    with pytest.raises(InputError, match="bytes unpacked"):
        inspect(upload(data, "trips.parquet"))


def test_more_columns_than_the_limit_are_refused_in_parquet():
    with pytest.raises(InputError, match="columns, the limit is"):
        inspect(upload(parquet({f"c{i}": [1] for i in range(300)}), "trips.parquet"))


def test_a_record_of_many_lines_cannot_hide_its_size():
    hidden = LONG + 'u,"' + "t\n" * 6_000_000 + '",2024-03-01 10:00:00,1,2\n'
    assert "quotation mark" in refused(hidden)
