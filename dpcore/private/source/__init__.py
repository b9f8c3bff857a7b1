"""Readers of trips files: bytes of any accepted form -> checked Arrow batches, one row for each trip.

``TripsFile`` opens the bytes and limits them, ``inspect`` recognises the form, ``read`` yields the trips. Then
``Reading.report`` says what was read. No error text holds a cell of the file.

Refusals are raised after the block that caught the errors of others, never inside it. Otherwise the error of a library,
which may hold a cell or a piece of the file, would be attached to ours as its context.
"""

from __future__ import annotations

from dpcore.private.source.batch import POINT_TRIPS, RECORD_TRIPS, ZONE_TRIPS
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.reading import Reading, column_names, inspect, keeping, read
from dpcore.private.source.report import BadRecords, Dropped, ReadReport
from dpcore.private.source.together import Together
from dpcore.private.source.trips_file import TripsFile, trips_files
from dpcore.private.source.trips_folder import left_out_notes

__all__ = [
    "POINT_TRIPS",
    "RECORD_TRIPS",
    "ZONE_TRIPS",
    "BadRecords",
    "Dropped",
    "Inspection",
    "ReadReport",
    "Reading",
    "Together",
    "TripsFile",
    "column_names",
    "inspect",
    "keeping",
    "left_out_notes",
    "read",
    "trips_files",
]
