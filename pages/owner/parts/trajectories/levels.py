"""The levels of places on the Trajectories page: of tiles that are chosen on the map or in a list, or from a file. Public input."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.kinds.tree import views as tree
from dpcore.kinds.tree.choices import Outside, TreeChoices
from dpcore.kinds.tree.levels_file import read_levels, write_levels
from dpcore.measures.keys import OUTSIDE
from dpcore.views.ground.selection import Selection, tiles_of
from pages.owner.parts.explore.chosen import districts_of
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import loaded, session
from pages.owner.parts.trajectories import words as texts
from pages.owner.parts.trajectories.choices import PlaceLevels, TreeForm, place_levels
from pages.parts.held import Ear, chosen_ear
from pages.parts.ladder_map import ladder_map
from pages.parts.messages import show_refusal
from pages.parts.selected import list_places
from pages.parts.widget_keys import key_showing, when_other

_LEVEL = "trajectories level"


def levels_section(data: DataSet, mine: TreeForm, levels: PlaceLevels, choices: TreeChoices) -> None:
    """The map beside the scale; below it what is chosen gets a level. The same from a file."""
    st.subheader(texts.LEVELS_TITLE)
    st.info(texts.PUBLIC_LEVELS, icon=":material/public:")
    picture, beside = st.columns([5, 3], gap="large")
    with picture:
        _map(data, levels, choices)
        _setting(data, levels)
        with st.container():  # what comes and goes moves nothing that stays
            if mine.outside is Outside.PLACE:
                _level_outside(levels, choices)
    with beside:
        _scale(data, levels, choices)
    with st.expander(texts.BY_FILE, icon=":material/upload_file:"):
        _file(data, mine, levels)


def _map(data: DataSet, levels: PlaceLevels, choices: TreeChoices) -> None:
    link, districts = f"{data.geometry.link} levels", districts_of(data)
    ladder_map(
        tree.levels_map(data.geometry, choices, link=link, mark=data.mark, districts=districts),
        key="trajectories map",
        tiles=data.geometry.packed,
        context=data.under,
        height=460,
        ears=[_ear(data, levels, link)],
    )


def _ear(data: DataSet, levels: PlaceLevels, link: str) -> Ear:
    districts = districts_of(data)
    room = len(data.tessellation.tile_ids), len(districts.names) if districts else 0

    def keep(chosen: Selection) -> None:
        levels.chosen = chosen

    return chosen_ear(link, room, lambda: levels.chosen, keep, session().loads + levels.listed)


def _setting(data: DataSet, levels: PlaceLevels) -> None:
    """The list of what is chosen, for those without a mouse, and the level that it gets."""
    districts, chosen = districts_of(data), levels.chosen
    list_places(chosen, data.tessellation, districts, _choose, pairs=False)
    wanted, button = st.columns([2, 1], vertical_alignment="bottom")
    names = [one.name for one in reversed(levels.descriptors)]
    level = wanted.selectbox("Level", names, index=None, placeholder=texts.CHOOSE_LEVEL, key=_LEVEL)
    button.button(
        texts.SET_LEVEL,
        disabled=not (chosen.places and level),
        on_click=_set_level,
        width="stretch",
    )


def _choose(chosen: Selection) -> None:
    """Keep what the list chose. Streamlit keeps this function after the data set was let go of, so it holds none."""
    place_levels(loaded().tessellation).choose(chosen)


def _set_level() -> None:
    """Give what is chosen the level that is shown. Nothing is chosen then, so that the next click begins anew."""
    data = loaded()
    levels, name = place_levels(data.tessellation), st.session_state[_LEVEL]
    if name not in {one.name for one in levels.descriptors}:
        return
    tiles = tiles_of(levels.chosen, districts_of(data))
    levels.set([data.tessellation.tile_ids[tile] for tile in tiles], name)
    levels.choose(Selection(districts=levels.chosen.districts))


def _level_outside(levels: PlaceLevels, choices: TreeChoices) -> None:
    """What lies in no tile is a place that is on no map."""
    names = [one.name for one in reversed(levels.descriptors)]
    now = dict(choices.named).get(OUTSIDE, names[0])
    key = key_showing("trajectories level outside", now)
    st.selectbox(
        texts.LEVEL_OUTSIDE,
        names,
        index=names.index(now),
        key=key,
        help=texts.ON_NO_MAP,
        on_change=when_other(key, now, _set_level_outside),
    )


def _set_level_outside(name: str) -> None:
    place_levels(loaded().tessellation).set([OUTSIDE], name)


def _scale(data: DataSet, levels: PlaceLevels, choices: TreeChoices) -> None:
    """The budgets, and ways to begin again."""
    plan = choices.plan(data.tessellation)
    table = tree.price_table(plan, choices.bound, every=True)
    st.table(
        {name if name == "ε" else name.capitalize(): column for name, column in table.items()},
        border="horizontal",
    )
    with st.popover("Reading the table", icon=":material/help:", width="stretch"):
        st.markdown(f"{texts.BUDGETS} {tree.right_words(plan, choices.bound)}")
    whole, export = st.columns(2)
    whole.button(
        "All Critical",
        icon=":material/lock:",
        help=texts.ALL_CRITICAL_HELP,
        on_click=_all_critical,
        width="stretch",
    )
    export.download_button(
        "Export as GeoJSON",
        lambda: write_levels(data.tessellation, choices.named, levels.descriptors),
        "levels.geojson",
        "application/geo+json",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )


def _all_critical() -> None:
    levels = place_levels(loaded().tessellation)
    levels.take({}, levels.descriptors)


def _file(data: DataSet, mine: TreeForm, levels: PlaceLevels) -> None:
    upload = st.file_uploader(
        "Levels file: GeoJSON or CSV", type=["geojson", "json", "csv"], help=texts.LEVELS_FILE_HELP
    )
    if not st.button("Take these levels", disabled=upload is None) or upload is None:
        return
    try:
        named, descriptors = read_levels(
            upload.getvalue(),
            data.tessellation,
            name=upload.name,
            scale=levels.descriptors,
            outside=mine.outside is Outside.PLACE,
        )
    except AtlasError as error:
        show_refusal(error)
        return
    levels.take(dict(named), descriptors)
    st.rerun()
