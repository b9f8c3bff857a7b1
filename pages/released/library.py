"""Library: all releases, what each protects, and a form to look at a bundle from a file."""

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.privacy import decimal_text, epsilon_text
from dpcore.release import Card, all_kinds
from dpcore.views.ground.plain import day, delta_text, plain, sentence
from dpcore.views.kinds import has_views
from dpcore.views.numbers.guarantee import period_text
from dpcore.views.numbers.sentences import hides
from pages.parts.messages import WALK, refusals, show_refusal, take_away
from pages.released.parts import words
from pages.released.parts.of_wings import has_stories, tree_section, walk_button
from pages.released.parts.viewing import on_shelf, take, viewing, zip_of

VIEWER = "pages/released/viewer.py"
STORY = "pages/released/story.py"
COLUMNS = 3


def card(name: str, shown: Card, *, told: bool) -> None:
    """One release: what it holds and promises, and the ways to look at it; ``told``: whether a story lies beside it."""
    kind = all_kinds()[shown.kind]
    with st.container(border=True, height="stretch"):
        raised = f", raised to {decimal_text(shown.epsilon)}" if shown.raised_from else ""
        st.markdown(f"#### {plain(shown.title)}{raised}")
        st.caption(f"{plain(shown.dataset)}, released {day(shown.created)}, {plain(name)}")
        facts = [f"{kind.about}."] if kind.about else []
        facts += [promise_text(shown), *shown.told]
        if shown.period:
            facts.append(period_text(shown.period))
        facts.append(f"{shown.tiles:,} tiles")
        st.markdown("  \n".join(facts))
        with st.container(horizontal=True, vertical_alignment="center"):
            if kind.in_viewer or has_views(shown.kind):
                st.page_link(
                    VIEWER,
                    label="Look at it",
                    icon=":material/arrow_forward:",
                    query_params={"release": name},
                )
                if told:
                    st.page_link(
                        STORY,
                        label=words.PLAY_SHELF,
                        icon=":material/slideshow:",
                        query_params={"story": name, "step": "1"},
                    )
            if not kind.in_viewer:
                if WALK in kind.views:
                    walk_button(name)
                take_away(
                    "Download .zip",
                    zip_of(name),
                    f"{name}.zip",
                    icon="download",
                    explained=kind.takeaway or None,
                    key=f"download {name}",
                )
            st.badge("verified", icon=":material/check:", color="green", help=words.VERIFIED)


def promise_text(shown: Card) -> str:
    """The whole epsilon and whom it hides; for a tree also the epsilon of the most delicate places."""
    if not shown.delicate:
        delta = f", δ = **{delta_text(shown.delta)}**" if shown.delta else ""
        return f"ε = **{decimal_text(shown.epsilon)}**{delta} in all. {hides(shown.bound)}."
    level, epsilon = shown.delicate
    days = "one day" if shown.bound.trips == 1 else f"at most {shown.bound.trips} days"
    hidden = (
        f"**Protects everything a person did**, up to a limit; {days} of each person counted"
        if shown.by_day
        else hides(shown.bound)
    )
    return (
        f"ε = **{epsilon_text(shown.epsilon)}** in all, **{epsilon_text(epsilon)}** for {plain(level)} places. "
        f"{hidden}."
    )


def uploaded() -> None:
    """A bundle that the visitor uploads: checked first, and kept in this session only."""
    given = st.file_uploader(words.UPLOAD, type="zip", max_upload_size=50)
    if given is None or given.file_id == viewing().upload_seen:
        return
    viewing().upload_seen = given.file_id
    with refusals(), st.spinner("Checking every file of the bundle"):
        take(given.getvalue())


def library() -> None:
    """The whole page."""
    st.title("Library")
    try:
        shelf = on_shelf()
    except AtlasError as error:
        show_refusal(error)
        shelf = ()
    place = st.container()
    uploaded()
    shown = [(name, mine.card) for name, mine in viewing().uploads.items()]
    there = [(entry.name, entry.card) for entry in shelf if entry.card]
    told = {entry.name for entry in shelf if has_stories() and entry.has_story}
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
                    card(name, release, told=name in told)
        for entry in closed:
            st.warning(
                f"**{words.NOT_OPENED}: {plain(entry.name)}.** {plain(sentence(entry.reason))}",
                icon=":material/block:",
            )
    tree_section()


library()
