"""A chart to take along: as a picture for slides, and as its numbers."""

from __future__ import annotations

import vl_convert

from dpcore.views.series import Chart, Json


def svg(chart: Chart) -> bytes:
    """The chart as an SVG picture, drawn on this computer, without a request to anybody."""
    spec: Json = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": 640,
        "background": "#ffffff",
        **chart.spec,
        "data": {"values": chart.table.to_dict("records")},
    }
    return str(vl_convert.vegalite_to_svg(spec)).encode()


def csv(chart: Chart) -> bytes:
    """The numbers of the chart, one row each."""
    return chart.table.to_csv(index=False).encode()
