"""The map: visits of the period, arrivals of a time window, or a sum or mean that colours tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dpcore.comparison.all_trips import counts_all
from dpcore.comparison.findings import Finding
from dpcore.estimates import Estimates
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import Release
from dpcore.release.estimates import estimates_of
from dpcore.views.ground.plain import sentence
from dpcore.views.ground.shown import released_numbers
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.maps.address import Address
from dpcore.views.maps.drawn_map import DrawnMap
from dpcore.views.maps.two_sides import SideShown
from dpcore.views.numbers import estimated
from dpcore.views.numbers.area import ARRIVALS, DISTRICT_FLOWS
from dpcore.views.numbers.findings import names_of, surely_words
from dpcore.views.numbers.ranking import first_of
from dpcore.views.numbers.told_tiles import RELEASED_SUMS, largest_words, sum_on_map, tile_words
from dpcore.views.pictures import maps
from dpcore.views.pictures.sentences import maybe_words
from dpcore.views.pictures.table_view import TableView, coloured_by, whose_words

_GREY: Final = "Unsure: half of the likely range is as wide as the number. In the Viewer tiles turn greyer from \N{PLUS-MINUS SIGN} 25 % on."
_ONE_SIDE: Final = "The link compares this with something else. The picture shows the first side."


def _holds(release: Release, at: Address) -> bool:
    return VISITS in release.measurements or bool(coloured_by(release, at))


def _tables(release: Release, at: Address) -> tuple[str, ...]:
    if coloured_by(release, at):
        return ()
    window = [] if at.window is None else [ARRIVALS]
    return tuple({VISITS, DISTRICT_FLOWS, *window} & {*release.measurements})


def _drawing(release: Release, at: Address, estimates: Estimates) -> tuple[DrawnMap | None, Sequence[str]]:
    coloured = coloured_by(release, at)
    if coloured:
        return maps.map_of_sums(release, at, coloured), [RELEASED_SUMS]
    if VISITS not in release.measurements:
        return None, []
    said = [whose_words(release, at, estimates), *_of_the_map(release, at, estimates)]
    return maps.map_of_visits(release, at, estimates), said


def _of_the_map(release: Release, at: Address, estimates: Estimates) -> list[str]:
    """How sure the map is, and the numbers of what is chosen."""
    measure = VISITS if at.window is None else ARRIVALS
    drawn = release.measurements[measure]
    found = (
        estimated.regions_at(release.tessellation, drawn, at.rung, at.merged)
        if at.merged and not at.released and at.window is None
        else None
    )
    if at.released:
        said = [estimated.noise_words(drawn, at.rung)]
    else:
        said = [f"{sentence(estimated.note_of_map(drawn, estimates, merged=found))}."]
        said += [estimated.sure_of_regions(estimates, found, at.merged), _GREY]
    if at.beside and at.beside in SideShown(release.plan, at.rung, window=at.window).choices():
        said.append(_ONE_SIDE)
    return said


def _map(release: Release, told: tuple[Finding, ...], at: Address) -> str:
    """Which tile is the busiest, as far as it can be told; without visits the largest sum or mean."""
    if coloured := sum_on_map(release, ""):
        return largest_words(release, coloured, at.rung)
    if VISITS not in release.measurements:
        return ""
    surely = next((one for one in told if one.kind == "largest" and one.measure == VISITS), None)
    if surely is not None:
        guess = None if at.released else estimates_of(release, at.rung, of=(VISITS,))
        shown = shown_of(release.measurements, VISITS, at.rung, guess)
        numbers = [shown.told(cell, range_named=False) for cell in surely.cells]
        return surely_words("tile", names_of(release, surely), numbers, of_all=counts_all(release))
    if at.released:
        return _of_released_visits(release, at.rung)
    found = estimates_of(release, at.rung, of=(VISITS,))
    first = first_of(release, VISITS, at.rung, found)
    if not first.names:
        return ""
    return maybe_words("tile", first.names[0], first.shown.pointed(0), of_all=found.share is not None)


def _of_released_visits(release: Release, rung: int) -> str:
    tiles = len(release.tessellation.tile_ids)
    first = int(np.argmax(release.measurements[VISITS].values[rung][:tiles]))
    words = released_numbers(release.measurements[VISITS], rung).told(first)
    return maybe_words(
        "tile", tile_words(release, first), words, of_all=True, released=True
    )  # the words say whose


VIEW: Final = TableView("Visits per tile", _holds, _tables, _drawing, _map, ":material/map: Map")
