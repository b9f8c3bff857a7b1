"""What changed since an earlier release of the same tiles: in a line of words, and as a picture with all that must be read beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import streamlit as st

from dpcore.comparison.change import Changes, changes
from dpcore.errors import AtlasError
from dpcore.release import Card, Release
from dpcore.views.comparison.changes import (
    MAP_SAID,
    change_chart,
    change_map,
    growth_words,
    map_ends,
    said_beside,
    sentence,
    unsaid,
)
from dpcore.views.comparison.difference_map import LEGEND_WIDTH, difference_svg, legend_svg
from dpcore.views.ground.plain import days_words, plain
from dpcore.views.numbers.guarantee import promise_shortly_at
from pages.parts.chart import is_dark, show_chart
from pages.parts.roles import Role, require
from pages.released.parts import words
from pages.released.parts.selected_view import STAGE
from pages.released.parts.viewing import Viewing, cards, release_shown

_OPENED: Final = 4  # earlier releases, until one may be compared


@dataclass(frozen=True, eq=False)
class Since:
    """An earlier release, and what changed since then."""

    earlier: Release
    release: Release
    found: Changes

    @property
    def words(self) -> str:
        """Whether there are more trips, in a line; empty where nothing says it."""
        return growth_words(self.found, self.earlier, self.release)

    @property
    def label(self) -> str:
        """What stands on the button that shows it all."""
        period = self.earlier.plan.choices.period
        return words.SINCE.format(when="" if period is None else days_words(period.first, period.last))


def since_earlier(mine: Viewing, release: Release) -> Since | None:
    """What changed since the latest earlier release of the same tiles that may be compared; None where there is none.

    It is worked out once for each release that is looked at, and again when the page is: no move of a control goes to the disk.
    """
    if mine.since is None or mine.since[0] is not release:
        known = cards()
        own = known.get(mine.name)
        before = [name for name, card in known.items() if own is not None and _is_before(card, own)]
        before.sort(key=lambda name: known[name].begins, reverse=True)
        told = (one for name in before[:_OPENED] if (one := _since(name, release)))
        mine.since = release, next(told, None)
    found: Since | None = mine.since[1]
    return found


def _is_before(card: Card, own: Card) -> bool:
    """Whether a release may be an earlier one, by what is known of it without opening it."""
    if card.period is None or own.period is None or card.period.last >= own.period.first:
        return False
    return card.tiles == own.tiles and card.bound.unit is own.bound.unit


def _since(name: str, release: Release) -> Since | None:
    """What changed since a release; None where its tiles or its people are others, or where the two must not be compared."""
    try:
        earlier = release_shown(name)
        if earlier.tessellation.digest != release.tessellation.digest:
            return None
        if earlier.population and release.population and earlier.population != release.population:
            return None
        return Since(earlier, release, changes(earlier, release))
    except AtlasError:  # it must not be compared, or changed meanwhile
        return None


@st.dialog("What changed", width="large")
def show_since(since: Since) -> None:
    """All of it, over the page."""
    require(Role.VIEWER)  # in every rerun: it does not pass the router
    st.markdown(f"**{plain(sentence(since.found))}**")
    draw_change(since.earlier, since.release, since.found, sentence(since.found), legend=LEGEND_WIDTH)


def since_button(since: Since) -> None:
    """The button that shows what changed."""
    if st.button(since.label, icon=":material/compare_arrows:", key="since", help=words.SINCE_HELP):
        show_since(since)


def draw_change(
    before: Release,
    release: Release,
    found: Changes,
    told: str,
    *,
    legend: int | Literal["stretch"] = "stretch",
) -> None:
    """What changed, with its ranges: the map of the tiles, or the chart where there is none.

    ``told``: what was said of it already; ``legend``: how wide the colours are, on a wall as wide as its style says.
    """
    drawn = None if found.cells is None else change_map(found.cells, release.tessellation)
    dark = is_dark()
    if drawn is not None:
        with st.container(key=STAGE):
            names = (before.title or before.id, release.title or release.id)
            picture = difference_svg(release.tessellation, drawn, names, "", dark=dark)
            st.image(picture, width="stretch", alt=MAP_SAID)
        colours = legend_svg(dark=dark, noisy=drawn.noisy, ends=map_ends(found), one=drawn.one)
        with st.container(key="colours"):  # it grows with the screen, as the letters do
            st.image(colours, width=legend, alt="Colours of the change")
        st.caption(MAP_SAID)
    if untold := unsaid(found, told):
        st.markdown(plain(" ".join(untold)))
    chart = (
        None if found.cells is None or drawn is not None else change_chart(found.cells, release.tessellation)
    )
    if chart is not None:
        show_chart(chart)
    st.caption(said_beside(found, before, release))
    st.caption(promise_shortly_at(release, len(release.plan.rungs) - 1))
