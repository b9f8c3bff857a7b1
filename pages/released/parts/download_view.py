"""What can be taken home: the bundle, each table, and one page for people."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from dpcore.measures import measure_named
from dpcore.release import Release
from dpcore.release.five_numbers import five_numbers_table
from dpcore.release.layout import FIVE_NUMBERS
from dpcore.release.table_files import csv_bytes
from dpcore.release.tables import table_of
from dpcore.views.summary import summary_html
from pages.released.parts import words
from pages.released.parts.viewing import Viewing, zip_of


def draw(mine: Viewing, release: Release) -> None:
    """The whole view; nothing is made before it is asked for."""
    st.markdown(words.DOWNLOADS)
    name = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in release.id)
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.markdown("#### One page to print")
        st.markdown("Map, strongest flows, rhythm and the promise in one file without any script.")
        st.caption(words.REPORT_ELSEWHERE)
        st.download_button(
            "Summary (HTML)",
            partial(summary_html, release, mine.at.rung),
            f"{name}-summary.html",
            "text/html",
            icon=":material/print:",
            on_click="ignore",
        )
        st.markdown("#### The whole bundle")
        st.markdown("Tables, tiles and the manifest with which anyone can verify them.")
        st.download_button(
            "Bundle (.zip)",
            partial(zip_of, mine.name),
            f"{name}.zip",
            "application/zip",
            icon=":material/folder_zip:",
            on_click="ignore",
        )
    with right:
        st.markdown("#### Single tables (CSV)")
        with st.container(horizontal=True):  # as many in a row as have room with their whole names
            for measure in release.measurements:
                _table(measure_named(measure).title, partial(_csv, release, measure), f"{name}-{measure}.csv")
            if release.five_numbers is not None:
                file = f"{name}-{FIVE_NUMBERS}.csv"
                _table("Five-number summaries", partial(_five_numbers, release), file)


def _table(label: str, made: Callable[[], bytes], file: str) -> None:
    st.download_button(
        label, made, file, "text/csv", icon=":material/table:", key=f"csv {file}", on_click="ignore"
    )


def _csv(release: Release, measure: str) -> bytes:
    return csv_bytes(table_of(release.measurements[measure], release.tessellation))


def _five_numbers(release: Release) -> bytes:
    """The very file of the bundle."""
    return csv_bytes(five_numbers_table(release))
