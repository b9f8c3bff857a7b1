"""The sentence that is said of a view: which place is the busiest, and when. Stories and pictures say the same one.

It is made of what was released, at the stop that is looked at. What is sure is called so; an estimate stands with its range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from dpcore import limits
from dpcore.comparison.all_trips import counts_all
from dpcore.comparison.findings import Finding, findings
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import Release
from dpcore.release.estimates import estimates_of, estimates_to_show
from dpcore.release.one_part import part_of
from dpcore.release.texts import one_line
from dpcore.views.ground.part_choice import one_part
from dpcore.views.ground.selection import selection_label
from dpcore.views.ground.shown import ranged
from dpcore.views.maps.address import Address, as_shown
from dpcore.views.numbers.area import DISTRICT_FLOWS
from dpcore.views.numbers.estimated import estimate_words, released_words
from dpcore.views.numbers.findings import either, names_of, said_of
from dpcore.views.numbers.guarantee import can_be_found, promise_of
from dpcore.views.numbers.ranking import first_of
from dpcore.views.numbers.told_tiles import largest_words, sum_on_map, tile_words
from dpcore.views.pictures.maps import NO_FLOW, flow_tables, map_of_flows

_HOURS: Final = "trips_per_hour"
_DATES: Final = "trips_over_time"
_OF_HOURS: Final = ("earliest", "peak")


def sentence_of(release: Release, at: Address) -> str:
    """What is said of a view at its stop: of the chosen tile, else what is largest, or when most trips take place.

    Empty where no sentence of ours is about what is shown, such as a time window or an area of several tiles.
    """
    if at.view in {"guarantee", "promise"}:
        return cut(can_be_found(promise_of(release)))
    splits = release.plan.choices.splits
    if splits:
        part = one_part(at.part, splits)
        return "" if part is None else _of_part(release, part, at)
    return cut(_of_view(release, at, _told(release, at.rung)))


def _of_view(release: Release, at: Address, told: tuple[Finding, ...]) -> str:
    at = as_shown(at, release)
    if at.view == "map" and (at.window is not None or at.chosen.places or at.colours):
        return _of_the_map(release, at)
    if at.chosen.places and at.view == "flows":  # the other sentences are not about a choice
        return ""
    make = _SENTENCES.get(at.view)
    return "" if make is None else make(release, told, at)


def _of_part(release: Release, part: Mapping[str, str], at: Address) -> str:
    """The sentence of a view of one part. Nothing is called sure: findings keep their level over one table, not over many parts."""
    said = _of_view(part_of(release, part), replace(at, part=()), ())
    named = ", ".join(f"{name} {label}" for name, label in part.items())
    return cut(f"{named[:1].upper()}{named[1:]}: {said}") if said else ""


def cut(said: str) -> str:
    """A sentence of at most so many letters as a step may have."""
    return one_line(said, limits.MAX_SENTENCE_CHARACTERS)


def _of_the_map(release: Release, at: Address) -> str:
    """What is said of a map that shows a choice, a time window or a sum; empty where none of ours is about that."""
    tile = at.chosen.tile
    coloured = sum_on_map(release, at.colours)
    if coloured:
        return "" if at.chosen.places else largest_words(release, coloured, at.rung)
    if at.window is not None or tile is None or VISITS not in release.measurements:
        return ""
    if at.released:
        said = f"released count {released_words(release, VISITS, at.rung, tile)}"
    else:
        said = estimate_words(estimates_of(release, at.rung, of=(VISITS,)).tables[VISITS], tile)
    return f"{selection_label(at.chosen, release.tessellation, None)}: {said}."


def _told(release: Release, rung: int) -> tuple[Finding, ...]:
    """Findings, which are told at the finest stop alone."""
    return findings(release) if rung == len(release.plan.rungs) - 1 else ()


def _map(release: Release, told: tuple[Finding, ...], at: Address) -> str:
    """Which tile is the busiest, as far as it can be told; without visits the largest sum or mean."""
    if coloured := sum_on_map(release, ""):
        return largest_words(release, coloured, at.rung)
    if VISITS not in release.measurements:
        return ""
    surely = next((one for one in told if one.kind == "largest" and one.measure == VISITS), None)
    if at.released:
        return _of_released_visits(release, at.rung) if surely is None else said_of(release, surely)
    found = estimates_of(release, at.rung, of=(VISITS,))
    if surely is None:
        first = first_of(release, VISITS, at.rung, found)
        if not first.names:
            return ""
        words = first.shown.pointed(0)
        return _maybe("tile", first.names[0], words, of_all=found.share is not None)
    return _surely(
        "tile",
        names_of(release, surely),
        [estimate_words(found.tables[VISITS], cell) for cell in surely.cells],
        of_all=counts_all(release),
    )


def _of_released_visits(release: Release, rung: int) -> str:
    tiles = len(release.tessellation.tile_ids)
    first = int(np.argmax(release.measurements[VISITS].values[rung][:tiles]))
    words = released_words(release, VISITS, rung, first)
    return _maybe(
        "tile", tile_words(release, first), words, of_all=True, released=True
    )  # the words say whose


def _surely(called: str, names: Sequence[str], words: Sequence[str], *, of_all: bool) -> str:
    """What is surely the busiest, with its number; of several that may be no number is told twice.

    ``of_all``: whether it is so of all trips, not only of those that count.
    """
    said = f"The busiest {called}{_whose(of_all=of_all)} is surely {either(names)}"
    return f"{said}: {words[0]}." if len(names) == 1 else f"{said}. Noise hides which of them."


def _maybe(called: str, name: str, words: str, *, of_all: bool, released: bool = False) -> str:
    """What has the largest number, which may be chance; ``of_all``: as for ``_surely``."""
    said = f"By {_numbers(released=released)} the busiest {called}{_whose(of_all=of_all)} is {name}: {words}."
    return f"{said} Noise may hide a busier one."


def _whose(*, of_all: bool) -> str:
    return "" if of_all else " of the trips that count"


def _numbers(*, released: bool) -> str:
    return "released count" if released else "estimate"


def _flows(release: Release, told: tuple[Finding, ...], at: Address) -> str:
    """The strongest flow between two places, which are those of the picture: districts where there are such flows, else tiles."""
    estimates = estimates_to_show(release, at.rung, of=flow_tables(release))
    found = map_of_flows(release, at, estimates)
    if found is None:
        return ""
    drawn, flows = found
    rows = {} if drawn.listed is None else dict(drawn.listed.rows)
    if not rows:
        return NO_FLOW
    called = f"flow {flows.places.of}"
    surely = next((one for one in told if one.kind == "largest" and one.measure == DISTRICT_FLOWS), None)
    if surely is not None and flows.places.districts:
        names = names_of(release, surely)
        if {*names} <= {*rows}:
            return _surely(called, names, [rows[name] for name in names], of_all=counts_all(release))
    name, words = next(iter(rows.items()))
    of_all = release.plan.bound.max_trips is None if at.released else estimates.share is not None
    return _maybe(called, name, words, of_all=of_all, released=at.released)


def _rhythm(release: Release, told: tuple[Finding, ...], at: Address) -> str:
    """When the day begins and when it is busiest; the hour or day with the largest number where it is not sure."""
    surely = {one.kind: said_of(release, one) for one in told if one.kind in _OF_HOURS}
    said = [surely[kind] for kind in _OF_HOURS if kind in surely]
    return " ".join([*said, *([] if "peak" in surely else [_busiest_time(release, at)])]).strip()


def _busiest_time(release: Release, at: Address) -> str:
    """The busiest hour, or else the busiest day, week or month; empty where neither was counted."""
    for measure in (_HOURS, _DATES):
        if measure not in release.measurements:
            continue
        drawn = release.measurements[measure]
        table = None if at.released else estimates_of(release, at.rung, of=(measure,)).tables[measure]
        numbers = drawn.values[at.rung] if table is None else ranged(table).values
        labels = drawn.keys.labels(drawn.cell_numbers)
        if measure == _HOURS:
            keys = zip(labels["kind"], labels["day_type"], strict=True)
            listed = [at for at, key in enumerate(keys) if key == ("start", "weekday")]
        else:
            inside = {*drawn.keys.axes[0].inside}
            listed = [at for at, label in enumerate(labels["date"]) if label in inside]
        top = listed[int(np.argmax(numbers[listed]))]
        name = str(labels["hour" if measure == _HOURS else "date"][top])
        if measure == _HOURS:
            said = f"hour of weekdays begins at {int(name)}:00"
        else:
            covers = drawn.keys.axes[0].covers
            said = f"{covers} {'is' if covers == 'day' else 'begins on'} {name}"
        if table is None:
            words = released_words(release, measure, at.rung, top)
        else:
            words = estimate_words(table, top)
        return f"By {_numbers(released=at.released)} the busiest {said}: {words}."
    return ""


def _sure(release: Release, told: tuple[Finding, ...], _at: Address) -> str:
    """What is sure and not told yet."""
    rest = [said_of(release, one) for one in told if one.kind == "most uneven"]
    return rest[0] if rest and VISITS in release.measurements else ""


_SENTENCES: Final[Mapping[str, Callable[[Release, tuple[Finding, ...], Address], str]]] = MappingProxyType(
    {"map": _map, "flows": _flows, "rhythm": _rhythm, "rankings": _sure}
)
"""What makes the sentence of a view of a release, its findings and its address."""
SENTENCED: Final = tuple(_SENTENCES)
"""The views of tables of which something is said, in the order of a story."""
