"""Small files for the tests of the readers, and one call that reads them."""

from __future__ import annotations

import gzip
import io
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

from dpcore.private.source import BadRecords, Together, TripsFile, inspect, read

CANONICAL = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
LONG = "uid,tid,datetime,lat,lng\n"
ZONES = "tpep_pickup_datetime,tpep_dropoff_datetime,PULocationID,DOLocationID\n"
GOOD = "u1,2024-03-01 10:00:00,2024-03-01 10:30:00,52.5,13.4,52.6,13.5\n"
ZONE = "Europe/Berlin"


def upload(text, name="trips.csv"):
    """An upload of this text or these bytes."""
    return TripsFile.uploaded(name, text.encode() if isinstance(text, str) else text)


def reading_of(text, name="trips.csv", *, mapping=None, timezone=ZONE, drop=False, rule=None, **options):
    """The trips of a file as one table, and the report; ``rule``: how it is read, or what says so of what is seen of it."""
    file = text if isinstance(text, TripsFile) else upload(text, name)
    policy = BadRecords.DROP if drop else BadRecords.REFUSE
    options |= {"timezone": timezone, "bad_records": policy}
    seen = inspect(file, mapping)
    if callable(rule):
        rule = rule([seen])
    reading = read(file, seen, **options) if rule is None else Together([(file, seen)], rule, **options)
    table = pa.Table.from_batches(list(reading.batches()), reading.schema)
    table.validate(full=True)
    return table, reading.report


def rows_of(text, name="trips.csv", **options):
    """The trips of a file as a list of dictionaries."""
    return reading_of(text, name, **options)[0].to_pylist()


def parquet(columns, schema=None):
    """The bytes of a Parquet file."""
    out = io.BytesIO()
    pq.write_table(pa.table(columns, schema=schema), out)
    return out.getvalue()


def zipped(members, method=zipfile.ZIP_DEFLATED):
    """The bytes of a zip archive: name -> content."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def gzipped(text):
    """The bytes of a gzip archive of this text."""
    return gzip.compress(text.encode() if isinstance(text, str) else text, mtime=0)
