"""Zones: a public table merges tiles, such as stops into postcodes, before they are counted. Public input, no data.

The table is CSV with the columns ``tile_id`` and ``zone``. A tile lies in one zone or in none, so a trip has still one place
on and one place off: zones change no sensitivity. A tile without a zone counts as an unknown place, like all that lies
outside the tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.kinds.stability.plan import UNKNOWN
from dpcore.tiles import Tessellation
from dpcore.tiles.csv_rows import fields_of, rows_of
from dpcore.tiles.labels import ID_RULE, is_tile_id, quoted
from dpcore.tiles.tile_ids import lengthened, shortened

Zones = tuple[tuple[str, str], ...]
"""(tile id, name of its zone), sorted by tile."""

TILE: Final = "tile_id"
ZONE: Final = "zone"
_SEPARATORS: Final = ",;\t"
_RULE: Final = f"The rule is that of tile ids, and none may be called {UNKNOWN}. {ID_RULE}"
_BETWEEN: Final = "|"
"""Stands between the tiles of a zone; no tile id has it."""
_OUTSIDE: Final = "or let them count as outside (--unzoned outside)."


def checked(zones: Zones) -> Zones:
    """The pairs in order; InputError for a tile in two zones, and for a name that no tile could have."""
    found = dict(zones)
    if len(found) < len(zones):
        raise InputError("a tile is named twice", "zones", "Name each tile once.")
    for name in {*found.values()}:
        if not _is_name(name):
            raise InputError("a name that no zone can have", "zones", _RULE)
        if found.get(name, name) != name:
            raise InputError(
                "a zone has the name of a tile that lies in another zone",
                f"zone {quoted(name)}",
                "Give the zone another name.",
            )
    return tuple(sorted(found.items()))


def read_zones(data: bytes, tiles: Tessellation, *, name: str, outside: bool = False) -> Zones:
    """The zones that a public table gives to some tiles.

    Args:
        data: the whole file, UTF-8, with or without byte-order mark: CSV with the columns ``tile_id`` and ``zone``.
        tiles: the public tiles.
        name: of the file, for messages.
        outside: what is known to the table or to the tiles alone counts as outside. Otherwise it is refused.

    Raises:
        InputError: the file has another format, or names a tile twice, an unknown tile or a zone that can be none; or it
            leaves out a tile.

    """
    if len(data) > limits.MAX_TESSELLATION_BYTES:
        raise InputError("the file is too large", name, f"Give one line {TILE},{ZONE} for each tile.")
    known, found, strange = {*tiles.tile_ids}, dict[str, str](), list[int]()
    for line, tile, zone in _lines(data, name):
        if tile in found:
            raise InputError("a tile is named twice", f"{name}, line {line:,}", "Name each tile once.")
        if not _is_name(zone):
            raise InputError("a name that no zone can have", f"{name}, line {line:,}", _RULE)
        found[tile] = zone
        if tile not in known:
            strange.append(line)
    if strange and not outside:
        raise InputError(
            f"{len(strange):,} lines name no tile",
            f"{name}, first: line {strange[0]:,}",
            f"Take them out, {_OUTSIDE}",
        )
    without = [tile for tile in tiles.tile_ids if tile not in found]
    if without and not outside:
        raise InputError(
            f"{len(without):,} of {len(known):,} tiles have no zone", name, f"Add them, {_OUTSIDE}"
        )
    zones = checked(tuple((tile, zone) for tile, zone in found.items() if tile in known))
    if not zones:
        raise InputError("no tile has a zone", name, "Give the table of these tiles.")
    must_be_of(zones, tiles)
    return zones


def must_be_of(zones: Zones, tiles: Tessellation) -> None:
    """Refuse zones of other tiles, and one that takes the name of a tile without a zone; raises InputError."""
    zoned, known = dict(zones), {*tiles.tile_ids}
    if not {*zoned} <= known:
        raise InputError(
            "the zones are not those of these tiles",
            "zones",
            "Take the zones of the tiles that are counted.",
        )
    taken = sorted({*zoned.values()} & (known - {*zoned}))
    if taken:  # a bundle would show other places under the name of this tile
        raise InputError(
            "a zone has the name of a tile that lies in no zone",
            f"zone {quoted(taken[0])}",
            "Give the zone another name.",
        )


def tiles_of_zones(tiles: Tessellation, zones: Zones) -> Tessellation:
    """One tile for each zone, the union of its tiles; tiles without a zone are left out. Raises as ``must_be_of`` does."""
    names = {*dict(zones).values()}
    if names == {*tiles.tile_ids}:  # merged already, or each tile is its own zone
        return tiles
    must_be_of(zones, tiles)
    of = dict(zones)
    kept = [number for number, tile in enumerate(tiles.tile_ids) if tile in of]
    return Tessellation.of(
        [of[tiles.tile_ids[number]] for number in kept],
        [None] * len(kept),
        [tiles.polygons[number] for number in kept],
        "zones",
        merge_ids=True,
    )


def zone_terms(zones: Zones) -> dict[str, object]:
    """The tiles of each zone, in a compact text: an entry of the ledger holds those of about 30,000 stops."""
    found: dict[str, list[str]] = {}
    for tile, zone in zones:
        found.setdefault(zone, []).append(tile)
    return {zone: _BETWEEN.join(shortened(tiles)) for zone, tiles in sorted(found.items())}


def zones_of(terms: object) -> Zones:
    """The zones from what ``zone_terms`` gave; TypeError or ValueError for anything else."""
    if not isinstance(terms, Mapping) or not 0 < len(terms) <= limits.MAX_TILES:
        raise TypeError("zones")
    return tuple(
        sorted(
            (tile, zone) for zone, tiles in terms.items() for tile in lengthened(_text(tiles).split(_BETWEEN))
        )
    )


def _is_name(name: str) -> bool:
    return is_tile_id(name) and name != UNKNOWN


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > limits.MAX_ENTRY_CHARACTERS:
        raise TypeError("tiles of a zone")
    return value


def _lines(data: bytes, name: str) -> list[tuple[int, str, str]]:
    """Number, tile and zone of each line below the header."""
    mend = f"Give a CSV file in UTF-8 with the columns {TILE},{ZONE}."
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the text is not UTF-8", name, mend) from None
    header = next((line for line in text.splitlines() if line), "")
    separator = next(
        (sign for sign in _SEPARATORS if {TILE, ZONE} <= {*(fields_of(header, sign) or [])}), None
    )
    if separator is None:
        raise InputError(f"the columns {TILE} and {ZONE} are missing", name, mend)
    rows = rows_of(text, separator)
    _, columns = next(rows)
    found = []
    for line, fields in rows:
        if columns is None or fields is None or len(fields) != len(columns):
            raise InputError("a line has other columns than the header", f"{name}, line {line:,}", mend)
        found.append((line, fields[columns.index(TILE)].strip(), fields[columns.index(ZONE)].strip()))
    return found
