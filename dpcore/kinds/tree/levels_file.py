"""Privacy levels as a file: GeoJSON that a map can show, or a CSV table ``tile_id,privacy``. Public input, no data.

The GeoJSON is a FeatureCollection of tiles with the properties ``tile_id`` and ``privacy`` (the name of a descriptor). Its
member ``descriptors`` holds the scale, least delicate first, with a name and a weight each. Shapes are only for viewing and are
not read back. A tile that is not named is Critical.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final

import shapely

from dpcore import limits
from dpcore.errors import InputError
from dpcore.exact_json import WITH_DECIMALS, Check, Fault, JsonError, Part, at_most, parsed, read_as
from dpcore.kinds.tree.levels import DESCRIPTORS, MAX_DESCRIPTORS, Descriptor, Levels, Named
from dpcore.measures.keys import OUTSIDE
from dpcore.tiles import Tessellation
from dpcore.tiles.csv_rows import rows_of
from dpcore.tiles.drawn import as_drawn
from dpcore.tiles.labels import as_text, quoted

TILE: Final = "tile_id"
PRIVACY: Final = "privacy"
SCALE: Final = "descriptors"

_SEPARATORS: Final = ",;\t"
_MEND: Final = f"Give GeoJSON with the properties {TILE} and {PRIVACY}, or a CSV file with the columns {TILE},{PRIVACY}, and name each tile once."
_NUMBER: Final = re.compile("[0-9]{1,9}(/0*[1-9][0-9]{0,8}|[.][0-9]{1,18})?")


def read_levels(
    data: bytes,
    tessellation: Tessellation,
    *,
    name: str = "levels",
    scale: Sequence[Descriptor] = DESCRIPTORS,
    outside: bool = True,
) -> tuple[Named, tuple[Descriptor, ...]]:
    """The named tiles (sorted, without those of the last descriptor) and the scale.

    Args:
        data: the whole file, UTF-8, with or without byte-order mark.
        tessellation: the tiles.
        name: of the file, for messages.
        scale: the scale if the file holds none. Names are matched without regard to case.
        outside: whether everything outside the tiles is a place too, with the id ``outside``.

    Raises:
        InputError: the file has another format, names an unknown tile, or gives a tile two levels. All faults are told at once.
        PrivacyError: it names an unknown descriptor, or its scale is invalid.

    """
    shown = quoted(name).strip('"')
    if len(data) > limits.MAX_TESSELLATION_BYTES:
        raise InputError(
            "the file is too large", shown, "Name the tiles that are not Critical, and no others."
        )
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("the text is not UTF-8", shown, "Save the file as UTF-8.") from None
    faults: list[Fault] = []
    descriptors = tuple(scale)
    if text.lstrip()[:1] == "{":
        document = _document(text, shown)
        if SCALE in document:
            descriptors = _scale(document[SCALE], f"{shown}, {SCALE}", faults)
        lines = _features(document, shown, faults)
    else:
        lines = _rows(text, shown, faults)
    named: dict[str, str] = {}
    spelled = names_in_lower_case(descriptors)
    for tile, written, where in lines:
        privacy = spelled.get(written.casefold(), written)
        if named.setdefault(tile, privacy) != privacy:
            faults.append(Fault("a tile has two privacy levels", where))
    if faults:
        raise InputError.of_faults(faults, _MEND)
    Levels.of((*tessellation.tile_ids, OUTSIDE), named, descriptors)  # refuses unknown tiles and descriptors
    last = descriptors[-1].name
    if not outside and named.get(OUTSIDE, last) != last:
        raise InputError(
            f"there is a level for {OUTSIDE!r}, but visits outside the tiles do not count as a place",
            shown,
            "Let them count as one more place, or leave the line out.",
        )
    return tuple(sorted(pair for pair in named.items() if pair[1] != last)), descriptors


def names_in_lower_case(descriptors: Sequence[Descriptor]) -> dict[str, str]:
    """Name of each descriptor by its lower-case form, without names that differ only in case."""
    found: dict[str, list[str]] = {}
    for one in descriptors:
        found.setdefault(one.name.casefold(), []).append(one.name)
    return {small: names[0] for small, names in found.items() if len(names) == 1}


def write_levels(tessellation: Tessellation, named: Named, descriptors: Sequence[Descriptor]) -> bytes:
    """The levels of all tiles as GeoJSON for ``read_levels``, one feature a line."""
    privacy, last = dict(named), descriptors[-1].name
    drawn = as_drawn(tessellation)
    shapes = shapely.to_geojson(drawn.polygons).tolist()
    features = [
        _feature(tile, privacy.get(tile, last), json.loads(shape))
        for tile, shape in zip(drawn.tile_ids, shapes, strict=True)
    ]
    if OUTSIDE in privacy:
        features.append(_feature(OUTSIDE, privacy[OUTSIDE], None))
    scale = [{"name": one.name, "weight": str(one.weight)} for one in descriptors]
    head = f'{{"type":"FeatureCollection","{SCALE}":{json.dumps(scale, ensure_ascii=False)},"features":[\n'
    return (head + ",\n".join(features) + "\n]}\n").encode("utf-8")


def _feature(tile: str, privacy: str, shape: object) -> str:
    feature = {"type": "Feature", "properties": {TILE: tile, PRIVACY: privacy}, "geometry": shape}
    return json.dumps(feature, ensure_ascii=False, separators=(",", ":"))


def _document(text: str, shown: str) -> dict[str, object]:
    try:
        document = parsed(text.encode("utf-8"), WITH_DECIMALS)
    except JsonError as error:
        raise InputError("this is not JSON", error.place(shown), _MEND) from None
    if not isinstance(document, dict) or document.get("type") != "FeatureCollection":
        raise InputError("this is not a FeatureCollection", shown, _MEND)
    return document


def _features(document: dict[str, object], shown: str, faults: list[Fault]) -> Iterator[tuple[str, str, str]]:
    """Tile, descriptor and position of each feature that names a descriptor."""
    features = document.get("features")
    if not isinstance(features, list):
        faults.append(Fault("the list of features is missing", shown))
    for number, feature in enumerate(features if isinstance(features, list) else (), 1):
        where = f"{shown}, feature {number:,}"
        properties = feature.get("properties") if isinstance(feature, dict) else None
        if not isinstance(properties, dict) or TILE not in properties:
            faults.append(Fault(f"a feature without {TILE}", where))
        elif properties.get(PRIVACY) is not None:
            yield from _row(properties[TILE], properties[PRIVACY], where, faults)


def _rows(text: str, shown: str, faults: list[Fault]) -> Iterator[tuple[str, str, str]]:
    """Tile, descriptor and line of each row that names a descriptor."""
    first = text.lstrip().partition("\n")[0]
    header: list[str] = []
    for line, row in rows_of(text, max(_SEPARATORS, key=first.count)):
        where = f"{shown}, line {line:,}"
        if row is None:
            faults.append(Fault("the text is not CSV", where))
        elif not any(field.strip() for field in row):
            continue
        elif not header:
            header = [field.strip().casefold() for field in row]
            if header.count(TILE) != 1 or header.count(PRIVACY) != 1:
                break
        elif len(row) != len(header):
            faults.append(Fault("a row has another number of fields than the header", where))
        elif row[header.index(PRIVACY)].strip():
            yield from _row(row[header.index(TILE)].strip(), row[header.index(PRIVACY)], where, faults)
    if header.count(TILE) != 1 or header.count(PRIVACY) != 1:
        faults.append(Fault(f"the columns {TILE} and {PRIVACY} are missing", shown))


def _row(tile: object, privacy: object, where: str, faults: list[Fault]) -> Iterator[tuple[str, str, str]]:
    text = as_text(tile)
    if text is None or not isinstance(privacy, str):
        faults.append(Fault("a tile or its privacy level is missing", where))
    else:
        yield text, privacy.strip(), where


def _is_weight(weight: object) -> bool:
    return type(weight) in {str, int, float} and _NUMBER.fullmatch(str(weight)) is not None


_IS_SCALE: Final = Check(
    at_most(MAX_DESCRIPTORS).holds, f"the scale of privacy, a list of 1 to {MAX_DESCRIPTORS} descriptors"
)


@dataclass(frozen=True)
class _Weighed(Part):
    name: str
    weight: Annotated[object, Check(_is_weight, "a fraction such as 2/5 or 0.4")]


def _scale(written: object, where: str, faults: list[Fault]) -> tuple[Descriptor, ...]:
    found = read_as(Annotated[tuple[_Weighed, ...], _IS_SCALE], written, where, faults) or ()
    # a number means the decimal that people wrote: 0.4 is 2/5
    return tuple(
        Descriptor(one.name[: limits.MAX_TILE_ID_CHARACTERS], Fraction(str(one.weight)))
        for one in found
        if one
    )
