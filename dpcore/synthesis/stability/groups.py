"""Groups of tiles, such as the postcodes of stops: a public table merges tiles before they are counted. Public input, no data.

The table is CSV with the columns ``tile_id`` and ``group``. A tile lies in one group or in none, so a trip has still one place
on and one place off: groups change no sensitivity. A tile without a group counts as an unknown place, like all that lies
outside the tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.synthesis.stability.plan import UNKNOWN
from dpcore.synthesis.tree.levels import lengthened, shortened
from dpcore.tiles import Tessellation
from dpcore.tiles.csv_rows import fields_of, rows_of
from dpcore.tiles.labels import ID_RULE, is_tile_id, quoted

Groups = tuple[tuple[str, str], ...]
"""(tile id, name of its group), sorted by tile."""

TILE: Final = "tile_id"
GROUP: Final = "group"
_SEPARATORS: Final = ",;\t"
_RULE: Final = f"The rule is that of tile ids, and none may be called {UNKNOWN}. {ID_RULE}"
_BETWEEN: Final = "|"
"""Stands between the tiles of a group; no tile id has it."""
_OUTSIDE: Final = "or let them count as outside (--ungrouped outside)."


def checked(groups: Groups) -> Groups:
    """The pairs in order; InputError for a tile in two groups, and for a name that no tile could have."""
    found = dict(groups)
    if len(found) < len(groups):
        raise InputError("a tile is named twice", "groups", "Name each tile once.")
    for name in {*found.values()}:
        if not _is_name(name):
            raise InputError("a name that no group can have", "groups", _RULE)
        if found.get(name, name) != name:
            raise InputError(
                "a group has the name of a tile that lies in another group",
                f"group {quoted(name)}",
                "Give the group another name.",
            )
    return tuple(sorted(found.items()))


def read_groups(data: bytes, tiles: Tessellation, *, name: str, outside: bool = False) -> Groups:
    """The groups that a public table gives to some tiles.

    Args:
        data: the whole file, UTF-8, with or without byte-order mark: CSV with the columns ``tile_id`` and ``group``.
        tiles: the public tiles.
        name: of the file, for messages.
        outside: what is known to the table or to the tiles alone counts as outside. Otherwise it is refused.

    Raises:
        InputError: the file has another format, or names a tile twice, an unknown tile or a group that can be none; or it
            leaves out a tile.

    """
    if len(data) > limits.MAX_TESSELLATION_BYTES:
        raise InputError("the file is too large", name, f"Give one line {TILE},{GROUP} for each tile.")
    known, found, strange = {*tiles.tile_ids}, dict[str, str](), list[int]()
    for line, tile, group in _lines(data, name):
        if tile in found:
            raise InputError("a tile is named twice", f"{name}, line {line:,}", "Name each tile once.")
        if not _is_name(group):
            raise InputError("a name that no group can have", f"{name}, line {line:,}", _RULE)
        found[tile] = group
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
            f"{len(without):,} of {len(known):,} tiles have no group", name, f"Add them, {_OUTSIDE}"
        )
    groups = checked(tuple((tile, group) for tile, group in found.items() if tile in known))
    if not groups:
        raise InputError("no tile has a group", name, "Give the table of these tiles.")
    must_be_of(groups, tiles)
    return groups


def must_be_of(groups: Groups, tiles: Tessellation) -> None:
    """Refuse groups of other tiles, and one that takes the name of a tile without a group; raises InputError."""
    grouped, known = dict(groups), {*tiles.tile_ids}
    if not {*grouped} <= known:
        raise InputError(
            "the groups are not those of these tiles",
            "groups",
            "Take the groups of the tiles that are counted.",
        )
    taken = sorted({*grouped.values()} & (known - {*grouped}))
    if taken:  # a bundle would show other places under the name of this tile
        raise InputError(
            "a group has the name of a tile that lies in no group",
            f"group {quoted(taken[0])}",
            "Give the group another name.",
        )


def merged(tiles: Tessellation, groups: Groups) -> Tessellation:
    """One tile for each group, the union of its tiles; tiles without a group are left out. Raises as ``must_be_of`` does."""
    names = {*dict(groups).values()}
    if names == {*tiles.tile_ids}:  # merged already, or each tile is its own group
        return tiles
    must_be_of(groups, tiles)
    of = dict(groups)
    kept = [number for number, tile in enumerate(tiles.tile_ids) if tile in of]
    return Tessellation.of(
        [of[tiles.tile_ids[number]] for number in kept],
        [None] * len(kept),
        [tiles.polygons[number] for number in kept],
        "groups",
        merge_ids=True,
    )


def group_terms(groups: Groups) -> dict[str, object]:
    """The tiles of each group, in a compact text: an entry of the ledger holds those of about 30,000 stops."""
    found: dict[str, list[str]] = {}
    for tile, group in groups:
        found.setdefault(group, []).append(tile)
    return {group: _BETWEEN.join(shortened(tiles)) for group, tiles in sorted(found.items())}


def groups_of(terms: object) -> Groups:
    """The groups from what ``group_terms`` gave; TypeError or ValueError for anything else."""
    if not isinstance(terms, Mapping) or not 0 < len(terms) <= limits.MAX_TILES:
        raise TypeError("groups")
    return tuple(
        sorted(
            (tile, group)
            for group, tiles in terms.items()
            for tile in lengthened(_text(tiles).split(_BETWEEN))
        )
    )


def _is_name(name: str) -> bool:
    return is_tile_id(name) and name != UNKNOWN


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > limits.MAX_ENTRY_CHARACTERS:
        raise TypeError("tiles of a group")
    return value


def _lines(data: bytes, name: str) -> list[tuple[int, str, str]]:
    """Number, tile and group of each line below the header."""
    mend = f"Give a CSV file in UTF-8 with the columns {TILE},{GROUP}."
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the text is not UTF-8", name, mend) from None
    header = next((line for line in text.splitlines() if line), "")
    separator = next(
        (sign for sign in _SEPARATORS if {TILE, GROUP} <= {*(fields_of(header, sign) or [])}), None
    )
    if separator is None:
        raise InputError(f"the columns {TILE} and {GROUP} are missing", name, mend)
    rows = rows_of(text, separator)
    _, columns = next(rows)
    found = []
    for line, fields in rows:
        if columns is None or fields is None or len(fields) != len(columns):
            raise InputError("a line has other columns than the header", f"{name}, line {line:,}", mend)
        found.append((line, fields[columns.index(TILE)].strip(), fields[columns.index(GROUP)].strip()))
    return found
