"""PrivateTrips: one data set of trips, prepared and stored in the private folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dpcore.errors import InputError
from dpcore.measures.measure import Engine
from dpcore.private.prepared import LocalRows
from dpcore.private.sealed import Sealed
from dpcore.private.source.report import ReadReport
from dpcore.tiles import Tessellation


class Rows(Protocol):
    """Prepared trips, one row a trip, wherever they lie."""

    @property
    def count(self) -> int:
        """How many trips."""


@dataclass(frozen=True, repr=False, eq=False)
class PrivateTrips(Sealed):
    """Handle of prepared trips; the rows stay on disk."""

    name: str
    """File name, or how many files there are: for captions."""
    rows: Rows
    """The prepared trips, one row a trip; ``local_rows`` gives those of this computer."""
    folder: Path
    """Private folder of the exact answers counted so far."""
    tile_ids: tuple[str, ...]
    """Tiles the points were assigned to: public."""
    has_users: bool
    """Whether the form has a user column; without one only the trip unit is possible."""
    timezone: str
    """IANA name of the city's clock."""
    report: ReadReport
    """What was read and what was refused: for the owner only."""
    tiles_digest: str
    """Digest of the tessellation that the points were assigned to: public."""
    fingerprint: str
    """Keyed digest of all bytes: tells the same file or set again, tells nobody what is in it. Never printed."""
    has_points: bool = True
    """Whether the form has coordinates; zone ids alone tell no distance."""
    extras: tuple[str, ...] = ()
    """Which of zip, gender and user_type the form has: the rows then have a text column ``extra_zip`` and so on.

    Values are as in ``private.source.extras``; null where a trip has none.
    """

    engine: Engine = Engine.COMPILED
    """What counts these trips; no answer depends on it."""

    file_fingerprints: tuple[str, ...] = ()
    """The same of each file where there are several: tells a file again in whatever set it is."""

    tessellation: Tessellation | None = None
    """The public tiles themselves, where they are known: for maps of a preview."""

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Of each file; of one file, and of trips on Spark, that of all."""
        return self.file_fingerprints or (self.fingerprint,)

    @property
    def files(self) -> tuple[tuple[str, ReadReport], ...]:
        """Name and report of each file that was read on this computer."""
        return (
            tuple((part.name, part.report) for part in self.rows.parts)
            if isinstance(self.rows, LocalRows)
            else ()
        )

    def local_rows(self) -> LocalRows:
        """The rows, where they lie on this computer; raises InputError: they are on a Spark cluster."""
        if isinstance(self.rows, LocalRows):
            return self.rows
        raise InputError(
            "these trips are on Spark, which counts them and does nothing else",
            self.name,
            "Load them without Spark, --engine compiled, for what this asks.",
        )
