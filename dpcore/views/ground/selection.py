"""What is chosen on a map: tiles or districts, which form an area, and one more to set beside them.

A selection is public: it names public places and holds no count. Districts are those of the plan. Where a plan has none,
they follow from the tiles alone, so that every map has a level to look at from afar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.measures.keys import Districts
from dpcore.measures.plan import Plan
from dpcore.tiles import Tessellation, halved, own_districts
from dpcore.views.ground.plain import district_labels, district_name, with_id

MOST_PLACES: Final = 200
"""An area has at most so many tiles or districts: more would not fit into a link. The map has the same number."""
_TILES_A_DISTRICT: Final = 20
_FEWEST_TILES: Final = 40  # of fewer tiles districts are no help

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Selection:
    """Chosen places of one level: their numbers in the tessellation, or among the districts."""

    places: tuple[int, ...] = ()
    """Different places, the first one chosen first. Several form an area."""
    other: int | None = None
    """One more place, not among them, whose flows with them are looked at: a pair."""
    districts: bool = False
    """Whether the places are districts."""

    @property
    def tile(self) -> int | None:
        """The tile, where one tile and nothing else is chosen or set beside another place."""
        return self.places[0] if len(self.places) == 1 and not self.districts else None

    def sent(self) -> dict[str, object]:
        """As the map takes it and gives it back."""
        return {"places": list(self.places), "other": self.other, "districts": self.districts}


NOTHING: Final = Selection()
"""Nothing is chosen."""


def selection_sent(sent: object, tiles: int, districts: int) -> Selection | None:
    """What a map gave back; None if it is no selection of so many tiles or districts. Nothing in it is trusted."""
    if not isinstance(sent, Mapping):
        return None
    places, other, level = sent.get("places"), sent.get("other"), sent.get("districts")
    if not isinstance(places, Sequence) or not isinstance(level, bool) or len(places) > MOST_PLACES:
        return None
    numbers = [*places, *([] if other is None else [other])]
    count = districts if level else tiles
    whole = all(
        isinstance(number, int) or (isinstance(number, float) and number.is_integer()) for number in numbers
    )
    if not whole or not all(0 <= number < count for number in numbers) or len({*numbers}) != len(numbers):
        return None
    chosen = tuple(int(number) for number in places)
    return Selection(chosen, None if other is None or not chosen else int(other), level)


def districts_shown(plan: Plan, tiles: Tessellation) -> Districts | None:
    """The districts of a plan, of the tile file, or by halving the map; None where tiles are too few to be grouped."""
    if plan.choices.districts is not None:
        return plan.choices.districts
    try:
        own = own_districts(tiles)
    except TessellationError:  # a property that is no district: nobody asked for one here
        own = None
    count = len(tiles.tile_ids)
    if own is not None or count < _FEWEST_TILES:
        return own
    return halved(tiles, min(count // _TILES_A_DISTRICT, limits.MAX_DISTRICTS))


def tiles_of(chosen: Selection, districts: Districts | None) -> Places:
    """The tiles of an area, ascending."""
    places = np.array(chosen.places, np.int64)
    if not chosen.districts or districts is None:
        return np.sort(places)
    return np.flatnonzero(np.isin(np.array(districts.of_tiles), places)).astype(np.int64)


def place_label(number: int, chosen: Selection, tiles: Tessellation, districts: Districts | None) -> str:
    """What a place is called, as plain text."""
    if chosen.districts and districts is not None:
        name = districts.names[number]
        label = district_labels(tiles, districts)[name]
        return label if label == district_name(name) else with_id(name, label)
    return with_id(tiles.tile_ids[number], tiles.called[number])


def selection_label(chosen: Selection, tiles: Tessellation, districts: Districts | None) -> str:
    """What the chosen area is called, as plain text."""
    if len(chosen.places) == 1:
        return place_label(chosen.places[0], chosen, tiles, districts)
    kind = "districts" if chosen.districts else "tiles"
    return f"Area of {len(chosen.places):,} {kind}"


def query_of(chosen: Selection, tiles: Tessellation, districts: Districts | None) -> dict[str, str]:
    """The part of a link that names what is chosen; one tile is ``tile``, as in links of before."""
    names = districts.names if chosen.districts and districts is not None else tiles.tile_ids
    several = len(chosen.places) > 1
    key = ("district" if chosen.districts else "tile") + ("s" if several else "")
    query = {}
    if chosen.places:
        texts = [names[place] for place in chosen.places]
        # An id may hold a comma, and never a percent sign.
        query[key] = ",".join(text.replace(",", "%2C") for text in texts) if several else texts[0]
    if chosen.other is not None:
        query["with"] = names[chosen.other]
    return query


def selection_named(
    query: Mapping[str, str], tiles: Tessellation, districts: Districts | None
) -> tuple[Selection, bool]:
    """What a link chooses, and whether it names an unknown place, which is left out."""
    level = "district" in query or "districts" in query
    names = districts.names if level and districts is not None else () if level else tiles.tile_ids
    single, several = ("district", "districts") if level else ("tile", "tiles")
    asked = [query[single]] if single in query else []
    if several in query:
        asked += [text.replace("%2C", ",") for text in query[several].split(",", MOST_PLACES)]
    number = {name: place for place, name in enumerate(names)}
    places = tuple(dict.fromkeys(number[name] for name in asked if name in number))[:MOST_PLACES]
    other = number.get(query["with"]) if "with" in query and places else None
    wrong = any(name not in number for name in asked) or ("with" in query and other is None)
    return Selection(places, None if other in places else other, level and bool(places)), wrong
