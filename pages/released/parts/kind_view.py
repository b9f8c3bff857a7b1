"""A release of another kind than tables: its views as pictures with their words, and what can be taken along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

import streamlit as st

from dpcore.release import AnyRelease, kind_of
from dpcore.views.ground.plain import plain
from dpcore.views.kinds import has_views, kind_report_html, kind_slide, kind_views, read_rows, slide_tables
from dpcore.views.numbers.guarantee import can_you_be_found
from dpcore.views.pictures.slide import Slide
from dpcore.views.pictures.taken import picture_of
from pages.parts.messages import WALK, bars_over_the_page, refusals, take_away
from pages.parts.roles import Role, require
from pages.released.parts import words
from pages.released.parts.of_wings import add_kind_button, keep_story, tree_section, walk_button
from pages.released.parts.reading_view import draw_you
from pages.released.parts.slide_view import STYLE, draw_slide
from pages.released.parts.viewing import bundle_of, on_shelf, opened_any, told_apart, viewing, zip_of

_SEEN = "release of another kind"
_VIEW = "view of another kind"
_LIBRARY = "pages/released/library.py"
_SLIDES: Final[WeakKeyDictionary[AnyRelease, dict[str, Slide]]] = WeakKeyDictionary()
"""What was drawn of a release, as long as the shelf or its visitor's session holds it: it never changes."""


def other_kinds() -> dict[str, str]:
    """Titles of the releases of other kinds that have views, by name; uploads first."""
    mine = {
        name: f"{one.card.title} (uploaded)"
        for name, one in viewing().uploads.items()
        if has_views(one.card.kind)
    }
    listed = {one.name: one.card.title for one in on_shelf() if one.card and has_views(one.card.kind)}
    return told_apart(mine | listed)


def asked_for(there: Mapping[str, str], tables: Mapping[str, str]) -> str | None:
    """The release of another kind that a link names, or that was looked at before; None if it is one of tables."""
    asked = st.query_params.get("release")
    if asked is None:
        asked = st.session_state.get(_SEEN)
        if asked not in there and not tables:
            asked = next(iter(there), None)
    if asked in there:
        st.session_state[_SEEN] = asked
        return asked
    st.session_state.pop(_SEEN, None)
    return None


@st.fragment
def draw_kind(name: str, there: Mapping[str, str]) -> None:
    """Everything of one release; reruns alone."""
    require(Role.VIEWER)  # in every rerun: it does not pass the router
    with refusals(), bars_over_the_page():
        with st.spinner("Reading the release"):
            release = opened_any(name)
            read_rows(release, bundle_of(name))
        st.html(STYLE)
        _draw(name, release, there)


def _draw(name: str, release: AnyRelease, there: Mapping[str, str]) -> None:
    views = kind_views(release)
    view = _head(name, release, there, views)
    st.query_params.from_dict({"release": name, "view": view})
    with st.spinner("Drawing"):
        shown = slide_seen(release, view)
        draw_slide(shown)
    with st.container():
        for title, table in slide_tables(shown).items():
            with st.expander(f"{title}, as a table", icon=":material/table:"):
                st.table(table, border="horizontal")
    kind = kind_of(release.plan)
    said = can_you_be_found(kind.promised(release.plan))
    draw_you(said[:1] if kind.card(release).by_day else said)  # the others speak of trips
    _take_along(name, release, view)
    tree_section()


def _head(name: str, release: AnyRelease, there: Mapping[str, str], views: Mapping[str, str]) -> str:
    """Which release, and which view of it."""
    left, middle = st.columns([4, 4], vertical_alignment="bottom")
    left.markdown(f"### {plain(release.title or release.id)}")
    if len(there) > 1:
        st.session_state["other release chosen"] = name
        middle.selectbox(
            "Release", there, format_func=there.__getitem__, key="other release chosen", on_change=_another
        )
    st.caption(f"{kind_of(release.plan).about.replace('**', '')}. {words.STORED}")
    asked = st.query_params.get("view", "")
    if _VIEW not in st.session_state or st.session_state[_VIEW] not in views:
        st.session_state[_VIEW] = asked if asked in views else next(iter(views))
    view = st.segmented_control(
        "View",
        [*views],
        format_func=views.__getitem__,
        required=True,
        key=_VIEW,
        label_visibility="collapsed",
    )
    return view or next(iter(views))


def _another() -> None:
    """Another release was chosen in the list."""
    st.session_state[_SEEN] = st.session_state["other release chosen"]
    st.session_state.pop(_VIEW, None)
    st.query_params.from_dict({"release": st.session_state[_SEEN]})


def slide_seen(release: AnyRelease, view: str) -> Slide:
    """A view with its numbers."""
    slides = _SLIDES.setdefault(release, {})
    if view not in slides:
        slides[view] = kind_slide(release, view)
    return slides[view]


def _take_along(name: str, release: AnyRelease, view: str) -> None:
    kind = kind_of(release.plan)
    with st.container(horizontal=True):
        add_kind_button(name, release, view)
        if WALK in kind.views:
            walk_button(name)
        for form, explained in ((".png", "2,560 x 1,440 pixels"), (".svg", "Vectors, for large prints")):
            take_away(
                form[1:].upper(),
                partial(picture_of, slide_seen(release, view), form),
                f"{release.id}-{view}{form}",
                icon="image",
                explained=explained,
                key=f"picture of a kind {form} {view}",
            )
        report: Callable[[], str] = partial(kind_report_html, release)
        take_away(
            "Report (HTML)", report, f"{release.id}.html", icon="description", explained=words.KIND_REPORT
        )
        take_away(
            "Download .zip", zip_of(name), f"{name}.zip", icon="download", explained=kind.takeaway or None
        )
    keep_story()
    st.page_link(_LIBRARY, label="Library", icon=":material/book_2:")
