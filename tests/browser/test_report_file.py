"""The report file in a real browser, from a disk and without a network: no request, a switch without script, charts, paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpcore.estimates import words
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from dpcore.release import estimates
from dpcore.release.estimates import estimates_of
from dpcore.tiles import Tessellation
from dpcore.views.charts import plots
from dpcore.views.ground.shown import ranged
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.ground.style import class_colours, ink
from dpcore.views.report import report_html
from dpcore.views.report.pictured import plot_id
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
def files(tmp_path_factory, release):
    folder = tmp_path_factory.mktemp("report")
    tiles = Tessellation(four_tiles().tile_ids, (HOSTILE, "A", "B", "C"), four_tiles().polygons)
    hostile = made_release(
        weights=dict.fromkeys(MEASURES, 1), title=HOSTILE, note=HOSTILE, tessellation=tiles
    )
    split = made_release(
        weights={"visits_per_tile": 2, "trips_over_time": 1},
        choices=KeyChoices(WEEK, splits={"mode": ["bus", "rail"]}),
        epsilon="0.3",
    )
    made = {
        "high": report_html(release),
        "static": report_html(release, static=True),
        "split": report_html(split),
        "hostile": report_html(hostile),
    }
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
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
        return page

    yield open_file
    for context in contexts:
        context.close()


def calm(page) -> None:
    """One file, and not a word of complaint: nothing was asked for, nothing was refused by the policy."""
    assert len(page.requests) == 1
    assert page.faults == []


def released(page):
    return page.get_by_role("radio", name="Released counts")


def colours(page) -> list[str]:
    """The colours of the tiles on the map of visits."""
    return page.locator("#visits_per_tile [data-map] path[class^='e-']").evaluate_all(
        "(paths) => paths.map((path) => getComputedStyle(path).fill)"
    )


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


@pytest.mark.parametrize("name", ["high.html", "static.html"])
def test_one_click_shows_the_released_counts_without_any_script(opened, name):
    page = opened(name, java_script_enabled=False)
    guessed, drawn = (page.locator(f"header .if-{side} .cards") for side in ("estimate", "released"))
    assert (guessed.is_visible(), drawn.is_visible()) == (True, False)
    before, text = colours(page), page.locator("main").inner_text()
    assert "by estimate" in text
    released(page).click()
    assert (guessed.is_visible(), drawn.is_visible()) == (False, True)
    assert "by estimate" not in page.locator("main").inner_text()
    after = colours(page)
    assert after != before
    assert {*after} <= {*map(rgb, class_colours(8)), "rgb(218, 220, 225)", "rgb(249, 246, 236)"}
    page.get_by_role("radio", name="Estimate for").click()
    assert (colours(page), page.locator("main").inner_text()) == (before, text)
    calm(page)


def test_the_switch_is_used_by_the_keyboard(opened):
    page = opened("static.html")
    page.get_by_role("radio", name="Estimate for").focus()
    page.keyboard.press("ArrowRight")
    assert released(page).is_checked()
    assert page.locator("header .if-released .cards").is_visible()
    page.keyboard.press("ArrowLeft")
    assert page.locator("header .if-estimate .cards").is_visible()
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details").first.evaluate("(fold) => fold.open")
    calm(page)


def test_a_file_without_estimates_has_no_switch_and_shows_released_counts(opened, files, monkeypatch):
    release = made_release(weights=dict.fromkeys(MEASURES, 1), epsilon="5")

    def fails(*_, **__):
        raise KeyError("a step of the estimate")

    monkeypatch.setattr(estimates, "estimate", fails)
    (files / "none.html").write_text(report_html(release, 0), encoding="utf-8")
    monkeypatch.undo()
    page = opened("none.html")
    assert page.get_by_role("radio").count() == 0
    assert page.locator("header", has_text=words.NOT_COMPUTED).count() == 1
    assert "likely range" not in page.locator("main").inner_text()
    cells = page.locator("table[data-plot] tbody tr:first-child td").all_text_contents()
    assert "" not in cells, "no column of estimates is left empty"
    assert page.locator(".chart .main-svg").count() > 0
    calm(page)


SHOWN = """(name) => {
  const { data, layout } = document.getElementById(name);
  return { data, range: layout.yaxis.range };
}"""


def test_charts_show_what_the_app_shows_on_both_sides(opened, release):
    page, rung = opened(), len(release.plan.rungs) - 1
    tables = estimates_of(release, rung).tables
    for name, measurement in release.measurements.items():
        for plot in plots.plots(drawn_of(measurement, 0)):
            identity, shown = plot_id(name, plot.name), ranged(tables[name])
            for which, chart in (
                (identity, plots.chart(plot, drawn_of(measurement, rung), clipped=True)),
                (
                    f"{identity}--estimate",
                    plots.chart(plot, drawn_of(measurement, rung).guessed(shown, ""), clipped=True),
                ),
            ):
                seen = page.evaluate(SHOWN, which)
                assert seen["range"] == chart.figure["layout"]["yaxis"]["range"]
                for trace, other in zip(chart.figure["data"], seen["data"], strict=True):
                    assert trace.get("hovertext") == other.get("hovertext")
                    assert list(trace["y"]) == pytest.approx(other["y"])
    calm(page)


def test_both_charts_of_a_switch_are_as_wide_as_their_place(opened):
    page = opened()
    sizes = []
    for name in ("trips_per_weekday--rows--estimate", "trips_per_weekday--rows"):
        sizes.append(page.locator(f"[id='{name}'] .main-svg").first.bounding_box()["width"])
        assert page.locator(f"[id='{name}']").is_visible()
        released(page).check()
    assert sizes[0] == sizes[1] > 300
    assert not page.locator("[id='trips_per_weekday--rows--estimate']").is_visible()
    calm(page)


def test_a_pointer_reads_value_range_and_unit(opened):
    page = opened()
    place = page.locator("[id='trips_per_weekday--rows--estimate']")
    place.scroll_into_view_if_needed()
    place.locator(".nsewdrag").hover()
    told = place.locator(".hoverlayer .hovertext text")
    told.first.wait_for()
    said = " ".join(told.all_text_contents())
    assert re.search(r"^\w+: about [\d,\u2212]+ trips", said)
    assert "95 % range of the noise " in said
    calm(page)


def test_a_chart_is_saved_as_a_picture_that_says_what_it_shows(opened):
    page = opened(color_scheme="dark")
    place = page.locator("[id='trips_per_weekday--rows--estimate']")
    assert "Trips by weekday, ε = 10" in place.locator(".annotation-text").all_text_contents()
    place.hover()
    assert place.locator(".modebar-btn").count() == 1, "no logo, no link to a service"
    with page.expect_download() as saving:
        place.locator(".modebar-btn").click()
    assert saving.value.suggested_filename == "trips_per_weekday--rows--estimate-epsilon-10.png"
    assert Path(saving.value.path()).read_bytes().startswith(b"\x89PNG")
    calm(page)


def test_charts_are_dark_on_a_dark_page_and_light_on_paper(opened):
    page = opened(color_scheme="dark")
    letter = page.locator("[id='trips_per_weekday--rows--estimate'] .ytick text").first
    asked = "(text) => getComputedStyle(text).fill"
    assert letter.evaluate(asked) == "rgb(230, 233, 237)"
    page.emulate_media(color_scheme="light")
    assert letter.evaluate(asked) == rgb(ink(dark=False))
    page.emulate_media(color_scheme="dark", media="print")
    assert letter.evaluate(asked) == rgb(ink(dark=False))
    calm(page)


@pytest.mark.parametrize("wide", [400, 1280])
def test_nothing_is_wider_than_the_window(opened, wide):
    page = opened(wide=wide)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_paper_begins_with_the_summary_and_has_all_folds_open_and_nothing_cut(opened):
    page = opened()
    assert not page.locator(".sheet").is_visible(), "no screen shows it"
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 between its margins
    assert page.locator(".sheet").bounding_box()["y"] < 5
    assert page.locator("header").bounding_box()["y"] > page.locator(".sheet").bounding_box()["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 703
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(media=None)
    paper = page.pdf(prefer_css_page_size=True)
    assert 5 < len(re.findall(rb"/Type\s*/Page\b", paper)) < 80
    calm(page)


def test_paper_shows_what_is_folded_on_a_screen(opened):
    page = opened("static.html", java_script_enabled=False)
    fold = page.locator("#visits_per_tile details", has_text="Tiles as a table").locator(".if-estimate table")
    assert not fold.is_visible()
    page.emulate_media(media="print")
    assert fold.is_visible()


def test_every_chart_is_inside_its_column_on_paper(opened):
    page = opened()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 between its margins
    found = page.evaluate(
        "() => [...document.querySelectorAll('.chart')].filter((place) => place.checkVisibility({ visibilityProperty: true }))"
        ".map((place) => [place.id, place.querySelector('.main-svg')?.getBoundingClientRect().width ?? -1,"
        " place.closest('main').getBoundingClientRect().width])"
    )
    assert len(found) > 15
    assert [name for name, wide, room in found if not 0 < wide <= room] == []
    calm(page)


def test_a_file_that_is_printed_at_once_has_its_charts(opened):
    paper = opened().pdf(prefer_css_page_size=True)
    bare = opened("static.html").pdf(prefer_css_page_size=True)
    assert len(paper) > len(bare) + 20_000, "lines and bars, and not only their places"


def test_the_file_of_500_tiles_is_small(files):
    assert 4_800_000 < (files / "high.html").stat().st_size < 5_600_000
    assert (files / "static.html").stat().st_size < 700_000


def test_hostile_names_stay_letters_in_charts(opened):
    page = opened("hostile.html")
    released(page).check()
    letters = page.locator(".chart .ytick text").all_text_contents()
    assert any("<img src=" in text or "</script>" in text for text in letters), "as they are written"
    assert page.locator("img, .chart a, .chart script").count() == 0
    calm(page)


def test_parts_of_a_split_release_stand_beside_each_other_with_one_scale(opened):
    page = opened("split.html", wide=400, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    for side in ("", "--estimate"):
        axes = [
            page.evaluate(SHOWN, f"{plot_id('trips_over_time', f'part-{part}')}{side}") for part in (0, 1)
        ]
        assert axes[0]["range"] == axes[1]["range"]
    assert page.locator("[data-part='rail']").is_visible()
    calm(page)
