"""Two sides in one page: each chart with both, the difference of their maps, and how alike they are. It needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Final

from dpcore.comparison import (
    CountTable,
    Geography,
    Pair,
    Score,
    Side,
    compared,
    matched,
    step_of_both,
)
from dpcore.errors import InputError
from dpcore.measures.measure import Kind
from dpcore.views.comparison import likeness
from dpcore.views.comparison.difference_map import chance_words, difference_svg, differences, legend_svg
from dpcore.views.numbers.sentences import OWNER_MARK
from dpcore.views.report.document import document
from dpcore.views.report.figures import Charts

PUBLIC: Final = "Both sides are verified releases: everybody may see this page."
SHARES: Final = (
    "Charts and map show shares of each side's total, so two sides of different size can be compared."
)
MAP: Final = "Colours say by how much B's share of a tile is above or below A's, as multiples of an equal share of all tiles."
_VISITS: Final = "visits_per_tile"
_LEGEND: Final = {"orientation": "h", "y": -0.2, "yanchor": "top", "bgcolor": "rgba(0,0,0,0)"}
"""Below the chart: the title of a saved picture stands above it."""
_BY_DAY_AND_NIGHT: Final = ".by-night{display:none}@media screen and (prefers-color-scheme:dark){.by-day{display:none}.by-night{display:block}}"
_STYLE: Final = Path(__file__).parent / "report.css"


def comparison_html(
    one: Side,
    other: Side,
    *,
    measures: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    geography: Geography | None = None,
    static: bool = False,
) -> str:
    """The page of two sides; the same input gives the same text.

    ``measures`` and ``metrics`` choose what is compared, as in ``compared``. ``static``: without charts and their library. Where a side is
    no verified release, every part says that the page is for the owner only. Raises as ``compared`` does.
    """
    scores = compared(one, other, geography, measures=measures, metrics=metrics)
    public = one.released and other.released
    mark = "" if public else OWNER_MARK
    names = (f"A: {one.name}", f"B: {other.name}")
    charts = Charts(f"{one.name} and {other.name}", "two-sides", static=static)
    wanted = dict.fromkeys(score.measure for score in scores)
    pair = matched(one.tables[_VISITS], other.tables[_VISITS]) if _VISITS in wanted else None
    title = escape(f"{one.name} and {other.name}")
    articles = "".join(
        _article(name, _figures((one.tables[name], other.tables[name]), names, mark, charts), scores, mark)
        for name in wanted
    )
    apart = "".join(f'<p class="small">{escape(said)}</p>' for said in likeness.said_beside(one, other))
    body = (
        f"<header><h1>{title}</h1><p>A is {escape(one.name)}, the reference. B is {escape(other.name)}.</p>"
        f'<div class="promise">{escape(mark or PUBLIC)}</div>{_headline(scores)}{apart}</header>'
        f"<main>{_map(pair, one, other, mark)}<section><h2>Both in one picture</h2><p>{SHARES}</p>{articles}</section></main>"
    )
    calls = () if static else (charts.script(),)
    return document(
        f"{title}: comparison", _STYLE.read_text(encoding="utf-8") + _BY_DAY_AND_NIGHT, body, calls
    )


def _headline(scores: Sequence[Score]) -> str:
    """The scores that tell most, as cards."""
    found = "".join(
        f"<dl><dt>{escape(label)}</dt><dd>{escape(value)}</dd><dd>{escape(note)}</dd></dl>"
        for label, value, note in likeness.headline(scores)
    )
    return f'<div class="cards">{found}</div>' if found else ""


def _scores(scores: Sequence[Score], mark: str) -> str:
    """The metrics of one table of counts, as a table."""
    columns = likeness.score_table(scores)
    rows = zip(*(columns[name] for name in ("what", "value", "better", "perfect", "note")), strict=True)
    told = "".join(
        f"<tr><th>{escape(what)}</th><td>{escape(value)}</td>"
        f"<td>{escape('. '.join(one for one in (f'{better}, {perfect} is perfect', note) if one))}</td></tr>"
        for what, value, better, perfect, note in rows
    )
    return f"<table><caption>{escape(mark)}</caption><tbody>{told}</tbody></table>"


def _map(pair: Pair | None, one: Side, other: Side, mark: str) -> str:
    """The difference of the two maps of visits; empty where no side has tiles, or a side has no visit in them."""
    tiles = one.tessellation or other.tessellation
    found = None if tiles is None or pair is None else differences(pair, tiles)
    if tiles is None or found is None:
        return ""
    words = chance_words(found, tiles)
    chance = f"<p>{escape(words)}</p>" if words else ""
    drawn = "".join(
        f'<div class="by-{"night" if dark else "day"}">'
        f"{difference_svg(tiles, found, (one.name, other.name), mark, dark=dark, numbered=True)}{legend_svg(dark=dark, noisy=found.noisy)}</div>"
        for dark in (False, True)
    )
    return f'<section><h2>Where they differ</h2><figure class="map">{drawn}</figure><p>{MAP}</p>{chance}</section>'


def _article(measure: str, figures: str, scores: Sequence[Score], mark: str) -> str:
    """One measure: its figures, and how alike the two sides are in it."""
    mine = [score for score in scores if score.measure == measure]
    return f"<article><h3>{escape(likeness.title(measure))}</h3>{figures}{_scores(mine, mark)}</article>"


def _figures(sides: tuple[CountTable, CountTable], names: tuple[str, str], mark: str, charts: Charts) -> str:
    """The charts of one table with both sides in each; empty where its cells have no order."""
    if charts.static or not _has_overlay(*sides):
        return ""
    measure, placed = sides[0].measure, ""
    for at, (said, chart) in enumerate(likeness.overlays(*sides, names, mark, as_shares=True)):
        layout = {**chart.figure["layout"], "legend": _LEGEND}
        below = replace(chart, figure={**chart.figure, "layout": layout})
        drawn = charts.place(f"{measure}--{at}", f"{likeness.title(measure)} {said}".strip(), below)
        placed += f"<figure><figcaption>{escape(said)}</figcaption>{drawn}</figure>"
    return placed


def _has_overlay(one: CountTable, other: CountTable) -> bool:
    """Whether both tables can stand in one picture: their cells have an order, and dates the same step."""
    if not one.layout.ordered or not len(one.values) or not len(other.values):
        return False
    if one.layout.kind is Kind.DATES:
        try:
            step_of_both(one, other)
        except InputError:
            return False
    return True
