"""What a picture shows, drawn on a sheet: maps with their colours and lists, charts, and the dots of a promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from dpcore.context import AREAS, Context
from dpcore.views.ground.plain import number
from dpcore.views.ground.style import FLOW, GREY, NOISY, QUIET, VERMILION, ground, ink
from dpcore.views.maps.context_message import GROUND
from dpcore.views.maps.drawn_map import Arrows, DrawnMap, Key, Listed
from dpcore.views.maps.projection import MAP_HEIGHT, MAP_WIDTH, Projection, bow, drawn_tiles
from dpcore.views.numbers.guarantee import TERMS_TITLE
from dpcore.views.numbers.hundred import marks_said
from dpcore.views.pictures.sheet import POINTS, Box, Sheet, drawable, shortened, width
from dpcore.views.pictures.slide import DrawnCharts, DrawnPromise, Panel, SlideContent, Times

NARROW: Final = 700
"""Below this width in pixels parts stand below each other."""
_LIGHT: Final = "#d5d9de"
_KEY_WIDE: Final = 262
_LIST_WIDE: Final = 330
_GAP: Final = 24
_KEY_ROW: Final = 25
_LIST_ROW: Final = 47
_LETTERS: Final = 15
_SMALL: Final = 14
_EDGE: Final = 3.0  # units of the map around it
_COARSE: Final = 0.3  # units of the map: nearer corners of what lies around the tiles are one
_MAP_HIGH: Final = 320  # of a narrow picture
_PANEL_HIGH: Final = 230
_MOST_NAMES: Final = 14  # that are slanted; more are thinned out
_NAME_WIDE: Final = 80  # of a name on a map
_TIMES_HIGH: Final = 360  # of a narrow picture
_TERMS_HIGH: Final = 290
_TERMS_BELOW: Final = 140  # as wide as the page
_NUMBER_WIDE: Final = 240  # of what is beside a hundred marks, to hold their number as well
_STEPS: Final = 4  # of an axis of numbers

_MAIN: Final = 2  # ranks of streets that are drawn
_LINES: Final = {  # colours and points
    "waterway": (f"#{bytes(GROUND['light']['shore']).hex()}", 0.6),
    "street": (GREY, 0.6),
    "rail": (QUIET, 0.5),
}

Floats = NDArray[np.float64]


def height_of(drawn: SlideContent) -> float:
    """Pixels that a narrow picture needs, all parts below each other."""
    if isinstance(drawn, DrawnMap):
        rows = 0 if drawn.key is None else 52 + _KEY_ROW * -(-len(drawn.key.colours) // 2)
        return _MAP_HIGH + rows + (0 if drawn.listed is None else 34 + _LIST_ROW * len(drawn.listed.rows))
    if isinstance(drawn, DrawnCharts):
        return sum(_panel_high(panel) for panel in drawn.panels)
    if isinstance(drawn, DrawnPromise):
        return len(drawn.times) * _TIMES_HIGH + _TERMS_HIGH
    return 34 + _LIST_ROW * len(drawn.rows)


def _panel_high(panel: Panel) -> float:
    return 70 + 28 * len(panel.names) if panel.look == "dots" else _PANEL_HIGH


def draw(sheet: Sheet, box: Box, drawn: SlideContent) -> None:
    """Draw into a box, parts beside each other where it is wide."""
    if isinstance(drawn, DrawnMap):
        _map(sheet, box, drawn)
    elif isinstance(drawn, DrawnCharts):
        for panel, place in zip(drawn.panels, _places(box, drawn.panels), strict=True):
            _panel(sheet, place, panel)
    elif isinstance(drawn, DrawnPromise):
        _promise(sheet, box, drawn)
    else:
        _columns_of(sheet, box, drawn)


def _map(sheet: Sheet, box: Box, drawn: DrawnMap) -> None:
    if box.wide < NARROW:
        _tiles(sheet, Box(box.left, box.top, box.wide, _MAP_HIGH - 12), drawn)
        below = box.below(_MAP_HIGH)
        if drawn.key is not None:
            used = _key(sheet, below, drawn.key, columns=2)
            below = below.below(used + 12)
        if drawn.listed is not None:
            _draw_list(sheet, below, drawn.listed)
        return
    beside = (drawn.key is not None) * (_KEY_WIDE + _GAP) + (drawn.listed is not None) * (_LIST_WIDE + _GAP)
    x, y = _extent(Projection(drawn.tiles))
    wide = min(box.wide - beside, box.high * (x[1] - x[0]) / (y[1] - y[0]))
    _tiles(sheet, Box(box.left, box.top, wide, box.high), drawn)
    left = box.left + wide + _GAP + min(_GAP, (box.wide - beside - wide) / 2)
    if drawn.key is not None:
        _key(sheet, Box(left, box.top, _KEY_WIDE, box.high), drawn.key, columns=1)
        left += _KEY_WIDE + _GAP
    if drawn.listed is not None:
        _draw_list(sheet, Box(left, box.top, box.left + box.wide - left, box.high), drawn.listed)


def _extent(project: Projection) -> tuple[tuple[float, float], tuple[float, float]]:
    """From left to right and from top to bottom, with a small edge."""
    return (
        (project.left - _EDGE, MAP_WIDTH - project.left + _EDGE),
        (project.top - _EDGE, MAP_HEIGHT - project.top + _EDGE),
    )


def _tiles(sheet: Sheet, box: Box, drawn: DrawnMap) -> None:
    """The tiles, one shape for each colour, then borders and flows."""
    project = Projection(drawn.tiles)
    axes = sheet.axes(box)
    axes.set_axis_off()
    x, y = _extent(project)
    axes.set_xlim(*x)
    axes.set_ylim(y[1], y[0])
    axes.set_aspect("equal", anchor="NW")
    polygons = drawn_tiles(drawn.tiles)
    lying = None if drawn.context is None else _Around(drawn.context, project, (x[0], y[0], x[1], y[1]))
    if lying is not None:
        lying.below(axes)
    for colour in np.unique(drawn.which):
        shape = PathPatch(
            _path(polygons[drawn.which == colour]),
            facecolor=drawn.colours[colour],
            edgecolor=ground(),
            linewidth=drawn.border,
        )
        axes.add_patch(shape)
    if lying is not None:
        lying.above(axes)
    last = len(drawn.outlined) - 1
    for at, outline in enumerate(drawn.outlined):
        moved = _path(np.array([shapely.transform(outline, project.move)], dtype=object))
        chosen = drawn.arrows is None or (at == last and last == 0)
        if chosen:
            axes.add_patch(PathPatch(moved, fill=False, edgecolor=ground(), linewidth=3.5))
        axes.add_patch(
            PathPatch(
                moved, fill=False, edgecolor=ink() if chosen else GREY, linewidth=1.6 if chosen else 0.5
            )
        )
    if drawn.arrows is not None:
        _arrows(axes, drawn.arrows, project)
    above = 0 if drawn.arrows is None else 4  # so that the end of a flow is seen
    rim = [withStroke(linewidth=2.5, foreground=ground())]  # so that arrows and colours below hide no letter
    for name, point in drawn.names:
        short = shortened(drawable(name), _NAME_WIDE, _SMALL, bold=True)
        axes.annotate(
            short,
            project.move(point[None])[0],
            (0, above),
            textcoords="offset points",
            ha="center",
            va="baseline" if above else "center",
            fontsize=_SMALL * POINTS,
            fontweight="bold",
            path_effects=rim,
        )


class _Around:
    """Water, parks, main streets and railways, so that a place is recognised. They are quiet and change no colour of a tile."""

    def __init__(self, context: Context, project: Projection, box: tuple[float, float, float, float]) -> None:
        self._context, self._project, self._box = context, project, box

    def below(self, axes: Axes) -> None:
        """Areas, which show where no tile lies."""
        for kind in reversed(AREAS):
            shapes = self._parts_on_picture(kind)
            if len(shapes):
                axes.add_patch(PathPatch(_path(shapes), facecolor=_rgb(kind), linewidth=0))

    def above(self, axes: Axes) -> None:
        """Shores of water, then streets and railways, thinner than the border of what is chosen."""
        water = self._parts_on_picture("water")
        if len(water):
            axes.add_patch(PathPatch(_path(water), fill=False, edgecolor=_rgb("shore"), linewidth=0.5))
        for kind, (colour, wide) in _LINES.items():
            lines = self._parts_on_picture(kind)
            if len(lines):
                axes.add_patch(
                    PathPatch(_lines(lines), fill=False, edgecolor=colour, linewidth=wide, alpha=0.7)
                )

    def _parts_on_picture(self, kind: str) -> NDArray[np.object_]:
        """The parts of a kind that lie on the picture; of streets the main ones."""
        layer = self._context.layers[kind]
        shapes = np.asarray(layer.shapes, dtype=object)
        if kind == "street":
            shapes = shapes[layer.ranks < _MAIN]
        if not len(shapes):
            return shapes
        moved = shapely.simplify(shapely.transform(shapes, self._project.move), _COARSE)
        parts = shapely.get_parts(shapely.clip_by_rect(moved, *self._box))
        wanted = shapely.GeometryType.POLYGON if kind in AREAS else shapely.GeometryType.LINESTRING
        found: NDArray[np.object_] = parts[(shapely.get_type_id(parts) == wanted) & ~shapely.is_empty(parts)]
        return found


def _rgb(kind: str) -> str:
    return f"#{bytes(GROUND['light'][kind]).hex()}"


def _lines(lines: NDArray[np.object_]) -> Path:
    corners, line = shapely.get_coordinates(lines, return_index=True)
    codes = np.full(len(corners), Path.LINETO, dtype=np.uint8)
    codes[np.flatnonzero(np.diff(line, prepend=-1))] = Path.MOVETO
    return Path(np.round(corners, 2), codes)


def _path(polygons: NDArray[np.object_]) -> Path:
    """Polygons as one path. Holes run the other way round, so that they stay open."""
    parts = shapely.get_parts(polygons)
    parts = shapely.orient_polygons(
        shapely.force_2d(parts[shapely.get_type_id(parts) == shapely.GeometryType.POLYGON])
    )
    corners, ring = shapely.get_coordinates(shapely.get_rings(parts), return_index=True)
    codes = np.full(len(corners), Path.LINETO, dtype=np.uint8)
    begins = np.flatnonzero(np.diff(ring, prepend=-1))
    codes[begins] = Path.MOVETO
    codes[np.append(begins[1:], len(corners)) - 1] = Path.CLOSEPOLY
    return Path(np.round(corners, 2), codes)


def _arrows(axes: Axes, arrows: Arrows, project: Projection) -> None:
    """Flows as bows that bend to their right, thick where they end; the smallest first, so that none hides a larger one."""
    starts, ends = project.move(arrows.origins), project.move(arrows.destinations)
    curve, line = Path.CURVE3, Path.LINETO
    codes = [Path.MOVETO, curve, curve, line, line, line, line, curve, curve]
    for at in np.argsort(arrows.sizes, kind="stable"):
        sure = bool(arrows.sure[at])
        axes.add_patch(
            PathPatch(
                Path(np.round(bow(starts[at], ends[at], arrows.widths[at]), 2), codes),
                facecolor=(FLOW, 0.85 if sure else 0.3),
                edgecolor="none"
                if sure
                else FLOW,  # a pale rim hides thin flows: no screen draws it thinner than a pixel
                linewidth=0 if sure else 0.6,
                linestyle="-" if sure else (0, (4, 3)),
            )
        )


def _key(sheet: Sheet, box: Box, key: Key, *, columns: int) -> float:
    """Colours with their words; returns the pixels that they take."""
    top = (
        box.top
        + sheet.words(Box(box.left, box.top, box.wide, 52), key.unit, _LETTERS, least=11, bold=True)
        + 8
    )
    rows, wide = -(-len(key.colours) // columns), box.wide / columns
    for at, (colour, said) in enumerate(key.colours):
        column, row = divmod(at, rows)
        left, high = box.left + column * wide, top + row * _KEY_ROW
        sheet.rectangle(Box(left, high, 20, 14), colour, rim=GREY)
        room = wide - 30
        size = next((size for size in (_SMALL, 13, 12, 11, 10, 9) if width(said, size) <= room), 9)
        sheet.line(left + 27, high + 11.5, shortened(drawable(said), room, size), size)
    return top + rows * _KEY_ROW - box.top


def _draw_list(sheet: Sheet, box: Box, listed: Listed) -> None:
    _rows(sheet, box.below(_title(sheet, box, listed.title)), listed.rows)


def _title(sheet: Sheet, box: Box, title: str) -> float:
    """The title of a list; returns the pixels that it takes."""
    return sheet.words(Box(box.left, box.top, box.wide, 36), title, _LETTERS, least=11, bold=True) + 6


def _rows(sheet: Sheet, box: Box, rows: Sequence[tuple[str, str]]) -> None:
    """Names with their numbers below, as many as have room."""
    for at, (name, said) in enumerate(rows):
        top = box.top + at * _LIST_ROW
        if top + _LIST_ROW - 8 > box.top + box.high + 1:
            return
        sheet.line(box.left, top + 14, shortened(drawable(name), box.wide, _LETTERS), _LETTERS)
        sheet.words(Box(box.left, top + 19, box.wide, 19), said, _SMALL, least=9, colour=QUIET)


def _columns_of(sheet: Sheet, box: Box, listed: Listed) -> None:
    """A list alone: in two columns where there is room."""
    if box.wide < NARROW:
        _draw_list(sheet, box, listed)
        return
    half = -(-len(listed.rows) // 2)
    each = (box.wide - _GAP) / 2
    first = Box(box.left, box.top, each, box.high)
    top = first.top + _title(sheet, first, listed.title)
    for column, rows in enumerate((listed.rows[:half], listed.rows[half:])):
        left = box.left + column * (each + _GAP)
        _rows(sheet, Box(left, top, each, box.top + box.high - top), rows)


def _places(box: Box, panels: Sequence[Panel]) -> list[Box]:
    """Where charts stand: below each other where it is narrow; else two beside each other, the first of three above."""
    if box.wide < NARROW:
        found, top = list[Box](), box.top
        for panel in panels:
            high = _panel_high(panel)
            found.append(Box(box.left, top, box.wide, high))
            top += high
        return found
    many = len(panels)
    half = (box.wide - _GAP) / 2
    if many == 1:
        return [box]
    if many == 2:
        return [Box(box.left + at * (half + _GAP), box.top, half, box.high) for at in range(2)]
    high = box.high / 2
    right = box.left + half + _GAP
    below = [Box(box.left, box.top + high, half, high), Box(right, box.top + high, half, high)]
    if many == 3:
        return [Box(box.left, box.top, box.wide, high), *below]
    return [Box(box.left, box.top, half, high), Box(right, box.top, half, high), *below]


def _panel(sheet: Sheet, box: Box, panel: Panel) -> None:
    """A chart with its title above, and what it counts beside that."""
    title = shortened(drawable(panel.title), box.wide, 14, bold=True)
    sheet.line(box.left, box.top + 14, title, 14, bold=True)
    after = width(title, 14, bold=True) + 10
    unit = drawable(panel.unit)
    if after + width(unit, _SMALL) <= box.wide:
        sheet.line(box.left + after, box.top + 14, unit, _SMALL, colour=QUIET)
        inner = box.below(26)
    else:
        sheet.line(box.left, box.top + 31, shortened(unit, box.wide, _SMALL), _SMALL, colour=QUIET)
        inner = box.below(42)
    if panel.look == "dots":
        _dots(sheet, inner, panel)
    else:
        _upright(sheet, inner, panel)


def _looks(axes: Axes, along: str) -> None:
    for side in ("top", "right", "left" if along == "y" else "bottom"):
        axes.spines[side].set_visible(False)
    axes.grid(visible=True, axis="y" if along == "y" else "x", color="#e3e6ea", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=_SMALL * POINTS, pad=4)
    numbers = axes.yaxis if along == "y" else axes.xaxis
    numbers.set_major_locator(MaxNLocator(_STEPS, integer=True))
    numbers.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def _ends(limits: tuple[float, float]) -> tuple[float, float]:
    """The ends of an axis of numbers: the first and the last of its lines, so that no mark stands beyond a number."""
    low, high = limits
    lines = MaxNLocator(_STEPS, integer=True).tick_values(low, max(high, low + 1))
    return float(lines[0]), float(lines[-1])


def _upright(sheet: Sheet, box: Box, panel: Panel) -> None:
    """A line with its band, or bars with their ranges."""
    ends = _ends(panel.limits)
    left = max(width(number(end), _SMALL) for end in ends) + 10
    names = [drawable(name) for name in panel.names]
    inside = box.wide - left - 8
    widest = max((width(name, _SMALL) for name in names), default=0.0)
    room = inside / max(len(names), 1)
    slanted = widest + 8 > room and len(names) <= _MOST_NAMES
    step = 1 if slanted else max(int(np.ceil((widest + 10) / room)), 1)
    foot = min(widest * 0.62 + 22, box.high * 0.45) if slanted else 28.0
    axes = sheet.axes(Box(box.left + left, box.top + 4, inside, box.high - foot - 8))
    _looks(axes, "y")
    at, shown = np.arange(len(names)), panel.shown
    bottom, top = np.nan_to_num(shown.low, nan=0.0), np.nan_to_num(shown.high, nan=0.0)
    known = np.isfinite(shown.high)
    if panel.look == "line":
        axes.fill_between(at, bottom, top, where=known, color=NOISY, alpha=0.22, linewidth=0)
        axes.plot(at, shown.values, color=NOISY, linewidth=1.6, marker="o", markersize=3, clip_on=False)
    else:
        axes.bar(at, shown.values, width=0.86, color=NOISY, alpha=0.55)
        axes.vlines(at[known], bottom[known], top[known], color=QUIET, linewidth=1.4)
    if panel.below:
        axes.plot(panel.below, np.zeros(len(panel.below)), "v", color=NOISY, markersize=6, clip_on=False)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylim(*ends)
    axes.set_xticks(at[::step], names[::step])
    axes.tick_params(axis="x", pad=8)  # below the lowest number of the other axis
    if slanted:
        for label in axes.get_xticklabels():
            label.set(rotation=35, ha="right", rotation_mode="anchor")


def _dots(sheet: Sheet, box: Box, panel: Panel) -> None:
    """A dot with its range for each name, the first above."""
    names = [shortened(drawable(name), 0.48 * box.wide, _SMALL) for name in panel.names]
    left = max((width(name, _SMALL) for name in names), default=0.0) + 10
    ends = _ends(panel.limits)
    # Half of the last number stands beyond the axis.
    right = max(18.0, width(number(ends[1]), _SMALL) / 2 + 4)
    axes = sheet.axes(Box(box.left + left, box.top, box.wide - left - right, box.high - 24))
    _looks(axes, "x")
    at, shown = np.arange(len(names)), panel.shown
    known = np.isfinite(shown.high) & np.isfinite(shown.low)
    axes.hlines(at[known], shown.low[known], shown.high[known], color=NOISY, alpha=0.45, linewidth=4)
    axes.plot(shown.values, at, "o", color=NOISY, markersize=6)
    if panel.limits[0] < 0:
        axes.axvline(0, color=QUIET, linewidth=1)
    axes.set_xlim(*ends)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(at, names)


def _promise(sheet: Sheet, box: Box, drawn: DrawnPromise) -> None:
    """The dots, and what terms mean where the sheet is empty: below the words of the only dots, else below all."""
    many, beside = len(drawn.times), box.wide >= NARROW
    wide = (box.wide - _GAP * (many - 1)) / many if beside else box.wide
    under = 0 if beside and many == 1 else _TERMS_BELOW if beside else _TERMS_HIGH
    high = (box.high - under) / (1 if beside else many)
    free = box
    for at, one in enumerate(drawn.times):
        left = box.left + at * (wide + _GAP) if beside else box.left
        free = _hundred(
            sheet, Box(left, box.top if beside else box.top + at * high, wide, high - 14), one
        ).below(_GAP)
    if under:
        free = box.below(box.high - under)
    free = free.below(_title(sheet, free, TERMS_TITLE))
    for at, term in enumerate(drawn.terms):
        room = free._replace(high=free.high / (len(drawn.terms) - at))
        free = free.below(sheet.words(room, term, _LETTERS, least=8, colour=QUIET) + 4)


def _hundred(sheet: Sheet, box: Box, one: Times) -> Box:
    """A hundred dots: right by luck, right at most by the release, and wrong. Returns what is free below their words."""
    used = sheet.words(Box(box.left, box.top, box.wide, 44), one.question, 16, least=12, bold=True) + 8
    side = min(box.high - used - 4, 0.56 * box.wide)
    step = side / 10
    axes = sheet.axes(Box(box.left, box.top + used, side, side))
    axes.set_axis_off()
    axes.set_xlim(0, 10)
    axes.set_ylim(10, 0)
    at = np.arange(100)
    x, y = at % 10 + 0.5, at // 10 + 0.5
    parts = (at < 50, (at >= 50) & (at < one.right), at >= max(one.right, 50))
    looks = ("o", GREY, GREY), ("s", VERMILION, VERMILION), ("o", "none", _LIGHT)
    for part, (mark, fill, rim) in zip(parts, looks, strict=True):
        size = (0.62 if mark == "o" else 0.56) * step * POINTS
        axes.scatter(x[part], y[part], s=size**2, marker=mark, facecolor=fill, edgecolor=rim, linewidth=1)
    left, wide = box.left + side + 30, box.wide - side - 30
    top = box.top + used
    size_said = 17 if wide > 2 * _NUMBER_WIDE else 13
    if wide > _NUMBER_WIDE:
        top += sheet.words(Box(left, top - 8, wide, 76), one.large, 54, least=24, bold=True) + 8
    for (mark, fill, rim), said in zip(looks, marks_said(one.right), strict=True):
        place = sheet.axes(Box(left, top + 2, 18, 18))
        place.set_axis_off()
        place.scatter(
            [0],
            [0],
            s=(14 * POINTS) ** 2,
            marker=mark,
            facecolor=fill,
            edgecolor=GREY if fill == "none" else rim,
        )
        top += max(sheet.words(Box(left + 28, top, wide - 28, 90), said, size_said, least=11), 22) + 10
    return Box(left, top, wide, box.top + box.high - top)
