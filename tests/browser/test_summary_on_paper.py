"""A report is printed with its summary first, which fits on one sheet, as a real browser lays it out."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dpcore import limits
from dpcore.measures import MEASURES
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.release.one_part import part_of
from dpcore.tiles import Tessellation
from dpcore.views.report import report_html
from tests.release.made_releases import WEEK, grid, made_release

pytestmark = pytest.mark.browser

SIDES = ("top", "right", "bottom", "left")
LONG = "A quarter around the old station of the north and its square"


def everything():
    """A release of all measures with the longest title, a note of many lines, and long names of tiles."""
    tiles = grid()
    named = Tessellation(
        tiles.tile_ids, tuple(f"{LONG} {number}" for number in tiles.tile_ids), tiles.polygons
    )
    made = made_release(tessellation=named, weights=dict.fromkeys(MEASURES, 1), epsilon="10")
    title = ("A title that is long " * 50)[: limits.MAX_TITLE_CHARACTERS]
    return replace(made, title=title, note="A line of a note.\n" * 60)


def one_part():
    """A part of everything whose tables are split, with the name of its category in the title."""
    choices = KeyChoices(WEEK, splits=(Categories("mode", ("bus", "a long name of a category of trips")),))
    names = [name for name in MEASURES if name not in {"od_districts", "od_flows_per_window"}]
    split = made_release(
        weights=dict.fromkeys(names, 1), choices=choices, epsilon="10", title="A title that is long " * 5
    )
    return part_of(
        replace(split, note="A line of a note.\n" * 60), {"mode": "a long name of a category of trips"}
    )


def by_trip():
    """The longest promise, which tells what it means for a person."""
    return made_release(unit="trip", weights=dict.fromkeys(MEASURES, 1), note="A line of a note.\n" * 60)


def pages(chromium, html: str) -> set[int]:
    """Sheets of A4 as the page asks for them, and as somebody chooses them."""
    page = chromium.new_context(bypass_csp=True, viewport={"width": 703, "height": 1000}).new_page()
    try:
        page.set_content(html)
        page.emulate_media(media="print")
        top = page.evaluate(
            "() => [...document.body.children].find((one) => one.checkVisibility()).className"
        )
        assert top == "sheet", "what comes first on paper"
        page.add_style_tag(content="body > :not(.sheet) { display: none !important; }")
        wide = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert wide, "a page that is too wide is printed smaller"
        ways = ({"prefer_css_page_size": True}, {"format": "A4", "margin": dict.fromkeys(SIDES, "12mm")})
        return {len(re.findall(rb"/Type\s*/Page\b", page.pdf(**way))) for way in ways}
    finally:
        page.close()


@pytest.mark.parametrize(
    "release",
    [made_release(), made_release(sparse=True, period=None), everything(), one_part(), by_trip()],
    ids=["usual", "sparse", "everything", "one part", "by trip"],
)
def test_the_summary_is_printed_on_one_page(chromium, release):
    for rung in (0, len(release.plan.rungs) - 1):
        assert pages(chromium, report_html(release, rung, static=True)) == {1}
