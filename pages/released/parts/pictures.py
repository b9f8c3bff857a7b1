"""The maps of a release, packed once for all visitors: a release is public and never changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import Lock
from urllib.parse import quote
from weakref import WeakKeyDictionary

from dpcore.measures.keys import Districts
from dpcore.privacy import RUNGS, decimal_text
from dpcore.release import Release
from dpcore.release.estimates import estimates_of
from dpcore.views.ground.selection import districts_shown
from dpcore.views.maps.context_message import pack_context
from dpcore.views.maps.flow_levels import estimated_lines
from dpcore.views.maps.tile_map import MapDistricts, MapGeometry, counted_flows, flows_map, visits_map
from dpcore.views.numbers.area import DISTRICT_FLOWS, FLOWS, Numbers, measure_between, numbers_of
from dpcore.views.numbers.estimated import estimate_breaks
from dpcore.views.numbers.guarantee import protection_text_at
from dpcore.views.numbers.ranking import Ranking, first_of
from pages.parts.ladder_map import Rungs


@dataclass(frozen=True, repr=False, eq=False)
class Pictures:
    """What the browser needs of one release, the same for everyone."""

    release_id: str
    geometry: MapGeometry
    districts: Districts | None
    """Those of the plan, or of the map."""
    visits: bytes | None
    flows: bytes | None
    context: bytes | None
    """What lies under the tiles, if the release holds it."""
    rankings: dict[tuple[str, int], Ranking] = field(default_factory=dict)
    """What was reckoned so far, by measure and rung: a tenth of a second each, once for all visitors."""
    estimated: dict[str, bytes] = field(default_factory=dict)
    """The map of estimated flows, once somebody looked at it."""
    between: list[MapDistricts | None] = field(default_factory=list)
    """The districts of that map."""
    breaks: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Colour breaks of estimates by measure, once somebody looked at them."""

    @property
    def link(self) -> str:
        """Maps and slider of this release move together."""
        return self.geometry.link


_LOCK = Lock()
_PACKED: WeakKeyDictionary[Release, Pictures] = WeakKeyDictionary()


def pictures(release: Release) -> Pictures:
    """The packed maps of a release; they go when nobody looks at it any more."""
    with _LOCK:
        if release not in _PACKED:
            _PACKED[release] = _pictures(release)
        return _PACKED[release]


def ranking(release: Release, measure: str, rung: int) -> Ranking:
    """The first ten tiles (``visits_per_tile``) or flows (``od_flows``) of a release at a rung."""
    kept = pictures(release).rankings
    if (measure, rung) not in kept:
        kept[measure, rung] = first_of(release, measure, rung)
    return kept[measure, rung]


def breaks_of_estimates(release: Release, measure: str = "visits_per_tile") -> tuple[int, ...]:
    """Colour breaks of the estimates of a release, the same at every stop."""
    kept = pictures(release).breaks
    if measure not in kept:
        kept[measure] = estimate_breaks(release, measure)
    return kept[measure]


def estimated_flows(release: Release) -> bytes:
    """The packed map of estimated flows; their numbers come by stops."""
    found = pictures(release)
    if "flows" not in found.estimated:
        found.estimated["flows"] = flows_map(
            found.geometry,
            estimated_lines(_finest(release, FLOWS)),
            release.plan,
            start_rung=len(release.plan.rungs) - 1,
            steered=True,
            sentences=sentences(release),
            districts=drawn_districts(release),
        )
    return found.estimated["flows"]


def drawn_districts(release: Release) -> MapDistricts | None:
    """The districts of the map of estimated flows with the pairs that it draws; None where there are none."""
    found = pictures(release)
    if found.districts is None:
        return None
    if not found.between:
        finest = _finest(release, measure_between(release.measurements))
        found.between.append(
            found.geometry.grouped(found.districts, estimated_lines(finest, found.districts))
        )
    return found.between[0]


def _finest(release: Release, measure: str) -> Numbers:
    """The estimates of a table at the finest stop: they choose what is drawn and how large."""
    found = estimates_of(release, of=(measure,))
    return numbers_of(release, found, released=False)


def _pictures(release: Release) -> Pictures:
    geometry = MapGeometry.of(release.tessellation)
    part = "".join(
        f" {quote(label)}" for label in release.part.values()
    )  # hyphens and spaces of labels part nothing
    geometry = replace(geometry, link=f"{release.id} {release.anchor.hash[:16]}{part}")
    if release.plan.choices.splits:  # a part has maps; all parts together have other pictures
        return Pictures(release.id, geometry, None, None, None, None)
    visits, between = release.measurements.get("visits_per_tile"), release.measurements.get(DISTRICT_FLOWS)
    flows = release.measurements.get(FLOWS)
    finest = len(release.plan.rungs) - 1
    said = sentences(release)
    districts = districts_shown(release.plan, release.tessellation)
    return Pictures(
        release.id,
        geometry,
        districts,
        None
        if visits is None
        else visits_map(
            geometry, visits, start_rung=finest, steered=True, sentences=said, districts=districts
        ),
        None
        if flows is None and between is None
        else flows_map(
            geometry,
            None if flows is None else counted_flows(flows),
            release.plan,
            start_rung=finest,
            steered=True,
            sentences=said,
            districts=geometry.grouped(districts, None if between is None else counted_flows(between)),
        ),
        None
        if release.context is None
        else pack_context(release.context, geometry.packed, (*release.tessellation.bounds,)),
    )


def sentences(release: Release) -> list[str]:
    """What the whole release protects, and what the numbers of each rung are."""
    return [protection_text_at(release, rung) for rung in range(len(release.plan.rungs))]


def rungs(release: Release, start: int) -> Rungs:
    """What the slider of a release shows."""
    plan = release.plan
    return Rungs(
        link=pictures(release).link,
        rungs=[decimal_text(rung) for rung in plan.rungs],
        beyond=[decimal_text(rung) for rung in RUNGS if rung > plan.epsilon],
        unit=f"per {plan.bound}",
        sentences=sentences(release),
        start=start,
    )
