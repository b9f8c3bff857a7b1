"""One page to print: HTML without any script, picture file or request.

Title, note and names were written by others and are escaped; everything else is ours. All numbers are released ones.
"""

from __future__ import annotations

from html import escape
from math import ceil
from typing import Final

import numpy as np

from dpcore.estimates import Estimates
from dpcore.estimates.words import LIKELY_MEANS, rounded
from dpcore.measures import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.privacy import decimal_text
from dpcore.release.estimates import are_computed, estimates_to_show
from dpcore.release.release import Release
from dpcore.views import guarantee, map_svg
from dpcore.views.estimated import (
    about_estimates,
    estimate_breaks,
    estimate_cards,
    noise_words,
    ranged,
    spoken_of,
)
from dpcore.views.estimated_ranking import EstimatedRanking, estimated_ranking
from dpcore.views.guarantee import protection_text_at
from dpcore.views.map_classes import classes_of_counts, few_words
from dpcore.views.plain import day, number, plus_minus
from dpcore.views.ranking import NONE_RANKED, flow_ranking, tile_ranking
from dpcore.views.reading import colour_breaks, few_below
from dpcore.views.report.numbers import five_rows
from dpcore.views.sentences import interval
from dpcore.views.sentences import rounded as rounded_by

RELEASED_MEANS: Final = (
    "A released count is of the trips that count, with noise: its range holds 95 % of the noise and says nothing of the trips that "
    "are left out. Grey on the map: the likely range is as wide as the number."
)
"""What a released count is, beside an estimate."""
_VISITS: Final = "visits_per_tile"
_FLOWS: Final = "od_flows"
_DISTRICTS: Final = "od_districts"
_SHOWN: Final = (_VISITS, _FLOWS, _DISTRICTS, "trips_over_time", "trips_per_weekday", "trips_per_hour")
_ROWS: Final = 6
_MOST_NOTE: Final = 400  # characters; all of it stands in the bundle
_MOST_LINES: Final = 4  # what follows stands in the last one
_SHORT_DAY: Final = slice(5, None)  # 2024-04-01 as 04-01
_MOST_COLUMNS: Final = 14  # counts side by side on a sheet
_QUARTERS: Final = slice(1, 4)  # the three in the middle of five numbers

_STYLE: Final = """
@page { size: A4; margin: 12mm; }
* { box-sizing: border-box; }
body { font: 12px/1.35 system-ui, sans-serif; color: #1f2933; background: #fff; max-width: 186mm; margin: 16px auto; padding: 0 12px; }
h1 { font-size: 22px; margin: 0 0 2px; overflow-wrap: anywhere; }
h2 { font-size: 14px; margin: 10px 0 3px; color: #0f766e; }
p { margin: 3px 0; }
.small { color: #52606d; font-size: 11.5px; }
.promise { border-left: 3px solid #0f766e; padding: 2px 0 2px 10px; margin: 8px 0; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 18px; }
svg { width: 100%; height: auto; display: block; }
.map svg { max-height: 74mm; }
ul { margin: 2px 0; padding-left: 16px; color: #52606d; font-size: 11px; }
.numbers { display: block; overflow-x: auto; }
.numbers :is(td, th), .middles :is(td, th):not(:first-child) { text-align: right; font-variant-numeric: tabular-nums; }
.numbers :is(td, th) { white-space: nowrap; }
.middles :is(td, th) { white-space: normal; overflow-wrap: break-word; }
.numbers td { font-weight: 600; }
.middles :is(td, th):not(:first-child) { padding-left: 14px; }
svg text { font: 9px system-ui, sans-serif; fill: #52606d; }
table { border-collapse: collapse; width: 100%; font-size: 11px; }
td, th { text-align: left; padding: 1px 6px 1px 0; border-bottom: 1px solid #e3e7eb; font-weight: 400; overflow-wrap: anywhere; }
.top :is(td, th):not(:first-child) { white-space: nowrap; text-align: right; padding-left: 8px; }
@media print {
  body { font-size: 10.5px; line-height: 1.22; margin: 0 auto; padding: 0; }
  h1 { font-size: 18px; }
  h2 { font-size: 12px; margin: 4px 0 1px; }
  p, ul { margin: 1px 0; } .promise { margin: 4px 0; }
  td, th { padding: 0 6px 0 0; }
  .small, ul, table { font-size: 10px; }
  .places { display: grid; grid-template: "map top" auto "key key" auto / 1.1fr 1fr; gap: 0 16px; }
  .map { grid-area: map; } .key { grid-area: key; } .top { grid-area: top; grid-template-columns: 1fr; align-content: start; }
  .map svg { max-height: 48mm; } .key svg { max-width: 75%; }
  .top td:first-child { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 0; width: 99%; }
  .numbers { display: table; }
  h2 { break-after: avoid; } svg, table { break-inside: avoid; }
}
@media (max-width: 640px) { .two { grid-template-columns: 1fr; } }
"""


def summary_html(release: Release, rung: int) -> str:
    """The page of a release at a rung. UTF-8 text; the same input gives the same text."""
    title = escape(release.title or release.id)
    estimates = estimates_to_show(release, rung, of=_wanted(release))
    means = f"{LIKELY_MEANS} {RELEASED_MEANS}" if are_computed(estimates) else guarantee.HOW_TO_READ
    about = [
        release.dataset,
        guarantee.period_text(release.plan.choices.period),
        f"released {day(release.created)}",
    ]
    parts = [
        f"<h1>{title}</h1>",
        f'<p class="small">{escape(", ".join(part for part in about if part))}</p>',
        f'<p class="promise">{escape(protection_text_at(release, rung))}</p>',
        f"<p>{escape(about_estimates(release.plan, estimates))}</p>",
        *_note(release),
        '<div class="places">',
        *_map(release, estimates),
        *_top(release, estimates),
        "</div>",
        *_rhythm(release, estimates),
        "<h2>How to read the numbers</h2>",
        f"<p>{escape(means)}</p>",
        "<h2>What is not protected</h2>",
        "<ul>"
        + "".join(f"<li>{escape(said)}</li>" for said in guarantee.guarantee(release).not_protected)
        + "</ul>",
        _foot(release, rung),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}: summary</title><style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>"
    )


def _note(release: Release) -> list[str]:
    lines = release.note.split("\n")
    note = "\n".join([*lines[: _MOST_LINES - 1], " ".join(lines[_MOST_LINES - 1 :])]).strip()
    note = note if len(note) <= _MOST_NOTE else f"{note[: _MOST_NOTE - 1]}…"
    return [f"<p>{escape(note).replace(chr(10), '<br>')}</p>"] if note else []


def _wanted(release: Release) -> tuple[str, ...]:
    """The tables whose estimates the page shows."""
    return tuple(
        name
        for name in _SHOWN
        if name in release.measurements or (name == _FLOWS and _VISITS in release.measurements)
    )


def _map(release: Release, estimates: Estimates) -> list[str]:
    table, visits = estimates.tables.get(_VISITS), release.measurements.get(_VISITS)
    if visits is None:
        return []
    if table is None:
        return _released_map(release, visits, estimates.rung)
    told = "; ".join(f"{card.label}: {card.value}" for card in estimate_cards(release, estimates))
    noise = noise_words(visits, estimates.rung)
    breaks = estimate_breaks(release, _VISITS)
    return [
        f'<div class="map"><h2>Visits per tile, estimate for {spoken_of(table)}</h2>',
        f"{map_svg.estimated_svg(release.tessellation, ranged(table), breaks)}</div>",
        f'<div class="key">{map_svg.breaks_svg(breaks, "range as wide", few_words(few_below(breaks), estimated=True))}',
        f'<p class="small">{escape(told)}. {escape(noise)}</p></div>',
    ]


def _released_map(release: Release, visits: Measurement, rung: int) -> list[str]:
    """The map of released counts, where there are no estimates."""
    breaks = colour_breaks(visits)
    few = few_below(breaks)
    classes = classes_of_counts(visits, rung, breaks, few)
    return [
        '<div class="map"><h2>Visits per tile, released counts</h2>',
        f"{map_svg.tiles_svg(release.tessellation, classes, breaks, 'released visits')}</div>",
        f'<div class="key">{map_svg.breaks_svg(breaks, "noise hides it", few_words(few, estimated=False))}',
        f'<p class="small">{escape(noise_words(visits, rung))}</p></div>',
    ]


def _top(release: Release, estimates: Estimates) -> list[str]:
    if not are_computed(estimates):
        return _released_top(release, estimates.rung)
    lists = []
    if _VISITS in estimates.tables:
        lists.append(("Most visits", _VISITS))
    flows = next((name for name in (_FLOWS, _DISTRICTS) if name in release.measurements), _FLOWS)
    if flows in estimates.tables:
        between = " between districts" if flows == _DISTRICTS else ""
        lists.append((f"Strongest flows{between}", flows))
    if not lists:
        return []
    found = []
    for title, name in lists:
        drawn = release.measurements.get(name)
        noise = "" if drawn is None else plus_minus(drawn.half_widths[estimates.rung])
        found.append(_list(title, estimated_ranking(release, estimates, name), noise))
    return ['<div class="two top">', *found, "</div>"]


def _released_top(release: Release, rung: int) -> list[str]:
    """The first few by released counts, where there are no estimates."""
    found = []
    for title, name, ranking in (
        ("Most visits", _VISITS, tile_ranking),
        ("Strongest flows", _FLOWS, flow_ranking),
    ):
        if name in release.measurements:
            ranked = ranking(release, rung)
            named = zip(ranked.names, ranked.places, strict=True)
            rows = [[one, interval(place.value, ranked.half_width)] for one, place in named]
            found.append(_table(title, "<th>released (95 % of the noise)</th>", rows[:_ROWS]))
    return ['<div class="two top">', *found, "</div>"] if found else []


def _list(title: str, found: EstimatedRanking, noise: str) -> str:
    """The first few, each with its estimate and likely range, and with its released count; ``noise``: of such a count."""
    shown = found.shown
    rows = []
    for at, name in enumerate(found.names[:_ROWS]):
        value, low, high = rounded(*shown.cell(at))
        told = f"{value} ({low} to {high})" if low else value
        rows.append([name, told, *([found.released[at].partition(" (")[0]] if found.released else [])])
    head = f"<th>{escape(found.about)} (likely)</th>{f'<th>released ({noise})</th>' if noise else ''}"
    return _table(title, head, rows)


def _table(title: str, head: str, rows: list[list[str]]) -> str:
    if not rows:
        return f'<div><h2>{title}</h2><p class="small">{NONE_RANKED}</p></div>'
    cells = ("".join(f"<td>{escape(text)}</td>" for text in texts) for texts in rows)
    written = "".join(f"<tr>{one}</tr>" for one in cells)
    return f"<div><h2>{title}</h2><table><tr><th></th>{head}</tr>{written}</table></div>"


def _rhythm(release: Release, estimates: Estimates) -> list[str]:
    """When trips take place, and how long, far and many they are: numbers, because this page has no charts."""
    held = release.measurements
    found = []
    if "trips_over_time" in held:
        dates = held["trips_over_time"].keys.axes[0].inside
        title = measure_named("trips_over_time").title
        found.append(
            _in_time(title, [date[_SHORT_DAY] for date in dates], held["trips_over_time"], 1, estimates)
        )
    if "trips_per_weekday" in held:
        title, names = _named("trips_per_weekday")
        found.append(_in_time(title, names, held["trips_per_weekday"], 0, estimates))
    if "trips_per_hour" in held:
        hours = [f"{int(hour)}:00" for hour in held["trips_per_hour"].keys.axes[2].inside]
        found.append(_in_time("Starts by hour on weekdays", hours, held["trips_per_hour"], 0, estimates))
    return [*found, *_middles(release, estimates.rung)]


def _named(measure: str) -> tuple[str, list[str]]:
    found = measure_named(measure)
    return found.title, [*found.layout.labels.values()]


def _in_time(
    title: str, labels: list[str], measurement: Measurement, first: int, estimates: Estimates
) -> str:
    """Counts from the cell ``first`` on: the estimates, and the released counts below; sums of as many neighbours as fit."""
    step, rung = ceil(len(labels) / _MOST_COLUMNS), estimates.rung
    here, places = slice(first, first + len(labels)), range(0, len(labels), step)
    wide = half_width_of_sum(measurement.rho(rung), step)
    released = [
        number(rounded_by(int(value), wide))
        for value in np.add.reduceat(measurement.values[rung][here], places)
    ]
    guess, table = [], estimates.tables.get(measurement.measure)
    if table is not None:
        sums = np.add.reduceat(ranged(table).values[here], places)
        guess = [(spoken_of(table), [number(rounded_by(round(value), wide)) for value in sums], "td")]
    each = "" if step == 1 else f", sums of {step} from each on"
    rows = [
        ("", labels[::step], "th"),
        *guess,
        (f"released ({plus_minus(wide)})", released, "td"),
    ]
    written = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<{cell}>{escape(text)}</{cell}>' for text in texts)}</tr>"
        for name, texts, cell in rows
    )
    return f'<h2>{escape(title)}{each}</h2><table class="numbers">{written}</table>'


def _middles(release: Release, rung: int) -> list[str]:
    """The middle half of each histogram, with 95 % intervals."""
    rows = []
    for name, measurement in release.measurements.items():
        five = five_rows(measurement, rung, release.five_numbers)
        if five:
            values = "".join(f"<td>{escape(value)}</td>" for _, value, _ in five[_QUARTERS])
            rows.append(f"<tr><td>{escape(release.plan.measure(name).title)}</td>{values}</tr>")
    if not rows:
        return []
    head = "<tr><th></th><th>a quarter below</th><th>half below</th><th>three quarters below</th></tr>"
    return [f'<h2>How long, how far, how many</h2><table class="middles">{head}{"".join(rows)}</table>']


def _foot(release: Release, rung: int) -> str:
    words = (
        f"Release {release.id}. Shown at ε = {decimal_text(release.plan.rungs[rung])} of {decimal_text(release.plan.epsilon)} "
        f"that was spent, per {release.plan.bound}. Ledger entry {release.anchor.number}, {release.anchor.hash[:16]}. "
        "Check the bundle with: python -m dpcore verify FOLDER"
    )
    return f'<p class="small">{escape(words)}</p>'
