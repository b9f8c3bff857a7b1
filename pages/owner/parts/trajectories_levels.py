"""The levels of places on the Trajectories page: painted on a map, set by list, or taken from a file. Public input."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.measures.keys import OUTSIDE
from dpcore.synthesis.tree.choices import Outside, TreeChoices
from dpcore.synthesis.tree.levels_file import read_levels, write_levels
from dpcore.synthesis.tree.plan import epsilon_text
from dpcore.views import tree
from dpcore.views.plain import plain, with_id
from pages.owner.parts import trajectories_words as texts
from pages.owner.parts.data_sets import DataSet
from pages.owner.parts.session import loaded
from pages.owner.parts.trajectories_choices import Form, Painting, painting
from pages.parts.messages import refused
from pages.parts.paint_map import Paint, Stroke, pack_painting, paint_map, strokes_of

_MAP = "trajectories map"


def levels_section(data: DataSet, mine: Form, painted: Painting, choices: TreeChoices) -> None:
    """The map beside the scale, then the same by list and by file."""
    st.subheader(texts.LEVELS_TITLE)
    st.info(texts.PUBLIC_LEVELS, icon=":material/public:")
    picture, beside = st.columns([5, 3], gap="large")
    critical = choices.descriptors[-1].name
    with picture:
        _map(data, painted, choices)
        if mine.outside is Outside.PLACE:
            st.caption(texts.ON_NO_MAP.format(level=plain(dict(choices.named).get(OUTSIDE, critical))))
    with beside:
        _scale(data, painted, choices)
    with st.expander(texts.BY_LIST, icon=":material/list:"):
        by_list, by_file = st.columns(2, gap="large")
        with by_list:
            _list(data, mine, painted)
        with by_file:
            _file(data, mine, painted)


def _map(data: DataSet, painted: Painting, choices: TreeChoices) -> None:
    number = {one.name: level for level, one in enumerate(painted.descriptors, 1)}
    critical = len(number)
    paint_map(
        pack_painting(
            data.geometry.packed,
            _paints(choices),
            [number.get(painted.named.get(tile, ""), critical) for tile in data.tessellation.tile_ids],
            applied=painted.applied,
            alt="Map of the tiles in the colours of their levels; the list below sets levels without it",
            banner=data.mark,
        ),
        data.geometry.packed,
        key=_MAP,
        on_strokes_change=_take_strokes,
    )


def _paints(choices: TreeChoices) -> list[Paint]:
    price = choices.price().descriptors
    colours = tree.level_colours(len(price))
    return [
        Paint(name, epsilon_text(epsilon), colour.light, colour.dark)
        for (name, epsilon), colour in zip(price, colours, strict=True)
    ]


def _take_strokes() -> None:
    """What was painted since the last run becomes part of the levels, before anything is shown."""
    tessellation = loaded().tessellation
    painted = painting(tessellation)
    told = st.session_state[_MAP].get("strokes")
    apply(
        painted,
        tessellation.tile_ids,
        strokes_of(told, tiles=len(tessellation.tile_ids), levels=len(painted.descriptors)),
    )


def apply(painted: Painting, tiles: tuple[str, ...], strokes: list[Stroke]) -> None:
    """Paint the strokes that are not part of the levels yet, in their order."""
    for stroke in strokes:
        if stroke.number > painted.applied:
            painted.set([tiles[at] for at in stroke.tiles], painted.descriptors[stroke.level - 1].name)
            painted.applied = stroke.number


def _scale(data: DataSet, painted: Painting, choices: TreeChoices) -> None:
    """The budgets, and ways to begin again."""
    plan = choices.plan(data.tessellation)
    table = tree.price_table(plan, choices.bound, every=True)
    st.table(
        {name if name == "ε" else name.capitalize(): column for name, column in table.items()},
        border="horizontal",
    )
    with st.popover("Reading the table", icon=":material/help:", width="stretch"):
        st.markdown(f"{texts.BUDGETS} {tree.right_words(plan, choices.bound)}")
    whole, back = st.columns(2)
    whole.button(
        "All Critical",
        icon=":material/lock:",
        help=texts.ALL_CRITICAL_HELP,
        on_click=_all_critical,
        width="stretch",
    )
    back.button(
        "Undo",
        icon=":material/undo:",
        disabled=not painted.before,
        on_click=_undo,
        width="stretch",
    )
    st.download_button(
        "Export as GeoJSON",
        lambda: write_levels(data.tessellation, choices.named, painted.descriptors),
        "levels.geojson",
        "application/geo+json",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )


def _all_critical() -> None:
    mine = painting(loaded().tessellation)
    mine.take({}, mine.descriptors)


def _undo() -> None:
    painting(loaded().tessellation).undo()


def _list(data: DataSet, mine: Form, painted: Painting) -> None:
    names = data.geometry.names
    ids = (*data.tessellation.tile_ids, *((OUTSIDE,) if mine.outside is Outside.PLACE else ()))
    tiles = st.multiselect(
        "Tiles",
        ids,
        format_func=lambda one: with_id(one, names.get(one, one)),
        key=f"trajectories list {painted.digest}",
        placeholder="Choose tiles",
    )
    level = st.selectbox("Level", [one.name for one in reversed(painted.descriptors)], index=None)
    if st.button("Set them", disabled=not (tiles and level)):
        painted.set(tiles, level or "")
        st.rerun()


def _file(data: DataSet, mine: Form, painted: Painting) -> None:
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
            scale=painted.descriptors,
            outside=mine.outside is Outside.PLACE,
        )
    except AtlasError as error:
        refused(error)
        return
    painted.take(dict(named), descriptors)
    st.rerun()
