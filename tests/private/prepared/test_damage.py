from pathlib import Path

import numpy as np
import pytest

from dpcore.errors import InputError
from dpcore.private.prepared import Part
from dpcore.private.prepared.files import run_name
from dpcore.private.prepared.part import DESCRIPTION, USERS_FILE
from dpcore.private.trips import local_rows
from tests.cities import Trip, private

TRIPS = [Trip(f"u{number}", "A", "B", end=f"2024-04-01 09:{number % 60:02}") for number in range(200)]


def flipped(place: Path, position: int) -> None:
    content = bytearray(place.read_bytes())
    content[position] ^= 1
    place.write_bytes(content)


def read(trips):
    """All that is stored, or None where it is refused."""
    try:
        rows = [shard.table().to_pylist() for shard in local_rows(trips).shards()]
        return rows, [batch.to_pylist() for part in local_rows(trips).parts for batch in part.users()]
    except InputError:
        return None


def test_no_damaged_byte_of_rows_gives_another_row():
    trips = private(TRIPS)
    whole = read(trips)
    for name in (run_name(0), USERS_FILE):
        place = trips.folder / name
        content = place.read_bytes()
        refused = 0
        for position in range(0, len(content), 41):
            flipped(place, position)
            found = read(trips)
            assert found in (None, whole), position
            refused += found is None
            place.write_bytes(content)
        assert refused * 41 > len(content) / 2, "most bytes are rows"


@pytest.mark.parametrize("left", [0, 100, 0.5, 0.9, None])
def test_a_run_that_was_cut_off_or_is_gone_is_read_again(left):
    trips = private(TRIPS)
    place = trips.folder / run_name(0)
    content = place.read_bytes()
    place.unlink()
    if left is not None:
        place.write_bytes(content[: int(left * len(content)) if left < 1 else left])
    with pytest.raises(InputError, match="Load the file again"):
        local_rows(trips).shards()[0].table(["rnd"])
    assert Part.open(trips.folder, "trips.csv") is None


@pytest.mark.parametrize("name", [DESCRIPTION])
def test_a_damaged_description_is_no_part(name):
    trips = private(TRIPS)
    place = trips.folder / name
    content = place.read_bytes()
    whole = Part.open(trips.folder, "trips.csv")
    assert whole is not None
    for position in range(0, len(content), 97):
        flipped(place, position)
        found = Part.open(trips.folder, "trips.csv")
        if found is not None:  # a byte that says nothing, such as a time of the zip
            assert np.array_equal(found.runs[0].checks, whole.runs[0].checks)
            assert np.array_equal(found.runs[0].offsets, whole.runs[0].offsets)
            assert found.report.to_json() == whole.report.to_json()
        place.write_bytes(content)
    place.write_bytes(content[: len(content) // 2])
    assert Part.open(trips.folder, "trips.csv") is None
