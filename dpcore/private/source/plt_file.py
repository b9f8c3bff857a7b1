"""Trajectories of GeoLife: batches of records. The file names the trajectory, its folder may name the user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow.compute as pc

from dpcore.private.source.batch import RawBatch
from dpcore.private.source.csv_file import csv_batches
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.plt_text import COLUMNS
from dpcore.private.source.report import Faults
from dpcore.private.source.trips_file import TripsFile

_READ = {name: name for name in ("uid", "tid", "lat", "lng", "date", "time")}


def header_of(file: TripsFile) -> tuple[tuple[str, ...], str]:
    """The names of the columns that ``plt_batches`` gives: without ``uid`` where nobody knows the user."""
    names = ("uid", "tid", "datetime", "lat", "lng")
    return names if file.names_users else names[1:], ","


def plt_batches(
    file: TripsFile, inspection: Inspection, faults: Faults, progress: Callable[[float], None]
) -> Iterator[RawBatch]:
    """The records as ``csv_batches`` gives them. Times are GMT. Without a user, ``uid`` is the trajectory.

    So points without a user are cut within their file. Raises InputError as ``csv_batches``.
    """
    text = replace(inspection, columns=COLUMNS, mapping=_READ, separator=",")
    for raw in csv_batches(file, text, faults, progress, added=COLUMNS.index("lat")):
        columns = dict(raw.columns)
        date, time = columns.pop("date"), columns.pop("time")
        clock = pc.binary_join_element_wise(date, time, "T")
        columns["datetime"] = pc.binary_join_element_wise(clock, "Z", "")
        if not file.names_users:
            columns["uid"] = columns["tid"]
        yield replace(raw, columns=columns)
