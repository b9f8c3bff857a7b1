"""Which tags of OpenStreetMap are drawn, as what, and how important they are.

Source: the map features of OpenStreetMap (wiki.openstreetmap.org/wiki/Map_features). The values of ``fclass`` are those of the
free shapefiles of Geofabrik, which put the value of any key into one column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dpcore.context.context import AREAS, LINES, PLACE_RANKS, RANKS

PLACE: Final = "place"
"""The kind of names."""
ANY_KEY: Final = "fclass"
KIND, RANK = "kind", "rank"
"""Properties of the files that this program writes itself."""

_TAGS: Final = (  # kind, rank, key, values
    ("water", 0, "natural", "water bay"),
    ("water", 0, "waterway", "riverbank dock"),
    ("water", 0, "landuse", "reservoir basin"),
    ("waterway", 0, "waterway", "river canal"),
    ("waterway", 0, "natural", "coastline"),
    ("waterway", 2, "waterway", "stream"),
    ("park", 0, "leisure", "park nature_reserve"),
    ("park", 0, "landuse", "forest"),
    ("park", 0, "natural", "wood"),
    ("park", 1, "leisure", "garden golf_course"),
    ("park", 1, "landuse", "cemetery recreation_ground"),
    ("street", 0, "highway", "motorway trunk"),
    ("street", 1, "highway", "primary motorway_link trunk_link"),
    ("street", 2, "highway", "secondary primary_link"),
    ("street", 3, "highway", "tertiary secondary_link tertiary_link"),
    ("rail", 0, "railway", "rail"),
    ("rail", 1, "railway", "light_rail subway narrow_gauge"),
    ("rail", 2, "railway", "tram"),
    (PLACE, 0, "place", "city"),
    (PLACE, 1, "place", "town"),
    (PLACE, 2, "place", "suburb borough village"),
    (PLACE, 3, "place", "quarter neighbourhood"),
    (PLACE, 3, "railway", "station"),
    (PLACE, 5, "place", "hamlet locality island islet"),
)


def _table() -> dict[tuple[str, str], list[tuple[str, int]]]:
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for kind, rank, key, values in _TAGS:
        for value in values.split():
            for name in (key, ANY_KEY):
                found.setdefault((name, value), []).append((kind, rank))
    return found


_TABLE: Final = _table()
KEPT: Final[Mapping[str, tuple[str, ...]]] = {
    key: tuple(value for name, value in _TABLE if name == key)
    for key in dict.fromkeys(name for name, _ in _TABLE)
}
"""By key the values that are drawn."""
_OWN: Final = {**dict.fromkeys((*AREAS, *LINES), RANKS), PLACE: PLACE_RANKS}


def drawn_as(tags: Mapping[str, object], area: bool | None) -> tuple[str, int] | None:
    """Kind and rank of a feature; None if it is not drawn.

    ``area``: whether its shape is an area (True), a line (False) or a point (None); the kind must fit.
    """
    own = tags.get(KIND)
    if isinstance(own, str) and own in _OWN:
        rank = tags.get(RANK)
        known = rank if isinstance(rank, int) and 0 <= rank < _OWN[own] else _OWN[own] - 1
        return (own, known) if _fits(own, area) else None
    for key in KEPT:
        value = tags.get(key)
        for kind, rank in _TABLE.get((key, value), ()) if isinstance(value, str) else ():
            if _fits(kind, area):
                return kind, rank
    return None


def _fits(kind: str, area: bool | None) -> bool:
    return (
        (kind in AREAS and area is True)
        or (kind in LINES and area is False)
        or (kind == PLACE and area is None)
    )
