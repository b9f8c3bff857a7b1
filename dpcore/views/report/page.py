"""A release as one file: HTML with its style, its scripts and its numbers inside, and no request to anyone.

The charts are those of the app's pages. Their library, plotly, travels in the file as it was installed, and a file that
is ``static`` leaves it and all charts out. Either way a table beside each place of a chart holds the numbers, for a
screen reader and for a browser without scripts. A policy in the file forbids every request and every script but its own
two (by their hashes). All texts of others are escaped.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

import numpy as np

from dpcore.comparison.findings import findings
from dpcore.errors import InternalError
from dpcore.measures import measure_named
from dpcore.measures.choices import GRIDS
from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import sum_named
from dpcore.privacy import decimal_text
from dpcore.release.release import Release
from dpcore.release.sums import told_table
from dpcore.views import guarantee, shares
from dpcore.views.address import ESTIMATE, RELEASED, opens_on_released
from dpcore.views.estimated import (
    estimate_breaks,
    estimate_cards,
    released_cards,
    switch_words,
)
from dpcore.views.estimated_flows import drawn_cells, flows_words, ranged_at
from dpcore.views.estimated_ranking import estimated_ranking
from dpcore.views.estimated_ranking import ranking_chart as estimated_chart
from dpcore.views.findings import FINDINGS, HOW_SURE, said_of
from dpcore.views.guarantee import protection_text_at
from dpcore.views.plain import day
from dpcore.views.plots import window_name
from dpcore.views.ranking import NONE_RANKED, Ranking, assumption, flow_ranking, ranking_chart, tile_ranking
from dpcore.views.report import maps, numbers
from dpcore.views.report.data import MOST_FLOWS, carries_every_rung, data_json, pictured, plot_id
from dpcore.views.report.entries import (
    FIVE_NUMBERS,
    NOISE_DOMINATES,
    estimated_words,
    noise_words,
    placed,
    price_words,
    readable_words,
)
from dpcore.views.report.estimates import (
    NOT_HERE,
    Carried,
    above,
    districts_table,
    estimates_json,
    flow_table,
    ranking_table,
    tile_table,
    told,
)
from dpcore.views.report.figures import Charts, figure
from dpcore.views.report.markup import at_rungs, either, folded
from dpcore.views.report.numbers import five_rows
from dpcore.views.report.side_by_side import beside, overall, sums_of_parts
from dpcore.views.report.surroundings import attribution, surroundings, surroundings_style
from dpcore.views.sentences import Card, absent_pairs, release_cards
from dpcore.views.series import CLIPPED
from dpcore.views.small_maps import shapes

_HERE: Final = Path(__file__).parent
_NONE_RANKED: Final = f'<p class="small">{NONE_RANKED}</p>'
_SCRIPTS: Final = ("words.js", "maps.js", "tables.js", "tile.js", "start.js")
_OF_CHARTS: Final = "charts.js"
HOW: Final = "How to read it"
"""What stands on every fold that explains."""
LINES: Final = (
    "One choice of lines for every ε: the strongest of the highest one. Of the two curves of a pair, each bends to the right of "
    "its direction."
)
"""What the lines of flows are."""
STATIC: Final = "This file has no charts. It shows maps, and the numbers of every chart as a table."


def report_html(release: Release, rung: int | None = None, *, static: bool = False) -> str:
    """The file of a release, opened at a rung (the highest by default); the same input gives the same text.

    ``static``: without charts and their library, which is 4.8 MB of the file.
    """
    at = len(release.plan.rungs) - 1 if rung is None else rung
    paths = shapes(release.tessellation)
    style = (_HERE / "report.css").read_text(encoding="utf-8") + maps.colour_style() + surroundings_style()
    script = _script(*_SCRIPTS, *([] if static else [_OF_CHARTS]))
    title = escape(release.title or release.id)
    carried = Carried.of(release)
    side = RELEASED if not carried.computed or opens_on_released(release) else ESTIMATE
    sections = placed({**release.measurements, **carried.finest.tables})
    charts = Charts(static=static)
    library = "" if static else _library()
    body = "".join(
        f'<section id="{key}"><h2>{escape(name)}</h2>'
        + "".join(article(carried, measure, at, paths, charts) for measure in measures)
        + "</section>"
        for key, name, _, measures in sections
    )
    sums = [name for name in release.measurements if sum_named(name, release.plan.choices.sums)]
    if sums:
        about = "Numbers of trips added up and averaged, with their ranges."
        sections.append(("sums", "Sums and means", about, sums))
        body += f'<section id="sums"><h2>Sums and means</h2><p class="about">{about}</p>'
        body += "".join(_told(carried, name, at) for name in sums) + "</section>"
    drawing = f'<script type="text/plain" id="plotly">{library}</script>' if library else ""
    links = "".join(f'<a href="#{key}">{escape(name)}</a>' for key, name, *_ in sections)
    numbers_ = data_json(release, paths, charts.data(), estimates_json(carried))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script, library)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>{title}: report</title><style>{style}</style></head>"
        f'<body data-numbers="{side}">'
        f"{surroundings(release.context, release.tessellation)}{_head(carried, at, title, static=static)}{_slider(carried, at, links, side)}"
        f"<main>{body}{_promise(release)}</main>{_foot(release)}"
        f'<div id="tip" class="tip" role="status" hidden></div>'
        f'<script type="application/json" id="numbers">{numbers_}</script>'
        f"<script>{script}</script>{drawing}</body></html>"
    )


def policy(style: str, script: str, library: str) -> str:
    """A Content-Security-Policy that lets in this style and this script, and nothing from anywhere.

    With charts it also lets in their library, the empty style element that the library fills by rules, and pictures
    that it makes in the page to save them. The library may send nothing and evaluate no text.
    """
    styles, scripts, pictures = _source(style), _source(script), ""
    if library:
        styles, scripts = f"{styles} {_source('')}", f"{scripts} {_source(library)}"
        pictures = "img-src data: blob:; "
    return (
        f"default-src 'none'; style-src {styles}; script-src {scripts}; {pictures}connect-src 'none'; "
        "base-uri 'none'; form-action 'none'"
    )


def _library() -> str:
    """The script of plotly as it is installed. No text in it ends the element that holds it."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - commands that draw nothing need not wait for it

    return str(get_plotlyjs())


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _script(*names: str) -> str:
    parts = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def _head(carried: Carried, rung: int, title: str, *, static: bool) -> str:
    release = carried.release
    period = guarantee.period_text(release.plan.choices.period)
    about = [release.dataset, period, f"released {day(release.created)}"]
    note = f'<p class="note">{escape(release.note).replace(chr(10), "<br>")}</p>' if release.note else ""
    share = at_rungs(release.plan.rungs, rung, lambda at: above(carried, at))
    if release.plan.choices.splits:
        sure, cards = overall(carried, rung), ""
    else:
        sure, cards = _findings(release), _both_cards(carried, rung)
    numbers_ = f"{sure}{share}{cards}{folded(HOW, _how_to_read(carried, rung))}"
    promise = at_rungs(release.plan.rungs, rung, lambda at: escape(protection_text_at(release, at)))
    without = f'<p class="small">{escape(STATIC)}</p>' if static else ""
    return (
        f'<header><h1>{title}</h1><p class="small">{escape(", ".join(part for part in about if part))}</p>'
        f'<div class="promise">{promise}</div>{note}{numbers_}{without}</header>'
    )


def _both_cards(carried: Carried, rung: int) -> str:
    """The cards of both sides of the switch."""
    rungs = carried.release.plan.rungs
    drawn = at_rungs(rungs, rung, lambda at: _cards(_released_cards(carried, at)), 'div class="cards"')
    return carried.sides(
        lambda: at_rungs(rungs, rung, lambda at: _cards(_estimate_cards(carried, at)), 'div class="cards"'),
        drawn,
    )


def _findings(release: Release) -> str:
    """What is sure, before all other numbers; nothing where noise hides it."""
    found = findings(release)
    if not found:
        return ""
    told = "".join(f"<li>{escape(said_of(release, one))}</li>" for one in found)
    return f'<div id="findings"><h4>{FINDINGS}</h4><ul>{told}</ul><p class="small">{HOW_SURE}</p></div>'


def _how_to_read(carried: Carried, rung: int) -> str:
    """What a range means on each side of the switch; a stop whose estimates are not carried shows released counts."""
    released = f'<p class="small">{escape(guarantee.HOW_TO_READ)} {escape(CLIPPED)}</p>'
    estimate = f'<p class="small">{escape(guarantee.HOW_TO_READ_AN_ESTIMATE)}</p>'

    def made(at: int) -> str:
        return released if carried.by_rung[at] is None else either(estimate, released)

    return at_rungs(carried.release.plan.rungs, rung, made)


def _cards(cards: Sequence[Card]) -> str:
    return "".join(
        f"<dl><dt>{escape(card.label)}</dt><dd>{escape(card.value)}</dd><dd>{escape(card.note)}</dd></dl>"
        for card in cards
    )


def _estimate_cards(carried: Carried, rung: int) -> tuple[Card, ...]:
    """The cards of a stop; where its estimates are not carried, those of the released counts."""
    found = carried.by_rung[rung]
    return _released_cards(carried, rung) if found is None else estimate_cards(carried.release, found)


def _released_cards(carried: Carried, rung: int) -> tuple[Card, ...]:
    found = carried.by_rung[rung]
    if found is None:
        return release_cards(carried.release, rung)
    return released_cards(carried.release, found)


def _slider(carried: Carried, rung: int, links: str, side: str) -> str:
    release = carried.release
    epsilon, highest = decimal_text(release.plan.rungs[rung]), decimal_text(release.plan.epsilon)
    last = len(release.plan.rungs) - 1
    slider = (
        f'<input type="range" id="rung" min="0" max="{last}" step="1" value="{rung}" aria-label="epsilon">'
        if last
        else ""
    )
    sides = "".join(
        f'<label><input type="radio" name="numbers" value="{value}"{" checked" if value == side else ""}> '
        f"{escape(words)}</label> "
        for value, words in zip((ESTIMATE, RELEASED), switch_words(carried.finest), strict=True)
    )
    switch = f'<p class="live switch" role="radiogroup" aria-label="Numbers">{sides}</p>'
    return (
        f'<nav class="bar"><p><label for="rung">ε = <output id="epsilon">{epsilon}</output></label> '
        f'<span class="small">of {highest} that was spent</span></p>'
        f'<p class="live slide"><span>coarser</span>{slider}<span>finer</span></p>'
        f"{switch if carried.computed else ''}"
        f'<p class="links">{links}</p></nav>'
    )


def _promise(release: Release) -> str:
    said = guarantee.guarantee(release)

    def listed(texts: tuple[str, ...]) -> str:
        return "".join(f"<li>{escape(text)}</li>" for text in texts)

    facts = "".join(
        f"<tr><th scope=row>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in (*said.facts, *said.ledger)
    )
    return (
        '<section id="promise"><h2>What is promised, and what is not</h2>'
        f"{folded('What is promised', f'<ul>{listed(said.promise)}</ul>')}"
        f"{folded('What is not protected', f'<ul>{listed(said.not_protected)}</ul>')}"
        f"{folded('Facts', f'<table><tbody>{facts}</tbody></table>')}</section>"
    )


def _foot(release: Release) -> str:
    words = (
        f"Release {release.id}, ledger entry {release.anchor.number}, {release.anchor.hash[:16]}. This file was made from "
        "the release alone. Check the bundle itself with: python -m dpcore verify FOLDER"
    )
    terms = "".join(f"<li>{escape(term)}</li>" for term in guarantee.TERMS)
    read = folded(guarantee.TERMS_TITLE, f'<ul class="small">{terms}</ul>')
    return f'<footer>{read}<p class="small">{escape(words)}</p>{attribution(release.context)}</footer>'


DROWNED_TOTAL: Final = "The total itself is drowned by noise, so no share of it can be told."
_HOVER: Final = '<p class="small live">Hover over a tile or click it: its numbers stand beside the map.</p>'


def article(carried: Carried, name: str, rung: int, paths: list[str], charts: Charts) -> str:
    """One measure: words, pictures, tables. Flows between tiles are estimated even where none were released."""
    release, measurement = carried.release, carried.release.measurements.get(name)
    measure = measure_named(name, release.plan.choices)
    if measure.splits:
        body = beside(carried, name, rung, paths, charts)
    elif measurement is None:
        body = _estimated_flows(carried, rung, paths, charts)
    elif name == "visits_per_tile":
        body = _visits(carried, measurement, rung, paths, charts)
    elif name == "visits_per_time_tile":
        body = _windows(carried, measurement, rung, paths)
    elif name == "od_flows":
        body = carried.sides(
            lambda: _estimated_flows(carried, rung, paths, charts),
            _flows(release, measurement, rung, paths, charts),
        )
    else:
        body = _plots(carried, measurement, rung, charts)
    stands, words = ("", "") if measurement is None else _state(carried, measurement, rung)
    said = f"{stands}{folded(HOW, f'<p>{escape(measure.explanation)}</p>{words}')}"
    if body.startswith("<figure>"):  # one picture: it stands beside its words
        said, body = f'<div class="pair"><div>{said}</div>{body}</div>', ""
    return f'<article id="{name}"><h3>{escape(measure.title)}</h3>{said}{body}</article>'


def _told(carried: Carried, name: str, rung: int) -> str:
    """A sum or a mean: words, noise and price, and its table; of a split one a table for each part."""
    release = carried.release
    measure, measurement = release.plan.measure(name), release.measurements[name]
    one = sum_named(name, release.plan.choices.sums)
    if one is None:
        raise InternalError.at("a report of a sum that was not declared")

    def told(at: int) -> str:
        price = price_words(release.plan, measurement, at)
        if measure.splits:
            rows = sums_of_parts(carried, name, one, at)
        else:
            rows = numbers.told_rows(told_table(measurement, one, at), measure.title)
        return f'<p class="small">{escape(f"{noise_words(measurement, at)} {price}")}</p>{rows}'

    tables = at_rungs(release.plan.rungs, rung, told)
    return f'<article id="{name}"><h3>{escape(measure.title)}</h3><p>{escape(measure.explanation)}</p>{tables}</article>'


def _state(carried: Carried, measurement: Measurement, rung: int) -> tuple[str, str]:
    """How much of a measure stands out of the noise, for all to read; and its noise and price, for who asks how to read it."""
    plan = carried.release.plan

    def stands(at: int) -> str:
        readable, table = readable_words(measurement, at), carried.table(measurement.measure, at)
        drawn = f'<p class="{"warned" if readable == NOISE_DOMINATES else "small"}">{escape(readable)}</p>'
        if table is None:
            return drawn
        return either(f'<p class="small">{escape(estimated_words(measurement, at, table))}</p>', drawn)

    def words(at: int) -> str:
        price = price_words(plan, measurement, at)
        drawn = f'<p class="small">{escape(f"{noise_words(measurement, at)} {price}")}</p>'
        if carried.table(measurement.measure, at) is None:
            return drawn
        noise = noise_words(measurement, at, estimated=True)
        return either(f'<p class="small">{escape(f"{noise} {price}")}</p>', drawn)

    return at_rungs(plan.rungs, rung, stands), at_rungs(plan.rungs, rung, words)


def _plots(carried: Carried, measurement: Measurement, rung: int, charts: Charts) -> str:
    release, name = carried.release, measurement.measure
    drawn = [one for one in pictured(release) if one.whole is measurement]
    several, table = len(drawn) > 1, carried.finest.tables.get(name)
    found = [figure(carried, one, rung, charts, titled=several) for one in drawn]
    if name == "od_districts" and table is not None:
        pairs = at_rungs(release.plan.rungs, rung, lambda at: districts_table(carried, at))
        return f"{''.join(found)}<details><summary>The largest pairs of districts</summary>{pairs}</details>"
    if not found:
        title = measure_named(name).title
        return at_rungs(release.plan.rungs, rung, lambda at: numbers.cell_table(measurement, at, title))
    if name in GRIDS:
        table_of = at_rungs(release.plan.rungs, rung, lambda at: _five(release, measurement, at))
        words = f'<p class="small">{escape(FIVE_NUMBERS)}</p>'
        found[0] = found[0].replace(
            "</figure>", f"<details><summary>Five numbers</summary>{words}{table_of}</details></figure>"
        )
    return f'<div class="plots">{"".join(found)}</div>' if several else found[0]


def _five(release: Release, measurement: Measurement, rung: int) -> str:
    rows = [numbers.row(*texts) for texts in five_rows(measurement, rung, release.five_numbers)]
    return numbers.table(("", "value (95 %)", "how"), rows, "Five numbers", titled=False)


def _visits(carried: Carried, visits: Measurement, rung: int, paths: list[str], charts: Charts) -> str:
    release, name = carried.release, visits.measure
    edges = estimate_breaks(release, name)
    picture = maps.map_svg(
        paths,
        visits,
        rung,
        first=0,
        alt=f"Map of visits per tile, {'estimated or ' if carried.computed else ''}as released; the table holds the numbers",
        shown=carried.grid(name, rung),
        edges=edges,
    )
    tiles = len(paths)
    legends = carried.sides(
        lambda: maps.estimated_legend(name, visits.counts, edges), maps.legend_html(visits, rung)
    )
    title, first = "The first ten tiles", ""
    if tiles > 1:
        rankings = [tile_ranking(release, at) for at in range(len(visits.rungs))]
        first = carried.sides(
            lambda: _estimated_ranking(carried, name, rung, title, charts),
            _ranking(visits, rung, rankings, title, charts),
        )
    tables = carried.sides(
        lambda: f"{_more('guessed', tiles)}{tile_table(carried, rung)}",
        f"{_more('tiles', tiles)}{numbers.tile_table(release, rung)}"
        '<p class="small">Sorted by noisy count: among similar tiles, those that noise lifted stand higher.</p>',
    )
    return (
        f'<div class="beside"><figure class="map">{picture}{legends}{_HOVER}</figure>'
        f'<aside class="live" id="tile" aria-live="polite"></aside></div>'
        f"{first}"
        f"{_curve(visits, rung, 'visits', 'tiles', charts)}"
        f"<details><summary>Tiles as a table</summary>{tables}"
        f'<p class="small">All {tiles:,} are in the bundle\'s tables.</p></details>'
    )


def _windows(carried: Carried, measurement: Measurement, rung: int, paths: list[str]) -> str:
    day_types, windows, tiles = measurement.keys.axes
    parts, step, name = [], len(tiles.labels), measurement.measure
    shown, edges = carried.grid(name, rung), estimate_breaks(carried.release, name)
    for kind, day_type in enumerate(day_types.inside):
        small = []
        for at, window in enumerate(windows.inside):
            first = (kind * len(windows.inside) + at) * step
            alt = f"Map of arrivals on {day_type}s, {window_name(window)}"
            picture = maps.map_svg(paths, measurement, rung, first=first, alt=alt, shown=shown, edges=edges)
            small.append(f"<figure>{picture}<figcaption>{escape(window_name(window))}</figcaption></figure>")
        parts.append(
            f'<h4>{escape(day_type.capitalize())}s</h4><div class="small-maps">{"".join(small)}</div>'
        )
    sums = at_rungs(carried.release.plan.rungs, rung, lambda at: numbers.window_table(measurement, at))
    fixed = ""
    if not carries_every_rung(measurement):
        finest = decimal_text(carried.release.plan.epsilon)
        fixed = (
            f'<p class="small">So many tiles: these maps stay at ε = {finest} whatever the slider says.</p>'
        )
    if carried.computed and carried.is_large(name) and len(measurement.rungs) > 1:
        finest = decimal_text(carried.release.plan.epsilon)
        fixed += f'<p class="small if-estimate">Estimates stand here at ε = {finest}. At other ε these are the released counts.</p>'
    legends = carried.sides(
        lambda: maps.estimated_legend(name, measurement.counts, edges), maps.legend_html(measurement, rung)
    )
    return (
        f"{''.join(parts)}{legends}{fixed}"
        f"<details><summary>All arrivals by time of day, as released</summary>{sums}</details>"
    )


def _estimated_flows(carried: Carried, rung: int, paths: list[str], charts: Charts) -> str:
    """Estimated flows between tiles: lines, table and the first ten."""
    release, found = carried.release, carried.finest.tables["od_flows"]
    drawn = drawn_cells(found)
    origin, destination = np.unravel_index(drawn, found.keys.shape)
    one = carried.table("od_flows", rung)
    strongest = float(ranged_at(found, drawn).values.max(initial=1))
    values = None if one is None else told(ranged_at(one, drawn)).values.astype(np.int64)
    points = maps.middles(release.tessellation)
    picture = maps.estimated_flows_svg(paths, points, (origin, destination), values, strongest)
    said = flows_words(carried.finest)
    title = "The first ten flows between different tiles, by estimate"
    lines = f'<p class="small">{LINES} {escape(said)}</p>'
    return (
        f'<div class="pair"><figure class="map">{picture}{folded(HOW, lines)}</figure>'
        f"<div>{_more('guessedflows', MOST_FLOWS)}{flow_table(carried, rung)}</div></div>"
        f"{_estimated_ranking(carried, 'od_flows', rung, title, charts)}"
    )


def _estimated_ranking(carried: Carried, measure: str, rung: int, title: str, charts: Charts) -> str:
    """The first ten by estimate at every rung, as a chart beside a table."""
    release = carried.release
    found = [None if one is None else estimated_ranking(release, one, measure) for one in carried.by_rung]
    drawn = (None if one is None or not one.names else estimated_chart(one) for one in found)
    place = charts.of_rungs(plot_id(measure, "estimated"), title, drawn)

    def made(at: int) -> str:
        one = found[at]
        if one is None:
            return f'<p class="warned">{escape(NOT_HERE)}</p>'
        return ranking_table(one, title) if one.names else _NONE_RANKED

    return f"<h4>{escape(title)}</h4>{_beside(place, at_rungs(release.plan.rungs, rung, made))}"


def _flows(release: Release, flows: Measurement, rung: int, paths: list[str], charts: Charts) -> str:
    picture = maps.flows_svg(paths, maps.middles(release.tessellation), flows, rung)
    title = "The first ten flows between different tiles"
    rankings = [flow_ranking(release, at) for at in range(len(flows.rungs))]
    lines = f'<p class="small">{LINES} {escape(absent_pairs(flows))} Sorted by noisy count: those that noise lifted stand higher.</p>'
    return (
        f'<div class="pair"><figure class="map">{picture}<p class="small">Thin and dashed: drowned by noise.</p>{folded(HOW, lines)}</figure>'
        f"<div>{_more('flows', MOST_FLOWS)}{numbers.flow_table(release, rung)}</div></div>"
        f"{_ranking(flows, rung, rankings, title, charts)}"
        f"{_curve(flows, rung, 'trips', 'flows', charts)}"
    )


def _ranking(
    measurement: Measurement, rung: int, rankings: Sequence[Ranking], title: str, charts: Charts
) -> str:
    """The first ten at every rung, as a chart beside a table."""
    drawn = (ranking_chart(found) if found.places else None for found in rankings)
    place = charts.of_rungs(plot_id(measurement.measure, "ranking"), title, drawn)

    def made(at: int) -> str:
        return numbers.ranking_table(rankings[at], title) if rankings[at].places else _NONE_RANKED

    return (
        f"<h4>{escape(title)}</h4>{_beside(place, at_rungs(measurement.rungs, rung, made))}"
        f"{folded('What the chances suppose', f'<p>{escape(assumption(measurement.bound))}</p>')}"
    )


def _curve(measurement: Measurement, rung: int, what: str, places: str, charts: Charts) -> str:
    if len(measurement.cell_numbers) < 3:
        return ""
    title = f"Share of {what} in the busiest {places}, by released counts"
    curves = [shares.curve(measurement, at) for at in range(len(measurement.rungs))]
    drawn = (None if found is None else shares.curve_chart(found, title) for found in curves)
    place = charts.of_rungs(plot_id(measurement.measure, "curve"), title, drawn)

    def made(at: int) -> str:
        found = curves[at]
        if found is None:
            return f'<p class="warned">{DROWNED_TOTAL} {NOISE_DOMINATES}</p>'
        return numbers.curve_table(found, places)

    cells = f"{len(measurement.cell_numbers):,}" + (" listed" if measurement.threshold is not None else "")
    words = f"Which share of all {what} the busiest of {cells} {places} hold together. {shares.CURVE_WORDS}"
    table = at_rungs(measurement.rungs, rung, made)
    return f"<h4>{title}</h4>{_beside(place, table)}{folded(HOW, f'<p>{escape(words)}</p>')}"


def _beside(chart: str, table: str) -> str:
    """A chart beside its table; the table alone where there is no chart."""
    return f'<div class="plots">{chart}<div>{table}</div></div>' if chart else table


def _more(name: str, many: int) -> str:
    """Where the script puts the choice of how many rows."""
    return f'<p class="live small" data-more="{name}" data-most="{many}"></p>'
