"""Which property of the features is the tile's id, and which its name.

Without a choice of the caller the first of a fixed list that the features have is taken; compared without
case, spaces, underscores and hyphens. Row numbers (OBJECTID, fid) are in no list: they change with each
export. What the list does not know is never guessed: the error names the properties that could serve.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dpcore.errors import TessellationError
from dpcore.tessellation.features import Features
from dpcore.tessellation.geojson import FEATURE_ID
from dpcore.tessellation.labels import as_text, is_tile_id, quoted

ID_COLUMNS: Final = (
    "tile_id",
    "location_id",
    "zone_id",
    "geoid",
    "geoid20",
    "geoid10",
    "district_id",
    "neighborhood_id",
    "neighbourhood_id",
    "h3",
    "h3_index",
    "station_id",
    "id",
    FEATURE_ID,
)
"""Properties taken for the tile id, best first; ``location_id`` also stands for ``LocationID``."""

NAME_COLUMNS: Final = (
    "tile_name",
    "name",
    "zone",
    "zone_name",
    "district",
    "district_name",
    "neighborhood",
    "neighbourhood",
    "namelsad",
    "namelsad20",
    "namelsad10",
    "name20",
    "name10",
    "label",
    "station_name",
    "station",
)
"""Properties taken for the name shown, best first; without any, the id is shown."""


@dataclass(frozen=True)
class PropertySummary:
    """One property of a tessellation file, to choose the tile id by."""

    column: str
    """Its name in the file."""
    features: int
    """How many features the file has."""
    filled: int
    """In how many of them it has a value."""
    distinct: int
    """How many different values it has."""
    possible_id: bool
    """Whether every feature has a value that may be a tile id; values may repeat."""
    examples: tuple[str, ...]
    """Up to three values in file order, as text to show."""
    proposed: bool
    """Whether it is taken for the tile id without a choice."""

    @property
    def repeats(self) -> bool:
        """Whether a value stands at several features, so that tiles would have to be merged."""
        return self.distinct < self.filled


def describe(features: Features) -> tuple[PropertySummary, ...]:
    """A summary of every property, in the order of the file."""
    proposed = _first_of(ID_COLUMNS, features.columns)
    summaries = []
    for column in features.columns:
        values = [
            as_text(value) or str(value) for value in _values(features, column) if value not in (None, "")
        ]
        different = tuple(dict.fromkeys(values))
        summaries.append(
            PropertySummary(
                column=column,
                features=len(features.polygons),
                filled=len(values),
                distinct=len(different),
                possible_id=all(map(is_tile_id, _values(features, column))),
                examples=tuple(quoted(text).strip('"') for text in different[:3]),
                proposed=column == proposed,
            )
        )
    return tuple(summaries)


def id_column(features: Features, wanted: str | None = None) -> str:
    """The property that holds the tile ids: the one wanted, else the first of ``ID_COLUMNS`` there is.

    Raises TessellationError listing the properties whose values are complete and unique.
    """
    found = _first_of(ID_COLUMNS, features.columns) if wanted is None else _named(wanted, features.columns)
    if found is not None:
        return found
    raise TessellationError(
        "no property is known as tile id" if wanted is None else f"there is no property {quoted(wanted)}",
        features.source_name,
        suggestion(features),
    )


def name_column(features: Features) -> str | None:
    """The property that holds the tiles' names: the first of ``NAME_COLUMNS`` there is."""
    return _first_of(NAME_COLUMNS, features.columns)


def instead(features: Features, column: str) -> str:
    """A sentence on what could be the tile id instead of a property whose values repeat.

    Nothing could where that property is known as one: trips with zone ids name their tiles by it, and would fall into
    wrong tiles by a row number.
    """
    if column == _first_of(ID_COLUMNS, features.columns):
        return f"Trips with zone ids name their tiles by {quoted(column)}: by another property they fall into wrong tiles."
    return suggestion(features, column)


def suggestion(features: Features, beside: str | None = None) -> str:
    """A sentence on which properties could be the tile id; ``beside`` is left out."""
    names = [
        quoted(summary.column)
        for summary in describe(features)
        if summary.possible_id and not summary.repeats and summary.column != beside
    ]
    if not names:
        return "No other property is complete and unique: give every tile a property tile_id."
    more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
    return f"Choose as id column one that is complete and unique: {', '.join(names[:20])}{more}."


def _values(features: Features, column: str) -> list[object]:
    return [row.get(column) for row in features.properties]


def _key(column: str) -> str:
    return re.sub(r"[\s_-]", "", column).casefold()


def _first_of(known: Sequence[str], columns: Sequence[str]) -> str | None:
    by_key: dict[str, str] = {}
    for column in columns:
        by_key.setdefault(_key(column), column)
    return next((by_key[_key(name)] for name in known if _key(name) in by_key), None)


def _named(wanted: str, columns: Sequence[str]) -> str | None:
    """The column of exactly that name, else of that name but for case."""
    if wanted in columns:
        return wanted
    return next((column for column in columns if column.casefold() == wanted.casefold()), None)
