"""Tile ids and names: which are allowed, how errors quote text of a file, and which property of the features holds them.

Ids get into tables, files, maps and spreadsheets, so their alphabet is narrow: nothing that begins a formula, a tag or a
link, and nothing invisible. Names are only shown as text and may hold any visible sign.

If the caller does not choose a property, the first one of a fixed list that the features have is used. Case, spaces,
underscores and hyphens do not matter. Without one of the list, the only property that is complete and unique is used. Where
several are, the error names them. Row numbers (OBJECTID, fid) do not count, because they change with each export.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
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
_USUAL: Final = re.compile(r"[0-9A-Za-z _\-.:/,'()&#]*")
"""Texts of this alphabet in ASCII, which need no look at the tables of Unicode."""
# Signs that Unicode counts as letters or marks but that show nothing. Two ids could differ by them alone.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_LARGEST_WHOLE_FLOAT: Final = 2**53


def _is_letter_or_digit(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category.startswith("L") or category == "Nd"


def _in_alphabet(text: str) -> bool:
    """Letters and digits of all scripts, their marks, a space, and a little punctuation."""
    return _USUAL.fullmatch(text) is not None or (
        _INVISIBLE.search(text) is None
        and all(
            sign in _PUNCTUATION or _is_letter_or_digit(sign) or unicodedata.category(sign) in {"Mn", "Mc"}
            for sign in text
        )
    )


def _is_outside(text: str) -> bool:
    """Whether a reader could mistake the text for the catch-all of the tables."""
    return text.casefold() == OUTSIDE


def as_text(value: object) -> str | None:
    """The text of a property's value: text as it is, a whole number in decimal digits, otherwise None.

    A truth value, a missing value, a number with a fraction and a nested value have no text.
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
    """The tile id for a value. Raises TessellationError that names ``where`` if the value cannot be an id."""
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
            f"{quoted(text)}, which is not an id"
            if len(text) <= limits.MAX_TILE_ID_CHARACTERS
            else "too long"
        )
    raise TessellationError(f"the tile id is {found}", where, ID_RULE)


def tile_name(value: object, otherwise: str) -> str:
    """A name to show as text: without control and format characters, at most 120 characters, never empty."""
    visible = " ".join((as_text(value) or "").split())
    if not visible.isprintable():  # a sign of a category that begins with C never is
        visible = "".join(sign for sign in visible if not unicodedata.category(sign).startswith("C"))
    return visible[: limits.MAX_TILE_NAME_CHARACTERS].strip() or otherwise


_ALL_LAYERS: Final = "*"


def one_layer(names: Collection[str], wanted: str | None, source_name: str) -> str:
    """The layer with the wanted name, or the only one. Raises TessellationError, with the names that there are."""
    if wanted is not None and wanted in names:
        return wanted
    if wanted in {None, _ALL_LAYERS} and len(names) == 1:
        return next(iter(names))
    only = f'"{_ALL_LAYERS}" takes all folders of a KML; of this file one layer is read. '
    only = only if wanted == _ALL_LAYERS else ""
    raise TessellationError(
        "there are several layers" if wanted is None or only else f"there is no layer {quoted(wanted)}",
        source_name,
        f"{only}Choose one of: {', '.join(map(quoted, sorted(names)[:20]))}. Name it with --layer (in a notebook: layer).",
        options=("--layer",),
    )


def quoted(text: str) -> str:
    """Text of a file as an error may quote it: one line, visible signs only, cut to a short length."""
    return f'"{tile_name(text, "")[:60]}"'


def _key(column: str) -> str:
    return re.sub(r"[\s_-]", "", column).casefold()


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
    "stop_id",
    "id",
    FEATURE_ID,
)
"""Properties used as the tile id, best first. ``location_id`` also stands for ``LocationID``."""

_NO_ID: Final = re.compile(
    r"(objectid|fid|oid|ogcfid|gid|rowid|index|cartodbid|placemarkid|shapearea|shapeleng(th)?)[0-9]*"
    r"|.*(lat|latitude|lng|lon|longitude)"
)
"""Numbers that programs give to rows, which change with each export, and measures."""
_MEASURE: Final = re.compile(r".*(lat|latitude|lng|lon|longitude)|shapearea|shapeleng(th)?")
_LIKE_A_NAME: Final = re.compile(r"name|navn|nimi|naam|nombre|nazwa|bezeichnung|nhood|(nm|nom)[0-9]*$")

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
    "stop_name",
    "station",
)
"""Properties used as the displayed name, best first. Without any, the id is shown."""


@dataclass(frozen=True)
class PropertySummary:
    """One property of a tessellation file, for choosing the tile id."""

    column: str
    """Its name in the file."""
    features: int
    """Number of features in the file."""
    filled: int
    """Number of features with a value."""
    distinct: int
    """Number of different values."""
    possible_id: bool
    """Whether every feature has a value that may be a tile id. Values may repeat."""
    examples: tuple[str, ...]
    """Up to three values in file order, as text to show."""
    proposed: bool
    """Whether it is used as the tile id if nobody chooses."""

    @property
    def repeats(self) -> bool:
        """Whether several features have the same value, so that tiles would have to be merged."""
        return self.distinct < self.filled


def describe(features: Features) -> tuple[PropertySummary, ...]:
    """A summary of every property, in the order of the file."""
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
                proposed=False,
            )
        )
    proposed = _known_id(features) or _found_id(features, summaries)
    return tuple(replace(one, proposed=one.column == proposed) for one in summaries)


def id_column(features: Features, wanted: str | None = None) -> str:
    """The property that holds the tile ids: the one wanted, or the first of ``ID_COLUMNS`` that has values.

    Without such a one it is the only property whose values are complete and unique. Row numbers do not count. Raises
    TessellationError with the properties that could serve.
    """
    if wanted is None:
        found = _known_id(features) or _found_id(features, describe(features))
    else:
        found = _column(wanted, features.columns)
    if found is not None:
        return found
    raise TessellationError(
        "no property is known as tile id" if wanted is None else f"there is no property {quoted(wanted)}",
        features.source_name,
        suggestion(features),
    )


def _known_id(features: Features) -> str | None:
    return _first_of(ID_COLUMNS, _with_values(features, ID_COLUMNS))


def _with_values(features: Features, known: Sequence[str]) -> list[str]:
    """The properties with known names that are not empty for every feature."""
    keys = set(map(_key, known))
    return [
        column
        for column in features.columns
        if _key(column) in keys and any(value not in (None, "") for value in _values(features, column))
    ]


def _found_id(features: Features, summaries: Sequence[PropertySummary]) -> str | None:
    """The only property that could be the tile id. If there is none, a known one without values, whose reading says that."""
    found = [
        one.column
        for one in summaries
        if one.possible_id and not one.repeats and _NO_ID.fullmatch(_key(one.column)) is None
    ]
    if not found:
        return _first_of(ID_COLUMNS, features.columns)
    return found[0] if len(found) == 1 else None


def name_column(features: Features) -> str | None:
    """The property that holds the tiles' names: the first of ``NAME_COLUMNS``, else the first that looks like a name.

    A property looks like a name if its own name does, such as ``BoroName``, and if it tells tiles apart.
    """
    known = _first_of(NAME_COLUMNS, _with_values(features, NAME_COLUMNS))
    if known is not None:
        return known
    alike = (column for column in features.columns if _LIKE_A_NAME.search(_key(column)))
    return next((column for column in alike if len(set(map(as_text, _values(features, column)))) > 1), None)


def district_column(features: Features) -> str | None:
    """The property that holds the district of each tile, ``district``; None if no feature has it."""
    return _first_of(("district",), features.columns)


def instead(features: Features, column: str) -> str:
    """A sentence about properties that could be the tile id in place of one whose values repeat.

    If that property is a known id column there is no alternative: trips with zone ids name their tiles by it, and with a
    row number as id they would be in wrong tiles.
    """
    if column == _first_of(ID_COLUMNS, features.columns):
        return f"Trips with zone ids name their tiles by {quoted(column)}. With another property they would be in wrong tiles."
    return suggestion(features, column)


def suggestion(features: Features, beside: str | None = None) -> str:
    """A sentence about the properties that could be the tile id, apart from ``beside``."""
    possible = [
        summary
        for summary in describe(features)
        if summary.possible_id and summary.column != beside and not _MEASURE.fullmatch(_key(summary.column))
    ]
    names = [
        f"{quoted(summary.column)} (such as {', '.join(map(quoted, summary.examples[:2]))})"
        for summary in possible
        if not summary.repeats
    ]
    if not names:
        none = f"No {'other ' if beside else ''}property is complete and unique."
        if beside is not None or not possible:
            return f"{none} Give every tile a property tile_id."
        most = max(possible, key=lambda summary: summary.distinct).column
        return f"{none} If several shapes make up a tile, name its id and join them: --tile-id {quoted(most)} --merge-ids."
    more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
    return f"Choose one with --tile-id (in a notebook: tile_id; on the Data page: Property that names a tile) that is complete and unique: {', '.join(names[:20])}{more}."


def _values(features: Features, column: str) -> list[object]:
    return [row.get(column) for row in features.properties]


def _first_of(known: Sequence[str], columns: Sequence[str]) -> str | None:
    by_key: dict[str, str] = {}
    for column in columns:
        by_key.setdefault(_key(column), column)
    return next((by_key[_key(name)] for name in known if _key(name) in by_key), None)


def _column(wanted: str, columns: Sequence[str]) -> str | None:
    """The column with exactly that name, otherwise one that differs only in case."""
    if wanted in columns:
        return wanted
    return next((column for column in columns if column.casefold() == wanted.casefold()), None)
