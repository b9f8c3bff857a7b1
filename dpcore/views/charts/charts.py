"""Charts: their numbers, and a figure of plotly that is put together from a few parts.

Figures are plain dictionaries. Building them through the classes of plotly costs many times the server time, and
whoever wants such a class (``dpcore.chart``) makes it from the dictionary. ``style.py`` says how figures look.

Plotly reads tags such as ``<b>`` in texts. Each name that comes from a file therefore passes through ``text_of``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dpcore.views.ground import plain, style
from dpcore.views.ground.plain import percent
from dpcore.views.ground.style import GREY, NOISY, Json

PERCENT: Final[Json] = {
    "tickvals": [step / 4 for step in range(5)],
    "ticktext": [percent(step / 4) for step in range(5)],
    "range": [0, 1],
}
"""An axis of shares from 0 to 1."""
WHOLE: Final[Json] = {"tickformat": ",d", "exponentformat": "none"}
"""An axis of whole numbers with separators."""
DATES: Final[Json] = {"type": "date", "tickformat": "%-d %b\n%Y", "hoverformat": "%Y-%m-%d"}
"""An axis of dates such as 1 Apr, with the year below the first one and where it changes. A pointer reads them as texts write them."""
SYMLOG: Final[Json] = {
    "tickvals": [float(np.log1p(10**power)) if power >= 0 else 0.0 for power in range(-1, 9)],
    "ticktext": ["0", *(f"{10**power:,}" for power in range(9))],
    "rangemode": "tozero",
}
"""An axis of what ``symlog`` gives."""
NO_AXIS: Final[Json] = {"visible": False}
"""An axis that is not drawn."""
_MARK_ROOM: Final = 20  # pixels above the picture
_TITLE_ROOM: Final = 24
_LEGEND_ROOM: Final = 26
_LINE_ROOM: Final = 18
_PART_TITLE: Final = 26  # pixels above one picture of several
_PART_AXIS: Final = 54  # and below it
_OF_A_PART: Final = frozenset(
    {"height", "margin", "xaxis", "yaxis", "title", "showlegend", "shapes", "annotations"}
)
"""What a figure says of one picture; the rest of its layout holds for all pictures in it."""
_FEW: Final = 10  # whole numbers along an axis, each with its mark

Says = str | Sequence[str]
"""What a pointer reads: the words of each point, or for all of them one template of plotly such as ``%{y:,} trips``.

A template is made of our own words. A name out of a file stands in words of points, after ``text_of``. So does a number that
can be negative: plotly writes a hyphen for its minus sign.
"""


@dataclass(frozen=True)
class Chart:
    """A picture of one series."""

    table: pd.DataFrame
    """Its numbers, which may be taken along as CSV."""
    figure: Json
    """Plotly: ``data`` and ``layout``, without the style of the page."""
    alt: str
    """What the picture shows, for those who cannot see it."""
    name: str = "picture"
    """What the file of a saved picture is called, without an ending. It holds no count and nothing out of a file."""


def file_name(*parts: str) -> str:
    """The name of a file: words in small letters, joined by hyphens.

    >>> file_name("trips_per_hour", "start", "epsilon 0.5")
    'trips_per_hour-start-epsilon-0.5'
    """
    return "-".join(re.findall(r"[a-z0-9_.]+", " ".join(parts).lower()))


def saved_as(figure: Json, name: str, public: str = "") -> str:
    """The name of the file of a saved picture: it begins with ``owner-only`` where the picture has a mark.

    So nobody takes the picture of a preview for that of a release. ``public``: the one mark of pictures that everybody may see.
    """
    mark = figure["layout"].get("title", {}).get("text", "")
    return name if mark in {"", text_of(public)} else f"owner-only-{name}"


def styled(chart: Chart, *, dark: bool = False, letters: int | None = None) -> Json:
    """The figure of a chart in the style of a page, ready to be drawn.

    Args:
        chart: the chart; it stays as it is.
        dark: the page is dark.
        letters: size of the letters in pixels, if not the usual one.

    """
    template = style.template(dark=dark) if letters is None else style.template(dark=dark, letters=letters)
    return {**chart.figure, "layout": {**chart.figure["layout"], "template": template}}


def as_high(chart: Chart, height: int) -> Chart:
    """The same picture with another height in pixels."""
    return replace(chart, figure={**chart.figure, "layout": {**chart.figure["layout"], "height": height}})


def small(chart: Chart, height: int) -> Chart:
    """The same picture where it is a small one below a sentence: half as many numbers on its axes, and no title below."""
    x, y = (chart.figure["layout"][axis] for axis in ("xaxis", "yaxis"))
    fewer = {"dtick": 2 * x["dtick"]} if "dtick" in x else {}
    layout = {"height": height, "xaxis": {**x, **fewer, "title": None}, "yaxis": {**y, "nticks": 4}}
    return replace(chart, figure={**chart.figure, "layout": {**chart.figure["layout"], **layout}})


def larger(chart: Chart, height: int, letters: int) -> Chart:
    """The same picture for a wall: its height and the size of its letters in pixels."""
    tall = as_high(chart, height)
    return replace(
        tall, figure={**tall.figure, "layout": {**tall.figure["layout"], "font": {"size": letters}}}
    )


def figure(
    traces: Sequence[Json],
    *,
    height: int,
    x: Json | None = None,
    y: Json | None = None,
    mark: str = "",
    above: Sequence[str] = (),
    legend: bool = False,
    shapes: Sequence[Json] = (),
    **layout: object,
) -> Json:
    """A figure of some traces.

    Args:
        traces: what is drawn, the lowest first.
        height: in pixels, with the axes.
        x: the horizontal axis, from ``axis``.
        y: the vertical axis.
        mark: what must stand inside the picture wherever it is copied to, such as that of an owner's preview; escaped here.
        above: lines of words above the picture, where they have more room than beside an axis.
        legend: whether the names of the traces stand above.
        shapes: lines across the picture.
        layout: more of plotly's layout.

    """
    top = 8 + _LEGEND_ROOM * legend + _MARK_ROOM * bool(mark) + _LINE_ROOM * len(above)
    found: Json = {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": top, "b": 8},
        "xaxis": x or {},
        "yaxis": y or {},
        "showlegend": legend,
        **layout,
    }
    if shapes:
        found["shapes"] = [*shapes]
    if above:
        found["annotations"] = [_words_above(above)]
    if mark:
        found["title"] = mark_title(mark)
    return {"data": [*traces], "layout": found}


def beside(parts: Sequence[tuple[str, Chart]], mark: str = "") -> Chart:
    """Several charts with their titles as one, two beside each other. What holds for a whole figure is that of the first."""
    down = -(-len(parts) // 2)
    words_above = _LINE_ROOM * max(_lines_above(part.figure["layout"]) for _, part in parts)
    each = max(part.figure["layout"]["height"] for _, part in parts) + _PART_TITLE + words_above
    first = parts[0][1].figure["layout"]
    whole = {key: value for key, value in first.items() if key not in _OF_A_PART}
    head, foot = (_PART_TITLE + words_above) / (each * down), _PART_AXIS / (each * down)
    traces: list[Json] = []
    axes: Json = {}
    titles: list[Json] = []
    shapes: list[Json] = []
    for at, (title, part) in enumerate(parts):
        row, column = divmod(at, 2)
        top, bottom, left = 1 - row / down - head, 1 - (row + 1) / down + foot, 0.54 * column
        name = "" if at == 0 else str(at + 1)
        layout = part.figure["layout"]
        places: Json = {"xaxis": f"x{name}", "yaxis": f"y{name}"} | ({"showlegend": False} if at else {})
        traces += [{**trace, **places} for trace in part.figure["data"]]
        axes[f"xaxis{name}"] = {**layout["xaxis"], "domain": [left, left + 0.46], "anchor": f"y{name}"}
        axes[f"yaxis{name}"] = {**layout["yaxis"], "domain": [bottom, top], "anchor": f"x{name}"}
        words = [_of_part(one, name) for one in layout.get("annotations", ())]
        titles += [_title_of_part(title, left, top, words_above), *words]
        shapes += [_of_part(one, name) for one in layout.get("shapes", ())]
    drawn = figure(
        traces,
        height=each * down,
        mark=mark,
        legend=bool(first.get("showlegend")),  # one for all
        shapes=shapes,
        annotations=titles,
        **whole,
    )
    drawn["layout"] |= axes
    table = pd.concat([part.table.assign(of=title) for title, part in parts], ignore_index=True)
    return Chart(table, drawn, "; ".join(part.alt for _, part in parts), parts[0][1].name)


def _of_part(drawn: Json, name: str) -> Json:
    """A line or words of a picture, where this picture is one of several: its axes and its area instead of the whole."""
    places = {side: drawn.get(f"{side}ref", side) for side in "xy"}
    moved = {
        f"{side}ref": f"{side}{name} domain" if ref == "paper" else ref.replace(side, f"{side}{name}", 1)
        for side, ref in places.items()
    }
    return {**drawn, **moved}


def _lines_above(layout: Json) -> int:
    """How many lines of words stand above a picture."""
    above = (one for one in layout.get("annotations", ()) if one.get("yref") == "paper" and one["y"] == 1)
    return max((1 + str(one["text"]).count("<br>") for one in above), default=0)


def _title_of_part(title: str, left: float, top: float, above: int) -> Json:
    """A title, so many pixels above the picture."""
    return {
        "yshift": above,
        "text": text_of(title),
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": left,
        "y": top,
        "xanchor": "left",
        "yanchor": "bottom",
    }


def mark_title(mark: str) -> Json:
    """The mark as the title of a figure: it is part of the picture, also of a saved one."""
    return {
        "text": text_of(mark),
        "x": 0,
        "xref": "paper",
        "y": 1,
        "yanchor": "top",
        "pad": {"t": 4},
    }


def short(name: str, letters: int) -> str:
    """A name that fits beside an axis; a table or the pointer says all of it.

    >>> short("Landesgartenschau", 8)
    'Landesg…'
    """
    return name if len(name) <= letters else name[: letters - 1] + "\N{HORIZONTAL ELLIPSIS}"


def titled(chart: Chart, title: str) -> Chart:
    """The same picture with a title above it, below its mark where it has one."""
    layout = chart.figure["layout"]
    words = {**_words_above([title]), "yshift": 4, "font": {"size": 14}}
    margin = {**layout["margin"], "t": layout["margin"]["t"] + _TITLE_ROOM}
    moved = {
        **layout,
        "annotations": [*layout.get("annotations", ()), words],
        "margin": margin,
        "height": layout["height"] + _TITLE_ROOM,
    }
    return replace(chart, figure={**chart.figure, "layout": moved})


def text_of(name: str) -> str:
    """A name as plotly shows it letter by letter: no link, break or other tag can come of it.

    >>> text_of("<a href='x'>Mitte</a>")
    "&lt;a href='x'&gt;Mitte&lt;/a&gt;"
    """
    return escape(name, quote=False)  # plotly shows the entities of quotes as they are written


def axis(title: str = "", **more: object) -> Json:
    """An axis with its title; ``more``: other settings of plotly, such as ``range``, ``type="log"`` or ``**PERCENT``."""
    return {**({"title": {"text": text_of(title)}} if title else {}), **more}


def symlog(values: ArrayLike) -> list[float]:
    """Numbers of 0 or more on a scale that is linear near 0 and logarithmic far from it. Plotly has no such scale."""
    return json_values(np.log1p(np.asarray(values, dtype=float)))


def log_range(low: float, high: float) -> list[float]:
    """The range of a logarithmic axis as plotly takes it."""
    return [float(np.log10(low)), float(np.log10(high))]


def whole(span: float) -> Json:
    """An axis over so many whole numbers; where they are few, each has its mark and none stands between."""
    return {**WHOLE, **({"dtick": 1} if span <= _FEW else {})}


def named_places(names: Sequence[str], letters: int = 26) -> Json:
    """A vertical axis of names, the first above; places on it are whole numbers from 0."""
    return axis(
        tickvals=[*range(len(names))],
        ticktext=[text_of(short(name, letters)) for name in names],
        range=[len(names) - 0.4, -0.6],
        zeroline=False,
    )


def rows(names: Sequence[str]) -> Json:
    """A vertical axis of names of our own, the first above."""
    return axis(type="category", categoryarray=[*names], range=[len(names) - 0.5, -0.5])


def line(x: ArrayLike, y: ArrayLike, says: Says, *, name: str = "", **look: object) -> Json:
    """A line through points; ``says``: what a pointer reads at each. ``look``: ``color``, ``dash``, ``width``, ``shape``."""
    stroke = {"color": NOISY, "width": 2, **look}
    return {"type": "scatter", "mode": "lines", **_points(x, y, says, name), "line": stroke}


def lines(
    x: ArrayLike,
    y: Mapping[str, ArrayLike],
    says: str | Callable[[float, float], str],
    *,
    colors: Sequence[str] = style.LINES,
    dashes: Sequence[str] = style.DASHES,
) -> list[Json]:
    """Lines told apart by colour and by dashes; ``y``: their heights by name.

    ``says``: what a pointer reads after the name, one template, or words made of x and y where these can be negative.
    """
    looks = zip(y.items(), colors, dashes, strict=False)
    return [
        line(x, high, _hover_texts(name, x, high, says), name=name, color=color, dash=dash, width=2.5)
        for (name, high), color, dash in looks
    ]


def _hover_texts(name: str, x: ArrayLike, y: ArrayLike, says: str | Callable[[float, float], str]) -> Says:
    """What a pointer reads at each point of a line, its name first."""
    first = f"{text_of(name)}<br>"
    if isinstance(says, str):
        return first + says
    return [first + says(*point) for point in zip(json_values(x), json_values(y), strict=True)]


def dots(x: ArrayLike, y: ArrayLike, says: Says, *, name: str = "", **look: object) -> Json:
    """Points; ``look``: ``color``, ``size``, ``symbol``, ``opacity``, ``line``, each one for all or one for each."""
    marker = {"color": NOISY, "size": 8, **look}
    return {"type": "scatter", "mode": "markers", **_points(x, y, says, name), "marker": marker}


def bars(x: ArrayLike, y: ArrayLike, says: Says, *, name: str = "", **look: object) -> Json:
    """Upright bars; ``look``: ``color``, ``opacity``. ``lying`` turns them."""
    return {"type": "bar", **_points(x, y, says, name), "marker": {"color": NOISY, **look}}


def lying(trace: Json) -> Json:
    """Bars that lie: lengths along x, names along y."""
    return {**trace, "x": trace["y"], "y": trace["x"], "orientation": "h"}


def dotted(trace: Json, size: int = 5) -> Json:
    """A line with a dot at each of its points, so that a single point is seen as well."""
    return {**trace, "mode": "lines+markers", "marker": {"size": size, "color": trace["line"]["color"]}}


def intervals(trace: Json, low: ArrayLike, high: ArrayLike, *, along: str = "y", **look: object) -> Json:
    """A trace with an interval at each of its points, ``along`` an axis; ``look``: ``color``, ``thickness``, ``width``."""
    middle = np.asarray(trace[along], dtype=float)
    ends = {
        "type": "data",
        "symmetric": False,
        "array": json_values(np.asarray(high, dtype=float) - middle),
        "arrayminus": json_values(middle - np.asarray(low, dtype=float)),
        "color": NOISY,
        "thickness": 2,
        "width": 0,
        **look,
    }
    return {**trace, f"error_{along}": ends}


def band(
    x: ArrayLike, low: ArrayLike, high: ArrayLike, *, color: str = NOISY, opacity: float = 0.2
) -> list[Json]:
    """The area between two lines; a pointer reads nothing there, because the line inside says it.

    ``meta`` names the two edges, ``low`` and ``high``, for scripts that move them.
    """
    edge = {"type": "scatter", "mode": "lines", "x": json_values(x), "hoverinfo": "skip", "showlegend": False}
    return [
        {**edge, "meta": "low", "y": json_values(low), "line": {"width": 0, "color": color}},
        {
            **edge,
            "meta": "high",
            "y": json_values(high),
            "line": {"width": 0, "color": color},
            "fill": "tonexty",
            "fillcolor": faded(color, opacity),
        },
    ]


def faded(color: str, opacity: float) -> str:
    """A colour ``#rrggbb`` that lets through what is below.

    >>> faded("#0f9b8e", 0.2)
    'rgba(15,155,142,0.2)'
    """
    parts = ",".join(str(int(color[at : at + 2], 16)) for at in (1, 3, 5))
    return f"rgba({parts},{opacity})"


def upright(at: float | str, **look: object) -> Json:
    """An upright line across the picture; thin, grey and dotted unless ``look`` says otherwise."""
    return {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper", "line": _rule(look)}


def level(at: float, **look: object) -> Json:
    """A level line across the picture; thin, grey and dotted unless ``look`` says otherwise."""
    return {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": at, "y1": at, "line": _rule(look)}


def about(value: float, low: float, high: float, unit: str) -> str:
    """``plain.about`` in two lines of plotly.

    >>> about(1240, 1200, 1280, "trips")
    'about 1,240 trips<br>95 % range of the noise 1,200 to 1,280'
    """
    return plain.about(value, low, high, unit, "<br>")


def json_values(values: ArrayLike) -> list[Any]:
    """Values as JSON holds them: numbers, dates as text, None where a number is missing."""
    array = np.asarray(values)
    if array.dtype.kind == "M":
        return [str(day) for day in array.astype("datetime64[D]")]
    if array.dtype.kind == "f" and np.isnan(array).any():
        return [None if np.isnan(value) else value for value in array.tolist()]
    return list(array.tolist())


def _points(x: ArrayLike, y: ArrayLike, says: Says, name: str) -> Json:
    found: Json = {"x": json_values(x), "y": json_values(y), "name": text_of(name)}
    if isinstance(says, str):
        return {**found, "hovertemplate": f"{says}<extra></extra>"}
    if says:
        return {**found, "hovertext": [*says], "hovertemplate": "%{hovertext}<extra></extra>"}
    return {**found, "hoverinfo": "skip"}


def _words_above(lines: Sequence[str]) -> Json:
    return {
        "text": "<br>".join(map(text_of, lines)),
        "showarrow": False,
        "align": "left",
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
    }


def _rule(look: dict[str, object]) -> Json:
    return {"color": GREY, "dash": "2px,3px", "width": 1.5, **look}
