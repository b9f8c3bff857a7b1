"""In every format the records of one person or trip, well formed or broken, leave those of all others as they are read."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from tests.formats.door import asked_of, bytes_of, inspected, rows_of
from tests.formats.trips_index import TRIPS, TripsCase

TEXTS = [case for case in TRIPS if not case.refused and not case.file.endswith(".parquet")]
BROKEN = (b'"', b"?", b"2024-02-30 25:61,999,-999,NaN;inf\t1e999 0x1")
"""Lines that are no record of any format."""


@dataclass(frozen=True)
class Split:
    """A file as its records and what stands above them."""

    case: TripsCase
    head: bytes
    lines: tuple[bytes, ...]
    """Of the records, with their ends."""
    mark: str
    """What separates their fields."""

    @classmethod
    def of(cls, case: TripsCase, data: bytes) -> Split:
        """The file of a case."""
        lines = data.splitlines(keepends=True)
        below = next(number for number, line in enumerate(lines) if number and line.strip())
        head = 0 if asked_of(case).header else 6 if case.file.endswith(".plt") else below
        _, seen = inspected(case, data)
        return cls(case, b"".join(lines[:head]), tuple(lines[head:]), seen.separator)

    def units(self, rows: list[dict]) -> Iterator[list[bytes]]:
        """The lines of each person; where the file has no people, each line, which is a trip."""
        users = {row["user_id"] for row in rows}
        if users == {None}:
            yield from ([line] for line in self.lines)
            return
        cells = list(csv.reader((line.decode() for line in self.lines), delimiter=self.mark))
        column = next(i for i in range(len(cells[0])) if {row[i] for row in cells} == users)
        for user in sorted(users):
            yield [line for line, row in zip(self.lines, cells, strict=True) if row[column] == user]

    def read(self, lines: Iterable[bytes]) -> list[dict]:
        """The rows of a file of these lines, in which bad records are left out; none of a file of nothing."""
        data = self.head + b"".join(lines)
        return rows_of(self.case, data, drop=True) if data else []


def counted(rows: list[dict]) -> Counter:
    """The rows as they are handed on, with how often each of them occurs."""
    return Counter(map(repr, rows))


@pytest.mark.parametrize("case", [case for case in TEXTS if not case.file.endswith(".plt")], ids=str)
def test_whoever_leaves_a_file_takes_nothing_of_the_others_along(case, tmp_path):
    file = Split.of(case, bytes_of(case, tmp_path))
    rows = file.read(file.lines)
    units = list(file.units(rows))
    parts = [counted(file.read(unit)) for unit in units]
    assert sum(parts, Counter()) == counted(rows)
    for unit, part in zip(units, parts, strict=True):
        rest = file.read(line for line in file.lines if line not in unit)
        assert counted(rest) == counted(rows) - part


@pytest.mark.parametrize("case", TEXTS, ids=str)
def test_broken_lines_leave_all_others_as_they_are(case, tmp_path):
    file = Split.of(case, bytes_of(case, tmp_path))
    end = file.lines[0][len(file.lines[0].rstrip(b"\r\n")) :]
    nonsense = file.mark.join("?" * len(next(csv.reader([file.lines[0].decode()], delimiter=file.mark))))
    broken = [line + end for line in (*BROKEN, nonsense.encode())]
    middle = len(file.lines) // 2
    with_them = [*broken, *file.lines[:middle], *broken, *file.lines[middle:], *broken]
    assert counted(file.read(with_them)) == counted(file.read(file.lines))
