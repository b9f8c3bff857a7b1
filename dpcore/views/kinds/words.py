"""The words that stand beside every view of a release of any kind: whose numbers they are, of which release, and its promise."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Final

from dpcore.privacy import decimal_text
from dpcore.release import AnyRelease, kind_of
from dpcore.views.ground.plain import day, delta_text, number, plain
from dpcore.views.maps.drawn_map import DrawnMap, Listed
from dpcore.views.numbers.guarantee import can_be_found, period_text
from dpcore.views.pictures.charts import promise_dots
from dpcore.views.pictures.slide import DrawnCharts, Panel, Slide, SlideContent

_FIRST: Final = 5


def slide(
    release: AnyRelease, title: str, sentence: str, told: Sequence[str], drawn: SlideContent | None
) -> Slide:
    """A view as a slide. ``sentence``: what is said of it; ``told``: of which trips the numbers are, and how sure."""
    return Slide(
        f"{title} \N{MIDDLE DOT} {release.title or release.id}",
        sentence,
        " ".join(one for one in told if one),
        source_words(release),
        _alt(title, sentence, drawn),
        drawn,
        release.created,
    )


def source_words(release: AnyRelease) -> str:
    """Who publishes a release, of which data set and days, when, and what it costs (plain text)."""
    card = kind_of(release.plan).card(release)
    about = "; ".join(part for part in (release.population.rstrip(". "), period_text(card.period)) if part)
    said = f"Data set {release.dataset}{about and f': {about}'}."
    by = f"Published by {release.publisher.rstrip('. ')}. " if release.publisher else ""
    whom = "each single trip" if card.bound.max_trips is None else "each person"
    loss = f"\N{GREEK SMALL LETTER EPSILON} = {decimal_text(card.epsilon)}"
    loss += f", \N{GREEK SMALL LETTER DELTA} = {delta_text(card.delta)}" if card.delta else ""
    return (
        f"{by}{said} No number is exact: random noise hides {whom} ({loss}). "
        f"Release {release.id} of {day(release.created)}."
    )


def slide_of_promise(release: AnyRelease) -> Slide:
    """What a release promises to a reader: whether their own trips can be found, out of a hundred guesses."""
    kind = kind_of(release.plan)
    promise = kind.promised(release.plan)
    return slide(
        release,
        "What is promised",
        can_be_found(promise),
        ("The README of the release has the other figures of this promise.",),
        promise_dots(promise),
    )


def _alt(title: str, sentence: str, drawn: SlideContent | None) -> str:
    """The picture in words: what it is, and the first numbers that stand in it."""
    if isinstance(drawn, DrawnMap):
        listed = "" if drawn.listed is None else f" {_first_rows_words(drawn.listed)}"
        return f"{title}: a map of {len(drawn.tiles.tile_ids):,} tiles.{listed}"
    if isinstance(drawn, DrawnCharts):
        return f"{title}: charts of {'; '.join(panel.title for panel in drawn.panels)}."
    if isinstance(drawn, Listed):
        return f"{title}. {_first_rows_words(drawn)}"
    return f"{title}. {sentence}"


def _first_rows_words(listed: Listed) -> str:
    return f"{listed.title}: {'; '.join(f'{name}, {words}' for name, words in listed.rows[:_FIRST])}."


def slide_tables(shown: Slide) -> dict[str, dict[str, list[str]]]:
    """The numbers of a picture as tables by their titles, each with columns (Markdown, in which names are escaped)."""
    drawn = shown.drawn
    if isinstance(drawn, DrawnCharts):
        return {panel.title: _of_panel(panel) for panel in drawn.panels}
    listed = drawn if isinstance(drawn, Listed) else getattr(drawn, "listed", None)
    if listed is None:
        return {}
    names, words = ([plain(row[at]) for row in listed.rows] for at in (0, 1))
    return {listed.title: {"": names, "number": words}}


def _of_panel(panel: Panel) -> dict[str, list[str]]:
    """Each number of a chart with its range."""
    cells = zip(*panel.shown.columns, strict=True)
    words = [
        f"{number(value)} ({number(low)} to {number(high)})" if isfinite(high) else number(value)
        for value, low, high in cells
    ]
    return {"": [plain(name) for name in panel.names], panel.unit: words}
