"""Write tables to standard output, or to a file that appears whole or not at all; show progress on standard error."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from dpcore import disk

Table = Mapping[str, Sequence[str] | Sequence[int]]
Progress = Callable[[float], None]


def write(out: IO[str], table: Table) -> None:
    """Write a table as CSV with a header."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))


def write_file(place: Path, table: Table) -> None:
    """Write a private table to a file that only its owner can read; it appears whole or not at all."""
    text = io.StringIO(newline="")
    write(text, table)
    disk.write_whole(place, text.getvalue().encode(), disk.FOR_OWNER)


def progress(word: str) -> Progress | None:
    """A function that shows progress on standard error; None if that is not a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(share: float) -> None:
        print(f"\r{word} {100 * share:3.0f} %", end="\n" if share >= 1 else "", file=sys.stderr, flush=True)

    return show
