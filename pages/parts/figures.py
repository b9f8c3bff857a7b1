"""What pages show of measures in the same way: charts, flows, curves, small maps, and why small flows are missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from dpcore.estimates.words import LIKELY
from dpcore.measures.measurement import Measurement
from dpcore.privacy import decimal_text
from dpcore.views.charts.charts import Chart, file_name
from dpcore.views.charts.series import chart_table
from dpcore.views.ground.plain import plain
from dpcore.views.ground.shown import Shown
from dpcore.views.maps.several_parts import MapsBeside
from dpcore.views.numbers import flows, shares
from dpcore.views.numbers.shares import curve_chart
from dpcore.views.report import FIVE_NUMBERS, Entry, Report, Section
from pages.parts.chart import row_height, show_chart, show_table
from pages.parts.when_open import expander, tabs

NO_SHARES = "The total itself is drowned by noise, so shares of it are not known."


_ROWS: Final = 50  # of a list of flows
_APART: Final = 240  # pixels of the list of those apart
_SMALL: Final = 4
"""Small charts in a row."""


def show_sections(
    found: Report,
    pictures: Callable[[str], None],
    mark: str = "",
    *,
    key: str,
    default: str | None,
    opened: Callable[[], None] | None = None,
) -> None:
    """The sections of a report side by side, each with its measures.

    ``pictures`` draws what a measure has besides charts. ``mark``: of the tables, if these are for an owner only. The page keeps
    which section is open (``when_open.tabs``).
    """
    if not found.sections:  # sums and means alone are in no section
        return

    def shown(section: Section) -> None:
        st.caption(section.about)
        for entry in section.entries:
            _entry(entry, partial(pictures, entry.measure), mark)

    parts = {one.title: partial(shown, one) for one in found.sections}
    tabs(parts, key=key, default=default if default in parts else None, opened=opened)


def _entry(entry: Entry, pictures: Callable[[], None], mark: str) -> None:
    """A measure: its words, its charts, further ``pictures``, its numbers.

    One chart stands beside the words, several stand below them. What the measure counts, how its noise is made and what
    it costs is one click away.
    """
    explained = "\n\n".join(plain(text) for text in (entry.explanation, entry.noise, entry.price))
    st.markdown(f"#### {plain(entry.title)}", help=explained)
    if len(entry.charts) == 1:
        told, drawn = st.columns(2, gap="large")
        with told:
            _show_words(entry)
            _five_numbers(entry)
        with drawn:
            show_chart(entry.charts[0])
    else:
        _show_words(entry)
        chart_grid(entry.charts)
    with st.container():  # what comes and goes moves nothing that stays
        pictures()
    if entry.charts:
        expander("The numbers", partial(_show_numbers, entry, mark), key=f"numbers of {entry.measure}")


def _show_numbers(entry: Entry, mark: str) -> None:
    for chart in entry.charts:
        show_table(chart_table(chart), chart.alt, mark=mark)


def _show_words(entry: Entry) -> None:
    with st.container():  # one line or two: what follows keeps its number
        if entry.drowned:
            st.warning(entry.readable, icon=":material/grain:")
            st.markdown(plain(entry.error))
        else:
            st.markdown(plain(f"{entry.error} {entry.readable}".strip()))


def _five_numbers(entry: Entry) -> None:
    """The five numbers of a histogram, if the measure is one."""
    if entry.five:
        st.markdown("**Five numbers**, of what is counted", help=FIVE_NUMBERS)
        st.table(
            {title: [row[at] for row in entry.five] for at, title in enumerate(("", "value (95 %)", "how"))},
            border="horizontal",
            alt=f"Five numbers of {entry.title}",
        )


def chart_grid(charts: Sequence[Chart]) -> None:
    """Two charts in a row with their titles; a single chart gets half of the width, so that its bars are not too broad."""
    for first in range(0, len(charts), 2):
        for column, chart in zip(st.columns(2, gap="large"), charts[first : first + 2], strict=False):
            with column:
                if len(charts) > 1:
                    st.caption(chart.alt)
                show_chart(chart)


def small_charts(charts: Mapping[str, Chart], key: str) -> None:
    """Charts of parts beside each other, four in a row, each below the name of its part; ``key`` begins those of the charts."""
    for first in range(0, len(charts), _SMALL):
        row = [*charts.items()][first : first + _SMALL]
        for at, (column, (name, chart)) in enumerate(zip(st.columns(_SMALL), row, strict=False), first):
            with column:
                st.caption(plain(name))
                show_chart(chart, key=f"{key} {at}")


def small_maps_of_parts(found: MapsBeside) -> None:
    """Maps of parts beside each other, four in a row, with their legend."""
    st.html(found.legend)
    pictures = [*found.pictures.items()]
    for first in range(0, len(pictures), _SMALL):
        _row(dict(pictures[first : first + _SMALL]), _SMALL)


def _row(pictures: Mapping[str, str], columns: int) -> None:
    """Pictures with their names beside each other."""
    for column, (name, picture) in zip(st.columns(columns), pictures.items(), strict=False):
        column.image(picture, caption=plain(name), width="stretch")


def share_curve(
    measurement: Measurement, rung: int, title: str, truth: NDArray[np.int64] | None = None, mark: str = ""
) -> None:
    """How large a share of all lies in the busiest cells, beside the truth where it is given."""
    found = shares.curve(measurement, rung)
    if found is None:
        st.caption(f"{title}. {NO_SHARES}")
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"**{title}**")
        chart = curve_chart(found, title, None if truth is None else shares.true_curve(truth), mark)
        show_chart(chart, name=file_name(title, f"epsilon {decimal_text(measurement.rungs[rung])}"))
    right.caption(shares.CURVE_WORDS)


def small_map_rows(rows: Mapping[str, Mapping[str, str]]) -> None:
    """Small maps side by side, in their rows."""
    for title, pictures in rows.items():
        st.markdown(f"**{title}**")
        _row(pictures, len(pictures))


def list_flows(
    place: DeltaGenerator, shown: Shown, names: Mapping[str, str], note: str, *, height: int
) -> None:
    """The first flows of a table, with the released counts of estimates where there are some; trips within a place apart, ``note`` below."""
    found = flows.first_flows(shown, _ROWS)
    beside = "with their 95 % intervals"
    if not shown.is_drawn:
        beside = f"of {shown.about}, with the released counts where there are some"
    widths = {"trips": 46, "95 %": 52, flows.ESTIMATE: 58, "from": 79, "to": 79, "where": 158}
    # together at most the 366 pixels that a phone of 400 has for a list
    widths |= {LIKELY: 60, flows.RELEASED: 90, flows.RELEASED_COUNTED: 90}

    def listed(top: NDArray[np.int64], title: str, high: int, *, apart: bool) -> None:
        table = flows.flows_table(shown, names, top, apart=apart)
        called = [*table["where"]] if apart else [*table["from"], *table["to"]]
        show_table(
            table,
            f"{title} {beside}",
            place=place,
            height=high,
            # from 65 pixels on Streamlit breaks lines: then no name is cut, and a phone shows all columns
            row_height=max(66, row_height(called, 158 if apart else 79)),
            column_config={
                "stands out": st.column_config.CheckboxColumn(width=64),
                **{
                    name: st.column_config.NumberColumn(format="localized", width=wide)
                    if name in {"trips", flows.ESTIMATE}
                    else st.column_config.TextColumn(width=wide)
                    for name, wide in widths.items()
                },
            },
        )

    both_lists(place, found, listed, f"The first {shown.kind} flows", height)
    place.caption(note)


def both_lists(
    place: DeltaGenerator, found: flows.FirstFlows, listed: Callable[..., None], title: str, height: int
) -> None:
    """What is said of a list of flows, the list, and those apart below it; ``listed`` shows some, under a title and so high."""
    place.caption(found.said)
    if len(found.between):
        listed(found.between, title, height, apart=False)
    if len(found.apart):
        place.markdown(f"**{found.apart_title}**")
        apart = f"{title}: {found.apart_title[0].lower()}{found.apart_title[1:]}"
        listed(found.apart, apart, min(_APART, 40 + 66 * len(found.apart)), apart=True)


def why_missing(od: Measurement) -> None:
    """Explain the threshold of a table; nothing if every pair is listed."""
    if od.threshold is None or od.listed_at is None:
        return
    rho = od.rho_at(od.listed_at)
    thresholds(rho, od.keys.size, od.expected_false, "Why small flows are missing, and some are false")


def thresholds(rho: Fraction, cells: int, chosen: Fraction, title: str) -> None:
    """Words and tables about the threshold that a rate, a number of pairs and of false flows give."""
    with st.expander(title, icon=":material/filter_alt:"):
        st.markdown(flows.WHAT_A_LIST_IS)
        st.table(
            flows.thresholds_of_plan(rho, cells, chosen),
            border="horizontal",
            alt="Thresholds and what is listed",
        )
        st.markdown(flows.WHAT_THE_NUMBER_CHANGES)
        st.caption(flows.THRESHOLDS_BY_SIZE)
        st.table(flows.thresholds_by_size(), border="horizontal", alt="Thresholds by number of tiles")
