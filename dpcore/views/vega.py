"""The old way of charts, until the last of them is a figure of plotly; then this file goes.

Specifications are written as such, because building them through a chart library costs a hundred times the server time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

Json = dict[str, Any]

NOISY: Final = "#0f9b8e"
TRUE: Final = "#a9762f"
GREY: Final = "#808a95"
VERMILION: Final = "#d55e00"
BLUE: Final = "#3f8fd2"

PERCENT: Final[Json] = {"labelExpr": "format(100 * datum.value, '.0f') + ' %'"}
"""An axis of shares in whole per cent."""
WHOLE: Final[Json] = {"format": "d", "tickMinStep": 1}
"""An axis of whole numbers."""
ON_TOP: Final[Json] = {"orient": "top", "title": None}
STROKES: Final[Json] = {**ON_TOP, "symbolType": "stroke", "symbolStrokeWidth": 2.5}
"""Legends above a picture: of areas, and of lines."""


@dataclass(frozen=True)
class Chart:
    """A picture of one series."""

    table: pd.DataFrame
    """``at``, ``noisy``, ``low``, ``high``, and ``true`` if it was given; clipped, with ``drawn``, ``bottom``, ``top``."""
    spec: Json
    """Vega-Lite, without its data."""
    alt: str
    """What the picture shows, for those who cannot see it."""


def larger(chart: Chart, height: int, letters: int) -> Chart:
    """The same picture for a wall: its height and the size of its letters in pixels."""
    axis = {"labelFontSize": letters, "titleFontSize": letters}
    return replace(chart, spec={**chart.spec, "height": height, "config": {"axis": axis}})


def quantity(field: str, title: str | None = "", **more: object) -> Json:
    """A channel of numbers; ``title``: None for none, empty for the one that another layer gives."""
    return {"field": field, "type": "quantitative", **({} if title == "" else {"title": title}), **more}


def names(field: str, title: str | None = None, **more: object) -> Json:
    """A channel of names, in the order of the table if ``sort=None`` is given."""
    return {"field": field, "type": "nominal", "title": title, **more}


def told_apart(field: str, kinds: Sequence[str], looks: Sequence[object], **more: object) -> Json:
    """A channel that gives each kind its look: a colour, dashes, a shape."""
    scale = {"domain": [*kinds], "range": [*looks]}
    return {"field": field, "type": "nominal", "scale": scale, **more}


def layer(mark: str, look: Json | None = None, *, where: str = "", **encoding: object) -> Json:
    """One layer: its mark with its look, and its channels; ``where``: of the rows for which this holds alone."""
    found: Json = {"mark": {"type": mark, **(look or {})}, "encoding": encoding}
    return {"transform": [{"filter": where}], **found} if where else found


def upright(field: str, value: float, **look: object) -> Json:
    """An upright line at a value; thin, grey and dotted unless ``look`` says otherwise."""
    thin = {"color": GREY, "strokeDash": [2, 3], "strokeWidth": 1.5}
    return {"data": {"values": [{field: value}]}, **layer("rule", {**thin, **look}, x=quantity(field))}


def tooltip(**titles: str) -> list[Json]:
    """Numbers that a pointer shows, by their columns."""
    return [quantity(field, title, format=",") for field, title in titles.items()]


def marked(spec: Json, mark: str) -> Json:
    """The specification with its mark: every picture of private or demo data carries it, wherever it is copied to."""
    title = {"text": mark, "fontSize": 11, "fontWeight": "normal", "anchor": "start", "color": TRUE}
    return {**spec, "title": title} if mark else spec
