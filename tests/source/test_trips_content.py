"""Bytes: what is opened, what is refused by content, size, name, digest."""

from __future__ import annotations

import os
import pickle
import time

import pytest
from reading_of import CANONICAL, GOOD, gzipped, parquet, reading_of, rows_of, upload, zipped

from dpcore import limits
from dpcore.errors import AtlasError, InputError
from dpcore.private.source import TripsFile, inspect

TEXT = CANONICAL + GOOD
KEY = bytes(range(16))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("trips.csv", TEXT.encode()),
        ("TRIPS.CSV", TEXT.encode()),
        ("trips.txt", TEXT.encode()),
        ("trips.csv", b"\xef\xbb\xbf" + TEXT.encode()),
        ("trips.csv", TEXT.replace("\n", "\r\n").encode()),
        ("trips.csv", TEXT.replace("\n", "\r").encode()),
        ("trips.csv", TEXT.strip().encode()),
        ("trips.csv", TEXT.replace("\n", "\n\n").encode()),
        ("trips.csv.gz", gzipped(TEXT)),
        ("trips.csv.gz", gzipped(CANONICAL) + gzipped(GOOD)),
        ("trips.zip", zipped({"trips.csv": TEXT})),
        ("trips.zip", zipped({"a/trips.csv": TEXT, "__MACOSX/a/._trips.csv": b"\0\1"})),
        ("trips.zip", zipped({"trips.csv": TEXT}, method=0)),
    ],
)
def test_the_same_trips_come_from_every_way_to_store_them(name, data):
    assert rows_of(data, name) == rows_of(TEXT)


def test_a_file_on_disk_gives_the_same_as_an_upload(tmp_path):
    place = tmp_path / "trips.csv"
    place.write_text(TEXT)
    file, sent = TripsFile.on_disk(place), upload(TEXT)
    assert rows_of(file) == rows_of(sent)
    assert (file.name, file.size) == (sent.name, sent.size)
    assert file.digest(KEY) == sent.digest(KEY)


def test_the_digest_tells_bytes_apart_and_needs_the_key():
    file = upload(TEXT)
    assert file.digest(KEY) == upload(TEXT, "other.csv").digest(KEY)
    assert file.digest(KEY) != upload(TEXT + " ").digest(KEY)
    assert file.digest(KEY) != file.digest(KEY[::-1])
    assert len(file.digest(KEY)) == 64


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("trips.csv", b"", "the file is empty"),
        ("trips.csv", zipped({"a.csv": TEXT}), "ends in .csv, the content is a zip archive"),
        ("trips.csv", gzipped(TEXT), "ends in .csv, the content is a gzip archive"),
        ("trips.csv", parquet({"a": [1]}), "ends in .csv, the content is Parquet"),
        ("trips.parquet", TEXT.encode(), "ends in .parquet, the content is CSV text"),
        ("trips.zip", TEXT.encode(), "ends in .zip, the content is CSV text"),
        ("trips", TEXT.encode(), "no ending"),
        ("trips.csv", zipped({"[Content_Types].xml": "<x/>", "xl/a.xml": ""}), "an Excel or Office document"),
        (
            "trips.xlsx",
            zipped({"[Content_Types].xml": "<x/>", "xl/a.xml": ""}),
            "an Excel or Office document",
        ),
        ("trips.csv", b"{}", "JSON"),
        ("trips.csv", b" [1]", "JSON"),
        ("trips.csv", b"<html>", "HTML or XML"),
        ("trips.csv", b"%PDF-1.7", "PDF"),
        ("trips.csv", b"\x89HDF\r\n\x1a\n", "HDF5"),
        ("trips.csv", b"\x93NUMPY\x01\x00", "a NumPy array"),
        ("trips.csv", b"ARROW1\x00\x00", "Arrow or Feather"),
        ("trips.csv", b"FEA1\0\0\0\0", "Feather"),
        ("trips.csv", b"SQLite format 3\x00", "SQLite or GeoPackage"),
        *(("trips.csv", pickle.dumps([1], protocol), "a Python pickle") for protocol in (2, 3, 4, 5)),
        ("trips.zip", pickle.dumps([1]), "a Python pickle"),
        ("trips.csv", TEXT.encode("utf-16"), "UTF-16 text"),
    ],
)
def test_other_content_is_refused_whatever_its_name(name, data, text):
    with pytest.raises(InputError, match=text):
        upload(data, name)


@pytest.mark.parametrize("mark", ["PAR1", "ORC", "FEA1", "BZh9", "Geolife trajectory"])
def test_a_header_or_record_that_begins_like_another_format_is_text(mark):
    trip = GOOD.splitlines()[0]
    (row,) = rows_of(f"{mark} no,{CANONICAL}{mark},{trip}\n")
    assert (row["user_id"],) == (trip.partition(",")[0],)
    with pytest.raises(InputError, match="looks like data") as refused:
        inspect(upload(f"{mark},{trip}\n"))
    assert refused.value.options == {"--header"}
    packed = zipped({"trips.csv": f"note,{CANONICAL}[Content_Types].xml,{trip}\n"}, method=0)
    assert len(rows_of(packed, "trips.zip")) == 1


def test_a_pickle_of_protocol_0_is_text_and_no_trips():
    with pytest.raises(InputError):
        inspect(upload(pickle.dumps(["uid"], 0)))


def test_one_byte_over_the_limit_is_refused_before_parsing(monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "MAX_UPLOAD_BYTES", len(TEXT))
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", len(TEXT))
    assert len(rows_of(TEXT)) == 1
    with pytest.raises(InputError, match="the limit is"):
        upload(TEXT + "x")
    place = tmp_path / "trips.csv"
    place.write_text(TEXT + "x")
    with pytest.raises(InputError, match="the limit is"):
        TripsFile.on_disk(place)


def test_what_is_not_a_plain_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for place in (
        tmp_path / "nowhere.csv",
        tmp_path / "pipe.csv",
        tmp_path,
        "bad\0name.csv",
        tmp_path / "*.csv",
    ):
        with pytest.raises(InputError):
            TripsFile.on_disk(place)


def test_a_file_that_vanishes_is_an_input_error(tmp_path):
    for name, data in (("t.csv", TEXT.encode()), ("t.parquet", parquet({"a": [1]}))):
        place = tmp_path / name
        place.write_bytes(data)
        file = TripsFile.on_disk(place)
        place.unlink()
        with pytest.raises(InputError, match="cannot be opened"):
            inspect(file)


def test_names_of_uploads_are_shortened_to_something_printable():
    assert upload(TEXT, "C:\\users\\me\\trips.csv").name == "trips.csv"
    assert upload(TEXT, "../../etc/trips.csv").name == "trips.csv"
    assert upload(TEXT, "a\n\u202eb.csv").name == "a??b.csv"


def test_private_objects_show_their_class_only_and_cannot_be_pickled():
    file = upload(TEXT)
    _, report = reading_of(file)
    for thing in (file, report):
        assert repr(thing) == f"<{type(thing).__name__}>"
        with pytest.raises(AtlasError):
            pickle.dumps(thing)


def test_the_identity_of_a_file_tells_every_change_that_leaves_a_trace(tmp_path):
    place = tmp_path / "trips.csv"
    place.write_text(TEXT)
    file = TripsFile.on_disk(place)
    before, status = file.identity(), place.stat()
    assert file.identity() == before
    time.sleep(0.02)  # clocks of file systems are coarse
    place.write_text(TEXT.replace("52.5", "52.6"))
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))  # as unpacking a copy of the same age does
    assert place.stat().st_mtime_ns == status.st_mtime_ns
    assert place.stat().st_size == status.st_size
    assert file.identity() != before
    assert upload(TEXT).identity() is None
