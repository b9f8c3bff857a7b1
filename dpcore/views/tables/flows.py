"""Flows: the strongest ones between tiles or districts, as lines on the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.comparison.all_trips import counts_all
from dpcore.comparison.findings import Finding
from dpcore.estimates import Estimates
from dpcore.estimates.known import are_known
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import Release
from dpcore.release.estimates import estimates_to_show
from dpcore.views.maps.address import Address
from dpcore.views.maps.drawn_map import DrawnMap
from dpcore.views.numbers.area import DISTRICT_FLOWS, FLOWS
from dpcore.views.numbers.findings import names_of, surely_words
from dpcore.views.numbers.selected_flows import flow_measure
from dpcore.views.pictures import maps
from dpcore.views.pictures.sentences import maybe_words
from dpcore.views.pictures.table_view import TableView, whose_words


def _holds(release: Release, at: Address) -> bool:
    held = {*release.measurements}
    told = {flow_measure(at.chosen, held)} if at.chosen.places else {FLOWS, DISTRICT_FLOWS}
    return bool(told & held) or (VISITS in held and not at.released and FLOWS in told)


def _drawing(release: Release, at: Address, estimates: Estimates) -> tuple[DrawnMap | None, Sequence[str]]:
    found = maps.map_of_flows(release, at, estimates)
    if found is None:
        return None, []
    drawn, flows = found
    return drawn, [whose_words(release, at, estimates), _of_flows(flows, len(flows.shown.values))]


def _of_flows(flows: maps.Flows, told: int) -> str:
    drawn = min(told, maps.MOST_ARROWS)
    if not drawn and flows.hidden:
        return f"No flow is drawn: none of the {flows.hidden:,} can be told from zero."
    said = f"Lines are thick where they end: {drawn:,} flows {flows.places.of} are drawn"
    said += f", the first of {told:,}" if told > drawn else ""
    said += f"; {flows.hidden:,} others cannot be told from none." if flows.hidden else "."
    dashed = "" if flows.known[:drawn].all() else "Dashed: not known within 25 %."
    return " ".join(one for one in (said, flows.said, dashed) if one)


def _flows(release: Release, told: tuple[Finding, ...], at: Address) -> str:
    """The strongest flow between two places, which are those of the picture: districts where there are such flows, else tiles."""
    estimates = estimates_to_show(release, at.rung, of=maps.flow_tables(release))
    found = maps.map_of_flows(release, at, estimates)
    if found is None:
        return ""
    drawn, flows = found
    rows = {} if drawn.listed is None else dict(drawn.listed.rows)
    if not rows:
        return maps.NO_FLOW
    called = f"flow {flows.places.of}"
    surely = next((one for one in told if one.kind == "largest" and one.measure == DISTRICT_FLOWS), None)
    if surely is not None and flows.places.districts:
        names = names_of(release, surely)
        if {*names} <= {*rows}:
            return surely_words(called, names, [rows[name] for name in names], of_all=counts_all(release))
    name, words = next(iter(rows.items()))
    of_all = release.plan.bound.max_trips is None if at.released else estimates.share is not None
    if not at.released and are_known(flows.shown)[0] and flows.shown.values[0] < flows.shown.values.max():
        called = f"known {called}"
    return maybe_words(called, name, words, of_all=of_all, released=at.released)


VIEW: Final = TableView(
    "Flows",
    _holds,
    lambda release, _: maps.flow_tables(release),
    _drawing,
    _flows,
    ":material/conversion_path: Flows",
)
