"""Write tables to standard output, or to a file that appears whole or not at all."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from dpcore.errors import InputError

Table = Mapping[str, Sequence[str] | Sequence[int]]


def write(out: IO[str], table: Table) -> None:
    """Write a table as CSV with a header."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))


def write_file(place: Path, table: Table) -> None:
    """Write a private table to a file that only its owner can read; it appears whole or not at all."""
    part = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}-")  # mode 0600
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            write(out, table)
        Path(part).replace(place)
    except OSError:
        raise InputError(
            "the folder cannot be written", str(place.parent), "Choose another one with --out."
        ) from None
    finally:
        if part is not None:
            Path(part).unlink(missing_ok=True)
