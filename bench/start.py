"""How long a person waits for the app, in a real browser.

    python -m bench.start [--pages]

The project is copied and made ready in an empty data folder, as installing does it, and the app starts: that is the first start of
all. Then it starts again, with what the first start left on disk. Each time a visitor opens Explore as soon as the server listens,
and a second one when the first has seen all and the server does nothing more. A page of nothing but a control and a chart stands
beside them. Wall seconds mean something on an idle machine only, so the CPU seconds of the server
stand beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.browser.chromium import flags, found

ROOT: Final = Path(__file__).parents[1]
PATIENCE: Final = 120_000  # milliseconds
GOALS: Final = {"title": 1.5, "outline": 1.5, "map": 4.0, "charts": 7.0}
"""Seconds from the moment when the server listens, on an idle machine with two cores."""
PAGE, CHANGE = 2.0, 0.5
"""Seconds for any other page, and for a change in a lesson."""
IDLE: Final = 0.7
"""Load of a machine that has nothing else to do."""
REST: Final = 2.0
"""Seconds between two looks at whether the server still does something."""
RESTING: Final = 0.3
"""CPU seconds in that time of a server that does nothing."""
TITLES: Final = (
    "Data", "Release", "Report", "Compare", "Synthesize", "Trajectories", "Library", "Viewer", "Story", "Lessons",
    "Glossary",
)  # fmt: skip

# What is seen is noted in the page itself, so that looking costs the server nothing. It must cost the page little too: a look at every
# element takes longer than a chart. Only what is asked for is looked at, and that which stands in a component only in components.
WATCH: Final = """([title, asked]) => {
  const inside = () => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
    .flatMap((one) => [one, ...one.children]).filter((one) => one.shadowRoot).map((one) => one.shadowRoot);
  const visible = (found, text = "") => found !== null && found.checkVisibility() && found.textContent.includes(text);
  const seen = (selector, text) => visible(document.querySelector(selector), text);
  const within = (selector) => inside().some((root) => visible(root.querySelector(selector)));
  const heading = () => [...document.getElementsByTagName("h1")].filter((one) => one.checkVisibility())
    .map((one) => one.textContent).join();
  const titled = () => heading() !== before && heading().includes(title ?? "");
  const drawn = () => [...document.querySelectorAll("[data-testid=stPlotlyChart], [data-testid=stSkeleton]")]
    .every((place) => place.querySelector(".main-svg") || !place.checkVisibility());
  const ended = () => document.querySelector("[data-test-script-state=notRunning]") !== null;
  const quiet = () => performance.now() - changed > QUIET;
  const shows = {
    title: () => seen(".first-screen", title) || titled(),
    outline: () => seen(".outline") || shows.controls(),
    controls: () => seen("[data-testid=stButtonGroup]"),
    map: () => within("[data-ready='true']"),
    charts: () => [...document.getElementsByTagName("summary")].some((one) => one.textContent.includes("How ε =")) && drawn(),
    curve: () => within("[data-user='13'][data-trip='13']"),
    done: () => quiet() && ended() && titled() && drawn(),
  };
  const before = title === null ? heading() : "";
  const QUIET = 400; // milliseconds without a change
  const LOOK = 50; // milliseconds between two looks
  let changed = performance.now();
  window.watching?.disconnect();
  window.watching = new MutationObserver(() => { changed = performance.now(); });
  window.watching.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  window.seenAt = {};
  clearInterval(window.looking);
  window.looking = setInterval(() => {
    for (const what of asked)
      if (!(what in window.seenAt) && shows[what]())
        window.seenAt[what] = (performance.timeOrigin + (what === "done" ? changed : performance.now())) / 1000;
  }, LOOK);
}"""
PARTS: Final = ("title", "outline", "controls", "map", "charts", "curve", "done")


def watch(title: str | None, *asked: str) -> str:
    """The script that notes when the parts ``asked`` for are seen; ``title``: of the page, None for another one than now."""
    return f"({WATCH})({json.dumps([title, asked])})"


@dataclass(frozen=True)
class Server:
    """An app in a process of its own."""

    address: str
    process: int
    began: float
    listened: float
    """Unix times of the start, and when it answered first."""

    def rest(self) -> None:
        """Wait until it does nothing more in the background, as for a person who comes later or looks at the page."""
        before = -1.0
        while (now := self.cpu) - before > RESTING:
            before = now
            time.sleep(REST)

    @property
    def cpu(self) -> float:
        """Its CPU seconds so far, with those of its children that ended."""
        fields = Path(f"/proc/{self.process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(project: Path, home: Path) -> Iterator[Server]:
    """The app of a copied project with a data folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    asked = ["-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    environment = {**os.environ, "EPSILON_ATLAS_HOME": str(home)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began, silent = time.time(), subprocess.DEVNULL
    app = subprocess.Popen(
        [sys.executable, *asked], cwd=project, env=environment, stdout=silent, stderr=silent
    )
    address = f"http://localhost:{port}"
    try:
        while True:
            try:
                asked_for = HTTPConnection("localhost", port, timeout=1)
                asked_for.request("GET", "/_stcore/health")
                asked_for.getresponse().read()
                break
            except (OSError, HTTPException):
                if app.poll() is not None:
                    raise RuntimeError(f"the app ended with exit code {app.returncode}") from None
                time.sleep(0.02)
        yield Server(address, app.pid, began, time.time())
    finally:
        app.terminate()
        app.wait()


@contextmanager
def visitor(browser: Browser) -> Iterator[Page]:
    """A person whose browser knows nothing of the app."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    try:
        yield context.new_page()
    finally:
        context.close()


def wait(page: Page, what: str) -> float:
    """When it was seen, as Unix time."""
    # Looking at each frame would make the browser draw frames that nobody needs.
    page.wait_for_function(f"'{what}' in (window.seenAt ?? {{}})", polling=50)
    return float(page.evaluate(f"window.seenAt['{what}']"))


def explored(browser: Browser, server: Server, since: float) -> dict[str, tuple[float, float]]:
    """Wall seconds until each part of Explore is seen, and the CPU seconds of the server by then."""
    with visitor(browser) as page:
        page.add_init_script(watch("Explore", *PARTS))
        before = server.cpu if since != server.listened else 0.0
        page.goto(server.address, wait_until="commit")
        found = {}
        for what in PARTS:
            at = wait(page, what)
            found[what] = at - since, server.cpu - before
        return found


def opened(browser: Browser, server: Server) -> dict[str, float]:
    """Wall seconds of every other page from a click in the menu, of lessons from their list, and of one change in each."""
    found = {}
    with visitor(browser) as page:

        def clicked(link: Locator) -> float:
            page.evaluate(watch(None, "done"))  # until there is another heading than now
            began = time.time()
            link.click()
            return wait(page, "done") - began

        def menu(title: str) -> Locator:
            return page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True)

        page.add_init_script(watch("Explore", "done"))
        page.goto(server.address)
        wait(page, "done")
        for title in TITLES:
            found[title] = clicked(menu(title))
        for file in sorted((ROOT / "pages" / "learn").glob("[01]*.py")):
            name = file.stem[3:]
            clicked(menu("Lessons"))
            found[f"lesson {name}"] = clicked(page.get_by_test_id("stMain").locator(f"a[href$='{name}']"))
            slider = page.locator("[data-testid=stMain] input[type=range]:enabled")
            if slider.count():
                slider.first.focus()
                page.evaluate(watch("", "done"))
                began = time.time()
                page.keyboard.press("ArrowRight")
                found[f"change in {name}"] = wait(page, "done") - began
    return found


LEAST: Final = """import streamlit as st
st.title("Explore")
st.segmented_control("Whom", ["person", "trip"])
st.plotly_chart({"data": [{"y": [1, 3, 2]}], "layout": {}})
"""


def least(browser: Browser, folder: Path) -> Iterator[tuple[str, float]]:
    """What a second visitor waits for on a page with a title, one control and one chart: no page can be faster."""
    (folder / "app.py").write_text(LEAST, encoding="utf-8")
    with served(folder, folder / "empty") as server:
        for _ in range(2):
            with visitor(browser) as page:
                began = time.time()
                page.goto(server.address, wait_until="commit")
                found = {}
                for what, place in (("controls", "[data-testid=stButtonGroup]"), ("charts", ".main-svg")):
                    page.locator(place).first.wait_for()
                    found[what] = time.time() - began
        yield from found.items()


def measured(*, pages: bool = True) -> list[tuple[str, float | None, float, str]]:
    """Each row: what, its goal, wall seconds, and its figures in words."""
    rows: list[tuple[str, float | None, float, str]] = []
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found(), args=flags(), ignore_default_args=["--headless"]
        )
        project, home = Path(folder) / "project", Path(folder) / "home"
        for part in ("dpcore", "pages", ".streamlit"):
            shutil.copytree(ROOT / part, project / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "app.py", project)
        began = time.time()
        own = {**os.environ, "EPSILON_ATLAS_HOME": str(home)}
        for made in (
            ["compileall", "-q", "app.py", "dpcore", "pages"],
            ["pages.owner.parts.start.compile_ahead"],
        ):
            subprocess.run([sys.executable, "-m", *made], check=True, cwd=project, env=own)
        rows.append(
            ("compiling, and making the built-in city, when it is installed", None, time.time() - began, "")
        )
        for start in ("first start", "later start"):
            with served(project, home) as server:
                rows.append((f"{start}: listens", None, server.listened - server.began, ""))
                first = explored(browser, server, server.listened)
                server.rest()
                second = explored(browser, server, time.time())
                for who, seen in ((start, first), (f"{start}, second visitor, server at rest", second)):
                    for what, (wall, cpu) in seen.items():
                        rows.append((f"{who}: {what}", GOALS.get(what), wall, f"{cpu:.1f} CPU s"))
                server.rest()
                if pages and start == "later start":
                    for what, wall in opened(browser, server).items():
                        rows.append((what, CHANGE if what.startswith("change") else PAGE, wall, ""))
        rows += [
            (f"nothing but Streamlit: {what}", None, wall, "") for what, wall in least(browser, Path(folder))
        ]
        browser.close()
    return rows


def table(rows: list[tuple[str, float | None, float, str]]) -> list[tuple[str, str]]:
    """The rows as ``bench`` prints them."""
    return [
        (
            what,
            f"{wall:.2f} s{f', {more}' if more else ''}{f' (at most {goal} s)' if goal is not None else ''}",
        )
        for what, goal, wall, more in rows
    ]


def verdict(rows: list[tuple[str, float | None, float, str]], load: float) -> int:
    """1 if something took longer than it may on a machine that was idle, else 0; what took longer is told."""
    late = [what for what, goal, wall, _ in rows if goal is not None and wall > goal]
    if late:
        print(f"longer than it may be: {', '.join(late)}", file=sys.stderr)
    if late and load > IDLE:
        print(f"the machine was not idle (load {load:.1f}), so nothing follows from that", file=sys.stderr)
    return int(bool(late) and load <= IDLE)


def main() -> int:
    """Print the table; 1 if something took longer than it may."""
    parser = argparse.ArgumentParser(prog="python -m bench.start", description=__doc__.splitlines()[0])
    parser.add_argument("--pages", action="store_true", help="every other page and lesson too")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    rows = measured(pages=options.pages)
    print(*(f"| {what} | {figure} |" for what, figure in table(rows)), sep="\n")
    return verdict(rows, load)


if __name__ == "__main__":
    sys.exit(main())
