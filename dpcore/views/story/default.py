"""A good first story of a release. Its sentences are made of what was released, each number with its range."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from dpcore import limits
from dpcore.comparison.change import changes, counts_all, must_be_comparable
from dpcore.errors import AtlasError
from dpcore.estimates.words import likely
from dpcore.measures.attribute import MISSING, OTHER
from dpcore.measures.keys import Period
from dpcore.measures.split import parts_of
from dpcore.noise.expected_estimates import VISITS
from dpcore.privacy import decimal_text
from dpcore.release import Card, Release
from dpcore.release.estimates import estimates_of
from dpcore.release.one_part import part_of, split_tables, tables_of
from dpcore.release.texts import one_line
from dpcore.views.address import Address, address
from dpcore.views.area import DISTRICT_FLOWS
from dpcore.views.changes import sentence
from dpcore.views.estimated import counted_of, estimate_words, ranged, released_words, spoken_of
from dpcore.views.estimated_ranking import estimated_ranking
from dpcore.views.findings import Finding, either, findings, names_of
from dpcore.views.guarantee import can_be_found, promise_of
from dpcore.views.part_choice import one_part, written
from dpcore.views.pictures.maps import NO_FLOW, flow_tables, map_of_flows
from dpcore.views.plain import day
from dpcore.views.selection import selection_label
from dpcore.views.story.scene import Scene
from dpcore.views.story.story import CHANGE, PROMISE, NamedRelease, Step, Story
from dpcore.views.told_tiles import largest_words, sum_on_map

_HOURS: Final = "trips_per_hour"
_DATES: Final = "trips_over_time"
_MOST_PARTS: Final = 4  # of split tables
_OF_HOURS: Final = ("earliest", "peak")


def default_story(release: Release, digest: str, earlier: tuple[Release, str] | None = None) -> Story:
    """The story of a release: what changed, the promise, the map, the flows, the rhythm and what is sure.

    Args:
        release: of tables. Of tables that are split each of the largest parts is shown by itself.
        digest: SHA-256 of its manifest, as ``verify`` tells it.
        earlier: a release with its digest, from which the change is told first. Nothing is told of one that must not be compared.

    """
    shown, steps = [NamedRelease(release.id, digest)], []
    if earlier is not None and (said := _change(earlier[0], release)):
        shown.append(NamedRelease(earlier[0].id, earlier[1]))
        steps.append(Step(CHANGE, release.id, _cut(said), before=earlier[0].id))
    steps.append(Step(PROMISE, release.id, _cut(can_be_found(promise_of(release)))))
    steps += _parts(release) if release.plan.choices.splits else _views(release)
    title = one_line(release.title or release.id, limits.MAX_TITLE_CHARACTERS)
    return Story(title, tuple(shown), tuple(steps))


def sentence_of(release: Release, at: Address) -> str:
    """The first sentence of a view that somebody added, at its stop: of the chosen tile, else as in the default story.

    Empty where no sentence of ours is about what is shown, such as a time window or an area of several tiles.
    """
    if at.view == "guarantee":
        return _cut(can_be_found(promise_of(release)))
    splits = release.plan.choices.splits
    if splits:
        part = one_part(at.part, splits)
        return "" if part is None else _of_part(release, part, at)
    return _cut(_of_view(release, at, _told(release, at.rung)))


def _of_view(release: Release, at: Address, told: tuple[Finding, ...]) -> str:
    if at.view == "map" and (at.window is not None or at.chosen.places or at.colours):
        return _of_the_map(release, at)
    if at.chosen.places and at.view == "flows":  # the other sentences are not about a choice
        return ""
    make = _SENTENCES.get(at.view)
    return "" if make is None else make(release, told, at.rung)


def _of_part(release: Release, part: Mapping[str, str], at: Address) -> str:
    """The sentence of a view of one part. Nothing is called sure: findings keep their level over one table, not over many parts."""
    said = _of_view(part_of(release, part), replace(at, part=()), ())
    named = ", ".join(f"{name} {label}" for name, label in part.items())
    return _cut(f"{named[:1].upper()}{named[1:]}: {said}") if said else ""


def sentence_of_change(earlier: Release, release: Release) -> str:
    """The first sentence of a step that shows what changed; empty where nothing may be told."""
    return _cut(_change(earlier, release))


def by_author(found: Scene) -> bool:
    """Whether the author of a story wrote the sentence of a step: it is not the one that is made of what the step shows.

    This is worked out from the releases, so no file can say otherwise. Where nothing can be shown, every sentence is the author's.
    """
    step, release, made = found.step, found.release, ""
    if not step.sentence:
        return False
    try:
        if step.view == CHANGE and release is not None and found.before is not None:
            made = sentence_of_change(found.before, release)
        elif release is not None and step.view != CHANGE:
            view = "guarantee" if step.view == PROMISE else step.view
            made = sentence_of(release, address({**step.link, "view": view}, release)[0])
    except AtlasError:  # the view says itself why it cannot be shown
        pass
    return step.sentence != made


def earlier_of(
    name: str, known: Mapping[str, Card], opened: Callable[[str], Release]
) -> tuple[str, Release] | None:
    """The latest earlier release of the same data set that may be compared and shares no day; None where there is none.

    Only those that fit by what is known of them are opened, the latest first, until one may be compared. One that cannot be opened is
    left out.

    Args:
        name: of the later one.
        known: what is known of all of them without opening them, by name.
        opened: opens one of them; it may refuse with an AtlasError.

    """
    own = known[name]
    before = {other: card.begins for other, card in known.items() if _fits_before(card, own)}
    for other in sorted(before, key=before.__getitem__, reverse=True):
        with suppress(AtlasError):  # another one may fit
            found = opened(other)
            must_be_comparable(found, opened(name))
            return other, found
    return None


def _fits_before(card: Card, own: Card) -> bool:
    """Whether a release is an earlier one of the same data set, and no day is of both, as far as they name their days."""
    apart = card.period is None or own.period is None or card.period.last < own.period.first
    return card.dataset == own.dataset and card.begins < own.begins and apart


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


def _change(earlier: Release, release: Release) -> str:
    """What changed, in words for people who do not know which side is A; empty where nothing may be told."""
    try:
        found = changes(earlier, release)
    except AtlasError:
        return ""
    said = sentence(replace(found, why_no_cells="") if found.cells is None else found).strip()
    data = "" if earlier.dataset == release.dataset else f"of the data set {earlier.dataset}"
    before = ", ".join(filter(None, (earlier.title, data, _days(earlier.plan.choices.period))))
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


def _parts(release: Release) -> list[Step]:
    """Of each of the largest parts the first view that has a sentence, the map if there is one."""
    splits = release.plan.choices.splits
    names = ["visits_per_tile", *split_tables(release)]
    tables = next((release.measurements[name] for name in names if name in split_tables(release)), None)
    if tables is None:
        return []
    named = [
        (at, part) for at, part in enumerate(parts_of(splits)) if not {OTHER, MISSING} & {*part.values()}
    ]
    sizes = {
        at: int(found.values[-1].sum())
        for at, found in tables_of(release, tables.measure, [at for at, _ in named]).items()
    }
    largest = {*sorted(sizes, key=lambda at: -sizes[at])[:_MOST_PARTS]}
    found = []
    for part in (part for at, part in named if at in largest):
        chosen = tuple(part.items())
        views = (Address(view, len(release.plan.rungs) - 1, part=chosen) for view in _SENTENCES)
        said = next(((at.view, text) for at in views if (text := _of_part(release, part, at))), None)
        if said is not None:
            found.append(Step(said[0], release.id, said[1], {"part": written(chosen)}))
    return found


def _map(release: Release, told: tuple[Finding, ...], rung: int) -> str:
    """Which tile is the busiest, as far as it can be told; without visits the largest sum or mean."""
    if coloured := sum_on_map(release, ""):
        return largest_words(release, coloured, rung)
    if VISITS not in release.measurements:
        return ""
    found = estimates_of(release, rung, of=(VISITS,))
    surely = next((one for one in told if one.kind == "largest" and one.measure == VISITS), None)
    if surely is None:
        first = estimated_ranking(release, found, VISITS)
        return (
            "" if not first.names else _maybe("tile", first.names[0], likely(*first.shown.cell(0), "visits"))
        )
    return _surely(
        "tile",
        names_of(release, surely),
        [estimate_words(found.tables[VISITS], cell) for cell in surely.cells],
        of_all=counts_all(release),
    )


def _surely(called: str, names: Sequence[str], words: Sequence[str], *, of_all: bool) -> str:
    """What is surely the busiest, with its number; of several that may be no number is told twice.

    ``of_all``: whether it is so of all trips, not only of those that count.
    """
    said = f"The busiest {called}{'' if of_all else ' of the trips that count'} is surely {either(names)}"
    return f"{said}: {words[0]}." if len(names) == 1 else f"{said}. Noise hides which of them."


def _maybe(called: str, name: str, words: str) -> str:
    return f"By estimate the busiest {called} is {name}: {words}. Noise may hide a busier one."


def _flows(release: Release, told: tuple[Finding, ...], rung: int) -> str:
    """The strongest flow between two places, which are those of the picture: districts where there are such flows, else tiles."""
    at, _ = address({"view": "flows", "rung": decimal_text(release.plan.rungs[rung])}, release)
    found = map_of_flows(release, at, estimates_of(release, rung, of=flow_tables(release)))
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
    return _maybe(called, name, words)


def _rhythm(release: Release, told: tuple[Finding, ...], rung: int) -> str:
    """When the day begins and when it is busiest; the busiest hour or day by its estimate where it is not sure."""
    surely = {one.kind: one.said for one in told if one.kind in _OF_HOURS}
    said = [surely[kind] for kind in _OF_HOURS if kind in surely]
    return " ".join([*said, *([] if "peak" in surely else [_busiest_time(release, rung)])]).strip()


def _busiest_time(release: Release, rung: int) -> str:
    """The busiest hour, or else the busiest day, by its estimate; empty where neither was counted."""
    for measure, words in (
        (_HOURS, "the busiest hour of weekdays begins at {}:00"),
        (_DATES, "the busiest day is {}"),
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
        return (
            f"By estimate {words.format(str(name).lstrip('0') or '0')}: {likely(*shown.cell(top), counted)}."
        )
    return ""


def _sure(release: Release, told: tuple[Finding, ...], _rung: int) -> str:
    """What is sure and not told yet."""
    rest = [one.said for one in told if one.kind == "most uneven"]
    return rest[0] if rest and VISITS in release.measurements else ""


_SENTENCES: Final[Mapping[str, Callable[[Release, tuple[Finding, ...], int], str]]] = MappingProxyType(
    {"map": _map, "flows": _flows, "rhythm": _rhythm, "rankings": _sure}
)
"""What makes the sentence of a view, of findings and the estimates at a rung."""
