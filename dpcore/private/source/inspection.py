"""Inspection: what the header of a trips file says, by the names of its columns or by a mapping of its owner."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures.data_form import DataForm
from dpcore.private.source.attributes import Kept
from dpcore.private.source.declared import LAT_FIRST, NO_TIMES
from dpcore.private.source.extras import ROLE
from dpcore.private.source.forms import TIMES, Layout, Times, Track
from dpcore.private.source.roles import role_choice
from dpcore.private.source.vocabulary import CLOCK

WHOLE: Final = "whole"
"""Role of the column of a track that says whether a place is missing."""
_ZONES: Final = frozenset({"start_tile", "start_station"})
_LONGEST_NAME: Final = 80
_VALUE: Final = re.compile(
    r"\s*[-+]?[\d.,:/ T-]*\d[\d.,:/ TZ+-]*\s*"  # a number, a date or a time; or a part that only data have:
    r"|.*(?:\d{4}-\d\d?-\d\d?|\d\d?[/.]\d\d?[/.]\d\d|\d:\d\d|\d[.,]\d{4}).*",
    re.DOTALL,
)


@dataclass(frozen=True)
class Inspection:
    """The form and the columns of one file. Public, like everything in a header."""

    form: str
    """Name of the form, as in ``forms.FORMS``."""
    layout: Layout
    """One row for each trip (``trips``), for each record of a trip (``records``), or for each point of a user (``points``)."""
    columns: tuple[str, ...]
    """Names of all columns, in the order of the file."""
    mapping: Mapping[str, str]
    """Role -> name of its column. The roles are those of ``vocabulary.NAMES``."""
    times: Times = "year-first"
    """The order in which times may also be written, beside 2017-01-31 00:21."""
    separator: str = ","
    """Between the fields of a CSV file: a comma, a semicolon, a tab or a vertical bar."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Attribute of a trip that is read (zip, gender, user_type) -> name of its column, for those that are present."""
    by_station: Mapping[str, str] = field(default_factory=dict)
    """The mapping that makes ``inspect`` read the stations of a file instead of its coordinates; empty if there is none."""
    clocks: Mapping[str, str] = field(default_factory=dict)
    """Role of a time -> column of its time of day, where the column in ``mapping`` holds the date alone."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Attribute of a trip, as in ``vocabulary.ATTRIBUTES`` -> name of its column. They are known, and read only if declared."""
    kept: tuple[Kept, ...] = ()
    """Attributes that the owner declared, each with its column."""

    match: tuple[str, ...] = ()
    """Public rules by which an id that no tile has may be that of a tile written differently; see ``tiles.id_rules``."""
    track: Track | None = None
    """How a row holds a whole track, with the name of its column; None where it does not."""
    weights: tuple[str, ...] = ()
    """Columns of weights by their names. They are not used: each row counts as one trip."""
    people: tuple[str, ...] = ()
    """Columns that may be of people by their names, where no column is known to be."""

    lasting: str = ""
    """The unit of the durations that the column of ``ended_at`` holds in place of times; empty if it holds times."""

    lat_first: bool = False
    """Whether the owner declares that places in columns of geometries have their latitude first."""

    no_times: bool = False
    """Whether the owner declares that there are no times. The column of ``datetime`` then holds the order of the places of a trip."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the header alone tells that its owner should know. Public."""
        told = (
            (self.weights, "weights are not used, each row counts as one trip"),
            (
                self.people,
                "no people are known. If this names them, say --column uid=NAME (in a notebook columns)",
            ),
        )
        lasting = ("each trip ends when its duration is over: times of ends were not recorded",)
        dated = []
        if self.one_date:
            day, both = (
                self.mapping["started_at"],
                " and ".join(self.clocks[role] for role in ("started_at", "ended_at")),
            )
            dated = [f"column {day}: the date of both ends, where {both} hold a time of day alone"]
        named = (
            f"column{'s' * (len(columns) > 1)} {', '.join(columns)}: {words}"
            for columns, words in told
            if columns
        )
        return (*(lasting if self.lasting else ()), *dated, *named)

    @property
    def one_date(self) -> bool:
        """Whether one column holds the date of both ends of a trip, and each end has a time of day of its own."""
        starts, ends = self.mapping.get("started_at"), self.mapping.get("ended_at")
        return starts == ends and {"started_at", "ended_at"} <= self.clocks.keys()

    @property
    def no_ends(self) -> bool:
        """Whether only one end of each trip is recorded."""
        return self.layout == "trips" and self.form.startswith("visits ")

    @property
    def has_users(self) -> bool:
        """Whether a column names users. Without one only the unit trip can be protected."""
        return "uid" in self.mapping

    @property
    def has_points(self) -> bool:
        """Whether places are coordinates (WGS84); otherwise they are zone ids."""
        return _ZONES.isdisjoint(self.mapping)

    @property
    def recorded(self) -> DataForm:
        """What of each trip is recorded."""
        return DataForm(self.has_users, self.has_points, not self.no_times, not self.no_ends)

    @property
    def stations(self) -> bool:
        """Whether zones are ids of stations that may have gone through a spreadsheet: 23.0 is then read as 23."""
        return "start_station" in self.mapping

    def without(self, columns: Collection[str]) -> Inspection:
        """What a reader of the file itself is to read, where some columns are told by the folders above it."""
        if not columns:
            return self

        def kept(of: Mapping[str, str]) -> dict[str, str]:
            return {role: column for role, column in of.items() if column not in columns}

        return replace(
            self,
            columns=tuple(name for name in self.columns if name not in columns),
            mapping=kept(self.mapping),
            clocks=kept(self.clocks),
            extras=kept(self.extras),
            kept=tuple(one for one in self.kept if one.column not in columns),
        )

    @property
    def needed(self) -> Mapping[str, str]:
        """Role -> column, of all columns that are read."""
        return {
            **self.mapping,
            **{CLOCK + role: column for role, column in self.clocks.items()},
            **{ROLE + name: column for name, column in self.extras.items()},
            **({WHOLE: self.track.whole} if self.track else {}),
            **{kept.role: kept.column for kept in self.kept},
        }


def inspected(
    name: str,
    columns: tuple[str, ...],
    mapping: Mapping[str, str],
    *,
    times: Times | None = None,
    separator: str = ",",
) -> Inspection:
    """``reading.inspect`` for columns whose names are known already, whatever holds them. ``name`` is for messages."""
    if times is not None and times not in TIMES:
        raise InputError.unknown("order of times", times, TIMES)
    choice = role_choice(name, columns, mapping)
    return Inspection(
        form=choice.form.name,
        layout=choice.form.layout,
        columns=columns,
        mapping=choice.roles,
        times=times or choice.form.times,
        separator=separator,
        extras=choice.extras,
        by_station=choice.by_station,
        clocks=choice.clocks,
        attributes=choice.attributes,
        track=choice.track,
        weights=choice.weights,
        people=choice.people,
        lasting=choice.lasting,
        lat_first=LAT_FIRST in mapping,
        no_times=NO_TIMES in mapping,
    )


def must_have_trips(name: str, inspection: Inspection) -> None:
    """Refuse points that no rule cuts into trips; raises InputError."""
    if inspection.layout == "points":
        raise InputError(
            "points without trip ids",
            f"{name}, form {inspection.form}",
            "Say how they are cut into trips, with --trip-gap 30min or --stays 200m,20min (in a notebook trip_gap or stays); or name "
            "the column of the trip id, with --column tid=NAME.",
            options=("--trip-gap", "--stays", "--column"),
        )


def check_names(names: tuple[str, ...], file_name: str) -> None:
    """Refuse a header that is too wide or consists of values.

    Raises InputError, which names the file and never a cell.
    """
    if len(names) > limits.MAX_COLUMNS:
        raise InputError(
            f"{len(names):,} columns, the limit is {limits.MAX_COLUMNS}", file_name, "Keep the needed ones."
        )
    # The first record of a file without a header is private and must not be shown as names of columns.
    # A column that is called by its number, as a data frame without names writes it, tells nothing.
    if any(
        (_VALUE.fullmatch(name) and name != str(number)) or len(name) > _LONGEST_NAME
        for number, name in enumerate(names)
    ):
        raise InputError(
            "the first line looks like data, not like names of columns",
            file_name,
            "Write a header line first, or name the columns: --header uid,datetime,lat,lng (in a notebook: header). If the names stand in another "
            "line, say which: --header 2.",
            options=("--header",),
        )
