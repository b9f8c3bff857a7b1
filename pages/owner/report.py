"""Report: every measure of the loaded trips, noisy beside true. Private; what may be shared is made of a release."""

from functools import partial

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.owner import Preview
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views import sentences
from dpcore.views.plain import plain
from dpcore.views.report import Entry, report_beside_truth
from dpcore.views.tables import chart_table
from pages.owner.parts import report_words as words
from pages.owner.parts.report_places import place_pictures
from pages.owner.parts.report_preview import report_preview
from pages.owner.parts.session import OWNER_MARK, START_RUNG, DataSet, loaded, session
from pages.parts.chart_grid import told_and_drawn
from pages.parts.messages import refused
from pages.parts.rung_slider import Rungs, rung_slider


def head(data: DataSet) -> None:
    """Whose data, under which choices of Explore."""
    st.title("Report")
    if not data.is_demo:
        st.warning(OWNER_MARK, icon=":material/visibility_lock:")
    st.markdown(words.INTRO)
    st.page_link("pages/owner/explore.py", label="Unit and bound: as on Explore", icon=":material/tune:")


def slider(data: DataSet) -> int:
    """The slider over epsilon, which moves the maps of this page and of Explore; the rung where it stands."""
    choice = session().choice
    shown = Rungs(
        link=data.geometry.link,
        rungs=[decimal_text(rung) for rung in RUNGS],
        beyond=[],
        unit=f"per {choice.bound}",
        sentences=[sentences.protection_text(choice.bound, rung) for rung in RUNGS],
        start=START_RUNG,
        ends=("more privacy", "more accuracy"),  # nothing is released here: epsilon is still to be chosen
    )
    seen = rung_slider(shown, key="report rung", tile=None, order=0)
    if seen.rung is not None and 0 <= seen.rung < len(RUNGS):
        choice.rung = seen.rung
    return choice.rung


def told(shown: Entry) -> None:
    """What is to be said of a measure, its error beside the truth included."""
    st.markdown(plain(shown.explanation))
    if shown.drowned:
        st.warning(shown.readable, icon=":material/grain:")
    else:
        st.markdown(plain(shown.readable))
    st.markdown(f"**Beside the truth.** {plain(shown.error)}")
    st.caption(plain(f"{shown.noise} {shown.price}"))


def entry(data: DataSet, preview: Preview, rung: int, shown: Entry) -> None:
    """One measure: words, charts with the truth, its error, its numbers."""
    st.markdown(f"#### {plain(shown.title)}")
    told_and_drawn(shown, partial(told, shown))
    place_pictures(data, preview, rung, shown.measure)
    if shown.charts:
        with st.expander("The numbers"):
            for chart in shown.charts:
                st.dataframe(chart_table(chart), hide_index=True, alt=chart.alt)


@st.fragment
def sections() -> None:
    """Everything that follows epsilon; reruns alone. A refusal is said in words."""
    data = loaded()
    try:
        with st.spinner("Counting every measure and drawing noise"):
            preview = report_preview(data, session().choice.bound)
        rung = slider(data)
        st.markdown(sentences.protection(preview.plan.bound, RUNGS[rung]))
        st.caption(words.LEGEND)
        found = report_beside_truth(preview.plan, preview.measurements, preview.truth, rung, data.mark)
        tabs = st.tabs([section.title for section in found.sections])
        for tab, section in zip(tabs, found.sections, strict=True):
            with tab:
                st.caption(section.about)
                for shown in section.entries:
                    entry(data, preview, rung, shown)
    except AtlasError as error:
        refused(error)


head(loaded())
sections()
st.info(words.NO_DOWNLOAD, icon=":material/lock:")
