"""What eyes need: text that stands out of its ground, and empty tiles that look unlike those that noise hides."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from dpcore.release import write_bundle
from dpcore.tiles import Box, square_grid
from tests.browser.conftest import running, settled
from tests.release.made_releases import made_release

pytestmark = pytest.mark.browser

LEAST = 4.5
"""Contrast that small text needs (WCAG 2.2, 1.4.3)."""
# Each caption's own colour, thinned by the opacity of all it stands in, on what lies below it.
CONTRASTS = """() => {
  const parse = (text) => {
    const found = text.match(/[\\d.]+/g).map(Number);
    const rgb = text.startsWith("color(srgb") ? found.slice(0, 3).map((part) => part * 255) : found.slice(0, 3);
    return [...rgb, found[3] ?? 1];
  };
  const over = (top, under, alpha) => under.map((value, i) => top[i] * alpha + value * (1 - alpha));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const around = (element) => element ? [...around(element.parentElement), getComputedStyle(element)] : [];
  const found = [];
  for (const box of document.querySelectorAll("[data-testid=stCaptionContainer], .ladder .muted")) {
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      if (!texts.currentNode.textContent.trim() || !element.offsetParent) continue;
      const styles = around(element), own = parse(getComputedStyle(element).color);
      const ground = styles.reduce((rgb, { backgroundColor }) => over(parse(backgroundColor), rgb, parse(backgroundColor)[3]), [255, 255, 255]);
      const alpha = styles.reduce((all, { opacity }) => all * Number(opacity), own[3]);
      const [dark, bright] = [light(over(own, ground, alpha)), light(ground)].sort((a, b) => a - b);
      found.push([(bright + 0.05) / (dark + 0.05), texts.currentNode.textContent.trim()]);
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """An app that shows a release of many tiles, half of them empty."""
    home = tmp_path_factory.mktemp("seen")
    release = made_release(
        tessellation=square_grid(Box(9.9, 53.5, 10.1, 53.6), 1500),
        epsilon="10",
        weights={"visits_per_tile": 4, "od_flows": 1},
        title="Half empty",
        id="half-empty-1-aaaaaa",
    )
    write_bundle(release, home / "releases" / release.id)
    with running(home / "home", EPSILON_ATLAS_BUNDLES=str(home / "releases")) as place:
        yield release, place


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_captions_stand_out_of_their_ground(chromium, shown, scheme):
    release, address = shown
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    for path in (
        "/",
        "/release",
        "/data",
        f"/viewer?release={release.id}",
        f"/viewer?release={release.id}&view=map",
        "/library",
        "/lessons",
    ):
        page.goto(address + path)
        page.locator("[data-testid=stCaptionContainer]").first.wait_for(state="attached")
        settled(page)
        found = page.evaluate(CONTRASTS)
        assert found
        weak = [(round(contrast, 2), text) for contrast, text in found if contrast < LEAST]
        assert weak == [], (path, scheme)
    context.close()


def told_apart(page, *looks: str) -> None:
    """The colours of two looks of the legend are far from each other."""
    swatches = [f".look[data-look={look}] .swatch" for look in looks]
    painted = (
        "(legend, names) => names.map((name) => getComputedStyle(legend.querySelector(name)).backgroundColor)"
    )
    legend = page.locator(".ladder .legend").first
    found = legend.evaluate(painted, swatches)  # both at once: the legend is drawn anew with every number
    one, other = ([int(part) for part in re.findall(r"\d+", colour)[:3]] for colour in found)
    assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) > 90


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tile_with_few_or_none_looks_and_reads_unlike_one_that_noise_hides(chromium, shown, scheme):
    release, address = shown
    visits = release.measurements["visits_per_tile"]
    empty = int(np.argmin(np.abs(visits.values[-1][: len(release.tessellation.tile_ids)])))
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{address}/viewer?release={release.id}&tile={release.tessellation.tile_ids[empty]}")
    page.locator("[data-ready='true']").first.wait_for()
    settled(page)
    legend = page.locator(".ladder .legend").first
    expect(legend).to_contain_text("range ends below 5")
    told_apart(page, "empty", "hatched")  # of the estimates, which are shown first
    page.get_by_role("radio", name="Released counts").press("Space")
    expect(legend).to_contain_text("drowned by noise")
    told_apart(page, "empty", "hatched")
    expect(page.locator(".look[data-look=empty]").first).to_be_visible()
    expect(page.locator(".live").first).to_contain_text("noise \u22122 to 2")
    slider = page.locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("Home")
    page.locator(".ladder[data-epsilon='0.1']").first.wait_for()
    expect(page.locator(".look[data-look=empty]").first).to_be_hidden()  # none is known to be empty
    expect(page.locator(".live").first).not_to_contain_text("noise \u22122 to 2")
    context.close()
