"""Write the pictures of the README from the app as it is: ``make screenshots``."""

from __future__ import annotations

import os
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

import dpcore
from dpcore import curator, demo
from dpcore.api import owner
from dpcore.ledger import Account
from dpcore.measures.choices import KeyChoices
from dpcore.privacy import PrivacyUnit
from tests.browser.chromium import flags, found
from tests.browser.conftest import running, settled, still

PICTURES = Path(__file__).parent / "pictures"
SIZES = {"": (1280, 900), "-narrow": (400, 860)}


SCHEMES = ("light", "dark")


def ready(page: Page, address: str, words: str) -> None:
    """Open a page and wait until its map is drawn and its last words are there."""
    page.goto(address)
    page.locator("[data-ready='true']").first.wait_for(timeout=180_000)
    page.get_by_text(words).first.wait_for(timeout=180_000)
    settled(page)
    page.wait_for_timeout(2_000)


def publish(home: str) -> str:
    """Publish the built-in city; returns the name of the release."""
    os.environ["EPSILON_ATLAS_HOME"] = home
    trips, tiles = owner.demo_city()
    ledger = curator.default_ledger()
    curator.register(ledger, Account("demo city", "nobody: a synthetic city", PrivacyUnit.USER, Fraction(10)))
    choices = KeyChoices(demo.DEMO_PERIOD)
    plan = dpcore.default_plan(
        None, "2", tiles, about_trips=demo.DEMO_TRIPS, about_users=30_000, choices=choices
    )
    request = curator.Request(
        "demo city", plan, "Four weeks in the synthetic city", "", "picture", "before_data"
    )
    return curator.publish(trips, tiles, request, ledger).release.id


def explore(page: Page, address: str, name: str) -> None:
    """The first page; in light and wide also its lower half."""
    ready(page, address, "How ε =")
    page.screenshot(path=PICTURES / f"explore-{name}.png")
    if name == "light":
        page.get_by_role("heading", name="Flows").scroll_into_view_if_needed()
        page.mouse.move(640, 500)
        page.mouse.wheel(0, 560)
        page.wait_for_timeout(2_500)
        page.screenshot(path=PICTURES / "flows-and-rhythm.png")


def release(page: Page, address: str, name: str) -> None:
    """The page that publishes."""
    page.goto(f"{address}/release")
    page.get_by_role("heading", name="3 Publish").wait_for(timeout=180_000)
    settled(page)
    page.wait_for_timeout(1_500)
    page.screenshot(path=PICTURES / f"release-{name}.png")


def viewer(page: Page, address: str, name: str) -> None:
    """The map of a release as a stakeholder sees it."""
    ready(page, f"{address}/viewer?view=map&rung=1", "Protects everything a person did")
    page.screenshot(path=PICTURES / f"viewer-{name}.png")


def report(page: Page, address: str, name: str) -> None:
    """Every measure beside the truth."""
    page.goto(f"{address}/report")
    page.get_by_text("The numbers").first.wait_for(timeout=180_000)
    settled(page)
    page.wait_for_timeout(2_000)
    page.screenshot(path=PICTURES / f"report-{name}.png")


def compare(page: Page, address: str, name: str) -> None:
    """A preview beside the truth, in numbers and on the map."""
    page.goto(f"{address}/compare")
    page.get_by_text("What do these numbers mean?").first.wait_for(timeout=180_000)
    settled(page)
    page.wait_for_timeout(2_000)
    page.screenshot(path=PICTURES / f"compare-{name}.png")


def synthesize(page: Page, address: str, name: str) -> None:
    """Synthetic trips beside the true ones."""
    page.goto(f"{address}/synthesize")
    page.get_by_text("In numbers").first.wait_for(timeout=180_000)
    settled(page)
    page.wait_for_timeout(1_500)
    page.screenshot(path=PICTURES / f"synthesize-{name}.png")


def trajectories(page: Page, address: str, name: str) -> None:
    """Levels of places, some of them set, with what they cost."""
    page.goto(f"{address}/trajectories")
    page.get_by_role("heading", name="3 Promise").wait_for(timeout=180_000)
    settled(page)
    if name == "light":
        box = still(page, page.locator(".ladder .stage").first)
        for x, y in ((0.45, 0.35), (0.5, 0.5), (0.55, 0.65)):
            page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
            settled(page)
        level = page.get_by_role("combobox", name="Level", exact=True)
        level.evaluate(
            "one => one.scrollIntoView({ block: 'center' })"
        )  # a list that scrolls the page closes again
        settled(page)
        level.click()
        page.get_by_role("option", name="Low").click()
        page.get_by_role("button", name="Set level").click()
        page.locator(".ladder[data-levels]:not([data-levels^='0 0 0 0 '])").wait_for(timeout=180_000)
        settled(page)
    page.get_by_role("heading", name="2 How delicate places are").scroll_into_view_if_needed()
    page.wait_for_timeout(2_000)
    page.screenshot(path=PICTURES / f"trajectories-{name}.png")


def lesson(page: Page, address: str, name: str) -> None:
    """One lesson, restored by its link."""
    page.goto(f"{address}/the_slider_that_leaks?2-asked=50&class=7")
    page.get_by_text("What just happened").first.wait_for(timeout=180_000)
    settled(page)
    page.wait_for_timeout(1_500)
    page.screenshot(path=PICTURES / f"lesson-{name}.png")


def main() -> None:
    """Every page of the README at both widths, light and dark."""
    path = found() or sys.exit("no Chromium; see make browser")
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as home, sync_playwright() as playwright:
        publish(home)
        with running(home) as address:
            browser = playwright.chromium.launch(
                executable_path=path, args=flags(), ignore_default_args=["--headless"]
            )
            pictures = (explore, release, viewer, report, compare, synthesize, trajectories, lesson)
            for scheme, (width, size), picture in product(SCHEMES, SIZES.items(), pictures):
                page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
                picture(page, address, f"{scheme}{width}")
                page.close()
            browser.close()


if __name__ == "__main__":
    main()
