"""Library: the releases there are, what each protects, and a way to look at a bundle of one's own."""

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.privacy import decimal_text
from dpcore.release import KINDS, Card, kind_of
from dpcore.trajectory_tree.plan import epsilon_text
from dpcore.views.guarantee import period_text
from dpcore.views.plain import day, plain, sentence
from dpcore.views.sentences import hides
from dpcore.views.stability import delta_text
from pages.parts.messages import refused
from pages.released.parts import words
from pages.released.parts.tree_view import tree_section, walk_button
from pages.released.parts.viewing import on_shelf, take, viewing, zip_of

VIEWER = "pages/released/viewer.py"
COLUMNS = 3


def card(name: str, release: Card) -> None:
    """One release."""
    with st.container(border=True, height="stretch"):
        raised = f", raised to {decimal_text(release.epsilon)}" if release.raised_from else ""
        st.markdown(f"#### {plain(release.title)}{raised}")
        st.caption(f"{plain(release.dataset)}, released {day(release.created)}, {plain(name)}")
        facts = [f"ε = **{decimal_text(release.epsilon)}** in all. {hides(release.bound)}."]
        if release.period:
            facts.append(period_text(release.period))
        facts.append(f"{release.tiles:,} tiles")
        st.markdown("  \n".join(facts))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link(
                VIEWER, label="Look at it", icon=":material/arrow_forward:", query_params={"release": name}
            )
            st.badge("verified", icon=":material/check:", color="green", help=words.VERIFIED)


def promised(release: Card) -> str:
    """Epsilon in all and whom it hides; of a tree the epsilon of the most delicate places, too."""
    if not release.delicate:
        delta = f", δ = **{delta_text(release.delta)}**" if release.delta else ""
        return f"ε = **{decimal_text(release.epsilon)}**{delta} in all. {hides(release.bound)}."
    level, epsilon = release.delicate
    days = "one day" if release.bound.trips == 1 else f"at most {release.bound.trips} days"
    hidden = (
        f"**Hides everything a person did**; {days} of each person counted"
        if release.by_day
        else hides(release.bound)
    )
    return (
        f"ε = **{epsilon_text(release.epsilon)}** in all, **{epsilon_text(epsilon)}** for {plain(level)} places. "
        f"{hidden}."
    )


def synthetic_card(name: str, release: Card) -> None:
    """One release of synthetic trips: nothing to slide, but a file to take away; a tree can be walked besides."""
    kind = KINDS[release.kind]
    with st.container(border=True, height="stretch"):
        st.markdown(f"#### {plain(release.title)}")
        st.caption(f"{plain(release.dataset)}, released {day(release.created)}, {plain(release.id)}")
        facts = [f"{kind.about}.", promised(release), *release.told]
        if release.period:
            facts.append(period_text(release.period))
        facts.append(f"{release.tiles:,} tiles")
        st.markdown("  \n".join(facts))
        with st.container(horizontal=True, vertical_alignment="center"):
            if "walk" in kind.views:
                walk_button(name)
            st.download_button(
                "Download .zip",
                lambda: zip_of(name),
                f"{name}.zip",
                "application/zip",
                icon=":material/download:",
                on_click="ignore",
                help=kind.takeaway,
                key=f"download {name}",
            )
            st.badge("verified", icon=":material/check:", color="green", help=words.VERIFIED)


def uploaded() -> None:
    """A bundle that the visitor brings: checked first, kept in the own session only."""
    given = st.file_uploader(words.UPLOAD, type="zip", max_upload_size=50)
    if given is None or given.file_id == viewing().upload_seen:
        return
    viewing().upload_seen = given.file_id
    try:
        with st.spinner("Checking every file of the bundle"):
            take(given.getvalue())
    except AtlasError as error:
        refused(error)


def library() -> None:
    """The whole page."""
    st.title("Library")
    try:
        shelf = on_shelf()
    except AtlasError as error:
        refused(error)
        shelf = ()
    place = st.container()
    uploaded()
    shown = [
        (name, kind_of(mine.release.plan).card(mine.release)) for name, mine in viewing().uploads.items()
    ]
    shown += [(name, mine.card) for name, mine in viewing().uploaded_trips.items()]
    there = [(entry.name, entry.card) for entry in shelf if entry.card]
    shown += sorted(there, key=lambda one: one[1].created, reverse=True)
    closed = [entry for entry in shelf if not entry.card]
    with place:
        if not shown and not closed:
            st.info(words.EMPTY, icon=":material/book_2:")
        elif shown:
            st.markdown(words.LIBRARY)
        for start in range(0, len(shown), COLUMNS):
            for column, (name, release) in zip(
                st.columns(COLUMNS), shown[start : start + COLUMNS], strict=False
            ):
                with column:
                    if KINDS[release.kind].in_viewer:
                        card(name, release)
                    else:
                        synthetic_card(name, release)
        for entry in closed:
            st.warning(
                f"**{words.NOT_OPENED}: {plain(entry.name)}.** {plain(sentence(entry.reason))}",
                icon=":material/block:",
            )
    tree_section()


library()
