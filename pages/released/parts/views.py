"""The views of a release: what stands on the button of each, and what draws it. The Viewer and stories show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import streamlit as st

from dpcore.release import Release
from dpcore.views.numbers.guarantee import promise_shortly_at, protection_at
from dpcore.views.pictures.table_view import table_views
from pages.parts.held import epsilon_ear
from pages.parts.ladder_map import rung_slider
from pages.released.parts.chips import draw_chips, seen_part
from pages.released.parts.guarantee_view import draw_accuracy, draw_download, draw_guarantee
from pages.released.parts.map_view import draw_map
from pages.released.parts.measures_view import draw_flows, draw_measures, draw_rankings, draw_rhythm
from pages.released.parts.numbers_shown import switch
from pages.released.parts.pictures import pictures, rungs
from pages.released.parts.reading_view import draw_reading
from pages.released.parts.slide_view import draw_table_view
from pages.released.parts.together import OF_EACH_PART, draw_together
from pages.released.parts.viewing import Viewing

Draw = Callable[[Viewing, Release], None]
_OF_THE_SCREEN: Final[Mapping[str, Draw]] = MappingProxyType(
    {
        "map": draw_map,
        "flows": draw_flows,
        "rhythm": draw_rhythm,
        "rankings": draw_rankings,
        "measures": draw_measures,
        "accuracy": draw_accuracy,
    }
)
"""What draws a view of tables here in more ways than its picture does."""
READ: Final = "read"
"""The view that is a page to read."""
VIEWS: Mapping[str, tuple[str, Draw]] = MappingProxyType(
    {READ: (":material/article: Read", draw_reading)}
    | {
        name: (view.button or view.title, _OF_THE_SCREEN.get(name, draw_table_view))
        for name, view in table_views().items()
    }
    | {
        "guarantee": (":material/verified_user: Guarantee", draw_guarantee),
        "download": (":material/download: Download", draw_download),
    }
)
"""Ways of looking at a release: what stands on the button, and what draws it."""
_WITHOUT_SLIDER: Final = (READ, "guarantee", "download")
"""Views that show no counts, or those of the finest stop alone."""
_MAPS: Final = ("map", "flows")
PRESENTED: Final = Path(__file__).parents[2] / "assets" / "present.css"
"""The page as a wall picture: what ``TOLD`` holds stands beside the map, or above charts."""
TOLD: Final = "told"
"""Key of the container that holds all of a presentation."""
STEPS: Final = "steps"
"""Key of the container of its buttons."""


def draw_view(mine: Viewing, release: Release) -> None:
    """The view that is looked at, with its slider; of the release, of one part of it, or of several parts added up."""
    if mine.at.view in _WITHOUT_SLIDER:  # they are about the whole release
        VIEWS[mine.at.view][1](mine, release)
        return
    if not mine.at.present:
        draw_chips(mine, release)
    seen = seen_part(mine, release)
    _slider(mine, release, seen or release)
    below = mine.at.present and mine.at.view in _MAPS  # beside a map, what it shows is told first
    if not below:
        _promise(mine, release)
    if seen is None:
        if mine.at.view in OF_EACH_PART:
            switch(mine, release)
        draw_together(mine, release)
    else:
        switch(mine, seen)
        VIEWS[mine.at.view][1](mine, seen)
    if below:
        _promise(mine, release)


def _promise(mine: Viewing, release: Release) -> None:
    if mine.at.present:
        st.caption(promise_shortly_at(release, mine.at.rung))
    else:
        st.markdown(protection_at(release, mine.at.rung))


def _slider(mine: Viewing, release: Release, seen: Release) -> None:
    """The slider over the released rungs. It stays when another part of the release is seen."""
    link = pictures(seen).link
    ear = epsilon_ear(
        link, release.plan.rungs, lambda: mine.at.rung, lambda rung: mine.go(rung=rung), mine.steered
    )
    rung_slider(rungs(seen, mine.start), ear, key=f"rung {release.id} {release.anchor.hash[:16]}")
