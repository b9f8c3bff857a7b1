"""Which numbers a view shows: estimates or released counts, by one switch, and what must be read beside both."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.estimates import Estimates
from dpcore.privacy import decimal_text
from dpcore.release import Release
from dpcore.release.estimates import are_computed, estimates_to_show
from dpcore.views.ground.plain import plain
from dpcore.views.ground.reading import breaks_of
from dpcore.views.ground.shown import Shown, ranged, spoken_of
from dpcore.views.ground.shown import estimated_numbers as estimated_of
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.maps.address import ESTIMATE, RELEASED
from dpcore.views.maps.estimate_message import MapEstimates, pack_estimates
from dpcore.views.maps.flow_levels import flow_estimates
from dpcore.views.numbers import estimated
from dpcore.views.numbers.area import DISTRICT_FLOWS, FLOWS, numbers_of
from dpcore.views.numbers.flows import SENT_FLOWS, finest_flows
from dpcore.views.numbers.ranking import strongest_between
from pages.parts.map_data import map_data
from pages.parts.messages import progress
from pages.released.parts import words
from pages.released.parts.pictures import breaks_of_estimates, drawn_districts, pictures
from pages.released.parts.viewing import Viewing, viewing

OF_THE_MAP = ("visits_per_tile", "od_districts")


def estimates_here(
    mine: Viewing, release: Release, of: Collection[str] | None = None, rung: int | None = None
) -> Estimates:
    """The estimates of the stop that is looked at, with a bar where they take longer than half a second."""
    at = mine.at.rung if rung is None else rung
    with progress(words.ESTIMATING, after=0.5) as tell:
        return estimates_to_show(release, at, of=of, progress=tell)


def shown_here(mine: Viewing, release: Release, measure: str, of: Collection[str] | None = None) -> Shown:
    """What is shown of a table at the stop that is looked at, as the switch says; ``of``: the tables that are estimated with it."""
    guessed = None if mine.at.released else estimates_here(mine, release, of or (measure,))
    return shown_of(release.measurements, measure, mine.at.rung, guessed)


def breaks_here(mine: Viewing, release: Release, measure: str) -> tuple[int, ...]:
    """The breaks of its colours, the same at every stop."""
    if mine.at.released:
        return breaks_of(release.measurements[measure])
    return breaks_of_estimates(release, measure)


def switch(mine: Viewing, release: Release) -> None:
    """The switch between estimates and released counts; beside it the share of trips that count and the assumption.

    Without estimates there is no switch: all that follows shows released counts.
    """
    found = estimates_here(mine, release, ())
    if not are_computed(found):
        mine.go(released=True)
        st.caption(plain(estimated.about_released(release, found)))
        return
    if mine.at.present:  # a presentation has no controls
        st.caption(plain(estimated.share_text(found)))
        return
    sides = dict(zip((ESTIMATE, RELEASED), estimated.switch_words(found), strict=True))
    st.session_state["numbers chosen"] = RELEASED if mine.at.released else ESTIMATE
    left, right = st.columns([2, 3], vertical_alignment="center")
    left.segmented_control(
        "Numbers",
        [*sides],
        format_func=sides.__getitem__,
        required=True,
        key="numbers chosen",
        label_visibility="collapsed",
        on_change=_switched,
    )
    with right.container(key="about_numbers"):  # as high for both, or the switch would move the map
        if mine.at.released:
            st.caption(plain(estimated.about_released(release, found)))
        elif estimated.doubtful(found):
            st.warning(plain(estimated.about_estimates(release.plan, found)), icon=":material/warning:")
        else:
            st.caption(plain(estimated.about_estimates(release.plan, found)))


def _switched() -> None:
    viewing().go(released=st.session_state["numbers chosen"] == RELEASED)


def at_stop(mine: Viewing, release: Release) -> str:
    """Of which stop the numbers beside a map are: while the thumb moves, they stay."""
    return f"At ε = {decimal_text(release.plan.rungs[mine.at.rung])}"


def send_tiles(mine: Viewing, release: Release, place: DeltaGenerator, rung: int | None = None) -> Estimates:
    """Give the map of visits the estimates of the stop that is looked at, or of another one; nothing where there are none.

    ``place``: an empty place near the map, which tells how sure merged tiles are of all trips.
    """
    found = estimates_here(mine, release, OF_THE_MAP, rung)
    if not are_computed(found):
        return found
    table, tiles = found.tables["visits_per_tile"], release.tessellation
    shown = ranged(table).at(slice(len(tiles.tile_ids)))
    breaks = breaks_of_estimates(release)
    merged = 0 if mine.at.released else mine.at.merged
    visits = release.measurements["visits_per_tile"]
    regions = estimated.regions_at(tiles, visits, found.rung, merged)
    note, about = estimated.note_of_map(visits, found, merged=regions), spoken_of(table)
    if sure := estimated.sure_of_regions(found, regions, merged):
        place.caption(plain(sure))
    _send(mine, release, "tiles", MapEstimates(found, about, note, breaks, tiles=shown, regions=regions))
    return found


def send_flows(mine: Viewing, release: Release) -> Estimates:
    """Give the map of estimated flows those of the stop that is looked at."""
    of = (FLOWS, *({DISTRICT_FLOWS} & {*release.measurements}))
    found = estimates_here(mine, release, of)
    finest = estimated_of(finest_flows(release))
    cells = finest.cells[strongest_between(finest, SENT_FLOWS)]
    drawn = release.measurements.get(FLOWS)
    released = () if drawn is None else drawn_of(drawn, found.rung).exact(cells)
    numbers = numbers_of(release, found, released=False)
    told = flow_estimates(numbers, cells, released, drawn_districts(release))
    _send(mine, release, "flows", told)
    return found


def _send(mine: Viewing, release: Release, of: str, found: MapEstimates) -> None:
    at, link = mine.at, pictures(release).link
    stop, other = found.estimates.rung, "" if found.estimates.rung == mine.at.rung else "other "
    epsilon = decimal_text(release.plan.rungs[stop])
    message = pack_estimates(link, epsilon, found, released=at.released, merged=at.merged)
    map_data("estimates", link, message, which=f"{other}{of}")
