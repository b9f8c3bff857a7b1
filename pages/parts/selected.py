"""What is chosen on a map, as lists: to choose in without a mouse; and its flows: of a pair both ways, within, out of it, into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.measures.keys import Districts
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import number, plain
from dpcore.views.ground.selection import MOST_PLACES, Selection, place_label, selection_label
from dpcore.views.numbers import selected_flows
from dpcore.views.numbers.area import Numbers
from dpcore.views.numbers.selected_flows import SelectedFlows
from pages.parts.chart import row_height, show_table
from pages.parts.widget_keys import key_showing, when_other

_UNREAD: Final = (
    "Flows with {count} of the places cannot be told from none, so they are neither listed nor drawn."
)


_NAME: Final = 170  # pixels of the column of names, which wrap
_LEVELS: Final = ("Tiles", "Districts")
_CLICK: Final = ("Click a tile, or choose tiles:", "Click a district, or choose districts:")
_CHOOSING: Final = (
    "The first click chooses a place. A click on another one shows the flows between both. Shift and click, or the switch on the "
    "map, adds places to an area with one sum. Escape clears the choice."
)
_CHOOSING_AREA: Final = "Each click on the map chooses one place more; a click on a chosen one lets go of it. Districts are chosen as a whole. Escape clears the choice."
_OTHER: Final = "Flows between it and"


def list_places(
    chosen: Selection,
    tiles: Tessellation,
    districts: Districts | None,
    choose: Callable[[Selection], None],
    places: Sequence[DeltaGenerator] | None = None,
    *,
    pairs: bool = True,
) -> None:
    """The keyboard's way to tiles and districts.

    ``choose``: called with what was chosen; ``places``: of the three lists; ``pairs``: whether one more place can be set beside
    what is chosen, as on a map of flows.
    """
    level, several, one = places or [st.container() for _ in range(3)]
    if districts is not None:
        shown = _LEVELS[chosen.districts]
        at = key_showing("level chosen", shown)
        level.segmented_control(
            "Choose",
            _LEVELS,
            default=shown,
            required=True,
            key=at,
            label_visibility="collapsed",
            on_change=when_other(at, shown, lambda level: choose(_at_level(chosen, districts, level))),
        )
    count = len(districts.names) if districts and chosen.districts else len(tiles.tile_ids)
    listed = key_showing("places chosen", [*chosen.places])
    several.multiselect(
        _CLICK[chosen.districts],
        range(count),
        default=[*chosen.places],
        format_func=lambda place: place_label(place, chosen, tiles, districts),
        placeholder="Nothing chosen",
        key=listed,
        max_selections=MOST_PLACES,
        help=_CHOOSING if pairs else _CHOOSING_AREA,
        on_change=when_other(listed, [*chosen.places], lambda found: choose(_of_list(chosen, tuple(found)))),
    )
    if not (chosen.places and pairs):
        return
    others = [place for place in range(count) if place not in chosen.places]
    second = key_showing("other chosen", chosen.other)
    one.selectbox(
        _OTHER,
        others,
        index=None if chosen.other is None else others.index(chosen.other),
        format_func=lambda place: place_label(place, chosen, tiles, districts),
        placeholder="No second place",
        key=second,
        on_change=when_other(second, chosen.other, lambda other: choose(replace(chosen, other=other))),
    )


def _at_level(chosen: Selection, districts: Districts, level: str) -> Selection:
    """Tiles give way to the district of the first one; districts give way to nothing."""
    wanted = level == _LEVELS[1]
    if wanted == chosen.districts:
        return chosen
    return Selection(
        (districts.of_tiles[chosen.places[0]],) if wanted and chosen.places else (), None, wanted
    )


def _of_list(chosen: Selection, places: tuple[int, ...]) -> Selection:
    other = None if not places or chosen.other in places else chosen.other
    return Selection(places, other, chosen.districts)


def list_selected(
    chosen: Selection,
    found: tuple[SelectedFlows, SelectedFlows],
    numbers: Numbers,
    tiles: Tessellation,
    districts: Districts | None = None,
    *,
    wide: bool = True,
    mark: str = "",
) -> None:
    """List the flows of what is chosen.

    ``wide``: whether there is room for both directions side by side; ``mark``: what an owner's saved tables say.
    """
    names = selected_flows.place_names(chosen, tiles, districts)
    own = selection_label(chosen, tiles, districts)
    st.markdown(f"#### Flows: {plain(own)}")
    st.caption(f"These numbers are of {selected_flows.whose_flows(chosen, numbers)}.")
    with st.container():  # where there is no pair it is empty, so that the lists keep their places
        if chosen.other is not None:
            _pair(chosen.other, own, names[chosen.other], found, numbers)
    st.caption(plain(f"Within: {selected_flows.flow_words(found[0].total.at(1), numbers)}."))
    places = st.columns(2, gap="large") if wide else [st.container(), st.container()]
    for column, flows in zip(places, found, strict=True):
        with column:
            _list(flows, names, numbers, mark)


def _pair(
    other: int, own: str, there: str, found: tuple[SelectedFlows, SelectedFlows], numbers: Numbers
) -> None:
    """The flows of a pair, both ways."""
    told = [
        f"{plain(start)} → {plain(end)}: **{plain(selected_flows.flow_words(flows.to.at(other), numbers))}**"
        for flows, (start, end) in zip(found, ((own, there), (there, own)), strict=True)
    ]
    st.markdown("  \n".join(told))


def _list(flows: SelectedFlows, names: Sequence[str], numbers: Numbers, mark: str) -> None:
    """The strongest flows of one direction, with their sum above and the number of those left out below."""
    way = "Out of it" if flows.outward else "Into it"
    st.markdown(f"**{way}**: {plain(selected_flows.flow_words(flows.total.at(0), numbers))} in all")
    if len(flows.strongest):
        table = selected_flows.flow_rows(flows, names, numbers)
        row = row_height(table.iloc[:, 0], _NAME)
        show_table(
            table,
            f"{way}: the strongest flows with their ranges",
            mark=mark,
            height=min(300, 40 + row * len(table)),
            row_height=row,
            column_config={table.columns[0]: st.column_config.TextColumn(width=_NAME)},
        )
    more = len(flows.strongest) - selected_flows.LISTED
    said = [f"{number(more)} smaller ones are not listed."] if more > 0 else []
    if flows.unread:
        said.append(_UNREAD.format(count=number(flows.unread)))
    if said:
        st.caption(" ".join(said))
