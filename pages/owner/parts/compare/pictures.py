"""Pictures and texts of the Compare page: both series in one chart, the difference of the maps, scores at every epsilon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import streamlit as st

from dpcore.api import studies
from dpcore.comparison import METRICS
from dpcore.comparison.curves import Curve
from dpcore.comparison.layout import LAYOUTS
from dpcore.comparison.matching import Pair, laid_alike, step_of_both
from dpcore.comparison.tables import Side
from dpcore.errors import InputError
from dpcore.measures import Kind
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.comparison import difference_map, likeness
from dpcore.views.comparison.compared_sides import SIDES, compared_pictures, pack_compared
from dpcore.views.ground.plain import plain
from dpcore.views.maps.tile_map import MapGeometry
from dpcore.views.maps.two_sides import LOOKS
from dpcore.views.maps.two_sides import Look as SidesLook
from dpcore.views.maps.window_message import Pictures
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.session import index_of, session
from pages.parts.chart import show_chart
from pages.parts.ladder_map import ladder_map
from pages.parts.map_data import map_data
from pages.parts.messages import progress
from pages.parts.time_and_sides import map_sides

_LOOKS: Final[tuple[SidesLook, ...]] = ("difference", "swipe", "beside")
INTRO: Final = (
    "What changed between two releases? How alike are two sets of tables: a release and the truth, two releases, a preview at one ε "
    "and the truth? "
    "**A** is the reference."
)
PRIVATE: Final = (
    "This page shows true counts. The scores are made from them, so they too are for the owner only."
)
ADD_HELP: Final = "Opens the page Story with both releases chosen. **Add the change** there puts it into your story: of all trips, and of the tiles."
ADD_FORWARD: Final = (
    "A begins after B. A story tells what changed from B to A, from the earlier to the later."
)
PUBLIC: Final = "Both sides are releases, so this comparison may be shown to anyone."
LOADED: Final = "Compare with the loaded trips"
OTHER_SIDE: Final = "Choose the other side"
NO_RELEASES: Final = (
    "No release is listed in the library yet. Publish one on the **Release** page, or upload a bundle."
)
UPLOAD: Final = "A bundle as one .zip file. It is checked, looked at in this session, and not kept."
WAITING: Final = "Choose a bundle to look at."
METRICS_HELP: Final = "What do these numbers mean?"
NEGATIVE: Final = (
    "Noise can take a count below zero. For shares, and so for all distances, such a count is taken as zero. Rankings and "
    "counts use it as it is."
)
SERIES: Final = "A is dashed and brown, B solid and teal."
OWN_DATES: Final = "Each side has its own dates. A line ends where a date is missing."
MAP: Final = (
    "Blue: B has a smaller share of the visits than A. Orange: B has a larger share. The unit of the scale is the share that "
    "each tile would have if all were equal, so the scale depends on the number of tiles alone."
)
SHARES: Final = (
    "Visits of a million: each side as shares of its own visits, because one may hold more trips than the other. Colours are the "
    "same on both sides."
)
WITHIN_NOISE: Final = (
    "Grey: **within noise**, {} of {} tiles. Noise alone may have made the difference there. Of 100 tiles without any "
    "difference, noise still colours up to 5."
)
BY_CHANCE: Final = "All tiles that may be chance"
NO_MAP: Final = (
    "There is no map to compare: one side does not have the measure visits per tile, or has no visits."
)
CURVES: Final = (
    "How close a release would be to the truth at every ε: the mean, and the band of 95 of 100 releases. The truth is all "
    "trips, so the difference includes what the bound leaves out. Made from true counts: **for the owner only, not accounted**."
)
CURVES_BUTTON: Final = "Work out utility curves"
DRAWING: Final = "Drawing throw-away previews"
NO_CURVES: Final = "This table has no trips to compare."
CURVES_RELEASED: Final = (
    "The same, estimated from the release alone, so anyone may make it. Its finest counts are used in place of the true "
    "ones. Where counts are small, noise is taken for trips, and the curve is too good."
)


def series_section(one: Side, other: Side, mark: str) -> None:
    """Both sides of one measure that has an order, in one picture."""
    ordered = [
        measure for measure in one.tables if measure in other.tables and _drawable(one, other, measure)
    ]
    if not ordered:
        return
    st.subheader("Over one another")

    def said(measure: str) -> str:
        return f"{SERIES} {OWN_DATES}" if one.tables[measure].layout.kind is Kind.DATES else SERIES

    overlay(one, other, (one.name, other.name), ordered, mark, page="compare", said=said)


def overlay(
    one: Side,
    other: Side,
    names: tuple[str, str],
    ordered: Sequence[str],
    mark: str,
    *,
    page: str,
    said: Callable[[str], str],
) -> None:
    """A choice among tables that have an order, and both sides of the chosen one in one picture."""
    pick, unit = st.columns(2, vertical_alignment="bottom")
    measure = pick.selectbox(
        "Table", ordered, format_func=likeness.title, key=f"{page} series", persist_state="session"
    )
    shown = unit.segmented_control(
        "Show",
        ["Shares", "Counts"],
        default="Shares",
        required=True,
        key=f"{page} unit",
        persist_state="session",
    )
    st.caption(said(measure))
    drawn = likeness.overlays(
        one.tables[measure], other.tables[measure], names, mark, as_shares=shown == "Shares"
    )
    for column, (title, chart) in zip(st.columns(min(2, len(drawn))) * 2, drawn, strict=False):
        with column:
            if title:
                st.caption(title)
            show_chart(chart)


def _drawable(one: Side, other: Side, measure: str) -> bool:
    """Whether both sides can stand in one picture; two periods can, even without a common date."""
    tables = (one.tables[measure], other.tables[measure])
    if not tables[0].layout.ordered or not all(len(table.values) for table in tables):
        return False
    try:
        step_of_both(*tables) if tables[0].layout.kind is Kind.DATES else laid_alike(*tables)
    except InputError:
        return False
    return True


def map_section(
    pairs: Mapping[str, Pair], tiles: Tessellation, names: tuple[str, str], mark: str, under: bytes | None
) -> None:
    """The difference of the two maps of visits, or both. ``under``: what lies under their tiles, packed."""
    st.subheader("Both maps")
    pair = pairs.get("visits_per_tile")
    found = None if pair is None else difference_map.differences(pair, tiles)
    if pair is None or found is None:
        st.info(NO_MAP, icon=":material/map:")
        return
    look = st.segmented_control(
        "Comparison",
        _LOOKS,
        default="difference",
        format_func=LOOKS.__getitem__,
        required=True,
        key="compare look",
        persist_state="session",
        label_visibility="collapsed",
    )
    if look != "difference":
        _two_sides(compared_pictures(pair, tiles, names), tiles, mark, look, under)
        return
    difference_picture(tiles, found, names, mark, words=MAP)
    if found.noisy:
        st.caption(WITHIN_NOISE.format(int(found.within_noise.sum()), len(found.within_noise)))


def difference_picture(
    tiles: Tessellation,
    found: difference_map.Differences,
    names: tuple[str, str],
    mark: str,
    *,
    words: str,
    ends: tuple[str, str] = difference_map.ENDS,
) -> None:
    """The map of a difference with its legend; ``words``: what its colours mean; ``ends``: what stands at both ends of them."""
    dark = st.context.theme.type == "dark"
    picture, said = st.columns([2, 1], gap="large")
    with picture:
        drawn = difference_map.difference_svg(tiles, found, names, mark, dark=dark, numbered=True)
        st.image(drawn, width="stretch", alt=f"Map of the difference: {names[1]} less {names[0]}. {words}")
        legend = difference_map.legend_svg(dark=dark, noisy=found.noisy, ends=ends, one=found.one)
        st.image(legend, width=difference_map.LEGEND_WIDTH, alt="Colours of the difference")
    said.caption(words)
    if chance := difference_map.chance_words(found, tiles):
        said.caption(plain(chance))
        with said.expander(BY_CHANCE):
            st.caption(plain("; ".join(difference_map.chance_names(found, tiles))))


def _two_sides(
    pictures: Pictures | None, tiles: Tessellation, mark: str, look: SidesLook, under: bytes | None
) -> None:
    """Both maps of visits, over or beside one another."""
    if pictures is None:
        st.info(NO_MAP, icon=":material/map:")
        return
    st.caption(SHARES)
    geometry = session().kept.last("compared tiles", tiles.digest, lambda: MapGeometry.of(tiles))
    link, message, both = pack_compared(geometry, pictures, mark)
    ladder_map(message, key="compared map", tiles=geometry.packed, context=under, height=480)
    map_data("windows", link, both)
    map_sides(link, SIDES, look)


def utility_section(data: DataSet, release: Release | None, *, own: bool) -> None:
    """The curves of the loaded trips on demand, beside those of a release that was chosen.

    ``own``: whether this visitor may look at the trips. Curves of theirs are a look.
    """
    left, right = st.columns(2, gap="large")
    if own:
        with left:
            st.caption(CURVES)
            with st.container():
                study = _study(data)
            if study is not None:
                by_measure: dict[str, list[Curve]] = {}
                for curve in study.curves:
                    by_measure.setdefault(curve.measure, []).append(curve)
                _ask_and_show_curve([*by_measure], by_measure.__getitem__, data.mark, "own")
    if release is not None:
        with right if own else left:
            st.caption(CURVES_RELEASED)
            names = [name for name in release.measurements if name in LAYOUTS]
            _ask_and_show_curve(
                names, partial(_released_curves, release), f"Estimated from {release.id}", "released"
            )


def _released_curves(release: Release, measure: str) -> Sequence[Curve]:
    """The curves of one table of a release or of a part of it. They take seconds for flows, so they are kept."""
    key = (release.id, release.anchor.hash, *release.part.values(), measure)
    return session().kept.last(
        "released curves",
        key,
        lambda: studies.curves_of_release(release.measurements[measure], release.plan),
    )


def _study(data: DataSet) -> studies.UtilityStudy | None:
    mine, key = session(), (session().draft().bound, data.choices)
    if not mine.kept.holds("curves", key) and not st.button(
        CURVES_BUTTON, on_click=mine.looked, args=(Look.COMPARED,)
    ):
        return None
    return mine.kept.last("curves", key, lambda: _worked_out(data))


def _worked_out(data: DataSet) -> studies.UtilityStudy:
    """The study of the chosen bound; how far it got is shown."""
    with progress(DRAWING) as tell:
        return studies.utility_curves(data.trips, session().preview().plan, data.tessellation, progress=tell)


def _ask_and_show_curve(
    measures: Sequence[str], curves_of: Callable[[str], Sequence[Curve]], mark: str, key: str
) -> None:
    """One curve after another: first the table, then the metric. Curves of the chosen table alone are asked for."""
    if not measures:
        return
    table, metric = st.columns(2)
    measure = table.selectbox(
        "Table",
        measures,
        index=index_of(measures, VISITS) or 0,
        format_func=likeness.title,
        key=f"compare {key} table",
    )
    held = {curve.metric: curve for curve in curves_of(measure)}
    if not held:
        st.caption(NO_CURVES)
        return
    name = metric.selectbox(
        "Metric",
        [one for one in METRICS if one in held],
        format_func=lambda one: METRICS[one].title,
        key=f"compare {key} metric {measure}",
    )
    show_chart(likeness.curve_chart(held[name], mark))
    st.caption(likeness.curve_words(held[name]))
