"""What a picture of each view shows: the drawing, and the words that belong to it. All of it comes from the functions of the Viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dpcore.comparison.change import Changes
from dpcore.comparison.change import changes as changes_between
from dpcore.errors import InputError
from dpcore.estimates import Estimates
from dpcore.privacy import decimal_text
from dpcore.release import Release
from dpcore.release.estimates import are_computed, estimates_to_show
from dpcore.release.kinds import must_be_tables
from dpcore.release.one_part import must_be_whole, part_of
from dpcore.views.comparison import changes
from dpcore.views.ground.part_choice import one_part
from dpcore.views.ground.plain import day
from dpcore.views.ground.selection import districts_shown, selection_label
from dpcore.views.maps.address import Address, as_shown
from dpcore.views.maps.drawn_map import DrawnMap, Listed
from dpcore.views.maps.window_message import window_names
from dpcore.views.numbers.area import VISITS, numbers_of
from dpcore.views.numbers.area_facts import area_facts
from dpcore.views.numbers.guarantee import (
    can_be_found,
    guessed,
    not_exact,
    promise_of,
    whose_numbers,
    you_in_this_data,
)
from dpcore.views.numbers.told_tiles import tile_words, told_of
from dpcore.views.pictures import charts, maps
from dpcore.views.pictures.sentences import sentence_of
from dpcore.views.pictures.slide import DrawnCharts, DrawnPromise, Slide, SlideContent
from dpcore.views.pictures.table_view import coloured_by, table_views

_ARRIVALS: Final = "Arrivals per tile"
_PROMISED: Final = "What is promised"
_CHANGED: Final = "What changed"
_ALL_FIGURES: Final = "The README of the release has the other figures of this promise."


def view_titles() -> dict[str, str]:
    """The views of one release that have a picture, with what they are called on it."""
    return {name: view.title for name, view in table_views().items()} | dict.fromkeys(
        ("guarantee", "promise"), _PROMISED
    )


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
    if at.view not in view_titles():
        raise InputError("this view has no picture", at.view, f"Choose one of: {', '.join(view_titles())}.")
    if at.view in {"promise", "guarantee"}:
        return promise_of_release(release, said, notes)
    splits = release.plan.choices.splits
    part = one_part(at.part, splits) if splits else None
    shown = must_be_whole(release) if part is None else part_of(release, part)
    at = as_shown(at, shown)
    view = table_views()[at.view]
    estimates = estimates_to_show(shown, at.rung, of=view.tables(shown, at))
    made, told = view.draw(shown, at, estimates)
    if made is None:
        raise InputError(
            "this release has nothing to show in this view",
            f"{shown.id}, {at.view}",
            "Choose another view.",
        )
    drawn, whose = _around(shown, made)
    title, coloured = view.title, coloured_by(shown, at)
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
        " ".join(one for one in (*notes, *([] if chosen in spoken else [chosen]), *told, *whose) if one),
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
    if at.view not in table_views() or (splits and part is None):
        return False
    return table_views()[at.view].holds(release if part is None else part_of(release, part), at)


def _around(release: Release, drawn: SlideContent) -> tuple[SlideContent, tuple[str, ...]]:
    """A drawing with what lies under its tiles, and whose work that is."""
    context = release.context
    if context is None or context.is_empty or not isinstance(drawn, DrawnMap):
        return drawn, ()
    return replace(drawn, context=context), (f"Water, parks and streets: {context.attribution}.",)


def _of_choice(release: Release, at: Address, estimates: Estimates) -> str:
    """The number of what is chosen on the map of the period; empty where nothing is."""
    coloured = coloured_by(release, at)
    if coloured and at.chosen.tile is not None:
        told = told_of(release, coloured, at.rung).words(at.chosen.tile)
        return f"{tile_words(release, at.chosen.tile)}: {told}" if told else ""
    if coloured or not at.chosen.places or at.window is not None:
        return ""
    districts = districts_shown(release.plan, release.tessellation) if at.chosen.districts else None
    numbers = numbers_of(release, estimates, released=at.released)
    facts = area_facts(at.chosen, numbers, districts)
    if facts is None:
        return ""
    label = selection_label(at.chosen, release.tessellation, districts)
    return f"{label}: {facts.drawn if at.released or not facts.estimate else facts.estimate}"


def promise_of_release(release: Release, said: str | None = None, notes: Sequence[str] = ()) -> Slide:
    """What a release promises to a reader: whether their own trips can be found, out of a hundred guesses.

    ``said`` and ``notes``: as for ``slide_of``.
    """
    promise = promise_of(release)
    answer = can_be_found(promise)
    spoken = answer if said is None else said
    estimated = are_computed(estimates_to_show(release, of=()))
    told = [
        *notes,
        *([] if guessed(promise) in spoken else [answer]),
        *you_in_this_data(promise, estimated=estimated),
        _ALL_FIGURES,
    ]
    return Slide(
        f"{_PROMISED} \N{MIDDLE DOT} {release.title or release.id}",
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
    title = f"{_CHANGED} \N{MIDDLE DOT} {other.title or other.id}"
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
        _alt(_CHANGED, drawn) if drawn is not None else counted,
        drawn,
        other.created,
    )


def _change_drawn(found: Changes, other: Release) -> SlideContent | None:
    if found.cells is None:
        return None
    tiles = other.tessellation
    return maps.map_of_changes(found.cells, tiles) or charts.chart_of_changes(found.cells, tiles)


def _source(release: Release, rung: int) -> str:
    return f"{whose_numbers(release)} {not_exact(release)} {_release_line(release, rung)}"


def _release_line(release: Release, rung: int) -> str:
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
        f"{whose_numbers(release)} {_release_line(release, rung)}"
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
