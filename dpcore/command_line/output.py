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


def write_to(place: Path | None, table: Table | pa.Table) -> None:
    """Write a private table to a file that only its owner can read; it appears whole or not at all. None: print it."""
    if place is None:
        write(sys.stdout, table)
        return
    text = io.StringIO(newline="")
    write(text, table)
    disk.write_whole(place, text.getvalue().encode(), disk.FOR_OWNER, "Choose another folder with --out.")


def write_public(place: Path, content: bytes) -> None:
    """Write a file that anyone may see, whole or not at all, and say so."""
    disk.write_whole(place, content)
    tell_written(place)


def tell_written(place: Path) -> None:
    """Say on standard error which file was written, and how large it is."""
    print(f"wrote {place} ({place.stat().st_size / 1e6:.1f} MB)", file=sys.stderr)


def progress(word: str) -> Progress | None:
    """A function that shows progress on standard error; None if that is not a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(share: float) -> None:
        print(f"\r{word} {100 * share:3.0f} %", end="\n" if share >= 1 else "", file=sys.stderr, flush=True)

    return show
