"""The levels of tiles as a map: a picture without any script; its legend says the names and how many tiles have each."""

from __future__ import annotations

from html import escape
from typing import Final

from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.levels import Levels
from dpcore.views.svg import MAP_HEIGHT, MAP_WIDTH, Projection, coloured
from dpcore.views.tree.colours import level_colours

_PAPER: Final = {False: ("#ffffff", "#31333f"), True: ("#14181d", "#e6e9ed")}
_ROW: Final = 22  # pixels of a line of the legend
_COLUMNS: Final = 3


def tile_colours(levels: Levels, *, dark: bool = False) -> list[str]:
    """The colour of every place, ``#rrggbb``, in the order of the symbols."""
    colours = [one.on(dark=dark) for one in level_colours(levels.critical)]
    return [colours[level - 1] for level in levels.level.tolist()]


def levels_svg(tiles: Tessellation, levels: Levels, mark: str = "", *, dark: bool = False) -> str:
    """Tiles in the colours of their levels; a place outside the tiles stands in the legend's number only."""
    project = Projection(tiles)
    paper, ink = _PAPER[dark]
    colours = [one.on(dark=dark) for one in level_colours(levels.critical)]
    drawn = coloured(tiles, project, colours, (levels.level - 1).tolist())
    height = MAP_HEIGHT + 14 + _ROW * -(-levels.critical // _COLUMNS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MAP_WIDTH} {height}" role="img" '
        f'aria-label="Map of the privacy levels of tiles" font-family="sans-serif" font-size="13" fill="{ink}">'
        f'<rect width="100%" height="100%" fill="{paper}"/>'
        f'<g fill-rule="evenodd" stroke="{ink}" stroke-width="0.4" stroke-linejoin="round">{drawn}</g>'
        f'<g transform="translate(0 {MAP_HEIGHT + 14})">{_legend(levels, ink, dark=dark)}</g><text x="8" y="20" fill="#8a5d1d">{escape(mark)}</text></svg>'
    )


def legend_svg(levels: Levels, *, dark: bool = False) -> str:
    """The names of the levels with their colours and numbers of places, most delicate first, for beside an icicle."""
    ink, height = _PAPER[dark][1], _ROW * -(-levels.critical // _COLUMNS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MAP_WIDTH} {height}" role="img" '
        f'aria-label="Colours of the privacy levels" font-family="sans-serif" font-size="13" fill="{ink}">'
        f"{_legend(levels, ink, dark=dark)}</svg>"
    )


def _legend(levels: Levels, ink: str, *, dark: bool) -> str:
    colours = level_colours(levels.critical)
    parts = []
    for place, at in enumerate(reversed(range(levels.critical))):
        x = 8 + (place % _COLUMNS) * MAP_WIDTH / _COLUMNS
        y = _ROW * (place // _COLUMNS)
        many = int((levels.level == at + 1).sum())
        parts.append(
            f'<rect x="{x:.0f}" y="{y}" width="14" height="14" fill="{colours[at].on(dark=dark)}" stroke="{ink}" '
            f'stroke-width="0.5"/><text x="{x + 20:.0f}" y="{y + 12}">{escape(levels.descriptors[at].name)}: {many:,}</text>'
        )
    return "".join(parts)
