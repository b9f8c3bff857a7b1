"""How long trajectories are, as a chart: counted whole, cut at the height, or with a rest that is not known."""

from __future__ import annotations

from typing import Any, Final, Protocol

import pandas as pd

from dpcore.trajectory_tree.paths import Lengths
from dpcore.views.charts import NOISY, TRUE, Chart, layer, marked, names, quantity, told_apart

WHOLE: Final = "counted whole"
CUT: Final = "cut"
UNKNOWN: Final = "at least so long, rest unknown"
MOST: Final = 24
"""Bars of a chart; what is longer is one bar."""
_OPACITY: Final = {WHOLE: 0.85, CUT: 0.45, UNKNOWN: 0.25}


class AnyLengths(Protocol):
    """Numbers of trajectories by length, true or noisy."""

    @property
    def complete(self) -> Any:  # noqa: ANN401 -- an array of whole numbers or of floats
        """Of 0, 1, ... tiles."""

    @property
    def longer(self) -> float:
        """Of more."""


def lengths_chart(lengths: AnyLengths, height: int, mark: str = "") -> Chart:
    """True lengths, in the colour of what is true; those above the height are paler: they would be cut."""
    known = [float(one) for one in lengths.complete]
    last = max([height, *(at for at, one in enumerate(known) if one)])
    shown = min(last, max(height, MOST))
    rows = [
        (str(tiles), WHOLE if tiles <= height else CUT, known[tiles])
        for tiles in range(1, shown + 1)
        if tiles < len(known)
    ]
    beyond = sum(known[shown + 1 :]) + float(lengths.longer)
    if beyond:
        rows.append((f"{shown + 1}+", CUT, beyond))
    return _chart(rows, TRUE, mark, f"Trajectories by number of tiles; those of more than {height} are cut")


def noisy_lengths_chart(lengths: Lengths, mark: str = "") -> Chart:
    """The lengths that a tree tells; negative numbers are drawn as 0 and stay in the table's ``count``."""
    height = len(lengths.complete) - 1
    rows = [
        (str(tiles), kind, float(counts[tiles]))
        for kind, counts in ((WHOLE, lengths.complete), (UNKNOWN, lengths.unknown))
        for tiles in range(1, height + 1)
    ]
    rows.append((f"{height + 1}+", CUT, lengths.longer))
    return _chart(
        [row for row in rows if row[2]], NOISY, mark, "Noisy numbers of trajectories by number of tiles"
    )


def _chart(rows: list[tuple[str, str, float]], colour: str, mark: str, alt: str) -> Chart:
    table = pd.DataFrame(rows, columns=["tiles", "kind", "count"])
    table["drawn"] = table["count"].clip(lower=0)
    kinds = [kind for kind in _OPACITY if (table["kind"] == kind).any()]
    bars = layer(
        "bar",
        {"color": colour},
        x={
            "field": "tiles",
            "type": "ordinal",
            "title": "tiles of a trajectory",
            "sort": None,
            "axis": {"labelAngle": 0},
        },
        y=quantity("drawn", "trajectories", stack="zero"),
        opacity=told_apart(
            "kind",
            kinds,
            [_OPACITY[kind] for kind in kinds],
            title=None,
            legend={"orient": "top", "labelLimit": 300},
        ),
        tooltip=[
            names("tiles", "tiles"),
            names("kind", " "),
            quantity("count", "trajectories", format=",.0f"),
        ],
    )
    # the legend above is part of the height
    return Chart(table, marked({"height": 260, **bars}, mark), alt)
