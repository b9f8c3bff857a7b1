"""A good first story of a release. Its sentences are made of what was released, each number with its range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

import numpy as np

from dpcore import limits
from dpcore.comparison.change import changes, must_be_comparable
from dpcore.errors import AtlasError
from dpcore.estimates.words import likely
from dpcore.measures.keys import Period
from dpcore.noise.expected_estimates import TOTAL, VISITS
from dpcore.release import Card, Release
from dpcore.release.estimates import estimates_of
from dpcore.release.texts import one_line
from dpcore.views.address import Address
from dpcore.views.area import DISTRICT_FLOWS, FLOWS
from dpcore.views.changes import sentence
from dpcore.views.estimated import counted_of, estimate_words, known_card, ranged, released_words, spoken_of
from dpcore.views.estimated_ranking import estimated_ranking
from dpcore.views.findings import Finding, findings
from dpcore.views.plain import day
from dpcore.views.selection import selection_label
from dpcore.views.story.scene import promise_sentence
from dpcore.views.story.story import CHANGE, PROMISE, NamedRelease, Step, Story
from dpcore.views.told_tiles import largest_words, sum_on_map

_HOURS: Final = "trips_per_hour"
_DATES: Final = "trips_over_time"
_OF_HOURS: Final = ("earliest", "latest")


def default_story(release: Release, digest: str, earlier: tuple[Release, str] | None = None) -> Story:
    """The story of a release: what changed, the promise, the map, the flows, the rhythm and what is sure.

    Args:
        release: of tables that are not split.
        digest: SHA-256 of its manifest, as ``verify`` tells it.
        earlier: a release with its digest, from which the change is told first. Nothing is told of one that must not be compared.

    """
    shown, steps = [NamedRelease(release.id, digest)], []
    if earlier is not None and (said := _change(earlier[0], release)):
        shown.append(NamedRelease(earlier[0].id, earlier[1]))
        steps.append(Step(CHANGE, release.id, _cut(said), before=earlier[0].id))
    steps.append(Step(PROMISE, release.id, _cut(promise_sentence(release))))
    if not release.plan.choices.splits:  # a part of the tables is for its reader to choose
        steps += _views(release)
    title = one_line(release.title or release.id, limits.MAX_TITLE_CHARACTERS)
    return Story(title, tuple(shown), tuple(steps))


def sentence_of(release: Release, at: Address) -> str:
    """The first sentence of a view that somebody added, at its stop: of the chosen tile, else as in the default story.

    Empty where no sentence of ours is about what is shown, such as a time window or an area of several tiles.
    """
    if release.plan.choices.splits:
        return ""
    if at.view == "guarantee":
        return _cut(promise_sentence(release))
    if at.view == "map" and (at.window is not None or at.chosen.places or at.colours):
        return _cut(_of_the_map(release, at))
    if at.chosen.places and at.view == "flows":  # the other sentences are not about a choice
        return ""
    make = _SENTENCES.get(at.view)
    return "" if make is None else _cut(make(release, _told(release, at.rung), at.rung))


def earlier_of(
    release: Release, others: Mapping[str, Card], opened: Callable[[str], tuple[Release, str]]
) -> tuple[Release, str] | None:
    """The latest earlier release of the same data set that may be compared and shares no day, as ``opened`` gives it; None where there is none.

    Only earlier ones are opened, the latest first, until one fits. One that cannot be opened is left out.

    Args:
        release: the later one.
        others: what is known of the others without opening them, by name.
        opened: opens one of them, and tells its digest; it may refuse with an AtlasError.

    """
    own = _when(release.plan.choices.period, release.created)
    when = {name: _when(card.period, card.created) for name, card in others.items()}
    for name in sorted((name for name in when if when[name] < own), key=when.__getitem__, reverse=True):
        try:
            found = opened(name)
            must_be_comparable(found[0], release)
        except AtlasError:  # another one may fit
            continue
        if found[0].dataset == release.dataset and _ends_before(found[0], release):
            return found
    return None


def _ends_before(one: Release, other: Release) -> bool:
    """Whether no day is of both, as far as they name their days."""
    first, then = one.plan.choices.period, other.plan.choices.period
    return first is None or then is None or first.last < then.first


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


def _when(period: Period | None, created: datetime) -> tuple[str, str]:
    """Days come first: a release of last spring may be published after one of this spring."""
    return ("" if period is None else day(period.first), created.isoformat())


def _change(earlier: Release, release: Release) -> str:
    """What changed, in words for people who do not know which side is A; empty where nothing may be told."""
    try:
        found = changes(earlier, release)
    except AtlasError:
        return ""
    said = sentence(replace(found, why_no_cells="") if found.cells is None else found).strip()
    before = ", ".join(filter(None, (earlier.title, _days(earlier.plan.choices.period))))
    return f"{said} Compared with {before}." if said and before else said


def _days(period: Period | None) -> str:
    return "" if period is None else f"{day(period.first)} to {day(period.last)}"


def _cut(said: str) -> str:
    return one_line(said, limits.MAX_SENTENCE_CHARACTERS)


def _views(release: Release) -> list[Step]:
    finest = len(release.plan.rungs) - 1
    told = _told(release, finest)
    found = [(view, make(release, told, finest)) for view, make in _SENTENCES.items()]
    return [Step(view, release.id, _cut(said)) for view, said in found if said]


def _map(release: Release, told: tuple[Finding, ...], rung: int) -> str:
    """How many visits there are, and of how many tiles something can be said; without visits the largest sum or mean."""
    if coloured := sum_on_map(release, ""):
        return largest_words(release, coloured, rung)
    if VISITS not in release.measurements:
        return ""
    found = estimates_of(release, rung, of=(VISITS, *({TOTAL} & {*release.measurements})))
    first = [one.said for one in told if one.kind == "largest" and one.measure == VISITS]
    known = known_card(release, found)
    said = "" if known is None else f"{known.value} tiles are known within a quarter of their number. "
    total = found.tables.get(TOTAL)
    if total is not None:
        shown = ranged(total)
        trips = likely(*shown.cell(0), "trips")
        said = f"{trips[:1].upper()}{trips[1:]} in all. {said}"
    return f"{said}{first[0] if first else _top(release, rung, VISITS, 'By estimate the busiest tile is')}"


def _flows(release: Release, told: tuple[Finding, ...], rung: int) -> str:
    """The strongest flow between two places."""
    surely = [one.said for one in told if one.measure == DISTRICT_FLOWS]
    if surely:
        return surely[0]
    for measure, begin in (
        (DISTRICT_FLOWS, "By estimate the strongest flow between two districts is"),
        (FLOWS, "By estimate the strongest flow is"),
    ):
        if measure in release.measurements:
            return _top(release, rung, measure, begin)
    return ""


_OPEN: Final = "Where ranges overlap, the order is open."


def _top(release: Release, rung: int, measure: str, begin: str) -> str:
    """The first by its estimate, with its likely range."""
    of = (measure,) if measure == DISTRICT_FLOWS else (VISITS, FLOWS)
    found = estimates_of(release, rung, of=tuple(name for name in of if name in release.measurements))
    first = estimated_ranking(release, found, measure)
    if not first.names:
        return ""
    counted = counted_of(first.counts, first.about)
    return f"{begin} {first.names[0]}: {likely(*first.shown.cell(0), counted)}. {_OPEN}"


def _rhythm(release: Release, told: tuple[Finding, ...], rung: int) -> str:
    """When the day begins and ends; else the busiest hour or day by its estimate."""
    surely = [one.said for one in told if one.kind in _OF_HOURS]
    if surely:
        return " ".join(surely)
    for measure, words in (
        (_HOURS, "Most trips of weekdays start at {}:00"),
        (_DATES, "The busiest day is {}"),
    ):
        if measure not in release.measurements:
            continue
        table = estimates_of(release, rung, of=(measure,)).tables[measure]
        shown, cells = ranged(table), table.cell_numbers
        labels = table.keys.labels(cells)
        if measure == _HOURS:
            keys = zip(labels["kind"], labels["day_type"], strict=True)
            listed = [at for at, key in enumerate(keys) if key == ("start", "weekday")]
        else:
            inside = {*table.keys.axes[0].inside}
            listed = [at for at, label in enumerate(labels["date"]) if label in inside]
        top = listed[int(np.argmax(shown.values[listed]))]
        name = labels["hour" if measure == _HOURS else "date"][top]
        counted = counted_of(table.counts, spoken_of(table))
        return f"{words.format(str(name).lstrip('0') or '0')}: {likely(*shown.cell(top), counted)}."
    return ""


def _sure(release: Release, told: tuple[Finding, ...], _rung: int) -> str:
    """What is sure and not told yet."""
    rest = [one.said for one in told if one.kind == "most uneven"]
    return rest[0] if rest and VISITS in release.measurements else ""


_SENTENCES: Final[Mapping[str, Callable[[Release, tuple[Finding, ...], int], str]]] = MappingProxyType(
    {"map": _map, "flows": _flows, "rhythm": _rhythm, "rankings": _sure}
)
"""What makes the sentence of a view, of findings and the estimates at a rung."""
