"""PrivateTrips: one data set of trips, prepared and stored in the private folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dpcore.errors import InputError
from dpcore.measures.attribute import Attribute
from dpcore.measures.data_form import DataForm
from dpcore.measures.measure import Engine
from dpcore.measures.trip_rule import TripRule
from dpcore.privacy import PrivacyUnit
from dpcore.private import looks
from dpcore.private.prepared import LocalRows
from dpcore.private.sealed import Sealed
from dpcore.private.source.report import ReadReport
from dpcore.tiles import Tessellation


class Rows(Protocol):
    """Prepared trips, one row for each trip, wherever they are stored."""

    @property
    def count(self) -> int:
        """Number of trips."""


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PrivateTrips(Sealed):
    """Handle of prepared trips. The rows stay on disk."""

    name: str
    """File name, or number of files, for captions."""
    _rows: Rows
    """The prepared trips, one row for each trip. ``rows_of`` and ``local_rows`` give them to what counts."""
    folder: Path
    """Private folder of the exact answers counted so far."""
    tile_ids: tuple[str, ...]
    """Tiles to which the points were assigned. Public."""
    form: DataForm
    """What of each trip is recorded. Public."""
    timezone: str
    """IANA name of the city's clock."""
    _reading: ReadReport
    """What was read and what was refused; ``report`` tells it."""
    tiles_digest: str
    """Digest of the tessellation to which the points were assigned. Public."""
    fingerprint: str
    """Keyed digest of all bytes. It recognises the same file or set, and reveals nothing of the content. Never printed."""
    extras: tuple[str, ...] = ()
    """Which of zip, gender and user_type the form has. The rows then have a text column ``extra_zip`` and so on.

    Values are as in ``private.source.extras``; null if a trip has none.
    """

    engine: Engine = Engine.COMPILED
    """The engine that counts these trips. No answer depends on it."""

    file_fingerprints: tuple[str, ...] = ()
    """The same for each of several files. It recognises a file in any set."""

    tessellation: Tessellation | None = None
    """The public tiles themselves, where they are known: for maps of a preview."""

    rule: TripRule | None = None
    """The public rule that cut points into these trips. None: the trips stood in the files."""

    read_as: str = ""
    """The columns that were read, and of points the order of their times, on which it depends which records are one trip.

    Empty where each row is a trip. Public.
    """

    @property
    def has_users(self) -> bool:
        """Whether a column names people. Without one only the unit trip is possible."""
        return self.form.users

    @property
    def has_points(self) -> bool:
        """Whether places are coordinates."""
        return self.form.points

    @property
    def has_times(self) -> bool:
        """Whether there are times. Without them all trips stand at one moment, which no measure may read."""
        return self.form.times

    @property
    def made_by(self) -> tuple[str, ...]:
        """The rule and the reading that decide which records are one trip; nothing where each row is a trip. Public."""
        return tuple(words for words in (self.rule.text if self.rule else "", self.read_as) if words)

    attributes: tuple[Attribute, ...] = ()
    """Declared attributes. The rows then have a column ``attribute_mode`` and so on; see ``private.source.attributes``.

    Which trips there are, and which of them count, does not depend on them.
    """

    @property
    def report(self) -> ReadReport:
        """What was read and what was refused. For the owner only: whoever takes it has looked at these trips."""
        looks.remember(self.fingerprints)
        return self._reading

    def must_hide(self, unit: PrivacyUnit) -> None:
        """Refuse to protect single trips where removing one may change others. Raises PrivacyError."""
        if self.rule is not None:
            self.rule.must_suit(unit, self.name)

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The fingerprint of each file. For one file, and for trips on Spark, that of all."""
        return self.file_fingerprints or (self.fingerprint,)

    @property
    def files(self) -> tuple[tuple[str, ReadReport], ...]:
        """Name and report of each file that was read on this computer. For the owner only, and a look as ``report`` is."""
        looks.remember(self.fingerprints)
        rows = self._rows
        return tuple((part.name, part.report) for part in rows.parts) if isinstance(rows, LocalRows) else ()


def rows_of(trips: PrivateTrips) -> Rows:
    """The prepared trips for what counts behind the wall: no look, as long as nothing of them is told."""
    return trips._rows  # noqa: SLF001 - the handle itself offers no number that is not remembered as a look


def local_rows(trips: PrivateTrips) -> LocalRows:
    """The same, if they are on this computer. Raises InputError if they are on a Spark cluster."""
    rows = rows_of(trips)
    if isinstance(rows, LocalRows):
        return rows
    raise InputError(
        "these trips are on Spark, which counts them and does nothing else",
        trips.name,
        "Load them without Spark (--engine compiled) to do this.",
    )
