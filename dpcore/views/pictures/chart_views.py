"""Views of a release of tables that are charts: each says whose trips they show, and what their ranges hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from dpcore.comparison.findings import Finding
from dpcore.estimates import Estimates
from dpcore.release import Release
from dpcore.views.maps.address import Address
from dpcore.views.pictures.slide import DrawnCharts
from dpcore.views.pictures.table_view import TableView, ranges_words, whose_words

_NOT_DRAWN: Final = "Where no range is drawn, none is known."


def chart_view(
    title: str,
    holds: Callable[[Release, Address], bool],
    tables: Callable[[Release, Address], tuple[str, ...]],
    charts: Callable[[Release, Address, Estimates], DrawnCharts | None],
    *,
    sentence: Callable[[Release, tuple[Finding, ...], Address], str] | None = None,
    button: str = "",
    last: str = "",
) -> TableView:
    """A view of charts. ``charts`` makes them; ``last`` is said after what each chart says; the others are as in ``TableView``."""

    def draw(release: Release, at: Address, estimates: Estimates) -> tuple[DrawnCharts | None, Sequence[str]]:
        drawn = charts(release, at, estimates)
        panels = () if drawn is None else drawn.panels
        unranged = any(np.isnan(panel.shown.high).all() for panel in panels)
        said = [whose_words(release, at, estimates), ranges_words(at), *([_NOT_DRAWN] if unranged else [])]
        return drawn, [*said, *([*(panel.said for panel in panels), last] if last else [])]

    return TableView(title, holds, tables, draw, sentence, button)
