"""The report file in a real browser, from a disk and without a network: no request, a slider, a map, charts, paper."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from dpcore.views.report.data import plot_id

from dpcore.estimates import words
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from dpcore.release import estimates
from dpcore.release.estimates import estimates_of
from dpcore.tiles import Box, Tessellation, square_grid
from dpcore.views import map_classes, plots, reading
from dpcore.views.estimated import ranged
from dpcore.views.ranking import flow_ranking, ranking_chart
from dpcore.views.report import report_html
from dpcore.views.style import ink
from tests.cities import four_tiles
from tests.release.made_releases import WEEK, grid, made_release

HOSTILE = (
    "</script><script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>&\"'<a href='//x'>"
)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def release():
    return made_release(
        title="A made grid", tessellation=grid(), weights=dict.fromkeys(MEASURES, 1), epsilon="10"
    )


@pytest.fixture(scope="module")
def small():
    """A city whose file carries the estimates of every stop."""
    return made_release(title="A small city", weights=dict.fromkeys(MEASURES, 1), epsilon="10")


@pytest.fixture(scope="module")
def files(tmp_path_factory, release, small):
    """The file at its highest and at its lowest rung."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "high.html").write_text(report_html(release), encoding="utf-8")
    (folder / "low.html").write_text(report_html(release, 0), encoding="utf-8")
    (folder / "static.html").write_text(report_html(release, static=True), encoding="utf-8")
    (folder / "small.html").write_text(report_html(small), encoding="utf-8")
    tiles = Tessellation(four_tiles().tile_ids, (HOSTILE, "A", "B", "C"), four_tiles().polygons)
    hostile = made_release(
        weights=dict.fromkeys(MEASURES, 1), title=HOSTILE, note=HOSTILE, tessellation=tiles
    )
    split = made_release(
        weights={"visits_per_tile": 2, "trips_over_time": 1},
        choices=KeyChoices(WEEK, splits={"mode": ["bus", "rail"]}),
        epsilon="0.3",
    )
    (folder / "split.html").write_text(report_html(split), encoding="utf-8")
    (folder / "hostile.html").write_text(report_html(hostile), encoding="utf-8")
    return folder


@pytest.fixture
def opened(chromium, files):
    """Open a file; every request but that for the file itself is stopped and remembered."""
    contexts = []

    def open_file(name="high.html", *, wide=1280, **options):
        context = chromium.new_context(viewport={"width": wide, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.requests, page.faults = [], []
        address = f"file://{files / name}"

        def seen(route):
            page.requests.append(route.request.url)
            if route.request.url == address:
                route.continue_()
            else:
                route.abort()

        context.route("**/*", seen)
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
        page.goto(address)
        if options.get("java_script_enabled", True):
            page.locator("body[data-ready=true]").wait_for()
        return page

    yield open_file
    for context in contexts:
        context.close()


def released(page) -> None:
    """The released counts instead of the estimates."""
    page.get_by_role("radio", name="Released counts").check()
    page.locator("body[data-numbers=released]").wait_for()


def test_a_file_without_estimates_has_no_switch_and_shows_released_counts(opened, files, monkeypatch):
    release = made_release(weights=dict.fromkeys(MEASURES, 1), epsilon="5")

    def fails(*_, **__):
        raise KeyError("a step of the estimate")

    monkeypatch.setattr(estimates, "estimate", fails)
    (files / "none.html").write_text(report_html(release), encoding="utf-8")
    monkeypatch.undo()
    page = opened("none.html")
    assert page.get_by_role("radio").count() == 0
    for rung in (0, 2):
        slid(page, rung)
        page.locator("#tile select").select_option("1")
        assert "likely range" not in page.locator("#tile").inner_text()
        assert page.locator("header", has_text=words.NOT_COMPUTED).count() == 1
    for chart in page.locator("[data-chart]").all():
        chart.scroll_into_view_if_needed()
    page.locator("[data-chart] .main-svg").first.wait_for()
    cells = page.locator("table[data-plot] tbody tr:first-child td").all_text_contents()
    assert "" not in cells  # no column of estimates is left empty
    assert not page.faults
    assert len(page.requests) == 1


def slid(page, rung: int) -> None:
    page.locator("#rung").fill(str(rung))
    page.locator(f"body[data-rung='{rung}']").wait_for()


def visible(page) -> str:
    """What can be read, without the numbers that stand on the axes of charts."""
    words = (
        "() => { const copy = document.querySelector('main'); const charts = [...copy.querySelectorAll('.chart')];"
        " charts.forEach((one) => { one.style.display = 'none'; }); const found = copy.innerText;"
        " charts.forEach((one) => { one.style.display = ''; }); return found; }"
    )
    return re.sub(r"\s+", " ", page.evaluate(words))


def drawn(page, name: str):
    """A chart, once it has come into view and is drawn."""
    place = page.locator(f"[data-chart='{name}']")
    place.scroll_into_view_if_needed()
    place.locator(".main-svg").first.wait_for()
    return place


SHOWN = """(name) => {
  const { data, layout } = document.querySelector(`[data-chart="${name}"]`);
  return { data, range: layout.yaxis.range };
}"""


def agrees(made: dict, seen: dict) -> None:
    """What the library drew is what Python made: each entry of each trace, but for what the library adds."""
    assert len(made["data"]) == len(seen["data"])
    for trace, other in zip(made["data"], seen["data"], strict=True):
        assert {key: other.get(key) for key in trace} == trace
    assert seen["range"] == made["layout"]["yaxis"]["range"]


def calm(page) -> None:
    """One file, and not a word of complaint: nothing was asked for, nothing was refused by the policy."""
    assert len(page.requests) == 1
    assert page.faults == []


def test_the_slider_shows_what_python_writes_for_that_rung(opened):
    moved, written, bare = (
        opened("high.html"),
        opened("low.html"),
        opened("low.html", java_script_enabled=False),
    )
    before = visible(moved)
    slid(moved, 0)
    assert moved.locator("#epsilon").inner_text() == "0.1"
    assert visible(moved) == visible(written) != before
    drawn = (
        "() => [...document.querySelectorAll('[data-map] path')]"
        ".map((path) => [path.getAttribute('class'), path.getAttribute('d'), path.getAttribute('stroke-width')])"
    )
    assert moved.evaluate(drawn) == bare.evaluate(drawn), "maps and flows as Python drew them"
    calm(moved)


def test_the_script_colours_tiles_as_python_does(opened, small):
    drawn = "() => [...document.querySelectorAll('#visits_per_tile [data-map] path')].map((path) => [path.getAttribute('class'), path.getAttribute('d')])"
    for name in ("high.html", "small.html"):
        assert opened(name).evaluate(drawn) == opened(name, java_script_enabled=False).evaluate(drawn)
    visits, page = small.measurements["visits_per_tile"], opened("small.html")
    released(page)
    breaks, few = reading.breaks_of(visits), reading.few_below(reading.colour_breaks(visits))
    classes = map_classes.classes_of_counts(visits, len(visits.rungs) - 1, breaks, few)[:4]
    squares = [path.count("M") for _, path in page.evaluate(drawn)[: len(breaks) + 3]]
    assert squares == np.bincount(classes, minlength=len(breaks) + 3).tolist()
    calm(page)


def test_the_script_writes_the_same_numbers_as_python(opened):
    """With a script and without one the file reads the same: two languages, one rounding."""
    tables = "() => [...document.querySelectorAll('[data-plot] td, [data-rows] td')].map((cell) => cell.textContent)"
    for name in ("high.html", "low.html"):
        with_script, without = opened(name), opened(name, java_script_enabled=False)
        assert with_script.evaluate(tables) == without.evaluate(tables)
        assert not without.locator("#rung").is_visible()
        assert without.locator("#visits_per_tile svg[data-map]").is_visible()
        assert without.locator("#travel_time table[data-plot]").is_visible(), "numbers in place of a chart"
        assert not without.locator(".chart").first.is_visible()
        calm(without)


def test_a_tile_is_hovered_clicked_and_chosen_by_the_keyboard(opened, release):
    page = opened()
    picture = page.locator("#visits_per_tile svg[data-map]")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    middle = {"x": box["width"] * 0.51, "y": box["height"] * 0.51}
    picture.hover(position=middle)
    told = page.locator("#tip").inner_text()
    picture.click(position=middle)
    panel = page.locator("#tile")
    assert told in panel.inner_text()
    name = panel.locator("select").evaluate("(list) => list.selectedOptions[0].textContent")
    assert told.startswith(name)
    assert name in {*release.tessellation.tile_ids}
    assert "Arrivals by time of day" in panel.inner_text()
    panel.locator("select").select_option("7")
    assert release.tessellation.tile_ids[7] in panel.locator("div p").first.inner_text()
    value = int(release.measurements["visits_per_tile"].values[-1][7])
    told = re.search(r"released count about ([\u2212\d,]+)", panel.inner_text())[1]
    shown = int(told.replace(",", "").replace("\u2212", "-"))
    half_width = release.measurements["visits_per_tile"].half_widths[-1]
    assert abs(shown - value) <= half_width / 3, (
        "the released count, with no more digits than the noise allows"
    )
    calm(page)


def test_tables_are_sorted_and_grow(opened):
    page = opened()
    released(page)
    table = page.locator("table[data-rows=flows]")
    assert table.locator("tbody tr").count() == 10
    page.locator("[data-more=flows] select").select_option("50")
    assert table.locator("tbody tr").count() == 50
    table.get_by_role("button", name="from").click()
    firsts = table.locator("tbody th").all_inner_texts()
    assert firsts == sorted(firsts, reverse=True)
    table.get_by_role("button", name="from").click()
    assert table.locator("tbody th").all_inner_texts() == sorted(firsts)
    slid(page, 5)
    again = table.locator("tbody th").all_inner_texts()
    assert again == sorted(again), "a table stays sorted while epsilon moves"
    calm(page)


@pytest.mark.parametrize("wide", [400, 1280])
def test_nothing_is_wider_than_the_window(opened, wide):
    page = opened(wide=wide)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_on_paper_every_fold_is_open_and_nothing_is_cut(opened, tmp_path):
    page = opened()
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("[...document.querySelectorAll('details')].every((part) => part.open)")
    page.set_viewport_size({"width": 695, "height": 1000})  # A4 between its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 695
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert not page.evaluate("[...document.querySelectorAll('details')].some((part) => part.open)")
    paper = page.pdf(prefer_css_page_size=True, path=tmp_path / "report.pdf")
    assert paper.startswith(b"%PDF")
    assert 5 < len(re.findall(rb"/Type\s*/Page\b", paper)) < 60
    calm(page)


def test_the_file_of_500_tiles_and_13_rungs_is_small(files):
    assert 4_800_000 < (files / "high.html").stat().st_size < 6_200_000
    assert (files / "static.html").stat().st_size < 1_300_000


def test_the_file_of_200_tiles_with_the_estimates_of_every_stop_is_small():
    side = 14 / 111.19492664455873
    tiles = square_grid(Box(0.0, -side / 2, side, side / 2), 1000)
    assert len(tiles.tile_ids) >= 196
    made = made_release(tessellation=tiles, weights=dict.fromkeys(MEASURES, 1), epsilon="10")
    assert len(report_html(made)) < 6_000_000


def test_charts_show_at_every_rung_what_the_app_shows(opened, release):
    """Two languages, one figure: counts, intervals, triangles, the axis and the words under the pointer."""
    page = opened()
    released(page)
    plotted = [
        (plot_id(name, plot.name), plot, measurement)
        for name, measurement in release.measurements.items()
        for plot in plots.plots(measurement)
    ]
    for identity, *_ in plotted:
        drawn(page, identity)
    for rung in (0, 5, len(release.plan.rungs) - 1):
        slid(page, rung)
        for identity, plot, measurement in plotted:
            drawn(page, identity)
            page.wait_for_function(
                "([name, rung]) => document.querySelector(`[data-chart='${name}']`).dataset.drawn.startsWith(rung)",
                arg=[identity, f"{rung} "],
            )
            made = plots.chart(plot, measurement, rung, clipped=True).figure
            agrees(made, page.evaluate(SHOWN, identity))
        drawn(page, "od_flows--ranking")
        agrees(ranking_chart(flow_ranking(release, rung)).figure, page.evaluate(SHOWN, "od_flows--ranking"))
    calm(page)


def test_charts_show_the_estimates_of_every_stop_as_the_app_does(opened, small):
    page = opened("small.html")
    assert page.locator("body").get_attribute("data-numbers") == "estimate"
    last = len(small.plan.rungs) - 1
    for rung in (0, last):
        slid(page, rung)
        estimates = estimates_of(small, rung)
        for name, measurement in small.measurements.items():
            for plot in plots.plots(measurement):
                identity = plot_id(name, plot.name)
                drawn(page, identity)
                page.wait_for_function(
                    "([name, rung]) => document.querySelector(`[data-chart='${name}']`).dataset.drawn.startsWith(rung)",
                    arg=[identity, f"{rung} "],
                )
                seen, shown = page.evaluate(SHOWN, identity), ranged(estimates.tables[name])
                made = plots.chart(plot, measurement, rung, clipped=True, shown=shown).figure
                assert seen["range"] == made["layout"]["yaxis"]["range"]
                for trace, other in zip(made["data"], seen["data"], strict=True):
                    assert trace.get("hovertext") == other.get("hovertext")
                    assert trace["y"] == pytest.approx(other["y"], abs=0.01)
    calm(page)


def test_one_switch_shows_the_released_counts(opened):
    page = opened("small.html")
    paths = "() => [...document.querySelectorAll('#visits_per_tile svg path')].map((path) => path.getAttribute('d'))"
    before, words = page.evaluate(paths), visible(page)
    assert "Estimate for all trips. Released counts: " in words
    page.get_by_role("radio", name="Estimate for").focus()
    page.keyboard.press("ArrowRight")
    page.locator("body[data-numbers=released]").wait_for()
    assert "The first ten flows between different tiles, by estimate" not in visible(page)
    assert page.evaluate(paths) != before
    page.keyboard.press("ArrowLeft")
    page.locator("body[data-numbers=estimate]").wait_for()
    assert visible(page) == words
    calm(page)


def test_charts_are_drawn_when_they_come_into_view(opened):
    page = opened()
    waiting = page.locator("[data-chart]:not([data-drawn])").count()
    assert waiting > 10, "a page that opens draws what is seen"
    assert page.locator("#user_tile_count .main-svg").count() == 0
    drawn(page, "user_tile_count--bins")
    assert page.locator("[data-chart]:not([data-drawn])").count() < waiting
    calm(page)


def test_a_pointer_reads_value_range_and_unit(opened):
    page = opened()
    place = drawn(page, "trips_per_weekday--rows")
    place.locator(".nsewdrag").hover()
    told = place.locator(".hoverlayer .hovertext text")
    told.first.wait_for()
    said = " ".join(told.all_text_contents())
    assert re.search(r"^\w+: about [\d,\u2212]+ trips", said)
    assert "95 % range of the noise " in said
    calm(page)


@pytest.mark.parametrize(("kind", "begins"), [("PNG", b"\x89PNG"), ("SVG", b"<svg")])
def test_a_chart_is_saved_as_a_picture_that_says_what_it_shows(opened, kind, begins):
    page = opened(color_scheme="dark")
    place = drawn(page, "trips_per_weekday--rows")
    place.hover()
    assert place.locator(".modebar-btn").count() == 2, "no logo, no link to a service"
    with page.expect_download() as saving:
        place.locator(f"[data-title='Save as {kind}'], [aria-label='Save as {kind}']").first.click()
    saved = Path(saving.value.path()).read_bytes()
    assert saving.value.suggested_filename == f"trips_per_weekday--rows-epsilon-10.{kind.lower()}"
    assert saved.startswith(begins)
    if kind == "SVG":
        text = saved.decode()
        assert "Trips by weekday, \N{GREEK SMALL LETTER EPSILON} = 10" in text
        assert ink(dark=False) in text or "rgb(31, 41, 51)" in text, "in the colours of paper"
    calm(page)


def colour_of_letters(page, name: str) -> str:
    return page.locator(f"[data-chart='{name}'] .ytick text").first.evaluate(
        "(text) => getComputedStyle(text).fill"
    )


def test_charts_are_dark_on_a_dark_page_and_light_on_paper(opened):
    page, name = opened(color_scheme="dark"), "trips_per_weekday--rows"
    drawn(page, name)
    dark = colour_of_letters(page, name)
    page.emulate_media(color_scheme="light")
    page.wait_for_function(
        "(name) => document.querySelector(`[data-chart='${name}']`).dataset.drawn.includes('false false')",
        arg=name,
    )
    light = colour_of_letters(page, name)
    assert dark == "rgb(230, 233, 237)" != light == "rgb(31, 41, 51)"
    page.emulate_media(color_scheme="dark")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert colour_of_letters(page, name) == light
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(
        "(name) => document.querySelector(`[data-chart='${name}']`).dataset.drawn.includes('true false')",
        arg=name,
    )
    assert colour_of_letters(page, name) == dark
    calm(page)


def test_paper_gets_every_chart_inside_its_column(opened):
    page = opened()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 695, "height": 1000})  # A4 between its margins
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    found = page.evaluate(
        "() => [...document.querySelectorAll('[data-chart]')].filter((place) => place.checkVisibility()).map((place) => [place.dataset.chart,"
        " place.classList.contains('empty') ? 1 : place.querySelector('.main-svg')?.getBoundingClientRect().width ?? -1,"
        " place.parentElement.getBoundingClientRect().width])"
    )
    assert len(found) > 15
    assert [name for name, wide, room in found if not 0 < wide <= room] == []
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    calm(page)


def test_a_file_that_is_printed_at_once_has_its_charts(opened):
    """Nobody scrolled, and nothing was drawn before."""
    paper = opened().pdf(prefer_css_page_size=True)
    bare = opened("static.html").pdf(prefer_css_page_size=True)
    assert len(paper) > len(bare) + 20_000, "lines and bars, and not only their places"


def test_a_static_file_moves_its_tables_and_has_no_chart(opened):
    page = opened("static.html")
    before = visible(page)
    slid(page, 0)
    assert visible(page) != before
    assert page.locator("[data-chart], .main-svg").count() == 0
    assert page.locator("#travel_time table[data-plot]").is_visible()
    calm(page)


def test_hostile_names_stay_letters_in_charts(opened):
    page = opened("hostile.html")
    drawn(page, "visits_per_tile--estimated")
    released(page)
    for name in ("visits_per_tile--ranking", "od_flows--ranking"):
        drawn(page, name)
    letters = page.locator("[data-chart] .ytick text").all_text_contents()
    assert any("<img src=" in text or "</script>" in text for text in letters), "as they are written"
    assert page.locator("img, .chart a, .chart script").count() == 0
    calm(page)


def test_parts_of_a_split_release_stand_beside_each_other_with_one_scale(opened):
    page = opened("split.html", wide=400, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    axes = []
    for rung in (0, 2):
        slid(page, rung)
        for part in (0, 1):
            identity = plot_id("trips_over_time", f"part-{part}")
            drawn(page, identity)
            axes.append(page.evaluate(SHOWN, identity)["range"])
    assert axes[0] == axes[1]
    assert axes[2] == axes[3]
    svg = page.locator("[data-part='rail']")
    svg.scroll_into_view_if_needed()
    svg.hover(position={"x": 40, "y": 40})
    assert page.locator("#tip").inner_text().startswith("rail, ")
    calm(page)
