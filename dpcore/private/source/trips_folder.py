"""Trips files named one by one or by their folder, such as one that is partitioned by date."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.trips_file import TripsFile

ENDINGS: Final = (".csv", ".csv.gz", ".zip", ".parquet")
"""Of the files below a folder that are taken for trips; others are left alone."""


def trips_files(paths: Sequence[str | Path]) -> tuple[TripsFile, ...]:
    """The files that the paths name; a folder stands for all trips files below it, however deep.

    Names that begin with a dot or an underscore are left out, as are links: a folder holds what lies in it. A file of a
    folder is called by its path inside it (``date=2024-03-01/part-0.parquet``).

    Raises:
        InputError: a path cannot be opened, a folder holds no trips file, or there are too many.

    """
    named: list[tuple[Path, str]] = []
    for path in map(Path, paths):
        if path.is_dir():
            below = sorted(_below(path))
            if not below:
                raise InputError(
                    "no trips file in the folder",
                    path.name or str(path),
                    f"It may hold files that end in {', '.join(ENDINGS)}.",
                )
            named += [(path / inside, inside) for inside in below]
        else:
            named.append((path, path.name))
        if len(named) > limits.MAX_TRIPS_FILES:
            raise InputError(
                f"more than {limits.MAX_TRIPS_FILES:,} files",
                path.name,
                "Join the files of a month into one.",
            )
    times = Counter(name for _, name in named)  # files of one name are told apart by their folders
    return tuple(TripsFile.on_disk(path, name if times[name] == 1 else str(path)) for path, name in named)


def _below(folder: Path) -> Iterator[str]:
    seen = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._"]
        seen += len(folders) + len(files)
        if seen > limits.MAX_FOLDER_ENTRIES:
            raise InputError(
                f"the folder holds more than {limits.MAX_FOLDER_ENTRIES:,} names",
                folder.name,
                "Put the trips files into a folder of their own.",
            )
        for name in files:
            path = Path(place) / name
            if name[0] not in "._" and name.lower().endswith(ENDINGS) and not path.is_symlink():
                yield path.relative_to(folder).as_posix()
