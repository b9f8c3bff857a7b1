"""Loaded trips that are found again in the private folder: by the folders of their prepared rows, without the files."""

from __future__ import annotations

from dpcore.errors import InputError
from dpcore.measures.attribute import attribute_of, text_of
from dpcore.measures.trip_rule import TripRule
from dpcore.private import store
from dpcore.private.bounding import bounding_key, key_identity
from dpcore.private.prepared import LocalRows, Part
from dpcore.private.projects.project import KeptTrips
from dpcore.private.source.report import summed
from dpcore.private.trips import PrivateTrips, rows_of
from dpcore.tiles import Tessellation


def kept_trips(trips: PrivateTrips) -> KeptTrips | None:
    """What finds these trips again. None for trips on Spark, whose rows are not in the private folder."""
    rows = rows_of(trips)
    if not isinstance(rows, LocalRows):
        return None
    return KeptTrips(
        trips.name,
        tuple((part.folder.name, part.name) for part in rows.parts),
        trips.folder.name,
        trips.timezone,
        trips.form.users,
        trips.form.points,
        trips.extras,
        trips.fingerprint,
        trips.file_fingerprints,
        trips.tiles_digest,
        key_identity(bounding_key()),
        trips.rule.text if trips.rule else None,
        trips.read_as,
        tuple(text_of(one) for one in trips.attributes),
        trips.form.times,
        trips.form.ends,
    )


def reopened(kept: KeptTrips, tessellation: Tessellation) -> PrivateTrips:
    """The trips again, on the tiles that they were prepared for, as they were when they were loaded.

    Nothing is read but what was prepared, so a file that has changed since, or an upload that is gone, changes nothing.
    Raises InputError if the prepared rows are not there any more, or belong to other tiles or to another key.
    """
    cache = store.folder("cache")
    parts = [Part.open(cache / folder, name) for folder, name in kept.parts]
    found = [part for part in parts if part is not None]
    same = kept.key == key_identity(bounding_key()) and kept.tiles_digest == tessellation.digest
    if not same or len(found) < len(parts) or not (cache / kept.folder).is_dir():
        raise InputError(
            "the prepared trips of this project are not kept any more",
            kept.name,
            "Load the files again on the Data page. All that you chose is still there.",
        )
    names = [part.name for part in found]
    return PrivateTrips(
        name=kept.name,
        _rows=LocalRows.of(found),
        folder=cache / kept.folder,
        tile_ids=tessellation.tile_ids,
        form=kept.form,
        timezone=kept.timezone,
        _reading=summed([part.report for part in found], names),
        tiles_digest=kept.tiles_digest,
        fingerprint=kept.fingerprint,
        extras=kept.extras,
        file_fingerprints=kept.file_fingerprints,
        tessellation=tessellation,
        rule=TripRule.of_text(kept.rule) if kept.rule else None,
        read_as=kept.read_as,
        attributes=tuple(map(attribute_of, kept.attributes)),
    )
