"""Rankings: the busiest tiles and the strongest flows, with their ranges."""

from __future__ import annotations

from typing import Final

from dpcore.comparison.findings import Finding
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import Release
from dpcore.views.maps.address import Address
from dpcore.views.numbers.area import DISTRICT_FLOWS, FLOWS
from dpcore.views.numbers.findings import said_of
from dpcore.views.pictures import charts
from dpcore.views.pictures.chart_views import chart_view
from dpcore.views.pictures.table_view import TableView

_OPEN: Final = "Where ranges overlap, the order is open."


def _holds(release: Release, at: Address) -> bool:
    ranked = {VISITS, FLOWS, *([] if at.released else [DISTRICT_FLOWS])}
    return not ranked.isdisjoint(release.measurements)


def _tables(release: Release, _at: Address) -> tuple[str, ...]:
    held = {*release.measurements}
    modelled = {FLOWS} if VISITS in held else set()  # from visits, where flows were not counted
    return tuple(one for one in (VISITS, FLOWS, DISTRICT_FLOWS) if one in held | modelled)


def _sure(release: Release, told: tuple[Finding, ...], _at: Address) -> str:
    """What is sure and not told yet."""
    rest = [said_of(release, one) for one in told if one.kind == "most uneven"]
    return rest[0] if rest and VISITS in release.measurements else ""


VIEW: Final[TableView] = chart_view(
    "The busiest tiles and flows",
    _holds,
    _tables,
    charts.rankings,
    sentence=_sure,
    button=":material/format_list_numbered: Rankings",
    last=_OPEN,
)
