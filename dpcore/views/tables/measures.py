"""More measures: how long and how far trips are, how people differ, and other histograms."""

from __future__ import annotations

from typing import Final

from dpcore.views.pictures import charts
from dpcore.views.pictures.chart_views import chart_view
from dpcore.views.pictures.table_view import TableView

VIEW: Final[TableView] = chart_view(
    "More measures",
    lambda release, _: bool(charts.binned(release)),
    lambda release, _: charts.charted(release),
    charts.histograms,
    button=":material/bar_chart: Measures",
)
