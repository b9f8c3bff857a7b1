"""What the pictures of lessons share: axes, tables of lines, maps of tiles with a legend, and numbers to take along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.tiles import Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.style import Json
from dpcore.views.maps.drawn_map import DrawnMap, Key
from dpcore.views.maps.projection import inside
from dpcore.views.maps.still import still_map

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


def tiles_svg(
    tiles: Tessellation,
    kinds: Sequence[tuple[str, str]],
    which: Integers,
    numbers: Mapping[int, str],
    title: str,
    *,
    dark: bool = False,
) -> str:
    """Tiles in the colour of their kind, as SVG text.

    ``kinds``: colour and meaning of each, empty if it is not in the legend; ``which``: the kind of each tile, shape ``(tiles,)``; ``numbers``: what stands on some tiles, by tile number, short, so
    that no meaning hangs on colour alone; ``dark``: as the page is, for the picture has no ground of its own.
    """
    points = inside([tiles.polygons[tile] for tile in numbers])
    drawn = DrawnMap(
        tiles,
        which,
        tuple(colour for colour, _ in kinds),
        Key("", tuple(kind for kind in kinds if kind[1])),
        names=tuple(zip(numbers.values(), points, strict=True)),
    )
    return still_map(drawn, title, title=title, dark=dark)
