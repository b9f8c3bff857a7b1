"""The first sheet of a report on paper: what it holds in one page, without a chart.

Title, note and names were written by others and are escaped; everything else is ours. All numbers are released ones.
"""

from __future__ import annotations

from html import escape
from math import ceil
from typing import Final

import numpy as np

from dpcore.estimates import Estimates
from dpcore.estimates.words import LIKELY_MEANS
from dpcore.measures import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.privacy import decimal_text
from dpcore.release.estimates import are_computed
from dpcore.release.release import Release
from dpcore.views.ground.plain import day, number, plus_minus
from dpcore.views.ground.plain import rounded as rounded_by
from dpcore.views.ground.shown import NOISE, ranged, spoken_of
from dpcore.views.numbers import guarantee
from dpcore.views.numbers.estimated import about_estimates, estimate_cards, noise_words
from dpcore.views.numbers.flows import known_first
from dpcore.views.numbers.guarantee import protection_text_at
from dpcore.views.numbers.ranking import NONE_RANKED, Ranking, first_of
from dpcore.views.report import maps
from dpcore.views.report.markup import either
from dpcore.views.report.numbers import five_rows
from dpcore.views.report.side_by_side import overall
from dpcore.views.report.stop import Stop

RELEASED_MEANS: Final = (
    "A released count is of the trips that count, with noise: its range holds 95 % of the noise and says nothing of the trips that "
    "are left out. Grey on the map: the likely range is as wide as the number."
)
"""What a released count is, beside an estimate."""
_VISITS: Final = "visits_per_tile"
_FLOWS: Final = "od_flows"
_DISTRICTS: Final = "od_districts"
_ROWS: Final = 6
_MOST_NOTE: Final = 400  # characters; all of it stands in the bundle
_MOST_LINES: Final = 4  # what follows stands in the last one
_SHORT_DAY: Final = slice(5, None)  # 2024-04-01 as 04-01
_MOST_COLUMNS: Final = 14  # counts side by side on a sheet
_QUARTERS: Final = slice(1, 4)  # the three in the middle of five numbers


def summary(stop: Stop) -> str:
    """The first sheet of a report on paper, which no screen shows."""
    release, rung, estimates = stop.release, stop.rung, stop.estimates
    title = escape(release.title or release.id)
    means = f"{LIKELY_MEANS} {RELEASED_MEANS}" if stop.computed else guarantee.HOW_TO_READ
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
        *_place_and_time_html(stop),
        "<h2>How to read the numbers</h2>",
        f"<p>{escape(means)}</p>",
        "<h2>What is not protected</h2>",
        "<ul>"
        + "".join(f"<li>{escape(said)}</li>" for said in guarantee.guarantee(release).not_protected)
        + "</ul>",
        _foot(release, rung),
    ]
    return f'<div class="sheet">{"".join(parts)}</div>'


def _place_and_time_html(stop: Stop) -> list[str]:
    """Places and times of a release; of one whose tables are split what all parts are together."""
    if stop.release.plan.choices.splits:
        return [overall(stop)]
    places = [*_map(stop), *_top(stop.release, stop.estimates)]
    return ['<div class="places">', *places, "</div>", *_rhythm(stop.release, stop.estimates)]


def _note(release: Release) -> list[str]:
    lines = release.note.split("\n")
    note = "\n".join([*lines[: _MOST_LINES - 1], " ".join(lines[_MOST_LINES - 1 :])]).strip()
    note = note if len(note) <= _MOST_NOTE else f"{note[: _MOST_NOTE - 1]}…"
    return [f"<p>{escape(note).replace(chr(10), '<br>')}</p>"] if note else []


def _map(stop: Stop) -> list[str]:
    """The map with the side of the switch that is chosen, and what its colours mean."""
    release, visits, table = stop.release, stop.release.measurements.get(_VISITS), stop.table(_VISITS)
    if visits is None:
        return []
    title, said = "<h2>Visits per tile, released counts</h2>", noise_words(visits, stop.rung)
    if table is not None:
        title = either(f"<h2>Visits per tile, estimate for {spoken_of(table)}</h2>", title)
        cards = "; ".join(f"{card.label}: {card.value}" for card in estimate_cards(release, stop.estimates))
        said = f"{cards}. {said}"
    picture = maps.map_svg(visits, stop, first=0, alt="Map of visits per tile")
    return [
        f'<div class="map">{title}{picture}</div>',
        f'<div class="key">{maps.legends(stop, visits)}<p class="small">{escape(said)}</p></div>',
    ]


def _top(release: Release, estimates: Estimates) -> list[str]:
    """The first few tiles and flows, by what was drawn where there are no estimates."""
    guessed = estimates if are_computed(estimates) else None
    flows, between = _FLOWS, ""
    if guessed is not None and _FLOWS not in release.measurements and _DISTRICTS in release.measurements:
        flows, between = _DISTRICTS, " between districts"
    held = release.measurements if guessed is None else estimates.tables
    found = [
        _list(title, first_of(release, name, estimates.rung, guessed))
        for title, name in (("Most visits", _VISITS), (f"Strongest flows{between}", flows))
        if name in held
    ]
    return ['<div class="two top">', *found, "</div>"] if found else []


def _list(title: str, found: Ranking) -> str:
    """The first few, each with its number and range, and with the released count of an estimate."""
    shown, drawn, rows = found.shown, found.shown.released, []
    for at, name in enumerate(found.names[:_ROWS]):
        value, low, high = shown.rounded(at)
        told = f"{value} ({f'{low} to {high}' if low else 'no range'})"
        rows.append([name, told, *(texts[at].partition(" (")[0] for texts in found.beside.values() if drawn)])
    said = known_first(shown.known[:_ROWS], drawn=shown.is_drawn) if found.said else ""
    if shown.note == NOISE:
        return _table(title, "<th>released (95 % of the noise)</th>", rows, said)
    released = "" if drawn is None else f"<th>released ({plus_minus(drawn.half_width)})</th>"
    return _table(title, f"<th>{escape(shown.about)} (likely)</th>{released}", rows, said)


def _table(title: str, head: str, rows: list[list[str]], said: str) -> str:
    if not rows:
        return f'<div><h2>{title}</h2><p class="small">{NONE_RANKED}</p></div>'
    cells = ("".join(f"<td>{escape(text)}</td>" for text in texts) for texts in rows)
    written = "".join(f"<tr>{one}</tr>" for one in cells)
    below = f'<p class="small">{said}</p>' if said else ""
    return f"<div><h2>{title}</h2><table><tr><th></th>{head}</tr>{written}</table>{below}</div>"


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
        title, names = _title_and_labels("trips_per_weekday")
        found.append(_in_time(title, names, held["trips_per_weekday"], 0, estimates))
    if "trips_per_hour" in held:
        hours = [f"{int(hour)}:00" for hour in held["trips_per_hour"].keys.axes[2].inside]
        found.append(_in_time("Starts by hour on weekdays", hours, held["trips_per_hour"], 0, estimates))
    return [*found, *_middles(release, estimates.rung)]


def _title_and_labels(measure: str) -> tuple[str, list[str]]:
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
