"""The curve of error against epsilon on Explore: expected at once, then counted from the truth, stop by stop."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import monotonic

from streamlit.delta_generator import DeltaGenerator

from dpcore.noise.expected_estimates import expected_share
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit
from dpcore.views.planning import tradeoff
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import session
from pages.parts.map_data import map_data
from pages.parts.tradeoff import tradeoff as draw_curve

_FEW_TILES = 2_000  # estimates of all stops of so many tiles take ten seconds; of more, each stop is counted when it is looked at
_UNTOLD = 0.3  # seconds of counting before the page is told; it hears a click when it is told


def curve(data: DataSet) -> None:
    """Draw what a stranger can learn, and what is expected and known so far of both units. Counts nothing but visits of the chosen bound."""
    mine = session()
    lines = [
        mine.kept.last(
            f"expected of {bound.unit.value}",
            (mine.number_of_draw(bound), bound == mine.draft().bound),
            partial(_expected_line, data, bound),
        )
        for bound in _bounds(data)
    ]
    shown = tradeoff.CurveShown(
        data.geometry.link,
        RUNGS,
        len(RUNGS),
        session().start,
        lines,
        tradeoff.FOR_OWNERS,
        data.mark,
        tradeoff.learnt(session().draft().bound, RUNGS),
    )
    draw_curve(tradeoff.message(shown), key=f"curve {data.geometry.link}")


def count_stop(data: DataSet, place: DeltaGenerator, rung: int) -> None:
    """Count the stop that is looked at: its estimates are there already."""
    session().curve_errors(session().draft().bound, rung)
    _send(data, place)


def count_all(data: DataSet, place: DeltaGenerator) -> None:
    """Count all stops of both units and tell them as they come; with many tiles those alone that were looked at."""
    if len(data.tessellation.tile_ids) > _FEW_TILES:
        return
    told, counted = monotonic(), False
    for bound, rung in [*_missing(data)]:
        session().curve_errors(bound, rung)
        counted = monotonic() - told < _UNTOLD
        if not counted:
            _send(data, place)
            told = monotonic()
    if counted:
        _send(data, place)


def _bounds(data: DataSet) -> tuple[ContributionBound, ...]:
    """The bound of a person, where the trips have people, and that of one trip."""
    draft = session().draft()
    by_trip = ContributionBound.per_trip()
    return (ContributionBound.per_user(draft.max_trips), by_trip) if data.trips.has_users else (by_trip,)


def _missing(data: DataSet) -> Iterator[tuple[ContributionBound, int]]:
    """What was not counted yet, the chosen bound first."""
    mine = session()
    for bound in sorted(_bounds(data), key=lambda one: one != mine.draft().bound):
        known = mine.known_errors(bound)
        yield from ((bound, rung) for rung in range(len(RUNGS)) if rung not in known)


def _expected_line(data: DataSet, bound: ContributionBound) -> tradeoff.Line:
    mine = session()
    if bound == mine.draft().bound:
        share: float | None = mine.showing("visits_per_tile").counted_share
    else:
        share = 1.0 if bound.unit is PrivacyUnit.TRIP else expected_share(bound, data.facts)
    return tradeoff.expected_line(
        mine.plan(bound),
        data.trips.report.trips,
        share,
        len(data.tessellation.tile_ids),
        name=_name(data, bound),
    )


def _send(data: DataSet, place: DeltaGenerator) -> None:
    known = {_name(data, bound): session().known_errors(bound) for bound in _bounds(data)}
    points = tradeoff.known_points(known, len(RUNGS))
    with place.container():
        which = " ".join(f"{name} {len(errors)}" for name, errors in known.items())
        map_data("points", data.geometry.link, points, which=which)


def _name(data: DataSet, bound: ContributionBound) -> str:
    return f"{data.geometry.link} draw {session().number_of_draw(bound)}"
