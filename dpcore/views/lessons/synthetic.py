"""Synthetic trips as pictures: what survives, a day that does not, and which noise fits a printed figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, TRUE, Chart, Json

Integers = NDArray[np.int64]
_NOISY: Final = "synthetic trips at this ε"
_EXACT: Final = "the same model without any noise"
_VERMILION: Final = "#d55e00"
_GREY: Final = "#808a95"


def survival(
    names: Sequence[str], groups: Sequence[str], noisy: Sequence[float], exact: Sequence[float]
) -> Chart:
    """For each table the share of trips that must be changed: at an epsilon, and where nothing was hidden."""
    table = pd.concat(
        [
            pd.DataFrame({"table": [*names], "kind": [*groups], "changed": [*values], "of": of})
            for of, values in ((_NOISY, noisy), (_EXACT, exact))
        ]
    )
    y: Json = {
        "field": "table",
        "type": "nominal",
        "sort": [*names],
        "title": None,
        "axis": {"labelLimit": 110, "grid": True, "ticks": False},
    }
    x: Json = {
        "field": "changed",
        "type": "quantitative",
        "title": "trips that must be changed to agree",
        "axis": {"labelExpr": "format(100 * datum.value, '.0f') + ' %'", "tickCount": 5},
    }
    of = [_NOISY, _EXACT]
    legend: Json = {"orient": "top", "title": None, "columns": 1, "labelLimit": 260}
    marks: Json = {
        "mark": {"type": "point", "filled": True, "size": 85, "opacity": 0.95, "tooltip": True},
        "encoding": {
            "x": x,
            "y": y,
            "color": {
                "field": "of",
                "type": "nominal",
                "scale": {"domain": of, "range": [NOISY, _VERMILION]},
                "legend": legend,
            },
            "shape": {
                "field": "of",
                "type": "nominal",
                "scale": {"domain": of, "range": ["circle", "diamond"]},
                "legend": legend,
            },
        },
    }
    alt = "Things alone are near 0 at once, tables that were measured follow with ε, tables that were not stay off"
    return Chart(table, {"height": 340, "layer": [marks]}, alt)


def one_date(dates: Sequence[str], truth: Integers, synthetic: Integers, place: str) -> Chart:
    """Trips to a place by date: synthetic ones as a line, true ones dashed."""
    table = pd.concat(
        [
            pd.DataFrame({"date": [*dates], "trips": values.tolist(), "of": of})
            for of, values in (("true", truth), ("synthetic", synthetic))
        ]
    )
    of = ["synthetic", "true"]
    legend: Json = {"orient": "top", "title": None, "symbolType": "stroke", "symbolStrokeWidth": 2.5}
    spec: Json = {
        "height": 300,
        "mark": {"type": "line", "strokeWidth": 2.5, "tooltip": True},
        "encoding": {
            "x": {
                "field": "date",
                "type": "temporal",
                "title": None,
                "axis": {"format": "%-d %b", "tickCount": 4},
            },
            "y": {"field": "trips", "type": "quantitative", "title": f"trips to {place}"},
            "color": {
                "field": "of",
                "type": "nominal",
                "scale": {"domain": of, "range": [NOISY, TRUE]},
                "legend": legend,
            },
            "strokeDash": {
                "field": "of",
                "type": "nominal",
                "scale": {"domain": of, "range": [[1, 0], [6, 3]]},
                "legend": legend,
            },
        },
    }
    return Chart(
        table,
        spec,
        f"{place}: one day has up to {truth.max():,} true trips and {synthetic.max():,} synthetic ones",
    )


def busiest_days(
    names: Sequence[str], shares: Sequence[float], truth: float, printed: tuple[float, float]
) -> Chart:
    """Share of the busiest days by what the noise was added to; what the article prints as a band, the truth dashed."""
    low, high = printed
    table = pd.DataFrame({"noise on": [*names], "share": [*shares]})
    y: Json = {
        "field": "noise on",
        "type": "nominal",
        "sort": [*names],
        "title": None,
        "axis": {"labelLimit": 150, "labelExpr": "split(datum.label, ', ')"},
    }
    x: Json = {
        "field": "share",
        "type": "quantitative",
        "title": "busiest days, mean share in per cent",
        "scale": {"domain": [0, 0.6]},
    }
    spec: Json = {
        "height": 250,
        "layer": [
            {
                "data": {"values": [{"low": low, "high": high}]},
                "mark": {"type": "rect", "color": _GREY, "opacity": 0.35},
                "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "bar", "color": NOISY, "height": {"band": 0.45}, "tooltip": True},
                "encoding": {"y": y, "x": x},
            },
            {
                "mark": {"type": "text", "align": "right", "dx": -6, "color": "#ffffff", "fontWeight": 600},
                "encoding": {
                    "y": y,
                    "x": x,
                    "text": {"field": "share", "type": "quantitative", "format": ".3f"},
                },
            },
            {
                "data": {"values": [{"true": truth}]},
                "mark": {"type": "rule", "color": TRUE, "strokeDash": [5, 3], "strokeWidth": 2},
                "encoding": {"x": {"field": "true", "type": "quantitative"}},
            },
        ],
    }
    alt = f"The article prints {low} to {high}, a band; only noise on occupied cells comes near it"
    return Chart(table, spec, alt)
