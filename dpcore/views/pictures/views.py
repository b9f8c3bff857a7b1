"""What a picture of each view shows: the drawing, and the words that belong to it. All of it comes from the functions of the Viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from dpcore.comparison.change import Changes
from dpcore.comparison.change import changes as changes_between
from dpcore.errors import InputError
from dpcore.estimates import Estimates
from dpcore.estimates.words import LIKELY_MEANS, NO_RANGE
from dpcore.privacy import decimal_text
from dpcore.release import Release
from dpcore.release.estimates import are_computed, estimates_to_show
from dpcore.release.kinds import must_be_tables
from dpcore.release.one_part import must_be_whole, part_of
from dpcore.views.comparison import changes
from dpcore.views.ground.part_choice import one_part
from dpcore.views.ground.plain import day, sentence
from dpcore.views.ground.selection import districts_shown, selection_label
from dpcore.views.maps.address import Address, as_shown
from dpcore.views.maps.two_sides import SideShown
from dpcore.views.maps.window_message import window_names
from dpcore.views.numbers import estimated
from dpcore.views.numbers.area import ARRIVALS, DISTRICT_FLOWS, FLOWS, VISITS, Numbers
from dpcore.views.numbers.area_facts import area_facts
from dpcore.views.numbers.guarantee import can_be_found, guessed, not_exact, promise_of, whose_numbers
from dpcore.views.numbers.selected_flows import flow_measure
from dpcore.views.numbers.told_tiles import RELEASED_SUMS, sum_on_map, tile_words, told_of
from dpcore.views.pictures import charts, maps
from dpcore.views.pictures.sentences import sentence_of
from dpcore.views.pictures.slide import DrawnCharts, DrawnMap, DrawnPromise, Listed, Slide, SlideContent

DRAWN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "map": "Visits per tile",
        "flows": "Flows",
        "rhythm": "When trips take place",
        "rankings": "The busiest tiles and flows",
        "measures": "More measures",
        "accuracy": "How accurate it is",
        "guarantee": "What is promised",
        "promise": "What is promised",
        "change": "What changed",
    }
)
"""The views that have a picture, with what they are called on it."""
_ARRIVALS: Final = "Arrivals per tile"
_NOT_DRAWN: Final = "Where no range is drawn, none is known."
_ALL_FIGURES: Final = "The README of the release has the other figures of this promise."
_GREY: Final = "Unsure: half of the likely range is as wide as the number. In the Viewer tiles turn greyer from \N{PLUS-MINUS SIGN} 25 % on."
_ONE_SIDE: Final = "The link compares this with something else. The picture shows the first side."


def slide_of(release: Release, at: Address, said: str | None = None, notes: Sequence[str] = ()) -> Slide:
    """The picture of one view of a release, with its words.

    Args:
        release: a release of tables; of one whose tables are split the part that the address names is shown.
        at: where in the release.
        said: what is said of it, which may be nothing; None for the sentence that follows from the release (``sentence_of``).
        notes: what must be read first, such as what a link names and the release does not have.

    Raises:
        InputError: the view has no picture, the release holds nothing to draw there, or the address names no one part.

    """
    must_be_tables(release)
    if at.view not in DRAWN or at.view == "change":
        raise InputError(
            "this view has no picture",
            at.view,
            f"Choose one of: {', '.join(one for one in DRAWN if one != 'change')}.",
        )
    if at.view in {"promise", "guarantee"}:
        return promise_of_release(release, said, notes)
    splits = release.plan.choices.splits
    part = one_part(at.part, splits) if splits else None
    shown = must_be_whole(release) if part is None else part_of(release, part)
    at = as_shown(at, shown)
    estimates = estimates_to_show(shown, at.rung, of=_wanted(shown, at))
    drawn, told = _drawn(shown, at, estimates)
    drawn, whose = _around(shown, drawn)
    title, coloured = DRAWN[at.view], _coloured_by(shown, at)
    if coloured:
        title = shown.plan.measure(coloured).title
    elif at.view == "map" and at.window is not None:
        title = f"{_ARRIVALS}, {window_names(shown.plan)[at.window]}"
    if at.chosen.places and at.view in {"map", "flows"}:
        districts = districts_shown(shown.plan, shown.tessellation) if at.chosen.districts else None
        title = f"{title}: {selection_label(at.chosen, shown.tessellation, districts)}"
    chosen = _of_choice(shown, at, estimates) if at.view == "map" else ""
    spoken = (sentence_of(release, at) or chosen) if said is None else said
    return Slide(
        f"{title} \N{MIDDLE DOT} {shown.title or shown.id}",
        spoken,
        " ".join((*notes, *([] if chosen in spoken else [chosen]), told, *whose)),
        _source(shown, at.rung),
        _alt(title, drawn),
        drawn,
        shown.created,
    )


def can_be_drawn(release: Release, at: Address) -> bool:
    """Whether ``slide_of`` has something to draw there, told from the tables that a release holds: nothing is estimated or drawn."""
    if at.view in {"promise", "guarantee"}:
        return True
    splits = release.plan.choices.splits
    part = one_part(at.part, splits) if splits else None
    if at.view not in DRAWN or at.view == "change" or (splits and part is None):
        return False
    return at.view == "accuracy" or _holds(release if part is None else part_of(release, part), at)


def _holds(release: Release, at: Address) -> bool:
    """Whether a release, or one part of it, holds the tables of a view."""
    held = {*release.measurements}
    if at.view == "map":
        return VISITS in held or bool(_coloured_by(release, at))
    if at.view == "flows":
        told = {flow_measure(at.chosen, held)} if at.chosen.places else {FLOWS, DISTRICT_FLOWS}
        return bool(told & held) or (VISITS in held and not at.released and FLOWS in told)
    if at.view == "rankings":
        return bool(held & {VISITS, FLOWS, *([] if at.released else [DISTRICT_FLOWS])})
    if at.view == "rhythm" and held & {charts.DATES, charts.WEEK, charts.HOURS}:
        return True
    return bool(charts.binned(release))


def _wanted(release: Release, at: Address) -> tuple[str, ...]:
    """The tables whose estimates a view needs: all others would take seconds for nothing."""
    held = release.measurements
    if _coloured_by(release, at):
        return ()
    if at.view == "map":
        return tuple({VISITS, DISTRICT_FLOWS, *([] if at.window is None else [ARRIVALS])} & {*held})
    if at.view == "flows":
        return maps.flow_tables(release)
    if at.view == "rankings":
        known = VISITS in held or FLOWS in held
        return (
            *([VISITS] if VISITS in held else []),
            *([FLOWS] if known else []),
            *({DISTRICT_FLOWS} & {*held}),
        )
    return tuple(held) if at.view == "accuracy" else charts.charted(release)


def _coloured_by(release: Release, at: Address) -> str:
    """The sum or mean that colours a map; empty for visits and in other views."""
    return sum_on_map(release, at.colours) if at.view == "map" else ""


def _drawn(release: Release, at: Address, estimates: Estimates) -> tuple[SlideContent, str]:
    """The drawing of a view, and what must be read beside it."""
    coloured = _coloured_by(release, at)
    if coloured:
        return maps.map_of_sums(release, at, coloured), RELEASED_SUMS
    said = [_whose(release, at, estimates)]
    drawn: SlideContent | None = None
    if at.view == "map" and VISITS in release.measurements:
        drawn = maps.map_of_visits(release, at, estimates)
        said += _of_the_map(release, at, estimates)
    elif at.view == "flows":
        found = maps.map_of_flows(release, at, estimates)
        if found is not None:
            drawn, flows = found
            said.append(_of_flows(flows, len(flows.shown.values)))
    elif at.view == "accuracy":
        table = estimated.accuracy_table(release, estimates)
        noise = table["noise of one count (95 %)"]
        known = table.get(estimated.KNOWN_COUNTS, [""] * len(noise))
        words = [
            f"{one}{f'; {other} estimates' if other else ''}" for one, other in zip(noise, known, strict=True)
        ]
        drawn = Listed(
            f"Noise of one count{f', and how many {estimated.KNOWN_COUNTS}' if are_computed(estimates) else ''}",
            tuple(zip(table["measure"], words, strict=True)),
        )
        said.append(LIKELY_MEANS if are_computed(estimates) else estimates.why_not_all)
    elif at.view in {"rhythm", "rankings", "measures"}:
        draw = {"rhythm": charts.rhythm, "rankings": charts.rankings, "measures": charts.histograms}[at.view]
        drawn = draw(release, at, estimates)
        said.append(_band(at))
        lacking = isinstance(drawn, DrawnCharts) and any(
            np.isnan(panel.shown.high).all() for panel in drawn.panels
        )
        if lacking:
            said.append(NO_RANGE if at.view == "rankings" else _NOT_DRAWN)
        if at.view == "rankings":
            said.append("Where ranges overlap, the order is open.")
    if drawn is None:
        raise InputError(
            "this release has nothing to show in this view",
            f"{release.id}, {at.view}",
            "Choose another view.",
        )
    return drawn, " ".join(one for one in said if one)


def _around(release: Release, drawn: SlideContent) -> tuple[SlideContent, tuple[str, ...]]:
    """A drawing with what lies under its tiles, and whose work that is."""
    context = release.context
    if context is None or context.is_empty or not isinstance(drawn, DrawnMap):
        return drawn, ()
    return replace(drawn, context=context), (f"Water, parks and streets: {context.attribution}.",)


def _whose(release: Release, at: Address, estimates: Estimates) -> str:
    if at.view == "accuracy":
        return ""
    if at.released:
        return estimated.about_released(release, estimates)
    return estimated.about_estimates(release.plan, estimates)


def _band(at: Address) -> str:
    return (
        "Ranges hold 95 % of the noise of each released count."
        if at.released
        else "Ranges are the likely ranges of the estimates."
    )


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


def _of_choice(release: Release, at: Address, estimates: Estimates) -> str:
    """The number of what is chosen on the map of the period; empty where nothing is."""
    coloured = _coloured_by(release, at)
    if coloured and at.chosen.tile is not None:
        told = told_of(release, coloured, at.rung).words(at.chosen.tile)
        return f"{tile_words(release, at.chosen.tile)}: {told}" if told else ""
    if coloured or not at.chosen.places or at.window is not None:
        return ""
    districts = districts_shown(release.plan, release.tessellation) if at.chosen.districts else None
    numbers = Numbers(release.plan, release.measurements, estimates, at.released)
    facts = area_facts(at.chosen, numbers, districts)
    if facts is None:
        return ""
    label = selection_label(at.chosen, release.tessellation, districts)
    return f"{label}: {facts.drawn if at.released or not facts.estimate else facts.estimate}"


def _of_flows(flows: maps.Flows, told: int) -> str:
    drawn = min(told, maps.MOST_ARROWS)
    if not drawn and flows.hidden:
        return f"No flow is drawn: none of the {flows.hidden:,} can be told from zero."
    said = f"Lines are thick where they end: {drawn:,} flows {flows.places.of} are drawn"
    said += f", the strongest of {told:,}" if told > drawn else ""
    said += f"; {flows.hidden:,} others cannot be told from none." if flows.hidden else "."
    return said if flows.shown.is_ranged else f"{said} Dashed: no range is known. {NO_RANGE}"


def promise_of_release(release: Release, said: str | None = None, notes: Sequence[str] = ()) -> Slide:
    """What a release promises to a reader: whether their own trips can be found, out of a hundred guesses.

    ``said`` and ``notes``: as for ``slide_of``.
    """
    promise = promise_of(release)
    answer = can_be_found(promise)
    spoken = answer if said is None else said
    told = [*notes, *([] if guessed(promise) in spoken else [answer]), _ALL_FIGURES]
    return Slide(
        f"{DRAWN['promise']} \N{MIDDLE DOT} {release.title or release.id}",
        spoken,
        " ".join(told),
        _source(release, len(release.plan.rungs) - 1),
        answer,
        charts.promise_dots(promise),
        release.created,
    )


def change_of(one: Release, other: Release, measure: str = VISITS, said: str | None = None) -> Slide:
    """What changed from one release to another.

    Args:
        one: the earlier release, A.
        other: the later release, B.
        measure: the measure whose cells are compared.
        said: what is said of it, which may be nothing; None for the sentence of the change.

    Raises:
        InputError: the two cannot be laid beside each other.

    """
    for release in (one, other):
        must_be_tables(release)
        must_be_whole(release)
    found = changes_between(one, other, measure)
    title = f"{DRAWN['change']} \N{MIDDLE DOT} {other.title or other.id}"
    counted = changes.sentence(found)
    spoken = counted if said is None else said
    drawn, whose = _change_drawn(found, other), tuple[str, ...]()
    if drawn is not None:
        drawn, whose = _around(other, drawn)
    return Slide(
        title,
        spoken,
        # Whoever wrote the sentence of a step: all of the answer stands there.
        " ".join([*changes.unsaid(found, spoken), *changes.beside(found, one, other), *whose]),
        _sources(one, other),
        _alt(DRAWN["change"], drawn) if drawn is not None else counted,
        drawn,
        other.created,
    )


def _change_drawn(found: Changes, other: Release) -> SlideContent | None:
    if found.cells is None:
        return None
    tiles = other.tessellation
    return maps.map_of_changes(found.cells, tiles) or charts.chart_of_changes(found.cells, tiles)


def _source(release: Release, rung: int) -> str:
    return f"{whose_numbers(release)} {not_exact(release)} {_named(release, rung)}"


def _named(release: Release, rung: int) -> str:
    """Which release, of which day, and at which stop."""
    plan = release.plan
    at = (
        ""
        if plan.rungs[rung] == plan.epsilon
        else f", shown at its stop of ε = {decimal_text(plan.rungs[rung])}"
    )
    return f"Release {release.id} of {day(release.created)}{at}."


def _sources(one: Release, other: Release) -> str:
    """Both releases of a change; that they are not exact is said once where it is the same."""
    last = (len(release.plan.rungs) - 1 for release in (one, other))
    a, b = (
        f"{whose_numbers(release)} {_named(release, rung)}"
        for release, rung in zip((one, other), last, strict=True)
    )
    exact = dict.fromkeys(not_exact(release) for release in (one, other))
    return f"A: {a} B: {b} {' '.join(exact)}"


def _alt(title: str, drawn: SlideContent) -> str:
    """The picture in words: what it is, and the first numbers that stand in it."""
    listed: Listed | None = None
    if isinstance(drawn, DrawnMap):
        unit = "" if drawn.key is None else f" in colours by {drawn.key.unit}"
        said, listed = f"{title}: a map of {len(drawn.tiles.tile_ids):,} tiles{unit}.", drawn.listed
    elif isinstance(drawn, DrawnCharts):
        said = f"{title}: charts of {'; '.join(panel.title for panel in drawn.panels)}."
    elif isinstance(drawn, DrawnPromise):
        return " ".join(f"{one.question}: {one.said}." for one in drawn.times)
    else:
        said, listed = f"{title}.", drawn
    if listed is None:
        return said
    return f"{said} {listed.title}: {'; '.join(f'{name}, {words}' for name, words in listed.rows)}."
