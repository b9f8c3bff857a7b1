"""A refusal ends the program, whatever the parser was still reading."""

import contextlib
import gzip
import subprocess
import sys
import threading
import time
import zipfile

import pytest

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source import TripsFile, inspect, read
from dpcore.private.source.content import ByteStream

HEADER = b"user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
BAD = b"x" * 999 + b"\n"


def stored(folder, kind):
    text = HEADER + BAD * 30_000
    place = folder / f"trips.{kind}"
    if kind == "csv":
        place.write_bytes(text)
    elif kind == "csv.gz":
        place.write_bytes(gzip.compress(text, mtime=0))
    else:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("trips.csv", text)
    return place


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "zip"])
def test_a_file_of_bad_records_ends_with_one_line_and_the_same_number(tmp_path, kind):
    code = """
import sys
from dpcore.private.source import TripsFile, inspect, read
from dpcore.errors import InputError
file = TripsFile.on_disk(sys.argv[1])
try:
    for _ in read(file, inspect(file), timezone="UTC").batches():
        pass
except InputError as error:
    print(error)
    sys.exit(2)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, stored(tmp_path, kind)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.rstrip().endswith("And at least 9,999 more.")


def test_nothing_is_read_any_more_once_the_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 2**16)
    monkeypatch.setattr(limits, "MAX_BAD_RECORDS", 5)
    place = tmp_path / "trips.csv"
    place.write_bytes(
        HEADER + b"one field\n" * 20_000 + b"u,2024-01-01 10:00,2024-01-01 11:00,1,1,1,1\n" * 120_000
    )
    reads, read_on = [], ByteStream.read

    def slow(stream, size=-1):
        if (
            size == limits.CSV_BLOCK_BYTES
        ):  # the engine, which reads ahead; what looks for line numbers need not wait
            time.sleep(0.02)
        reads.append(size)
        return read_on(stream, size)

    monkeypatch.setattr(ByteStream, "read", slow)
    file = TripsFile.on_disk(place)
    with pytest.raises(InputError, match="at least") as refusal:
        for _ in read(file, inspect(file), timezone="UTC").batches():
            pass
    done = len(reads)
    assert 0 < reads.count(limits.CSV_BLOCK_BYTES) < 60  # of 85; it reads 32 ahead
    time.sleep(0.5)  # half of the text is left: 25 reads of a reader that goes on
    assert len(reads) == done
    assert (
        refusal.value.__traceback__ is not None
    )  # its frames keep the parser alive, as a program's error does


@pytest.mark.parametrize(
    "rest",
    [b"x" * 3_000_000, b"\xff", b"", BAD * 3],
    ids=["endless line", "not UTF-8", "nothing wrong", "bad records"],
)
def test_no_thread_is_left_after_a_reading(tmp_path, rest):
    """Else every refusal would leave one behind, or the program would end under a thread that still reads."""
    place = tmp_path / "trips.csv"
    place.write_bytes(HEADER + b"u,2024-01-01 10:00,2024-01-01 11:00,1,1,1,1\n" * 50_000 + rest)
    file = TripsFile.on_disk(place)
    before = set(threading.enumerate())
    with contextlib.suppress(InputError):
        for _ in read(file, inspect(file), timezone="UTC").batches():
            pass
    assert set(threading.enumerate()) == before
