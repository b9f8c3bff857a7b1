"""A refusal ends the program, whatever the parser was still reading."""

import gzip
import subprocess
import sys
import zipfile

import pytest

HEADER = b"user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
BAD = b"x" * 999 + b"\n"


def stored(folder, kind):
    text = HEADER + BAD * 60_000
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
