"""How accurate the release is, what it promises and what not, and what can be taken home."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.api.code import read_code
from dpcore.estimates.words import LIKELY_MEANS
from dpcore.privacy import beliefs_table, decimal_text
from dpcore.release import Release, kind_of
from dpcore.release.estimates import are_computed
from dpcore.release.five_numbers import five_numbers_table
from dpcore.release.layout import FIVE_NUMBERS
from dpcore.release.table_files import csv_bytes
from dpcore.release.tables import table_of
from dpcore.views.ground import reading
from dpcore.views.ground.plain import plain
from dpcore.views.numbers import estimated
from dpcore.views.numbers.guarantee import Guarantee, guarantee, promise_of
from dpcore.views.numbers.ranking import counted_trips
from dpcore.views.planning import tradeoff
from dpcore.views.report import report_html
from pages.parts.code import show_code
from pages.parts.messages import take_away
from pages.parts.tradeoff import tradeoff as draw_curve
from pages.released.parts import words
from pages.released.parts.chips import draw_chips, seen_part
from pages.released.parts.numbers_shown import estimates_here
from pages.released.parts.pictures import pictures
from pages.released.parts.take_along import draw_pictures
from pages.released.parts.viewing import Viewing, saved_name, verdict, zip_of


def draw_accuracy(mine: Viewing, release: Release) -> None:
    """The view of accuracy: the noise of every measure, at the chosen epsilon and at every released one."""
    epsilon = decimal_text(release.plan.rungs[mine.at.rung])
    _curve(mine, release)
    st.markdown(f"#### At ε = {epsilon}")
    found = estimates_here(mine, release)
    table = estimated.accuracy_table(release, found)
    st.table(table, border="horizontal", alt="Noise and likely ranges of each measure")
    if are_computed(found):
        st.caption(LIKELY_MEANS)
    st.caption(words.ACCURACY)
    st.markdown("#### At every released ε")
    st.markdown("Noise of one released count, 95 %:")
    st.table(reading.ladder_table(release), border="horizontal", alt="Noise of each measure at every stop")
    st.caption(words.SENSITIVITY)


def _curve(mine: Viewing, release: Release) -> None:
    """The trade-off, from the release alone; dragging it moves the slider of the page."""
    share = estimates_here(mine, release, (), len(release.plan.rungs) - 1).share
    told = tradeoff.for_viewers("all trips" if share is not None else counted_trips(release.plan.bound))
    tiles = len(release.tessellation.tile_ids)
    epsilons, lines = tradeoff.released_lines(
        release.plan, release.measurements, None if share is None else share.value, tiles
    )
    if not any(line.expected for line in lines):
        return  # no line has an error that could be drawn
    link = pictures(release).link
    movable = len(release.plan.rungs)
    shown = tradeoff.CurveShown(link, epsilons, movable, mine.start, lines, told)
    draw_curve(tradeoff.message(shown), key=f"curve {link}")


def draw_guarantee(mine: Viewing, release: Release) -> None:
    """The view of the promise: what is protected, what is not, where it was charged, and how to check it."""
    said = guarantee(release)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("#### What is promised")
        for sentence in said.promise:
            st.markdown(plain(sentence))
        _beliefs(release)
        st.markdown("#### What is not protected")
        st.markdown("\n".join(f"- {plain(sentence)}" for sentence in said.not_protected))
    with right:
        if release.note:
            st.markdown("#### Note of its owner")
            st.markdown("  \n".join(plain(line) for line in release.note.splitlines()))
        st.markdown("#### Where it was charged")
        _pairs(said.ledger)
        with st.expander("All facts", icon=":material/list:"):
            _pairs(said.facts)
        with st.expander("How to check it", icon=":material/fact_check:"):
            _checking(mine, said)


def _beliefs(release: Release) -> None:
    """What a belief can become, for the whole release."""
    st.caption("What anyone can come to believe at most, by what they believed before:")
    st.table(beliefs_table(promise_of(release)), border="horizontal", alt="Belief before, and at most after")


def _checking(mine: Viewing, said: Guarantee) -> None:
    """How to verify the bundle: the command, the digests to compare, and the command that made it."""
    st.markdown(words.VERIFY)
    st.code(said.verify, language=None, wrap_lines=True)
    for title, digest in (("Digest of this bundle", verdict(mine.name).digest), *said.digests):
        st.caption(title)
        st.code(digest, language=None, wrap_lines=True)
    if said.command:
        st.caption("The command that repeats the computation, with fresh noise and at its price")
        st.code(said.command, language=None, wrap_lines=True)


def _pairs(facts: tuple[tuple[str, str], ...]) -> None:
    """A table of facts: name and value, both untrusted."""
    st.table(
        {"fact": [plain(name) for name, _ in facts], "value": [plain(value) for _, value in facts]},
        border="horizontal",
        hide_header=True,
        alt="Facts of the release",
    )


def draw_download(mine: Viewing, release: Release) -> None:
    """The view of files to take home; none is made before it is asked for."""
    st.markdown(words.DOWNLOADS)
    name = saved_name(release)
    bundle = f"{name}.zip"
    # Before all buttons, so that nothing of a refused bundle is offered.
    code = read_code(verdict(mine.name).digest, kind_of(release.plan).look(release.plan), bundle)
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.markdown("#### To print")
        st.markdown(words.TO_PRINT)
        st.caption(words.REPORT_ELSEWHERE)
        draw_chips(mine, release)
        part = seen_part(mine, release)
        if part is None:
            st.caption(words.SUMMARY_OF_PART)
        else:
            page = partial(report_html, part, mine.at.rung, static=True)
            take_away(
                "Report without charts (HTML)", page, f"{saved_name(part)}-report-static.html", icon="print"
            )
        st.markdown("#### Pictures")
        st.caption(words.PICTURES)
        if part is not None:
            draw_pictures(release, mine.at)
        st.markdown("#### The whole bundle")
        st.markdown("Tables, tiles and the manifest with which anyone can verify them.")
        take_away("Bundle (.zip)", zip_of(mine.name), bundle, icon="folder_zip")
    with right:
        st.markdown("#### Single tables (CSV)")
        with st.container(horizontal=True):  # as many in a row as have room with their whole names
            for measure in release.measurements:
                title, file = release.plan.measure(measure).title, f"{name}-{measure}.csv"
                take_away(title, partial(_csv, release, measure), file, icon="table", key=f"csv {file}")
            if release.five_numbers is not None:
                file = f"{name}-{FIVE_NUMBERS}.csv"
                made = partial(_five_numbers, release)
                take_away("Five-number summaries", made, file, icon="table", key=f"csv {file}")
    show_code(code, name, command=f"python -m dpcore table {bundle} {next(iter(release.measurements))}")


def _csv(release: Release, measure: str) -> bytes:
    return csv_bytes(table_of(release.measurements[measure], release.tessellation))


def _five_numbers(release: Release) -> bytes:
    """The very file of the bundle."""
    return csv_bytes(five_numbers_table(release))
