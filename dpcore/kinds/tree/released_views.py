"""Views of a trajectory tree: the public levels of places, the ways that most went, and how long trajectories are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from dpcore.estimates import Ranged
from dpcore.kinds.tree.plan import price_of_levels
from dpcore.kinds.tree.question import typed_question
from dpcore.kinds.tree.questions import frequent_ways
from dpcore.kinds.tree.views.levels import level_colours
from dpcore.privacy import epsilon_text
from dpcore.release import AnyRelease
from dpcore.views.ground.plain import number
from dpcore.views.kinds.words import slide
from dpcore.views.maps.drawn_map import DrawnMap, Key, Listed
from dpcore.views.pictures.slide import DrawnCharts, Panel, Slide

_WIDEST: Final = 4
"""The axis ends at so many times the largest number, because ways that are too rare for the tree make most ranges very wide."""


def views(release: AnyRelease) -> dict[str, tuple[str, Callable[[AnyRelease], Slide]]]:
    """Frequent ways, and levels of places."""
    del release
    return {
        "ways": ("The most frequent ways", _ways),
        "levels": ("Levels of places", _levels),
    }


def _ways(release: AnyRelease) -> Slide:
    """The count of each way with how few and how many trajectories there may be, as the answer to a question has it."""
    table = frequent_ways(release).to_pydict()
    names = dict(zip(release.tessellation.tile_ids, release.tessellation.called, strict=True))
    known = [at for at, count in enumerate(table["count"]) if count is not None]
    columns = (table["count"], table["at_least"], table["at_most"])
    shown = Ranged(*(np.maximum([column[at] for at in known], 0.0).astype(float) for column in columns))
    asked = [typed_question(table["way"][at], release.drawn.tables.plan.levels.tiles) for at in known]
    ways = tuple(
        f"{rank}. {' > '.join(names.get(place, place) for place in one.places)}"
        for rank, one in enumerate(asked, 1)
    )
    top = min(float(shown.high.max(initial=1.0)), _WIDEST * float(shown.values.max(initial=1.0)))
    panel = Panel("The most frequent ways", "trajectories", "dots", ways, shown, (0.0, top))
    return slide(
        release,
        "The most frequent ways",
        "Each dot counts the trajectories that pass these places in this order, others between them or not."
        if ways
        else "Noise hides all ways of two places.",
        (
            "A range says how few and how many there may be, because of noise and because rare ways are not in the tree.",
            "A line that reaches the right edge goes on: the table has its end. Where ranges overlap, the order is open.",
        ),
        DrawnCharts((panel,)) if ways else None,
    )


def _levels(release: AnyRelease) -> Slide:
    noisy = release.drawn.tables
    levels, tiles = noisy.plan.levels, release.tessellation
    colours = tuple(one.on(dark=False) for one in level_colours(levels.critical))
    places = np.bincount(levels.level - 1, minlength=levels.critical).tolist()
    price = dict(price_of_levels(noisy.plan, release.plan.bound))
    order = [at for at in reversed(range(levels.critical)) if places[at]]
    named = [levels.descriptors[at].name for at in order]
    rows = tuple(
        (name, f"\N{GREEK SMALL LETTER EPSILON} = {epsilon_text(price[name])}, {_places(places[at])}")
        for name, at in zip(named, order, strict=True)
        if name in price
    )
    whom = "person" if release.plan.bound.max_trips is not None else "trip"
    drawn = DrawnMap(
        tiles,
        (levels.level - 1)[: len(tiles.tile_ids)],
        colours,
        Key("Level of a place", tuple((colours[at], levels.descriptors[at].name) for at in order)),
        listed=Listed(f"What a visit may show, for one {whom}", rows),
    )
    return slide(
        release,
        "Levels of places",
        "The more delicate a place, the more noise hides a visit there.",
        ("The levels are public: their owner chose them.",),
        drawn,
    )


def _places(many: int) -> str:
    return f"{number(many)} {'place' if many == 1 else 'places'}"
