"""The door of the command line, for one file: its words, as a person types them, to what is read."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

import pyarrow as pa

from dpcore.api import owner
from dpcore.command_line import options
from dpcore.command_line.main import Parser
from dpcore.measures.trip_rule import TripRule
from dpcore.private.loading import to_be_cut
from dpcore.private.source import Reading, TripsFile, read
from dpcore.private.source.together import Together
from dpcore.tiles import Tessellation
from tests.formats import tiles_index, trips_index
from tests.formats.tiles_index import TilesCase
from tests.formats.trips_index import TripsCase
from tests.formats.written_files import MADE

PARSER = Parser(prog="formats")
options.add_files(PARSER)


def bytes_of(case: TripsCase | TilesCase, folder: Path) -> bytes:
    """The bytes of a file: from its folder, or made in this one."""
    if case.file in MADE:
        return MADE[case.file](folder)
    where = trips_index.FOLDER if isinstance(case, TripsCase) else tiles_index.FOLDER
    return (where / case.file).read_bytes()


def asked_of(case: TripsCase) -> argparse.Namespace:
    """The words of a case, as the command line understands them."""
    words = ["--trips", case.file, "--tiles", "unused.geojson", "--timezone", case.zone]
    return PARSER.parse_args([*words, *shlex.split(case.options)])


def inspected(case: TripsCase, data: bytes) -> tuple[TripsFile, owner.Inspection]:
    """A file of these bytes, and its form."""
    asked, file = asked_of(case), TripsFile.uploaded(case.file, data)
    file = file if asked.header is None else file.with_header(asked.header)
    return file, options.form_of(file, asked)


def reading_of(case: TripsCase, data: bytes, *, drop: bool = False) -> Reading | Together:
    """The reading that the words of a case ask for, of these bytes."""
    asked = asked_of(case)
    rule = TripRule.of(asked.trip_gap, asked.stays)
    files = to_be_cut([inspected(case, data)], rule)
    bad = owner.BadRecords.DROP if drop else owner.BadRecords.REFUSE
    if rule is None:
        return read(*files[0], timezone=case.zone, bad_records=bad)
    return Together(files, rule, timezone=case.zone, bad_records=bad)


def table_of(case: TripsCase, data: bytes, *, drop: bool = False) -> pa.Table:
    """The trips of a file, in no order."""
    reading = reading_of(case, data, drop=drop)
    return pa.Table.from_batches(list(reading.batches()), reading.schema)


def rows_of(case: TripsCase, data: bytes, *, drop: bool = False) -> list[dict[str, object]]:
    """The trips of a file, in order of time and user."""
    rows = table_of(case, data, drop=drop).to_pylist()
    return sorted(
        rows,
        key=lambda row: (row["started_at"] is None, str(row["started_at"]), str(row["user_id"]), repr(row)),
    )


def tiles_of(case: TilesCase, data: bytes, folder: Path) -> Tessellation:
    """The tiles that the words of a case ask for, of these bytes."""
    path = folder / case.file
    path.write_bytes(data)
    words = ["--trips", "unused.csv", "--tiles", str(path), *shlex.split(case.options)]
    return options.tiles_of(PARSER.parse_args(words))
