"""Releases of others beside a plan of ours: as a picture on a logarithmic scale, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from dpcore.comparison.known_releases import Compared
from dpcore.views.charts import NOISY, Chart

_GREY: Final = "#7b8794"
_CERTAINTY: Final = {
    "reported": "reported, not certified",
    "paper": "from the paper",
    "unverified": "unverified",
}
_OURS: Final = "this plan"


def chart(rows: Sequence[Compared]) -> Chart:
    """One mark for each release that can be compared; hollow where the number is unverified."""
    table = pd.DataFrame(
        [
            {
                "name": _label(row),
                "epsilon": row.epsilon,
                "what": _OURS if row.ours else _CERTAINTY[row.certainty],
                "reported": row.reported,
                "how": row.how,
            }
            for row in rows
            if row.epsilon is not None
        ]
    )
    kinds = [_OURS, *_CERTAINTY.values()]
    x: dict[str, Any] = {
        "field": "epsilon",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": _range(table)},
        "title": "ε, one person over four weeks",
        "axis": {"titleAnchor": "end", "values": [10**power for power in range(-3, 7)], "format": "~g"},
    }
    y = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelLimit": 170, "grid": True, "ticks": False},
    }
    fields = (
        ("name", "release"),
        ("reported", "reported"),
        ("epsilon", "in one unit"),
        ("how", "conversion"),
    )
    spec: dict[str, Any] = {
        "height": {"step": 24},
        "mark": {"type": "point", "size": 110, "strokeWidth": 2},
        "encoding": {
            "x": x,
            "y": y,
            "color": {
                "field": "what",
                "scale": {"domain": kinds, "range": [NOISY, *[_GREY] * 3]},
                "legend": None,
            },
            "fill": {
                "field": "what",
                "scale": {"domain": kinds, "range": [NOISY, _GREY, _GREY, "transparent"]},
                "legend": None,
            },
            "tooltip": [
                {"field": field, "title": title, **({"format": ".3~g"} if field == "epsilon" else {})}
                for field, title in fields
            ],
        },
    }
    return Chart(table, spec, "Epsilon of this plan and of known releases, for one person over four weeks")


def caption(rows: Sequence[Compared]) -> str:
    """What the marks mean, and how many releases have none."""
    without = sum(row.epsilon is None for row in rows)
    missing = f" {without} more cannot be compared; the table says why." if without else ""
    return f"Filled: this plan, reported, or read in the paper. Hollow: unverified.{missing}"


def columns(rows: Sequence[Compared]) -> dict[str, list[str]]:
    """Columns of text; releases that cannot be compared are in it, with the reason."""
    return {
        "release": [_label(row) for row in rows],
        "reported": [row.reported for row in rows],
        "for one person over four weeks": [
            "cannot be compared" if row.epsilon is None else f"{row.epsilon:.3g}" for row in rows
        ],
        "how": [
            " ".join(filter(None, (row.how, row.note, "Local model." if row.local else ""))) for row in rows
        ],
        "how sure": ["" if row.ours else _CERTAINTY[row.certainty] for row in rows],
        "source": [row.sources[0] if row.sources else "" for row in rows],
    }


def _label(row: Compared) -> str:
    return "This plan" if row.ours else f"{row.publisher} {row.year}: {row.name}"


def _range(table: pd.DataFrame) -> list[float]:
    """From a little below the smallest to a little above the largest; all of it is public."""
    return [float(table["epsilon"].min()) / 2, float(table["epsilon"].max()) * 2]
