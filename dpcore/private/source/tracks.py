"""Rows that hold a whole track: places at equal steps of time from a start. They become rows with both ends of a trip.

The end of such a trip follows from the number of its places, with the step that the publisher of the data states. No row decides
anything about another one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.fields import is_missing, mask_of, stripped, without
from dpcore.private.source.forms import Track
from dpcore.private.source.inspection import WHOLE, Inspection
from dpcore.private.source.report import NOT_A_TRACK, Sieve, too_long_for

_NUMBER: Final = r"[-+0-9.eE]{1,40}"
_PAIR: Final = rf"\[\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\]"
_TRACK: Final = rf"^\[\s*(?:{_PAIR}(?:\s*,\s*{_PAIR})*)?\s*\]$"
_NAMED: Final = rf"\[\s*(?P<lng>{_NUMBER})\s*,\s*(?P<lat>{_NUMBER})\s*\]"
_ENDS: Final = {"start": rf"^\[\s*{_NAMED}", "end": rf"{_NAMED}\s*\]$"}
_SECOND: Final = 1_000_000


def note_of(track: Track | None) -> tuple[str, ...]:
    """What a report says where ends of trips were not recorded."""
    if track is None:
        return ()
    return (
        f"the times of ends were not recorded: each is {track.every_s} seconds after the start for every further place",
    )


def unrolled(
    raw: RawBatch, inspection: Inspection, sieve: Sieve
) -> tuple[RawBatch, Inspection, NDArray[np.int64]]:
    """The rows with the columns of a trip between two points, what these are called, and the microseconds that each trip lasts.

    A track is ``[[lng, lat], ...]``, degrees, WGS84. One place alone is the start of a trip whose end nobody knows. The time of
    the end is empty where the row says that places are missing, because the others do not tell it. Until the duration is added,
    the end has the time of the start. Tracks that are none go to the sieve.
    """
    if inspection.track is None:
        return raw, inspection, np.zeros(raw.rows, np.int64)
    name, given = inspection.mapping["geometry"], raw.columns["geometry"]
    text = stripped(given) if pa.types.is_string(given.type) else pa.array(["?"] * raw.rows, pa.string())
    long = mask_of(pc.greater(pc.utf8_length(text), limits.MAX_GEOMETRY_CHARACTERS))
    sieve.refuse(too_long_for(limits.MAX_GEOMETRY_CHARACTERS), name, long)
    good = mask_of(pc.match_substring_regex(text, _TRACK)) & ~long
    sieve.refuse(NOT_A_TRACK, name, ~good & ~is_missing(given) & ~is_missing(text))
    places = np.where(good, pc.fill_null(pc.count_substring(text, "["), 1).to_numpy() - 1, 0).astype(np.int64)
    whole = mask_of(pc.equal(pc.utf8_lower(stripped(raw.columns[WHOLE].cast(pa.string()))), "false"))
    start = raw.columns["datetime"]
    columns = {"started_at": start, "ended_at": without(start, ~whole | (places < 2))}
    names = {"started_at": inspection.mapping["datetime"], "ended_at": f"{name}, time of the last place"}
    for (end, pattern), least, which in zip(_ENDS.items(), (1, 2), ("first", "last"), strict=True):
        pair = pc.extract_regex(text, pattern)
        for axis, words in (("lat", "latitude"), ("lng", "longitude")):
            columns[f"{end}_{axis}"] = without(pc.struct_field(pair, axis), places < least)
            names[f"{end}_{axis}"] = f"{name}, {words} of the {which} place"
    lasting = np.maximum(places - 1, 0) * inspection.track.every_s * _SECOND
    return replace(raw, columns=columns), replace(inspection, mapping=names), lasting
