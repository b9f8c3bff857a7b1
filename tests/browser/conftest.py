"""A running app and a real browser that calls nobody else."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest
from playwright.sync_api import TimeoutError, expect  # noqa: A004 - Playwright's own

from tests.browser.chromium import flags, found
from tests.conftest import ROOT

PATIENCE = 180_000
"""Milliseconds that a test waits for what a page is to show: a machine that has other work is no failure."""
SLOWER = float(os.environ.get("EPSILON_ATLAS_BROWSER_SLOWER", "1"))
"""How many times slower the scripts of pages run than they could: with 4 or more, a test that looks too early fails."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(home, port: int, *, output=subprocess.DEVNULL, **environment: str) -> subprocess.Popen:
    """The app as `make run` starts it, on a port and a data folder of its own; what it says goes to `output`."""
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.headless=true",
        f"--server.port={port}",
    ]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "EPSILON_ATLAS_HOME": str(home), **environment},
        stdout=output,
        stderr=output,
    )


def wait_for(url: str, seconds: float = PATIENCE / 1000) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.3)


@contextmanager
def running(home, **choices):
    """The address of an app of its own, while the block runs."""
    port = free_port()
    app = started(home, port, **choices)
    try:
        wait_for(f"http://localhost:{port}")
        yield f"http://localhost:{port}"
    finally:
        app.terminate()
        app.wait(PATIENCE / 1000)


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory):
    return tmp_path_factory.mktemp("browser-home")


@pytest.fixture(scope="session")
def shared_app(shared_home):
    with running(shared_home) as place:
        yield place


@pytest.fixture
def address(shared_app, shared_home):
    """The app that the tests share. Each begins without a project, which would come back."""
    shutil.rmtree(shared_home / "private" / "projects", ignore_errors=True)
    return shared_app


def slowed(page) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


@pytest.fixture(scope="session")
def chromium():
    path = found()
    if path is None:
        pytest.skip("no Chromium; 'make browser' finds or installs one")
    from playwright.sync_api import sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=flags(), ignore_default_args=["--headless"]
        )
        fresh = browser.new_context

        def patient(**wanted):
            context = fresh(**wanted)
            context.set_default_timeout(PATIENCE)
            context.on("page", slowed)
            return context

        browser.new_context = patient
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A page that remembers every request and every error of its scripts."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.requests, page.faults = [], []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    yield page
    context.close()


_CHARTS_DRAWN = """() => [...document.querySelectorAll("[data-testid=stPlotlyChart], [data-testid=stSkeleton]")].every(
    (place) => !place.checkVisibility() || place.querySelector(".main-svg"))"""


def settled(page) -> None:
    """Wait until the server has answered everything, and the charts that can be seen are drawn.

    A run of the page may redraw what is being typed into, and a chart moves what stands below it when it is drawn.
    """
    page.wait_for_timeout(300)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.wait_for_function(_CHARTS_DRAWN)


_STANDS_STILL = """async (part) => {
  const place = () => JSON.stringify(part.getBoundingClientRect());
  let before = place();
  for (let since = performance.now(); performance.now() - since < 500; ) {
    await new Promise((then) => setTimeout(then, 25));
    if (place() !== before) [before, since] = [place(), performance.now()];
  }
}"""


def still(page, part) -> dict[str, float]:
    """The place of a part on the screen, once half a second has not moved it. Mouse and fingers do not follow what moves."""
    settled(page)
    part.scroll_into_view_if_needed()
    part.evaluate(_STANDS_STILL)
    return part.bounding_box()


def pixels(page) -> bytes:
    return page.locator(".stage").first.screenshot()


def until(page, answer, hoped: str):
    """What `answer` gives, once it gives something: a page that is slow is no failure."""
    end = time.monotonic() + PATIENCE / 1000
    while not (found := answer()):
        assert time.monotonic() < end, hoped
        page.wait_for_timeout(100)
    return found


def another(page, before: bytes) -> bytes:
    """The picture of the map, once it is another one and the page has settled."""
    until(page, lambda: pixels(page) != before, "the picture becomes another one")
    settled(page)
    return pixels(page)


def more_choices(page) -> None:
    """Open what Explore keeps behind one line; it stays open."""
    line = page.locator("summary").filter(has_text="More choices").first
    line.wait_for()
    if not line.evaluate("line => line.parentElement.open"):
        line.click()


def chosen(page, label: str, value: str) -> None:
    """Choose a value in a select box as a person does: again, if a redraw swallowed the typing."""
    for _ in range(3):
        settled(page)
        box = page.get_by_role("combobox", name=re.compile(label)).first
        box.click()
        box.fill(value)
        try:
            page.get_by_role("option", name=value, exact=True).click(timeout=40_000)
        except TimeoutError:
            continue
        settled(page)
        return
    raise AssertionError(f"{label}: {value} could not be chosen")
