"""Names that sound like places, so that a district can be talked about."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpcore.demo.land import Floats, Land


def _list(words: str) -> list[str]:
    return words.split()


_WORDS: Final = _list(
    "Mill Linden Fisher Abbey Castle Swan Heron Weaver Tanner Copper Chapel Bishop Orchard Alder Birch Willow "
    "Rowan Hazel Maple Elder Thorn Fern Amber Anchor Lantern Rope Salt Mast Gull Otter Fox Hare Raven Lark Finch "
    "Crane Kestrel Stag Bell Cooper Potter Baker Glass Brick Clay Stone Silver Iron Winter Summer Monk Shepherd "
    "Falcon Barley Clover Heather Ivy Juniper Badger Drover Miller Pilgrim Sailor Smith"
)
_KINDS: Final = {
    "water": _list("Quay Wharf Bank Bridge Ferry Landing Lock Basin"),
    "centre": _list("Gate Lanes Quarter Court Row Yard Cross Arcade"),
    "inner": _list("Hill Park Green Gardens Terrace Side Rise Crescent"),
    "outer": _list("Heath Moor Fields Wood Common Meadow Ridge Hollow Farm Dale"),
}
_ENDINGS: Final = _list("by stead ham wick ford holm ton worth")
_STEMS: Final = _list("Alder Brand Thor Ask Elm Hol Lang Nor Oster Rav Sund West Ket Grim Svan Ul")
_COMPASS: Final = ("East", "North East", "North", "North West", "West", "South West", "South", "South East")
_MORE: Final = ("", *_COMPASS, "Upper", "Lower", "Outer", "Inner", "New", "Old")
_LANDMARKS: Final = {
    "Market Square": "Old Town",
    "Central Station": "Station Quarter",
    "Harbour": "Old Harbour",
    "University": "University",
    "Hospital": "Hospital Hill",
    "Shipyard": "Shipyard",
    "Stadium": "Stadium Park",
    "Shopping Park": "Shopping Park",
    "Beach": "Firth Beach",
}


def district_names(land: Land, middles: Floats, to_water: Floats, home_of: dict[str, int]) -> list[str]:
    """One name for each district, all different.

    Args:
        land: The ground.
        middles: Middle of each district, km east and north; shape (n, 2).
        to_water: Distance of each district to the river, km; shape (n,).
        home_of: Number of the district of each landmark and of each suburb (``suburb 0`` and so on).
    """
    rng = np.random.default_rng([len(middles), 4])
    names: dict[int, str] = {}
    for landmark, name in _LANDMARKS.items():
        names.setdefault(home_of[landmark], name)
    stems = rng.permutation(_STEMS)[: len(land.suburbs)]
    suburbs = [stem + ending for stem, ending in zip(stems, rng.permutation(_ENDINGS), strict=True)]
    for number, name in enumerate(suburbs):
        names.setdefault(home_of[f"suburb {number}"], name)
    away = middles[:, None] - land.suburbs[None, :, :2]
    distance = np.hypot(away[..., 0], away[..., 1])
    nearest = distance.argmin(axis=1)
    taken = set(names.values())
    for tile in np.argsort(distance.min(axis=1), kind="stable"):
        number = nearest[tile]
        if distance[tile, number] > 2.2 * land.suburbs[number, 2]:
            break
        east, north = away[tile, number]
        point = _COMPASS[round(np.degrees(np.arctan2(north, east)) / 45) % 8]
        name = f"{suburbs[number]} {point}"
        if int(tile) not in names and name not in taken:
            names[int(tile)] = name
            taken.add(name)
    words = rng.permutation(_WORDS)
    makers = {
        kind: _names(list(np.roll(words, 16 * turn)), list(rng.permutation(_KINDS[kind])))
        for turn, kind in enumerate(_KINDS)
    }
    radius = np.hypot(middles[:, 0], middles[:, 1])
    return [
        names[tile] if tile in names else next(makers[_kind(radius[tile], to_water[tile])])
        for tile in range(len(middles))
    ]


def _kind(radius: float, to_water: float) -> str:
    if to_water < 0.02:
        return "water"
    return "centre" if radius < 1.6 else "inner" if radius < 3.8 else "outer"


def _names(words: list[str], kinds: list[str]) -> Iterator[str]:
    """All names of a kind of district; a word comes back only after all others."""
    for more, turn in product(_MORE, range(len(kinds))):
        for number, word in enumerate(words):
            yield f"{word} {kinds[(number + turn) % len(kinds)]} {more}".rstrip()
