"""The folders of prepared trips: which inputs give which folder, and which folders another version of this program made."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.measures.attribute import text_of
from dpcore.measures.trip_rule import TripRule
from dpcore.private import kept, store
from dpcore.private.bounding import key_identity
from dpcore.private.prepared.files import VERSION
from dpcore.private.prepared.part import part_version
from dpcore.private.sealed import Sealed
from dpcore.private.source import BadRecords, Inspection

SET_FILE: Final = "set"
"""In the folder of a data set of several parts. It holds the version."""
_FIRST_VERSIONS: Final = "trips.parquet"
"""In the folders of versions 1 to 4."""


@dataclass(frozen=True, repr=False)
class Inputs(Sealed):
    """Everything that prepared rows follow from, apart from the version of this program."""

    digest: str
    """Keyed digest of the bytes that are read."""
    inspection: Inspection
    tiles_digest: str
    timezone: str
    bad_records: BadRecords
    key: bytes
    """The bounding key."""
    rule: TripRule | None = None
    """The rule that cuts points into trips."""
    header: str = ""
    """Names of columns that the owner gave, as in ``TripsFile.header``."""
    folders: Sequence[tuple[str, str | None]] = ()
    """Columns that are read and that folders name, each with its value, as in ``TripsFile.folders``."""

    @property
    def name(self) -> str:
        """The name of what these inputs give. Other inputs give another name."""
        return kept.name_of(
            self.key,
            VERSION,
            str(limits.MAX_POINTS_PER_TRIP),
            key_identity(self.key),
            self.digest,
            self.tiles_digest,
            self.inspection.form,
            json.dumps(sorted(self.inspection.needed.items())),
            self.inspection.times,
            self.timezone,
            self.bad_records.value,
            *([] if self.rule is None else [self.rule.text]),
            *([self.header] if self.header else []),
            *(["latitude first"] if self.inspection.lat_first else []),
            *(["no times"] if self.inspection.no_times else []),
            *([f"lasting {self.inspection.lasting}"] if self.inspection.lasting else []),
            *([json.dumps([*self.folders])] if self.folders else []),
            *(text_of(one.attribute) for one in self.inspection.kept),
            *([f"match {','.join(self.inspection.match)}"] if self.inspection.match else []),
        )


def part_folder(inputs: Sequence[Inputs], key: bytes) -> Path:
    """The place of the part of a file, or of files that are read together in any order. It may not exist."""
    names = sorted(one.name for one in inputs)
    return store.folder("cache") / (names[0] if len(names) == 1 else kept.name_of(key, "together", *names))


def set_folder(parts: Sequence[Path], key: bytes) -> Path:
    """The folder for results of several parts together, whatever their order. It is made if missing."""
    folder = store.folder("cache", kept.name_of(key, VERSION, *sorted(part.name for part in parts)))
    about = folder / SET_FILE
    if _text(about) != VERSION:
        with store.written(about) as new:
            new.write_text(VERSION, encoding="ascii")
    return folder


def sweep(older_than_seconds: float = store.STALE_SECONDS) -> None:
    """Remove what interrupted runs left, and what earlier versions prepared, because nobody asks for those names again."""
    store.sweep(older_than_seconds)
    oldest = time.time() - older_than_seconds
    for folder in store.folder("cache").iterdir():
        with suppress(OSError):  # another process removed it first
            if _of_another_version(folder) and store.last_change(folder) < oldest:
                shutil.rmtree(folder)


def _of_another_version(folder: Path) -> bool:
    """Whether another version made a folder of the cache. No, if that cannot be told."""
    of_set = _text(folder / SET_FILE)
    if of_set is not None:
        return of_set.isdecimal() and of_set != VERSION
    version = part_version(folder)
    return version != VERSION if version is not None else (folder / _FIRST_VERSIONS).exists()


def _text(place: Path) -> str | None:
    """The content of a small file; None if it is missing or cannot be read."""
    with suppress(OSError):
        return place.read_text(encoding="ascii", errors="replace")
    return None
