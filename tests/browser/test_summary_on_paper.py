"""The summary that is to be printed fits on one sheet, as a real browser lays it out."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dpcore import limits
from dpcore.measures import MEASURES
from dpcore.tiles import Tessellation
from dpcore.views.summary import summary_html
from tests.release.made_releases import grid, made_release

pytestmark = pytest.mark.browser

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


def pages(chromium, html: str) -> int:
    page = chromium.new_context().new_page()
    try:
        page.set_content(html)
        wide = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert wide, "a page that is too wide is printed smaller"
        return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    finally:
        page.close()


@pytest.mark.parametrize(
    "release",
    [made_release(), made_release(sparse=True, period=None), everything()],
    ids=["usual", "sparse", "everything"],
)
def test_the_summary_is_printed_on_one_page(chromium, release):
    for rung in (0, len(release.plan.rungs) - 1):
        assert pages(chromium, summary_html(release, rung)) == 1
