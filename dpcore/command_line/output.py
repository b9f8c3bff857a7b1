"""Write tables to standard output, or to a file that appears whole or not at all; show progress on standard error."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

from dpcore import disk

Table = Mapping[str, Sequence[str] | Sequence[int]]
Progress = Callable[[float], None]


def write(out: IO[str], table: Table | pa.Table) -> None:
    """Write a table as CSV with a header."""
    writer = csv.writer(out, lineterminator="\n")
    if isinstance(table, Mapping):
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
        return
    from pyarrow import ArrowInvalid  # noqa: PLC0415 - whoever has such a table has loaded the library
    from pyarrow.csv import WriteOptions, write_csv  # noqa: PLC0415

    writer.writerow(table.column_names)
    plain = WriteOptions(include_header=False, quoting_style="none")
    for rows in table.to_batches(_ROWS):
        lines = BytesIO()
        with suppress(ArrowInvalid):  # some text needs quotes, which Arrow writes around every text or none
            write_csv(rows, lines, plain)
            out.write(lines.getvalue().decode())
            continue
        writer.writerows(zip(*(column.to_pylist() for column in rows.columns), strict=True))


_ROWS: Final = 2**17
"""Rows that are written at a time."""


def write_file(place: Path, table: Table | pa.Table) -> None:
    """Write a private table to a file that only its owner can read; it appears whole or not at all."""
    text = io.StringIO(newline="")
    write(text, table)
    disk.write_whole(place, text.getvalue().encode(), disk.FOR_OWNER, "Choose another folder with --out.")


def progress(word: str) -> Progress | None:
    """A function that shows progress on standard error; None if that is not a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(share: float) -> None:
        print(f"\r{word} {100 * share:3.0f} %", end="\n" if share >= 1 else "", file=sys.stderr, flush=True)

    return show
