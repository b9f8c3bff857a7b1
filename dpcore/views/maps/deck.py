"""Maps of tiles and flows for notebooks: a ``pydeck.Deck`` that asks nobody for anything.

A deck sends every field of its rows to the browser, so rows are made here with the few that are drawn. Tile ids and names come
out of files: they stand in one text that begins with a word of ours, because deck.gl computes texts that begin with ``@@=``,
and pointers show it as text. Imported by ``dpcore.deck`` alone, when it is called: pydeck takes a while to import.
"""

from __future__ import annotations

import math
import re
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pydeck
import shapely
from numpy.typing import NDArray
from pydeck.io.html import iframe_with_srcdoc, in_jupyter

from dpcore.errors import InputError
from dpcore.measures import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import Sum
from dpcore.privacy import decimal_text
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import number, with_id
from dpcore.views.ground.reading import few_below
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.style import DROWNED, FEW, FLOW, class_colours, mark_colour
from dpcore.views.maps.map_classes import (
    FIRST,
    HIDDEN,
    SMALL,
    classes_of_shown,
    colours_of,
)
from dpcore.views.maps.projection import inside
from dpcore.views.numbers.ranking import strongest_between
from dpcore.views.numbers.told_tiles import cells_of_tiles, told_tiles

Numbers = NDArray[np.int64]
Row = dict[str, object]

_ELSEWHERE: Final = re.compile(
    r"""<script src=["']?https?:[^>]*></script>|<link rel="stylesheet" href=["']?https?:[^>]*>"""
)
_PYDECKS_TITLE: Final = "<title>pydeck</title>"
_APART: Final = (
    "<style>body{display:flex;flex-direction:column;height:100vh}"
    "#deckgl-ui-elements-overlay{flex:none;max-height:50vh;overflow:auto}"
    "body .deck-json-description-box{position:static!important;max-height:none!important;padding:8px 12px!important;"
    "font:14px/1.5 sans-serif!important}"
    "body #deck-container{flex:1;min-height:0;width:100%}"
    ".key{display:inline-block;margin-right:1em}"
    ".key i{display:inline-block;width:1em;height:1em;margin-right:.3em;vertical-align:-.1em}</style>"
)
"""The words stand above the map. Pydeck lays them over it, where each hides some of the other."""
_TAG: Final = re.compile(r"<[^>]*>")
_DECIMALS: Final = 6  # of a degree: a tenth of a metre
_PLAIN: Final = [236, 238, 241]
"""Tiles below flows."""
_EDGE: Final = [255, 255, 255]
"""Flows that stand out, as on the map of the app (``pages/assets/ladder_colours.js``)."""
_NOT_LISTED: Final = "Not listed: below the threshold of this table, which does not mean zero."
_DROWNED_WORDS: Final = "Noise alone could have made this count."
_CLASS_WORDS: Final = MappingProxyType({HIDDEN: f"\n{_DROWNED_WORDS}", SMALL: "\nKnown to be few or none."})
_UNDER_POINTER: Final = [0, 0, 0, 50]
_WIDEST: Final = 6  # pixels
_SHEET: Final = (700, 420)
"""Pixels that a city should fit into."""
_PHONE: Final = (350, 400)
"""The same of a map on a page, which may be a phone's."""


@dataclass(frozen=True)
class Said:
    """What a map says besides its numbers. Words of ours and numbers alone: they stand in HTML."""

    at: str
    """Epsilon and the bound."""
    note: str = ""
    """What is known of estimates."""
    mark: str = ""
    """Written over the picture."""


class OfflineDeck(pydeck.Deck):  # type: ignore[misc]  # pydeck has no types
    """A deck whose page needs no network.

    ``to_html`` writes deck.gl itself into the page (4.3 MB). It leaves out the style sheets and scripts that pydeck's page
    loads from the network even with ``offline=True``. Only decks over a street map need them. Its title says what the
    map shows, and the words stand above the map.
    There is no page that asks others: ``offline=False`` is refused.
    """

    def __repr__(self) -> str:
        """What the map shows. Pydeck's own is all of the JSON."""
        return f"<Deck: {self._title()}; to_html(FILE) writes it as a page>"

    def _title(self) -> str:
        return _TAG.sub("", (self.description or "Map").replace("</b><br>", " ").partition("<br>")[0])

    def to_json(self) -> str:
        """The deck as JSON that is also safe inside a ``<script>``: no name of a tile can end it."""
        text: str = super().to_json()
        return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

    def to_html(  # noqa: PLR0917 - as pydeck has it
        self,
        filename: str | None = None,
        open_browser: bool = False,
        notebook_display: bool | None = None,
        iframe_width: str | int = "100%",
        iframe_height: int = 500,
        as_string: bool = False,
        offline: bool = True,
        **more: Any,  # noqa: ANN401 - handed on
    ) -> Any:  # noqa: ANN401 - as pydeck has it
        """As pydeck's, but always offline. InputError for ``offline=False``, whose page would ask four servers of others."""
        if not offline:
            raise InputError(
                "this map asks nobody for anything",
                "offline=False",
                "Leave offline out. The page then holds all that it needs.",
            )
        page = super().to_html(as_string=True, notebook_display=False, offline=True, **more)
        if page is None:  # Colab has shown it
            return None
        page = _ELSEWHERE.sub("", page).replace(_PYDECKS_TITLE, f"<title>{self._title()}</title>{_APART}", 1)
        if filename:
            Path(filename).write_text(page, encoding="utf-8")
            if open_browser:
                webbrowser.open(Path(filename).resolve().as_uri())
            return str(Path(filename).resolve())
        if as_string:
            return page
        if in_jupyter() if notebook_display is None else notebook_display:
            return iframe_with_srcdoc(page, iframe_width, iframe_height)
        return page


def tile_deck(
    shown: Shown, breaks: tuple[int, ...], tiles: Tessellation, said: Said, group: Sequence[str] = ()
) -> OfflineDeck:
    """Tiles in the colours of the app's map: grey where noise alone could have made the count, or known to have few or none.

    Of estimates grey is what has a likely range wider to each side than the estimate. Unlike on the app's map, a colour that stands
    out is as strong wherever its noise is wide.

    Args:
        shown: the numbers of a measure over tiles.
        breaks: of the classes of colours, the same at every rung.
        tiles: the public tiles.
        said: what stands beside them.
        group: keys before the tile, such as ``("weekday", "6-10")``; empty where there are none.

    """
    classes, colours = classes_of_shown(shown, breaks), colours_of(breaks)
    cells = cells_of_tiles(shown.keys, shown.cells, len(tiles.tile_ids), group)

    def of_cell(cell: int) -> tuple[str, str]:
        hidden = classes[cell] == HIDDEN and not shown.is_drawn  # an estimate says so by its range
        return colours[classes[cell]], _pointer_words(shown, cell) + (
            "" if hidden else _CLASS_WORDS.get(classes[cell], "")
        )

    keys = _drowned_key(shown)
    if not shown.is_drawn or any(cell is not None and classes[cell] == SMALL for cell in cells):
        ends = "the range" if shown.is_drawn else "the likely range"
        keys += _key(FEW, f"few or none: {ends} ends below {number(few_below(breaks))}")
    keys += _class_keys(breaks, colours[FIRST:], shown.coloured_from)
    return _deck(
        [_coloured(tiles, cells, of_cell)], tiles, f"{_about(shown, said, group)}<br>{keys}", said.mark
    )


def told_deck(measurement: Measurement, one: Sum, rung: int, tiles: Tessellation) -> OfflineDeck:
    """Tiles in the colours of a sum or a mean (``visits_per_tile``), in the unit of what was added up.

    Grey where noise alone could have made the sum, or where there may be no value at all and so no mean. Colours have the same breaks
    at every rung.
    """
    found = told_tiles(measurement, one, rung, len(tiles.tile_ids))
    shades = (DROWNED, *class_colours(len(found.classes)))

    def of_tile(tile: int) -> tuple[str, str]:
        known = found.which[tile] or one.names[1] == measurement.measure
        words = found.words(tile, "\n")
        return shades[found.which[tile]], words if known else f"{words}\n{_DROWNED_WORDS}"

    keys = "".join(map(_key, shades, (found.grey, *found.classes)))
    about = f"{escape(found.unit)}, ε = {decimal_text(measurement.rungs[rung])} per {measurement.bound}."
    about += " The colours are the same at every ε."
    listed = [None if told is None else tile for tile, told in enumerate(found.numbers)]
    return _deck([_coloured(tiles, listed, of_tile)], tiles, f"{about}<br>{keys}", "", sheet=_PHONE)


def flow_deck(shown: Shown, tiles: Tessellation, said: Said) -> OfflineDeck:
    """The strongest flows between two tiles as arcs, wider for more trips, grey where noise alone could have made them.

    Of estimates grey is what has a likely range wider than the estimate. An arc is pale at its origin and full at its destination.
    Which drawn flows are shown is the same at every rung.
    """
    flows = shown.at(strongest_between(shown))
    widest = max(1.0, (flows.finest or flows.numbers).values.max(initial=1))
    words = [
        _pointer_words(flows, at) + (f"\n{_DROWNED_WORDS}" if flows.is_drawn and not sure else "")
        for at, sure in enumerate(flows.readable)
    ]
    origins, destinations = np.unravel_index(flows.cells, flows.keys.shape)
    layers = _arcs(tiles, (origins, destinations), flows.numbers.values / widest, flows.readable, words)
    keys = _drowned_key(shown) + (
        _key(FLOW, f"{number(shown.coloured_from)} or more") if shown.is_drawn else ""
    )
    about = f"{_about(shown, said)}<br>{_flows_about(len(words))}<br>{keys}"
    return _deck(layers, tiles, about, said.mark, pitch=30)


def _coloured(
    tiles: Tessellation, cells: Sequence[int | None], of_cell: Callable[[int], tuple[str, str]]
) -> Any:  # noqa: ANN401 - pydeck has no types
    """Tiles in colours that say their counts under the pointer.

    ``cells``: that of each tile, None where it is not listed; ``of_cell``: the colour and the words of a cell.
    """
    rows: list[Row] = []
    for cell, shape, label in zip(cells, tiles.polygons, _labels(tiles), strict=True):
        shade, said = (DROWNED, _NOT_LISTED) if cell is None else of_cell(cell)
        rows += [
            {"polygon": rings, "colour": _rgb(shade), "label": f"Tile {label}\n{said}"}
            for rings in _parts(shape)
        ]
    return pydeck.Layer(
        "PolygonLayer",
        rows,
        id="tiles",
        get_polygon="polygon",
        get_fill_color="colour",
        get_line_color=_EDGE,
        line_width_min_pixels=0.5,
        pickable=True,
        auto_highlight=True,
        highlight_color=_UNDER_POINTER,
    )


def _arcs(
    tiles: Tessellation,
    ends: tuple[Numbers, Numbers],
    widths: NDArray[np.float64],
    sure: NDArray[np.bool_],
    said: Sequence[str],
) -> list[Any]:
    """Plain tiles and arcs above them. ``widths``: 1 for the widest; ``sure``: which stand out; ``said``: words of each."""
    points = inside(tiles.polygons).round(_DECIMALS).tolist()
    labels = _labels(tiles)
    rows = [
        {
            "from": points[origin],
            "to": points[destination],
            "width": round(max(1.0, _WIDEST * width), 1),
            "pale": [*_rgb(FLOW if stands_out else DROWNED), 70],
            "full": [*_rgb(FLOW if stands_out else DROWNED), 230],
            "label": f"From {labels[origin]} to {labels[destination]}\n{text}",
        }
        for origin, destination, width, stands_out, text in zip(
            ends[0].tolist(), ends[1].tolist(), widths.tolist(), sure.tolist(), said, strict=True
        )
    ]
    below = pydeck.Layer(
        "PolygonLayer",
        [{"polygon": rings} for shape in tiles.polygons for rings in _parts(shape)],
        id="tiles",
        get_polygon="polygon",
        get_fill_color=_PLAIN,
        get_line_color=_EDGE,
        line_width_min_pixels=0.5,
    )
    arcs = pydeck.Layer(
        "ArcLayer",
        rows,
        id="flows",
        get_source_position="from",
        get_target_position="to",
        get_source_color="pale",
        get_target_color="full",
        get_width="width",
        pickable=True,
        auto_highlight=True,
        highlight_color=_UNDER_POINTER,
    )
    return [below, arcs]


def _deck(
    layers: list[Any],
    tiles: Tessellation,
    about: str,
    mark: str,
    *,
    pitch: int = 0,
    sheet: tuple[int, int] = _SHEET,
) -> OfflineDeck:
    return OfflineDeck(
        layers=[*layers, *([_marks(tiles, mark)] if mark else [])],
        initial_view_state=_view(tiles, pitch, sheet),
        map_provider=None,  # and no style: with either, pydeck asks a server for a street map
        tooltip={"text": "{label}"},
        description=f"<b>{mark}</b><br>{about}" if mark else about,
    )


def _labels(tiles: Tessellation) -> list[str]:
    """Name and id of each tile."""
    return [with_id(*one) for one in zip(tiles.tile_ids, tiles.called, strict=True)]


def _pointer_words(shown: Shown, at: int) -> str:
    return shown.pointed(at, shown.whose, "\n")


def _about(shown: Shown, said: Said, group: Sequence[str] = ()) -> str:
    """What the picture shows; words of ours and numbers alone, for it is HTML."""
    measure = measure_named(shown.measure)
    which = f", {measure.layout.group_title.format(*group)}" if group else ""
    about = "" if shown.is_drawn else f" of {shown.about}"
    told = f"{measure.title}{which}: {shown.kind} {shown.unit}{about}, {said.at}"
    return f"{told}<br>{said.note}" if said.note else told


def _flows_about(flows: int) -> str:
    return f"The {flows:,} strongest flows between two tiles, pale at their origin."


def _class_keys(breaks: Sequence[int], colours: Sequence[str], below: int) -> str:
    """Every class that a count which stands out can have, the first from the smallest such count on."""
    keys = ""
    for colour, first, end in zip(colours, (0, *breaks), (*breaks, math.inf), strict=True):
        least = max(first, below)
        if end == math.inf:
            keys += _key(colour, f"{number(least)} or more")
        elif end > least:
            last = int(end) - 1
            keys += _key(colour, number(least) if least == last else f"{number(least)} to {number(last)}")
    return keys


def _drowned_key(shown: Shown) -> str:
    below = f"below {number(shown.coloured_from)}: noise alone could have made it"
    return _key(DROWNED, below if shown.is_drawn else "likely range wider to each side than the estimate")


def _key(colour: str, name: str) -> str:
    return f'<span class="key"><i style="background:{colour}"></i>{name}</span> '


def _rgb(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _parts(shape: shapely.Geometry) -> list[list[list[list[float]]]]:
    """The rings of each part of a tile: the outer one, then its holes."""
    return [
        [shapely.get_coordinates(ring).round(_DECIMALS).tolist() for ring in (part.exterior, *part.interiors)]
        for part in shapely.get_parts(shape)
    ]


def _marks(tiles: Tessellation, mark: str) -> Any:  # noqa: ANN401 - pydeck has no types
    """The mark three times over the city, inside the picture: a picture of the map alone has it too."""
    box = tiles.bounds
    middle = (box.west + box.east) / 2
    rows = [
        {"at": [middle, box.south + share * (box.north - box.south)], "text": mark}
        for share in (1 / 6, 1 / 2, 5 / 6)
    ]
    return pydeck.Layer(
        "TextLayer",
        rows,
        id="mark",
        get_position="at",
        get_text="text",
        get_color=[*_rgb(mark_colour()), 220],
        get_size=18,
        outline_width=3,
        outline_color=[255, 255, 255, 255],
        font_settings={"sdf": True},
        font_family="'sans-serif'",
        billboard=True,
        parameters={"depthCompare": "always"},  # over arcs, however near they are
    )


def _view(tiles: Tessellation, pitch: int, sheet: tuple[int, int]) -> Any:  # noqa: ANN401 - pydeck has no types
    """A view that holds all tiles, in the square of the whole world (512 pixels wide at zoom 0)."""
    box = tiles.bounds
    wide = max((box.east - box.west) / 360, 1e-7)
    high = max((_mercator(box.north) - _mercator(box.south)) / (2 * math.pi), 1e-7)
    zoom = min(math.log2(sheet[0] / 512 / wide), math.log2(sheet[1] / 512 / high))
    return pydeck.ViewState(
        longitude=(box.west + box.east) / 2,
        latitude=box.middle_latitude,
        zoom=round(min(max(zoom, 0), 18), 2),
        pitch=pitch,
    )


def _mercator(latitude: float) -> float:
    limited = math.radians(min(max(latitude, -85.0), 85.0))
    return math.log(math.tan(math.pi / 4 + limited / 2))
