"""The report file in a real browser, from a disk and without a network: no request, a slider, a map, paper."""

from __future__ import annotations

import re

import pytest

from dpcore.measures import MEASURES
from dpcore.views.report import report_html
from tests.release.made_releases import grid, made_release

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def release():
    return made_release(
        title="A made grid", tessellation=grid(), weights=dict.fromkeys(MEASURES, 1), epsilon="10"
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory, release):
    """The file at its highest and at its lowest rung."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "high.html").write_text(report_html(release), encoding="utf-8")
    (folder / "low.html").write_text(report_html(release, 0), encoding="utf-8")
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


def slid(page, rung: int) -> None:
    page.locator("#rung").fill(str(rung))
    page.locator(f"body[data-rung='{rung}']").wait_for()


def visible(page) -> str:
    return re.sub(r"\s+", " ", page.locator("main").inner_text())


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


def test_the_script_writes_the_same_numbers_as_python(opened):
    """With a script and without one the file reads the same: two languages, one rounding."""
    tables = "() => [...document.querySelectorAll('[data-plot] td, [data-rows] td')].map((cell) => cell.textContent)"
    for name in ("high.html", "low.html"):
        with_script, without = opened(name), opened(name, java_script_enabled=False)
        assert with_script.evaluate(tables) == without.evaluate(tables)
        assert not without.locator("#rung").is_visible()
        assert without.locator("#visits_per_tile svg[data-map]").is_visible()
        assert without.locator("#travel_time svg:visible").count() == 1
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
    shown = int(
        re.search(r"about ([\u2212\d,]+)", panel.inner_text())[1].replace(",", "").replace("\u2212", "-")
    )
    assert abs(shown - value) <= release.measurements["visits_per_tile"].half_widths[-1]
    calm(page)


def test_tables_are_sorted_and_grow(opened):
    page = opened()
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
    assert (files / "high.html").stat().st_size < 6_000_000
