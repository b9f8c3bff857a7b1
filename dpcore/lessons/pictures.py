"""What the pictures of lessons share: axes, tables of lines, maps of tiles with a legend, and numbers to take along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.tiles import Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.style import Json
from dpcore.views.maps.map_svg import MAP_HEIGHT, MAP_WIDTH, Projection, coloured

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PERCENT: Final[Json] = {"ticksuffix": " %"}
"""An axis of shares times 100."""
EPSILONS: Final[Json] = {"type": "log", "tickvals": [0.1, 0.2, 0.5, 1, 2, 5, 10]}
"""An axis of the epsilons of this app."""
PEOPLE: Final[Json] = charts.axis(
    "people (each line ten times more)", type="log", range=charts.log_range(0.7, 1e5), dtick=1, **charts.WHOLE
)
"""An axis of few people and of many."""
_ROW: Final = 30  # pixels of one line of the legend of a map
_COLUMNS: Final = 2
_RING: Final = 10  # pixels, radius of the disc below a number


def csv(chart: Chart) -> bytes:
    """The numbers of the chart, one row each."""
    return chart.table.to_csv(index=False).encode()


def line_table(
    at: Sequence[object], lines: Mapping[str, Sequence[float] | Integers | Floats], x: str, y: str
) -> pd.DataFrame:
    """One row for each point of each line, with the columns ``x``, ``y`` and ``line``."""
    return pd.concat(
        [
            pd.DataFrame({"line": name, x: [*at], y: np.array(high, np.float64)})
            for name, high in lines.items()
        ]
    )


def parts(table: pd.DataFrame, by: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each name in a column, in the order in which the names come first."""
    return ((str(name), rows) for name, rows in table.groupby(by, sort=False))


def marked(traces: Sequence[Json], x: Json, y: Json, chosen: float, height: int = 370) -> Json:
    """A figure of named traces with an upright line at what is ``chosen``."""
    return charts.figure(traces, height=height, x=x, y=y, legend=True, shapes=[charts.upright(chosen)])


@dataclass(frozen=True)
class TileKind:
    """One sort of tile."""

    colour: str
    means: str
    """Plain text; empty: not in the legend."""


def tiles_svg(
    tiles: Tessellation,
    kinds: Sequence[TileKind],
    which: Integers,
    numbers: Mapping[int, str],
    title: str,
    *,
    dark: bool = False,
) -> str:
    """Tiles in the colour of their kind, as SVG text.

    ``which``: the kind of each tile, shape ``(tiles,)``; ``numbers``: what stands on some tiles, by tile number, short, so
    that no meaning hangs on colour alone; ``dark``: as the page is, for the picture has no ground of its own.
    """
    project = Projection(tiles)
    drawn = coloured(tiles, project, [kind.colour for kind in kinds], which)
    ink, edge = ("#e6e9ee", "#11161c") if dark else ("#31333f", "#ffffff")
    legend = [kind for kind in kinds if kind.means]
    height = MAP_HEIGHT + _ROW * -(-len(legend) // _COLUMNS) + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MAP_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="17" fill="{ink}">'
        f'<g fill-rule="evenodd" stroke="{edge}" stroke-width="0.8" stroke-linejoin="round">{drawn}</g>'
        f"{_marks(tiles, project, numbers)}{_legend(legend)}"
        f'<text x="8" y="20" font-weight="600">{escape(title)}</text></svg>'
    )


def _marks(tiles: Tessellation, project: Projection, numbers: Mapping[int, str]) -> str:
    """Numbers in discs in the middle of their tiles."""
    if not numbers:
        return ""
    middles = project.move(
        np.array([tiles.polygons[tile].representative_point().coords[0] for tile in numbers])
    )
    return "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RING}" fill="#ffffff" stroke="#31333f" stroke-width="1.2"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" font-size="13" fill="#31333f">{escape(text)}</text>'
        for (x, y), text in zip(middles.tolist(), numbers.values(), strict=True)
    )


def _legend(kinds: Sequence[TileKind]) -> str:
    parts = []
    for place, kind in enumerate(kinds):
        x = 8 + place % _COLUMNS * (MAP_WIDTH // _COLUMNS)
        y = MAP_HEIGHT + 12 + place // _COLUMNS * _ROW
        parts.append(
            f'<rect x="{x}" y="{y}" width="20" height="16" fill="{kind.colour}" stroke="#808a95"/>'
            f'<text x="{x + 28}" y="{y + 14}" font-size="16">{escape(kind.means)}</text>'
        )
    return "".join(parts)
