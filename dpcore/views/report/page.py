"""A stop of a release as one file: HTML with its style and its numbers inside, and no request to anyone.

Python makes every text, row, number and class. One switch between estimates and released counts is a pair of radio buttons that
the style asks. The charts are those of the app's pages. Their library, plotly, travels in the file as it was installed, and a file
that is ``static`` leaves it and all charts out: it holds no script at all. A table below each chart has its numbers.
A policy in the file forbids every request and every other script (by their hashes). All texts of others are escaped.
On paper the file begins with its summary, which is one sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.comparison.findings import findings
from dpcore.errors import InputError, InternalError
from dpcore.estimates.words import NOT_COMPUTED
from dpcore.measures import measure_named
from dpcore.measures.choices import GRIDS
from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import sum_named
from dpcore.noise.expected_estimates import CERTAIN
from dpcore.privacy import decimal_text
from dpcore.release.release import Release
from dpcore.release.sums import told_table
from dpcore.views.charts.plots import window_name
from dpcore.views.charts.series import CLIPPED
from dpcore.views.ground.plain import day, names_told, percent
from dpcore.views.ground.selection import districts_shown
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.maps.address import opens_on_released
from dpcore.views.numbers import guarantee, shares
from dpcore.views.numbers.estimated import (
    about_estimates,
    doubtful,
    estimate_cards,
    released_cards,
    switch_words,
)
from dpcore.views.numbers.findings import FINDINGS, HOW_SURE, said_of
from dpcore.views.numbers.flows import DRAWN_FLOWS, flows_words
from dpcore.views.numbers.guarantee import protection_text_at
from dpcore.views.numbers.ranking import (
    NONE_RANKED,
    assumption,
    ranking_chart,
    ranking_of,
)
from dpcore.views.numbers.sentences import Card, absent_pairs, release_cards
from dpcore.views.report import maps, numbers
from dpcore.views.report.adding import one_sum
from dpcore.views.report.document import document
from dpcore.views.report.entries import (
    FIVE_NUMBERS,
    NOISE_DOMINATES,
    estimated_words,
    noise_words,
    placed,
    price_words,
    readable_words,
)
from dpcore.views.report.figures import Charts, figure
from dpcore.views.report.markup import SEE_RELEASED, either, folded
from dpcore.views.report.numbers import FIRST_ROWS, MOST_ROWS, five_rows
from dpcore.views.report.pictured import pictured, plot_id
from dpcore.views.report.side_by_side import beside, overall, sums_of_parts
from dpcore.views.report.stop import Stop
from dpcore.views.report.summary import summary
from dpcore.views.report.surroundings import attribution, surroundings, surroundings_style

_HERE: Final = Path(__file__).parent
_NONE_RANKED: Final = f'<p class="small">{NONE_RANKED}</p>'
HOW: Final = "How to read it"
"""What stands on every fold that explains."""
LINES: Final = "The strongest flows of this ε, thick where they end. Of the two curves of a pair, each bends to the right of its direction."
"""What the lines of flows are."""
STATIC: Final = "This file has no charts. It shows maps, and the numbers of every chart as a table."


def report_html(
    release: Release, rung: int | None = None, *, static: bool = False, top_n_flows: int | None = None
) -> str:
    """The file of a release at one stop (the highest by default) and of no other; the same input gives the same text.

    ``static``: without charts and their library, which is 4.8 MB of the file; then it has no script. ``top_n_flows``: how many of the
    strongest flows between tiles its map draws and its table lists, at most ``limits.MAX_REPORT_FLOWS``. Raises InputError for another number.
    """
    if top_n_flows is not None and not 0 <= top_n_flows <= limits.MAX_REPORT_FLOWS:
        raise InputError(
            "a report cannot show so many flows",
            f"{top_n_flows:,} flows",
            f"Give a number up to {limits.MAX_REPORT_FLOWS:,}. All flows are in the tables of the bundle.",
        )
    stop = Stop.of(release, len(release.plan.rungs) - 1 if rung is None else rung, top_n_flows)
    styles = ("report.css", "summary.css")
    style = "".join((_HERE / name).read_text(encoding="utf-8") for name in styles)
    style += maps.colour_style() + surroundings_style()
    title = escape(release.title or release.id)
    sections = placed({**release.measurements, **stop.estimates.tables})
    epsilon = decimal_text(release.plan.rungs[stop.rung])
    charts = Charts(f"ε = {epsilon}", f"epsilon-{epsilon}", static=static)
    body = "".join(
        f'<section id="{key}"><h2>{escape(name)}</h2>'
        + "".join(article(stop, measure, charts) for measure in measures)
        + "</section>"
        for key, name, _, measures in sections
    )
    sums = [name for name in release.measurements if sum_named(name, release.plan.choices.sums)]
    if sums:
        about = "Numbers of trips added up and averaged, with their ranges."
        sections.append(("sums", "Sums and means", about, sums))
        body += f'<section id="sums"><h2>Sums and means</h2><p class="about">{about}</p>'
        body += "".join(_sum_html(stop, name) for name in sums) + "</section>"
    links = "".join(f'<a href="#{key}">{escape(name)}</a>' for key, name, *_ in sections)
    return document(
        f"{title}: report",
        style,
        f"{surroundings(release.context, release.tessellation)}{summary(stop)}"
        f"{_head(stop, title, static=static)}{_bar(stop, links)}"
        f"<main>{body}{_promise(release)}</main>{_foot(release)}",
        () if static else (charts.script(),),
    )


def _head(stop: Stop, title: str, *, static: bool) -> str:
    release = stop.release
    period = guarantee.period_text(release.plan.choices.period)
    about = [release.dataset, period, f"released {day(release.created)}"]
    note = f'<p class="note">{escape(release.note).replace(chr(10), "<br>")}</p>' if release.note else ""
    if release.plan.choices.splits:
        sure, cards = overall(stop), ""
    else:
        sure, cards = _findings(stop), _both_cards(stop)
    numbers_ = f"{sure}{_share_and_assumption(stop)}{cards}{folded(HOW, _how_to_read(stop))}"
    promise = escape(protection_text_at(release, stop.rung))
    without = f'<p class="small">{escape(STATIC)}</p>' if static else ""
    made = names_told(release.tessellation, districts_shown(release.plan, release.tessellation))
    names = f'<p class="small">{escape(made)}</p>' if made else ""
    return (
        f'<header><h1>{title}</h1><p class="small">{escape(", ".join(part for part in about if part))}</p>'
        f'<div class="promise">{promise}</div>{note}{numbers_}{names}{without}</header>'
    )


def _both_cards(stop: Stop) -> str:
    """The cards of both sides of the switch."""
    if not stop.computed:
        return _cards(release_cards(stop.release, stop.rung))
    return either(
        _cards(estimate_cards(stop.release, stop.estimates)),
        _cards(released_cards(stop.release, stop.estimates)),
    )


def _findings(stop: Stop) -> str:
    """What is sure, before all other numbers; nothing where noise hides it, and below the highest stop, whose numbers it tells."""
    found = findings(stop.release) if stop.is_highest else ()
    if not found:
        return ""
    told = "".join(f"<li>{escape(said_of(stop.release, one))}</li>" for one in found)
    return f'<div id="findings"><h4>{FINDINGS}</h4><ul>{told}</ul><p class="small">{HOW_SURE}</p></div>'


def _how_to_read(stop: Stop) -> str:
    """What a range means on each side of the switch."""
    released = f'<p class="small">{escape(guarantee.HOW_TO_READ)} {escape(CLIPPED)}</p>'
    return stop.sides(f'<p class="small">{escape(guarantee.HOW_TO_READ_AN_ESTIMATE)}</p>', released)


def _cards(cards: Sequence[Card]) -> str:
    told = "".join(
        f"<dl><dt>{escape(card.label)}</dt><dd>{escape(card.value)}</dd><dd>{escape(card.note)}</dd></dl>"
        for card in cards
    )
    return f'<div class="cards">{told}</div>'


def _bar(stop: Stop, links: str) -> str:
    """The stop, the switch and the sections, in sight wherever somebody reads."""
    plan = stop.release.plan
    epsilon, highest = decimal_text(plan.rungs[stop.rung]), decimal_text(plan.epsilon)
    switch = _switch(stop) if stop.computed else ""
    return (
        f'<nav class="bar"><p class="stop">ε = <b id="epsilon">{epsilon}</b> '
        f'<span class="small">of {highest} that was spent</span></p>{switch}<p class="links">{links}</p></nav>'
    )


def _switch(stop: Stop) -> str:
    """Two radio buttons, which the style asks. They begin as the Viewer does."""
    released = opens_on_released(stop.release)
    sides = "".join(
        f'<label><input type="radio" name="numbers" id="{identity}" autocomplete="off"{" checked" if is_chosen else ""}> '
        f"{escape(words)}</label> "
        for identity, is_chosen, words in zip(
            ("see-estimate", SEE_RELEASED),
            (not released, released),
            switch_words(stop.estimates),
            strict=True,
        )
    )
    return f'<p class="switch" role="radiogroup" aria-label="Numbers">{sides}</p>'


def _share_and_assumption(stop: Stop) -> str:
    """Which share of the trips counts and what the estimates suppose, for the head of the file."""
    if not stop.computed:
        return f'<p class="warned">{escape(NOT_COMPUTED)}</p>'
    warned = ' class="warned"' if doubtful(stop.estimates) else ""
    return f"<p{warned}>{escape(about_estimates(stop.release.plan, stop.estimates))}</p>"


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


_THIN: Final = '<p class="small">Thin and dashed: drowned by noise.</p>'
_OPEN: Final = f'<p class="small">Thin and dashed: not known within {percent(CERTAIN)}.</p>'
_LIFTED: Final = "Sorted by noisy count: those that noise lifted stand higher."
DROWNED_TOTAL: Final = "The total itself is drowned by noise, so no share of it can be told."
_SORTED: Final = (
    '<p class="small">Sorted by noisy count: among similar tiles, those that noise lifted stand higher.</p>'
)


def article(stop: Stop, name: str, charts: Charts) -> str:
    """One measure: words, pictures, tables. Flows between tiles are estimated even where none were released."""
    release, measurement = stop.release, stop.release.measurements.get(name)
    measure = measure_named(name, release.plan.choices)
    if measure.splits:
        body = beside(stop, name, charts)
    elif name == "od_flows" or measurement is None:
        body = stop.each(name, lambda shown: _flows(stop, shown, charts))
    elif name == "visits_per_tile":
        body = _visits(stop, measurement, charts)
    elif name == "visits_per_time_tile":
        body = _windows(stop, measurement)
    else:
        body = _plots(stop, measurement, charts)
    stands, words = ("", "") if measurement is None else _state(stop, measurement)
    said = f"{stands}{folded(HOW, f'<p>{escape(measure.explanation)}</p>{words}')}"
    if body.startswith("<figure>"):  # one picture: it stands beside its words
        said, body = f'<div class="pair"><div>{said}</div>{body}</div>', ""
    return f'<article id="{name}"><h3>{escape(measure.title)}</h3>{said}{body}</article>'


def _sum_html(stop: Stop, name: str) -> str:
    """A sum or a mean: words, noise and price, and its table; of a split one a table for each part."""
    release = stop.release
    measure, measurement = release.plan.measure(name), release.measurements[name]
    one = sum_named(name, release.plan.choices.sums)
    if one is None:
        raise InternalError.at("a report of a sum that was not declared")
    price = price_words(release.plan, measurement, stop.rung)
    if measure.splits:
        rows = sums_of_parts(stop, name, one)
    else:
        rows = numbers.told_rows(told_table(measurement, one, stop.rung), measure.title)
    words = f'<p class="small">{escape(f"{noise_words(measurement, stop.rung)} {price}")}</p>'
    return f'<article id="{name}"><h3>{escape(measure.title)}</h3><p>{escape(measure.explanation)}</p>{words}{rows}</article>'


def _state(stop: Stop, measurement: Measurement) -> tuple[str, str]:
    """How much of a measure stands out of the noise, for all to read; and its noise and price, for who asks how to read it."""
    rung, table = stop.rung, stop.table(measurement.measure)
    readable, price = readable_words(measurement, rung), price_words(stop.release.plan, measurement, rung)
    stands = f'<p class="{"warned" if readable == NOISE_DOMINATES else "small"}">{escape(readable)}</p>'
    words = f'<p class="small">{escape(f"{noise_words(measurement, rung)} {price}")}</p>'
    if table is None:
        return stands, words
    noise = noise_words(measurement, rung, estimated=True)
    return (
        either(f'<p class="small">{escape(estimated_words(measurement, rung, table))}</p>', stands),
        either(f'<p class="small">{escape(f"{noise} {price}")}</p>', words),
    )


def _plots(stop: Stop, measurement: Measurement, charts: Charts) -> str:
    release, name = stop.release, measurement.measure
    drawn = [one for one in pictured(release) if one.whole is measurement]
    several = len(drawn) > 1
    found = [figure(stop, one, charts, with_caption=several) for one in drawn]
    if name == "od_districts" and stop.table(name) is not None:
        return f"{''.join(found)}{folded('The largest pairs of districts', numbers.districts_table(stop.ways(name)[0], stop.release))}"
    if not found:
        return numbers.cell_table(drawn_of(measurement, stop.rung), measure_named(name).title)
    if name in GRIDS:
        words = f'<p class="small">{escape(FIVE_NUMBERS)}</p>'
        five = folded("Five numbers", f"{words}{_five(release, measurement, stop.rung)}")
        found[0] = found[0].replace("</figure>", f"{five}</figure>")
    return f'<div class="plots">{"".join(found)}</div>' if several else found[0]


def _five(release: Release, measurement: Measurement, rung: int) -> str:
    rows = [numbers.row(*texts) for texts in five_rows(measurement, rung, release.five_numbers)]
    return numbers.table(("", "value (95 %)", "how"), rows, "Five numbers", titled=False)


def _visits(stop: Stop, visits: Measurement, charts: Charts) -> str:
    release, tiles, rung = stop.release, len(stop.release.tessellation.tile_ids), stop.rung
    alt = f"Map of visits per tile, {'estimated or ' if stop.computed else ''}as released; the table holds the numbers"
    picture = maps.map_svg(visits, stop, first=0, alt=alt)
    title, name, first = "The first ten tiles", visits.measure, ""
    if tiles > 1:
        first = stop.each(name, lambda shown: _ranking(stop, shown, title, charts))
    tables = stop.each(
        name,
        lambda shown: f"{numbers.tile_table(shown, release, MOST_ROWS)}{_SORTED if shown.is_drawn else ''}",
    )
    everything = f'<p class="small">All {tiles:,} are in the bundle\'s tables.</p>'
    return (
        f'<figure class="map">{picture}{maps.legends(stop, visits)}</figure>'
        f"{first}{one_sum(stop)}{_curve(visits, rung, 'visits', 'tiles', charts)}"
        f"{folded('Tiles as a table', f'{tables}{everything}')}"
    )


def _windows(stop: Stop, measurement: Measurement) -> str:
    day_types, windows, tiles = measurement.keys.axes
    parts, step = [], len(tiles.labels)
    for kind, day_type in enumerate(day_types.inside):
        small = []
        for at, window in enumerate(windows.inside):
            first = (kind * len(windows.inside) + at) * step
            alt = f"Map of arrivals on {day_type}s, {window_name(window)}"
            picture = maps.map_svg(measurement, stop, first=first, alt=alt)
            small.append(f"<figure>{picture}<figcaption>{escape(window_name(window))}</figcaption></figure>")
        parts.append(
            f'<h4>{escape(day_type.capitalize())}s</h4><div class="small-maps">{"".join(small)}</div>'
        )
    sums = numbers.window_table(drawn_of(measurement, stop.rung))
    return (
        f"{''.join(parts)}{maps.legends(stop, measurement)}"
        f"{folded('All arrivals by time of day, as released', sums)}"
    )


def _flows(stop: Stop, shown: Shown, charts: Charts) -> str:
    """Flows between tiles: lines, table and the first ten; of drawn ones the share that the busiest hold, too."""
    release, title = stop.release, "The first ten flows between different tiles"
    picture = maps.flows_svg(
        release.tessellation,
        shown,
        DRAWN_FLOWS if stop.top_n_flows is None else stop.top_n_flows,
    )
    if shown.is_drawn:
        flows = release.measurements[shown.measure]
        said, thin, curve = (
            f"{absent_pairs(flows)} {_LIFTED}",
            _THIN,
            _curve(flows, stop.rung, "trips", "flows", charts),
        )
    else:
        said, thin, curve, title = flows_words(stop.estimates), _OPEN, "", f"{title}, by estimate"
    lines = folded(HOW, f'<p class="small">{LINES} {escape(said)}</p>')
    first, more = (
        numbers.flow_table(shown, release, rows)
        for rows in (FIRST_ROWS, MOST_ROWS if stop.top_n_flows is None else stop.top_n_flows)
    )
    return (
        f'<div class="pair"><figure class="map">{picture}{thin}{lines}</figure>'
        f"<div>{first}{folded('More flows', more)}</div></div>{_ranking(stop, shown, title, charts)}{curve}"
    )


def _ranking(stop: Stop, shown: Shown, title: str, charts: Charts) -> str:
    """The first ten, by estimate or as released, as a chart beside a table."""
    found, of_bound = ranking_of(shown, stop.release.tessellation), assumption(stop.release.plan.bound)
    identity = plot_id(shown.measure, "ranking" if shown.is_drawn else "estimated")
    place = charts.place(identity, title, ranking_chart(found) if found.names else None)
    table = numbers.ranking_table(found, title) if found.names else _NONE_RANKED
    supposed = folded("What the chances suppose", f"<p>{escape(of_bound)}</p>") if shown.is_drawn else ""
    said = f'<p class="small">{escape(found.said)}</p>' if found.said else ""
    return f"<h4>{escape(title)}</h4>{said}{_beside(place, table)}{supposed}"


def _curve(measurement: Measurement, rung: int, what: str, places: str, charts: Charts) -> str:
    if len(measurement.cell_numbers) < 3:
        return ""
    title = f"Share of {what} in the busiest {places}, by released counts"
    found = shares.curve(measurement, rung)
    if found is None:
        shown = f'<p class="warned">{DROWNED_TOTAL} {NOISE_DOMINATES}</p>'
    else:
        place = charts.place(plot_id(measurement.measure, "curve"), title, shares.curve_chart(found, title))
        shown = _beside(place, numbers.curve_table(found, places))
    cells = f"{len(measurement.cell_numbers):,}" + (" listed" if measurement.threshold is not None else "")
    words = f"Which share of all {what} the busiest of {cells} {places} hold together. {shares.CURVE_WORDS}"
    return f"<h4>{title}</h4>{shown}{folded(HOW, f'<p>{escape(words)}</p>')}"


def _beside(chart: str, table: str) -> str:
    """A chart beside its table; the table alone where there is no chart."""
    return f'<div class="plots">{chart}<div>{table}</div></div>' if chart else table
