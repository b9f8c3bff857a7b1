"""Tile ids and names: what may be one, how errors quote text of a file, and which property of the features holds them.

Ids travel into tables, files, maps and spreadsheets, so their alphabet is narrow: nothing that begins a
formula, a tag or a link, and nothing invisible. Names are shown as text only and may hold any visible sign.

Without a choice of the caller the first property of a fixed list that the features have is taken; compared without
case, spaces, underscores and hyphens. Row numbers (OBJECTID, fid) are in no list: they change with each
export. What the list does not know is never guessed: the error names the properties that could serve.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.measures.keys import OUTSIDE
from dpcore.tiles.features import FEATURE_ID, Features

ID_RULE: Final = (
    f"A tile id has 1 to {limits.MAX_TILE_ID_CHARACTERS} letters, digits, spaces or _ - . : / , ' ( ) & #, "
    "begins with a letter or digit and does not end in a space."
)

_PUNCTUATION: Final = frozenset(" _-.:/,'()&#")
# Signs that Unicode files under letters or marks and that show nothing: two ids could differ by them alone.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_LARGEST_WHOLE_FLOAT: Final = 2**53


def _is_letter_or_digit(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category.startswith("L") or category == "Nd"


def _in_alphabet(text: str) -> bool:
    """Letters and digits of all scripts, the marks they carry, a space, a little punctuation."""
    return _INVISIBLE.search(text) is None and all(
        sign in _PUNCTUATION or _is_letter_or_digit(sign) or unicodedata.category(sign) in {"Mn", "Mc"}
        for sign in text
    )


def _is_outside(text: str) -> bool:
    """Whether a reader could take the text for the catch-all of the tables."""
    return text.casefold() == OUTSIDE


def as_text(value: object) -> str | None:
    """The text of a property's value: text as it is, a whole number in decimal digits, else None.

    A truth value, a missing value, a number with a fraction or a nested value has no text.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE_FLOAT:
        return str(int(value))
    return None


def is_tile_id(value: object) -> bool:
    """Whether ``tile_id`` would accept the value."""
    text = as_text(value)
    if text is None or not 1 <= len(text) <= limits.MAX_TILE_ID_CHARACTERS:
        return False
    return _is_letter_or_digit(text[0]) and text[-1] != " " and not _is_outside(text) and _in_alphabet(text)


def tile_id(value: object, where: str) -> str:
    """The tile id that a value stands for; raises TessellationError, naming ``where``, if it can be none."""
    text = as_text(value)
    if text is not None and is_tile_id(value):
        return text
    if text is not None and _is_outside(text):
        raise TessellationError(
            f"a tile is called {quoted(OUTSIDE)}",
            where,
            "That word stands for every place without a tile. Give the tile another id.",
        )
    if text is None:
        found = "missing" if value is None else "neither text nor a whole number"
    elif not text:
        found = "empty"
    else:
        found = (
            f"{quoted(text)}, which is no id" if len(text) <= limits.MAX_TILE_ID_CHARACTERS else "too long"
        )
    raise TessellationError(f"the tile id is {found}", where, ID_RULE)


def tile_name(value: object, otherwise: str) -> str:
    """A name to show as text: no control or format characters, at most 120 characters; never empty."""
    text = as_text(value) or ""
    visible = "".join(
        sign for sign in " ".join(text.split()) if not unicodedata.category(sign).startswith("C")
    )
    return visible[: limits.MAX_TILE_NAME_CHARACTERS].strip() or otherwise


def quoted(text: str) -> str:
    """Text of a file as an error may quote it: one line, visible signs only, cut short."""
    return f'"{tile_name(text, "")[:60]}"'


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
