"""How pages show charts and tables, and how people save them: one way for all pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

import streamlit as st
from plotly.basedatatypes import BaseFigure
from streamlit.delta_generator import DeltaGenerator

from dpcore.views.charts.charts import Chart, saved_as, styled
from dpcore.views.ground.style import Json
from dpcore.views.numbers.sentences import DEMO_MARK, MARK_COLUMN, marked
from pages.parts.held import Ear, answer, hear
from pages.parts.scripts import module

FORMATS: Final = ("PNG", "SVG")
_FORMAT: Final = "format of pictures"
_ROW, _LINE, _LETTER, _PADDING = (
    35,
    21,
    7.5,
    16,
)  # pixels of a table: a row, a line of text, a letter, both sides of a cell
_WRAPS: Final = 66  # pixels of a row, from which Streamlit breaks lines
_MARK_WIDTH: Final = 60  # pixels: it is seen, and takes little room


_WATCH, _PAPER = "theme watch", "colour of the page"
_watch_theme = st.components.v2.component(
    "theme_watch",
    html='<span class="probe" aria-hidden="true"></span>',
    css=(
        ".probe { position: absolute; width: 0; height: 0; visibility: hidden; "
        "background-color: var(--st-background-color); transition: background-color 1ms; }"
    ),
    js=module("theme_watch.js"),
)


def _nothing() -> None:
    """Do nothing: the new run of the page, which a change of the theme begins, is enough."""


class _Ready(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """A figure that is a dictionary already.

    Streamlit checks a plain dictionary by building it from the classes of plotly. This takes 5 ms for each chart, more than
    everything else. This class skips the check; tests make it once for each kind of chart.
    """

    def __init__(self, figure: Json) -> None:
        self._ready = figure

    def to_dict(self) -> Json:
        """The dictionary as it is."""
        return self._ready


def is_dark() -> bool:
    """Whether the visitor sees the page dark."""
    return bool(st.context.theme.type == "dark")


def show_chart(chart: Chart, *, key: str | None = None, name: str = "") -> None:
    """Draw a chart, with what it shows in words for those who cannot see it.

    Its camera saves the picture as ``name``, or as the chart is called by itself.
    """
    show_figure(styled(chart, dark=is_dark()), chart.alt, name or chart.name, key=key)


def show_figure(figure: Json, alt: str, name: str, *, key: str | None = None) -> None:
    """Draw a figure that has its style; ``name``: of a saved picture, which holds no count and has no ending.

    The name of a picture with an owner's mark begins with ``owner-only``.
    """
    st.plotly_chart(
        _Ready(figure), theme=None, key=key, alt=alt, config=_config(saved_as(figure, name, DEMO_MARK))
    )


def show_table(
    table: Any,  # noqa: ANN401 - whatever pandas makes a table of
    alt: str,
    *,
    mark: str = "",
    place: DeltaGenerator | None = None,
    column_config: Mapping[str, Any] | None = None,
    **more: Any,  # noqa: ANN401 - handed on
) -> None:
    """Show a table that people can save as CSV. With an owner's ``mark``, its last column ``mark`` says so in every row.

    Streamlit saves the columns that are shown and no others, so this one is narrow and not hidden. The mark of the built-in
    city adds no column, because its truth is public. ``more``: settings of ``st.dataframe``.
    """
    columns = dict(column_config or {})
    if mark not in {"", DEMO_MARK}:
        table = marked(table, mark)
        columns[MARK_COLUMN] = st.column_config.TextColumn(width=_MARK_WIDTH)
    (place or st).dataframe(table, hide_index=True, alt=alt, column_config=columns or None, **more)


def row_height(names: Iterable[str], width: int) -> int:
    """Pixels of the rows of a table in which the longest of some names is not cut. ``width``: pixels of its column."""
    letters = max((len(name) for name in names), default=0)
    lines = math.ceil(letters * _LETTER / max(1, width - _PADDING))
    return max(_WRAPS, _LINE * lines) if lines > 1 else _ROW


def picture_settings() -> None:
    """Settings of the charts of all pages: the format that their camera saves, and the theme of the page.

    Plotly saves each chart in one format. Streamlit does not run a page anew when its theme changes.
    """
    kept = st.session_state
    ear = Ear("theme", "page", partial(kept.__setitem__, _PAPER), lambda: kept.get(_PAPER))
    with st.container(gap=None):
        _watch_theme(key=_WATCH, default={"theme": None}, on_theme_change=_nothing)
        hear(_WATCH, ear)
        answer(ear)
    if st.query_params.get("present") == "1":  # a presentation has no controls
        return
    with st.popover("Pictures", icon=":material/photo_camera:"):
        st.segmented_control(
            "The camera above a chart saves",
            FORMATS,
            default=FORMATS[0],
            key=_FORMAT,
            persist_state="session",
            required=True,
        )


def _config(name: str) -> dict[str, Any]:
    kind = st.session_state.get(_FORMAT) or FORMATS[0]
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"],
        "toImageButtonOptions": {
            "format": kind.lower(),
            "filename": name,
            "scale": 1 if kind == "SVG" else 2,
        },
    }
