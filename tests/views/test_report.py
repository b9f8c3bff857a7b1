"""The report at a rung, and the file of a release: complete, released only, escaped, and of use when little is there."""

from __future__ import annotations

import itertools
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from html import escape, unescape
from html.parser import HTMLParser

import numpy as np
import pytest
import shapely
from plotly.offline import get_plotlyjs

from dpcore.comparison.findings import findings
from dpcore.errors import InputError
from dpcore.estimates import Ranged
from dpcore.estimates.words import GAPS, likely
from dpcore.measures import MEASURES
from dpcore.release.estimates import estimates_of
from dpcore.tiles import Box, Tessellation, square_grid
from dpcore.views.charts import plots
from dpcore.views.ground.plain import interval, number
from dpcore.views.ground.reading import breaks_of
from dpcore.views.ground.shown import estimated_numbers, ranged
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.maps.map_classes import classes_of_shown
from dpcore.views.maps.small_maps import small_maps
from dpcore.views.numbers import shares
from dpcore.views.numbers.estimated import estimate_breaks
from dpcore.views.numbers.findings import said_of
from dpcore.views.numbers.flows import first_flows
from dpcore.views.numbers.guarantee import TERMS
from dpcore.views.numbers.ranking import Ranking, first_of, ranking_chart, strongest_between
from dpcore.views.numbers.sentences import OWNER_MARK
from dpcore.views.numbers.shares import curve_chart
from dpcore.views.report import report, report_beside_truth, report_html
from dpcore.views.report.entries import NOISE_DOMINATES, SECTIONS
from dpcore.views.report.page import STATIC
from dpcore.views.report.pictured import plot_id
from tests.cities import four_tiles
from tests.conftest import ROOT
from tests.release.made_releases import made_release
from tests.views import made

HOSTILE = "</script><script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>&\"'"
EVERY = dict.fromkeys(MEASURES, 1)


@pytest.fixture(scope="module")
def every():
    return made_release(weights=EVERY)


@pytest.fixture(scope="module")
def page(every):
    return report_html(every)


class Seen(HTMLParser):
    """Tags with their attributes, texts, and the contents of scripts and styles, one for each element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.words: list[str] = []
        self._in = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._in = tag if tag in self.raw else ""
        if self._in:
            self.raw[tag].append("")

    def handle_endtag(self, tag):  # noqa: ARG002 - the parser calls it so
        self._in = ""

    def handle_data(self, data):
        if self._in:
            self.raw[self._in][-1] += data
        else:
            self.words.append(data)

    @property
    def library(self) -> str:
        """The script of plotly; empty in a file without charts."""
        return "".join(self.raw["script"][:1])

    @property
    def charts(self) -> dict[str, dict]:
        """The figure of each chart that the file draws, by its name."""
        found, read = {}, json.JSONDecoder().raw_decode
        for call in "".join(self.raw["script"][1:]).splitlines():
            at, parts = len("Plotly.newPlot("), []
            assert call.startswith("Plotly.newPlot(")
            for _ in range(4):
                part, end = read(call, at)
                parts.append(part)
                at = end + 1
            assert call[at - 1 :] == ");", "nothing but data"
            name, data, layout, _ = parts
            found[name] = {"data": data, "layout": layout}
        return found


def rows_of(page: str, attribute: str) -> list[list[str]]:
    """The texts of the rows of the first table with an attribute."""
    table = page[page.index(attribute) :]
    table = table[: table.index("</table>")]
    return [
        [unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]
    ]


def test_every_measure_has_its_section_and_its_words():
    assert {measure.section for measure in MEASURES.values()} == {section for section, *_ in SECTIONS}
    assert all(measure.explanation.endswith(".") for measure in MEASURES.values())


def test_every_measure_is_shown_with_its_error_and_its_price(every):
    found = report(every, 3)
    assert [section.key for section in found.sections] == ["overview", "place", "od", "user"]
    entries = {entry.measure: entry for section in found.sections for entry in section.entries}
    assert set(entries) == set(MEASURES)
    for name, entry in entries.items():
        measurement = every.measurements[name]
        assert f"{measurement.half_widths[3]:,}" in entry.noise
        assert f"{100 / len(MEASURES):.3g} % of ε" in entry.price
        assert entry.error == ""
        assert entry.charts or name in {
            "visits_per_tile",
            "visits_per_time_tile",
            "od_flows",
            "od_flows_per_window",
            "od_districts",
        }


def test_charts_show_the_cells_of_their_rung(every):
    for name, measurement in every.measurements.items():
        for plot in plots.plots(drawn_of(measurement, 0)):
            chart = plots.chart(plot, drawn_of(measurement, 2), clipped=True)
            assert chart.table["noisy"].tolist() == measurement.values[2][plot.cells].tolist(), name
            assert len(plot.labels) == len(plot.ticks) == len(plot.cells)


def test_bins_are_open_at_both_ends(every):
    (plot,) = plots.plots(drawn_of(every.measurements["travel_time"], 0))
    assert plot.labels[0] == "under 5"
    assert plot.labels[-1] == "1440 or more"
    assert plot.ticks[0] == "<5"
    assert plot.ticks[1:3] == ("5\N{EN DASH}10", "10\N{EN DASH}15")
    assert plot.ticks[-1] == "1440+"


def test_windows_of_a_tile_are_its_own_cells(every):
    arrivals = every.measurements["visits_per_time_tile"]
    weekday, weekend = plots.tile_windows(arrivals, 2)
    for plot, day in ((weekday, "weekday"), (weekend, "weekend")):
        keys = arrivals.keys.labels(plot.cells)
        assert set(keys["tile_id"]) == {every.tessellation.tile_ids[2]}
        assert set(keys["day_type"]) == {day}
        assert [plots.window_name(window) for window in keys["window"]] == [*plot.labels]


def test_the_truth_is_shown_to_the_owner_with_the_error_and_the_mark(every):
    truth = {name: np.full(len(m.cell_numbers), 7) for name, m in every.measurements.items()}
    found = report_beside_truth(
        every.plan,
        every.measurements,
        truth,
        estimates_of(every, 1),
        "Owner preview",
        tiles=every.tessellation,
    )
    for section in found.sections:
        for entry in section.entries:
            assert entry.error.startswith("Estimate off by ")
            assert "Drawn value: noise ± " in entry.error
            assert entry.readable.removesuffix(f" {GAPS}").endswith("drawn values stand out of the noise.")
            assert (GAPS in entry.readable) is (entry.measure == "user_time_delta"), "its chart has no range"
            assert "Released" not in entry.readable, "a preview releases nothing"
            for chart in entry.charts:
                assert set(chart.table["true"]) == {7}
                assert chart.figure["layout"]["title"]["text"] == "Owner preview"


def test_the_file_of_a_release_cannot_be_made_of_a_preview():
    # the only way in is a Release, which refuses a measurement of a preview
    assert report_html.__annotations__["release"] == "Release"


@pytest.mark.parametrize("static", [False, True])
def test_the_file_fetches_nothing_and_its_policy_forbids_it(every, static):
    page = report_html(every, static=static)
    seen = Seen(page)
    asks = (
        "src",
        "srcset",
        "href",
        "action",
        "formaction",
        "poster",
        "data",
        "xlink:href",
        "background",
        "ping",
    )
    for tag, attributes in seen.tags:
        assert tag not in {
            "link",
            "iframe",
            "object",
            "embed",
            "img",
            "base",
            "form",
            "audio",
            "video",
            "image",
        }
        for name, value in attributes.items():
            assert name not in asks or (value or "").startswith("#"), (tag, name, value)  # <use> too
            assert not name.startswith("on"), name
            assert name != "style", "the policy lets in no style of a single element"
    style, scripts = "".join(seen.raw["style"]), seen.raw["script"]
    code = "".join(scripts[1:])
    assert "url(" not in style
    assert "@import" not in style
    for way in (
        "fetch(",
        "XMLHttpRequest",
        "import(",
        "WebSocket",
        "EventSource",
        "sendBeacon",
        "innerHTML",
        "eval(",
    ):
        assert way not in code, way
    assert seen.library == ("" if static else get_plotlyjs()), "the library as it is installed, and once"
    rest = page.replace(seen.library, "") if seen.library else page
    assert not re.findall(r"https?://", rest), "not even a name of another host"
    policy = dict(part.split(" ", 1) for part in policy_of(seen).split("; "))
    assert policy["default-src"] == policy["connect-src"] == "'none'"
    assert "unsafe" not in policy_of(seen)
    assert policy["script-src"].split() == (["'none'"] if static else [source(text) for text in scripts])
    assert policy["style-src"].split() == [source(style), *([] if static else [source("")])]
    assert policy.get("img-src") == (None if static else "data: blob:"), "pictures of its own making alone"


def policy_of(seen: Seen) -> str:
    return next(a["content"] for tag, a in seen.tags if tag == "meta" and "http-equiv" in a)


def source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


class Open(HTMLParser):
    """The words of the estimates' side that are seen before anything is opened, without the numbers of tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.unseen: list[bool] = []
        self.words: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag in {"meta", "br", "input"}:
            return
        given = dict(attrs)
        hidden = tag in {"script", "style", "title", "details", "table"} or given.get("class") == "sheet"
        self.tags.append(tag)
        self.unseen.append(hidden or given.get("class") == "if-released")

    def handle_endtag(self, tag):
        if tag not in {"meta", "br", "input"}:
            assert self.tags.pop() == tag
            self.unseen.pop()

    def handle_data(self, data):
        if not any(self.unseen):
            self.words += data.split()


def test_a_report_says_little_before_it_is_asked(page):
    """It was three times as much: 3,000 words."""
    assert 400 <= len(Open(page).words) <= 1_000


def test_a_report_explains_the_terms_of_its_small_print_at_its_end(page):
    foot = page[page.index("<footer>") :]
    assert len(TERMS) <= 5
    assert all(escape(term) in foot for term in TERMS)


def test_a_report_begins_with_what_is_sure(every):
    found = findings(every)
    page = report_html(every)
    for one in found:
        assert page.index(escape(said_of(every, one))) < page.index('class="cards"')
    assert ('id="findings"' in page) == bool(found)
    assert 'id="findings"' not in report_html(every, 0), "it is told of the highest stop"
    assert 'id="findings"' not in report_html(made_release(weights={"travel_time": 1}))


def test_the_library_is_not_in_the_repository():
    held = [path for path in ROOT.joinpath("dpcore").rglob("*.js") if path.stat().st_size > 50_000]
    assert held == []


def test_the_library_cannot_end_its_element():
    assert not re.search(r"</script|<!--|\r", get_plotlyjs(), re.IGNORECASE)


def test_a_static_file_has_tables_and_maps_and_no_chart(every, page):
    static = report_html(every, static=True)
    assert len(static.encode()) < 250_000
    assert 4_800_000 < len(page.encode()) < 6_000_000
    assert STATIC in static
    assert STATIC not in page
    assert "plotly" not in static.lower()
    assert "<script" not in static
    assert 'class="chart"' not in static
    for kind in ("data-plot", "data-map", "data-rows"):
        assert static.count(kind + "=") == page.count(kind + "=") > 0
    assert report_html(every, static=True) == static


@pytest.mark.parametrize("rung", [0, 3, 7])
def test_charts_show_what_the_pages_show_at_the_stop(every, rung):
    seen = Seen(report_html(every, rung))
    charts = seen.charts
    assert {a["id"] for _, a in seen.tags if a.get("class") == "chart"} == {*charts}
    tables, expected = estimates_of(every, rung).tables, {}
    for name, measurement in every.measurements.items():
        for plot in plots.plots(drawn_of(measurement, 0)):
            identity = plot_id(name, plot.name)
            expected[identity] = plots.chart(plot, drawn_of(measurement, rung), clipped=True)
            shown = ranged(tables[name])
            expected[f"{identity}--estimate"] = plots.chart(
                plot, drawn_of(measurement, rung).guessed(shown, ""), clipped=True
            )
    expected["visits_per_tile--ranking"] = ranking_chart(first_of(every, "visits_per_tile", rung))
    for identity, chart in expected.items():
        made = json.loads(json.dumps(chart.figure))
        assert charts[identity]["data"] == made["data"], identity
        assert charts[identity]["layout"]["yaxis"] == made["layout"]["yaxis"], identity
    others = {
        plot_id(name, kind)
        for name in ("visits_per_tile", "od_flows")
        for kind in ("ranking", "curve", "estimated")
    }
    assert {*charts} - {*expected} <= others


def test_texts_of_others_stay_texts():
    tiles = Tessellation(four_tiles().tile_ids, (HOSTILE, "A", "B", "C"), four_tiles().polygons)
    page = report_html(made_release(weights=EVERY, title=HOSTILE, note=HOSTILE, tessellation=tiles))
    seen = Seen(page)
    assert [tag for tag, _ in seen.tags].count("script") == 2
    assert not any(tag == "img" for tag, _ in seen.tags)
    assert HOSTILE in "".join(seen.words)
    texts = list(texts_of(seen.charts))
    assert sum("evil.example" in text for text in texts) > 1, "the tile is in the charts too"
    assert not [text for text in texts if re.sub("<br>|<extra></extra>", "", text).count("<")], (
        "and no tag of it"
    )


def texts_of(value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_of(part)


@pytest.mark.parametrize("rung", [0, 3, 7])
def test_each_number_is_that_of_the_release_at_the_stop(every, rung):
    page, tables = report_html(every, rung, static=True), estimates_of(every, rung).tables
    for name, measurement in every.measurements.items():
        shown, wide = ranged(tables[name]), measurement.half_widths[rung]
        for plot in plots.plots(drawn_of(measurement, 0)):
            rows = rows_of(page, f'data-plot="{plot_id(name, plot.name)}"')
            values = measurement.values[rung][plot.cells].tolist()
            assert [row[:5] for row in rows] == [
                [label, likely(*shown.cell(cell)), *(number(value + shift) for shift in (0, -wide, wide))]
                for label, cell, value in zip(plot.labels, plot.cells, values, strict=True)
            ], name
    visits, shown = every.measurements["visits_per_tile"], ranged(tables["visits_per_tile"])
    names, wide = every.tessellation.tile_names, visits.half_widths[rung]
    drawn, guessed = rows_of(page, 'data-rows="noisy tiles"'), rows_of(page, 'data-rows="estimated tiles"')
    assert len(drawn) == len(guessed) == 4
    released = sorted(interval(int(value), wide) for value in visits.values[rung][:4])
    assert sorted(row[1] for row in drawn) == sorted(row[2] for row in guessed) == released
    assert sorted(row[1] for row in guessed) == sorted(likely(*shown.cell(tile)) for tile in range(4))
    assert len({row[0] for row in drawn}) == len(names)
    flows = every.measurements["od_flows"]
    drawn_flows = drawn_of(flows, rung)
    listed = first_flows(drawn_flows, 100)
    for at, which, column in ((listed.between, "", 2), (listed.apart, " apart", 1)):
        first = rows_of(page, f'data-rows="noisy flows{which}"')[0][column]
        assert first == interval(int(flows.values[rung][at].max()), flows.half_widths[rung])
    assert rows_of(page, 'data-rows="estimated flows apart"')


@pytest.mark.parametrize("static", [False, True])
def test_no_number_of_another_stop_is_in_the_file(every, static):
    """What another stop says may be changed at will: the file stays as it is, but for what is the same at all."""
    rung, last = 3, len(every.plan.rungs) - 1
    changed = {}
    for name, drawn in every.measurements.items():
        values = drawn.values.copy()
        values[[at for at in range(last) if at != rung]] += (
            12_345  # the highest gives all stops their colours
        )
        changed[name] = replace(drawn, values=values)
    other = replace(every, drawn=replace(every.drawn, measurements=changed))
    assert report_html(other, rung, static=static) == report_html(every, rung, static=static)
    assert report_html(other, 2, static=static) != report_html(every, 2, static=static)
    page = report_html(every, rung, static=True)
    highest = {number(int(value)) for value in every.measurements["trips_over_time"].values[last]}
    seen = {row[2] for row in rows_of(page, 'data-plot="trips_over_time')}
    assert not {told for told in highest if len(told) > 3} & seen


def test_a_map_has_the_classes_of_the_app_on_both_sides_of_the_switch(every):
    visits, rung = every.measurements["visits_per_tile"], 7
    page = report_html(every, rung, static=True)
    svg = page[page.index('data-map="visits_per_tile"') :]
    svg = svg[: svg.index("</svg>")]
    found = {
        (one, other): path.count("M") for one, other, path in re.findall(r'"e-(\w+) r-(\w+)" d="(.*?)"', svg)
    }
    names = ["grey", "few", *(f"k{i}" for i in range(8))]
    edges, breaks = estimate_breaks(every, "visits_per_tile"), breaks_of(visits)
    guessed = classes_of_shown(estimated_numbers(estimates_of(every, rung).tables["visits_per_tile"]), edges)
    released = classes_of_shown(drawn_of(visits, rung), breaks)
    pairs = zip(guessed[:4].tolist(), released[:4].tolist(), strict=True)
    assert found == Counter((names[one], names[other]) for one, other in pairs)
    for name in names:
        assert f".{name},.e-{name},body:has(#see-released:checked) .r-{name}{{fill:" in page


def test_flows_are_estimated_where_none_were_released():
    page = report_html(made_release(weights={"visits_per_tile": 1}))
    assert 'id="od_flows"' in page
    assert "The first ten flows between different tiles, by estimate" in page
    assert "Thin and dashed: drowned by noise" not in page


def test_a_file_is_of_the_highest_stop_unless_another_is_asked_for(every, page):
    assert report_html(every, 7) == page
    assert '<b id="epsilon">2</b>' in page
    assert '<b id="epsilon">0.1</b>' in report_html(every, 0)
    for name in MEASURES:
        assert any(a.get("id") == name for tag, a in Seen(page).tags if tag == "article")


def test_lines_of_flows_are_the_strongest_of_the_stop(every):
    flows = every.measurements["od_flows"]
    for rung in (0, 7):
        drawn = strongest_between(replace(drawn_of(flows, rung), finest=None))
        page = report_html(every, rung, static=True)
        svg = page[page.index('data-map="od_flows"') :]
        assert svg[: svg.index("</svg>")].count('class="flow') == len(drawn)
        assert (flows.values[rung][drawn] > 0).all()


def test_the_same_release_gives_the_same_file(every, page):
    assert report_html(every) == page


@pytest.mark.parametrize("measure", MEASURES)
def test_a_release_of_one_measure_makes_a_file(measure):
    page = report_html(made_release(weights={measure: 1}))
    sections = [a["id"] for tag, a in Seen(page).tags if tag == "section"]
    estimated = 1 if measure == "visits_per_tile" else 0  # flows are estimated wherever visits were released
    assert len(sections) == 2 + estimated  # its own, and the promise


def test_one_tile_is_enough_for_a_file():
    one = Tessellation.of(["all"], ["The city"], [shapely.box(0, 0, 1, 1)], "made")
    alone = {name: 1 for name in EVERY if name != "od_districts"}  # one tile has no districts
    page = report_html(made_release(weights=alone, tessellation=one))
    assert "The city" in page


def test_a_release_drowned_in_noise_says_so_and_what_to_do():
    drowned = made_release(weights=EVERY, epsilon="0.1")
    page = report_html(drowned)
    assert NOISE_DOMINATES in page
    entries = [entry for section in report(drowned, 0).sections for entry in section.entries]
    assert {entry.readable for entry in entries if entry.drowned} == {NOISE_DOMINATES}
    assert any(entry.drowned for entry in entries)


def test_small_maps_share_their_colours_and_carry_the_mark(every):
    arrivals, tiles = every.measurements["visits_per_time_tile"], every.tessellation
    maps = small_maps(tiles, drawn_of(arrivals, 7), breaks_of(arrivals), mark="Demo data")
    assert list(maps) == ["Weekdays", "Weekends"]
    assert [*maps["Weekdays"]][-1] == "22\N{EN DASH}2 h"
    assert next(iter(maps["Weekends"])) == "2\N{EN DASH}6 h"
    assert [sum("Demo data" in one for one in row.values()) for row in maps.values()] == [6, 6]
    brightest = np.full(arrivals.keys.size, 10**9)
    fills = {
        re.findall(r'fill="(#[0-9a-f]+)"', picture)[0]
        for row in small_maps(tiles, drawn_of(arrivals, 7), breaks_of(arrivals), brightest).values()
        for picture in row.values()
    }
    assert len(fills) == 1


def test_the_mark_of_a_small_map_stands_above_the_tiles_of_any_city():
    flat = square_grid(Box(9.0, 53.5, 9.4, 53.52), 2000)
    for tiles in (four_tiles(), flat):
        arrivals = made_release(weights=EVERY, tessellation=tiles).measurements["visits_per_time_tile"]
        maps = small_maps(tiles, drawn_of(arrivals, 7), breaks_of(arrivals), mark=OWNER_MARK)
        picture = maps["Weekdays"]["2\N{EN DASH}6 h"]
        top = int(re.search(r'viewBox="0 (-\d+) ', picture)[1])
        lines = [int(y) for y in re.findall(r'<text x="6" y="(-?\d+)"', picture)]
        assert len(lines) > 1
        assert top < min(lines) <= max(lines) < 0, "tiles begin at 0"
    bare = small_maps(flat, drawn_of(arrivals, 7), breaks_of(arrivals))["Weekdays"]
    assert all('viewBox="0 0 ' in picture for picture in bare.values())


def test_the_overall_numbers_name_the_unit_of_each_bar(every):
    numbers = every.measurements["ds_statistics"]
    (plot,) = plots.plots(drawn_of(numbers, 7))
    told = {
        at: words.split("<br>")[0].rsplit(" ", 1)[1]
        for at, words in zip(
            plot.labels, plots.chart(plot, drawn_of(numbers, 7)).figure["data"][0]["hovertext"], strict=True
        )
    }
    assert told["records"] == "records"
    assert told["complete trips"] == told["trips"] == "trips"
    assert told.get("people", "people") == "people"


def test_no_bar_band_or_whisker_of_the_file_reaches_beyond_its_axis(every):
    for measurement in every.measurements.values():
        for plot, rung in itertools.product(
            plots.plots(drawn_of(measurement, 0)), range(len(measurement.rungs))
        ):
            top = plots.limits(plot, drawn_of(measurement, rung))[1]
            assert measurement.values[rung][plot.cells].max() + measurement.half_widths[rung] <= top


def test_an_interval_in_a_ranking_is_seen_beside_its_dot():
    visits = drawn_of(made.measurement("visits_per_tile", [5_000, 1, 1, 1]), 2)
    numbers = Ranged(*(np.array([end]) for end in (5_000.0, 4_999.0, 5_001.0)))
    one = replace(visits, cells=np.arange(1), numbers=numbers)
    (drawn,) = ranking_chart(Ranking(("A",), one, (0, 10_000), {}, "")).figure["data"]
    assert drawn["error_x"]["width"] > drawn["marker"]["size"] / 2, "its ends are higher than the dot"
    assert drawn["error_x"]["array"] == [1]


def test_the_lines_of_a_curve_are_named():
    found = shares.Curve((1, 2, 3), (0.5, 0.8, 1.0), (0.4, 0.7, 1.0))
    chart = curve_chart(found, "Shares", shares.Curve((1, 2, 3), (0.6, 0.9, 1.0), (0.3, 0.6, 1.0)), "mark")
    assert chart.figure["layout"]["showlegend"]
    lines = {trace["name"]: trace for trace in chart.figure["data"]}
    assert list(lines) == [shares.NOISY_CURVE, shares.ALONE_CURVE, shares.TRUE_CURVE]
    assert [list(line["y"]) for line in lines.values()] == [[0.5, 0.8, 1.0], [0.4, 0.7, 1.0], [0.6, 0.9, 1.0]]
    for look in ("color", "dash"):
        assert len({line["line"][look] for line in lines.values()}) == 3
    assert "tru" not in str(curve_chart(found, "Shares").figure)


def test_as_many_flows_are_drawn_and_listed_as_are_asked_for(every):
    lines = {
        most: report_html(every, static=True, top_n_flows=most).count('class="flow') for most in (0, 2, 6)
    }
    assert lines[0] == 0
    assert 0 < lines[2] < lines[6]
    assert len(report_html(every, static=True, top_n_flows=5_000)) > 0
    for most in (-1, 5_001):
        with pytest.raises(InputError, match="so many flows"):
            report_html(every, static=True, top_n_flows=most)
