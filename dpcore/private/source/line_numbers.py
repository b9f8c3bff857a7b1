"""Where records stand in a CSV file: a second pass, made only when there is something to name."""

from __future__ import annotations

import csv
import io

from dpcore.private.source.trips_file import TripsFile


def lines_of(file: TripsFile, wanted: set[int], width: int, separator: str = ",") -> dict[int, int]:
    """The physical line, counted from 1, on which each wanted record begins.

    Args:
        file: a CSV file, plain or packed.
        wanted: ordinals as in ``faults.Lines``: from 0 among records of ``width`` fields, from -1
            downwards among the others.
        width: fields of the header.
        separator: what stands between fields.

    """
    found: dict[int, int] = {}
    with (
        file.open_text() as stream,
        io.TextIOWrapper(io.BufferedReader(stream), "utf-8-sig", newline="") as text,
    ):
        rows = csv.reader(text, delimiter=separator)
        good, ragged, begin, header = 0, -1, 1, True
        try:
            for row in rows:
                if header:
                    header = not row
                elif row:  # an empty line is no record
                    whole = len(row) == width
                    ordinal = good if whole else ragged
                    good, ragged = good + whole, ragged - (not whole)
                    if ordinal in wanted:
                        found[ordinal] = begin
                        if len(found) == len(wanted):
                            break
                begin = rows.line_num + 1
        except csv.Error:  # a field above the limit of the csv module: count records instead
            pass
    return {record: found.get(record, abs(record) + 2) for record in wanted}
