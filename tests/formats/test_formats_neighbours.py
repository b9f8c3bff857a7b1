"""In every format the records of one person or trip, well formed or broken, leave those of all others as they are read."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.formats.door import bytes_of, rows_of
from tests.formats.trips_index import TRIPS, TripsCase

TEXTS = [case for case in TRIPS if not case.refused and not case.file.endswith(".parquet")]
BROKEN = (b'"', b"?", b"2024-02-30 25:61,999,-999,NaN;inf\t1e999 0x1")
"""Lines that are no record of any format."""


def split(data: bytes) -> tuple[bytes, list[bytes]]:
    """What stands above the first record, and the lines of the records with their ends."""
    lines = data.splitlines(keepends=True)
    head = next(number for number, line in enumerate(lines) if number and line.strip())
    return b"".join(lines[:head]), lines[head:]


def mark_of(line: bytes) -> str:
    """What separates the fields of a line."""
    return max(",;\t ", key=line.decode().count)


def units(lines: list[bytes], rows: list[dict]) -> Iterator[list[bytes]]:
    """The lines of each person; where the file has no people, each line, which is a trip."""
    users = {row["user_id"] for row in rows}
    if users == {None}:
        yield from ([line] for line in lines)
        return
    cells = list(csv.reader((line.decode() for line in lines), delimiter=mark_of(lines[0])))
    column = next(i for i in range(len(cells[0])) if {row[i] for row in cells} == users)
    for user in sorted(users):
        yield [line for line, row in zip(lines, cells, strict=True) if row[column] == user]


def counted(rows: list[dict]) -> Counter:
    """The rows as they are handed on, with how often each of them occurs."""
    return Counter(map(repr, rows))


def read(case: TripsCase, head: bytes, lines: list[bytes]) -> list[dict]:
    """The rows of a file of these lines, in which bad records are left out."""
    return rows_of(case, head + b"".join(lines), drop=True)


@pytest.mark.parametrize("case", TEXTS, ids=str)
def test_whoever_leaves_a_file_takes_nothing_of_the_others_along(case, tmp_path):
    head, lines = split(bytes_of(case, tmp_path))
    rows = read(case, head, lines)
    parts = [read(case, head, unit) for unit in units(lines, rows)]
    assert sum(map(counted, parts), Counter()) == counted(rows)
    for unit, part in zip(units(lines, rows), parts, strict=True):
        rest = read(case, head, [line for line in lines if line not in unit])
        assert counted(rest) == counted(rows) - counted(part)


@pytest.mark.parametrize("case", TEXTS, ids=str)
def test_a_broken_line_leaves_all_others_as_they_are(case, tmp_path):
    head, lines = split(bytes_of(case, tmp_path))
    rows = counted(read(case, head, lines))
    end = lines[0][len(lines[0].rstrip(b"\r\n")) :]
    marks = mark_of(lines[0])
    nonsense = marks.join("?" * len(next(csv.reader([lines[0].decode()], delimiter=marks))))
    broken = [line + end for line in (*BROKEN, nonsense.encode())]
    middle = len(lines) // 2
    with_them = [*broken, *lines[:middle], *broken, *lines[middle:], *broken]
    assert counted(read(case, head, with_them)) == rows
