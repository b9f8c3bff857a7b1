"""No move is lost: whatever is moved, however busy the machine, in the end browser and Python agree."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from dpcore import demo
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release import write_bundle
from dpcore.views.numbers.sentences import protection_text
from tests.browser.conftest import PATIENCE, chosen, more_choices, running
from tests.browser.moves import AT_REST, Hand, Way
from tests.release.made_releases import made_release

SEED = "EPSILON_ATLAS_MOVES_SEED"
"""Variable with the seed of an audit, which prints the one that it drew."""
BOUND = "Trips counted per person, at most (1 to 500)"
CURVE = "epsilon, on the curve of errors"
RATES = (1, 4, 8)
"""How many times slower a page runs than it could."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(tmp_path_factory, home):
    """An app with a release to look at."""
    bundles = tmp_path_factory.mktemp("bundles")
    write_bundle(made_release(id="four-2", title="Four tiles", epsilon="2"), bundles / "four-2")
    with running(home, EPSILON_ATLAS_BUNDLES=str(bundles)) as place:
        yield place


@pytest.fixture
def app(server, home):
    """The app of these tests. Each begins without a project, which would come back."""
    shutil.rmtree(home / "private" / "projects", ignore_errors=True)
    return server


@contextmanager
def busy_cores(loops: int) -> Iterator[None]:
    """So many processes that take all they get, while the block runs."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def explore(hand: Hand) -> list[Way]:
    hand.may_go = re.compile(
        f"Time window|^field {re.escape(BOUND)}|Merge"
    )  # without time, for a trip, where nothing can be merged
    return [
        lambda: hand.slid("epsilon", CURVE),
        lambda: hand.slid("epsilon", CURVE),
        lambda: hand.dragged("epsilon", CURVE),
        lambda: hand.dragged(CURVE, "epsilon"),
        lambda: hand.chose("A person", "One trip"),
        hand.behind(lambda: hand.typed(BOUND, "3", "8", "21")),
        hand.behind(lambda: hand.switched("Time")),
        lambda: hand.slid("Time window"),
        hand.behind(lambda: hand.chose("off", "± 20 %", "± 50 %")),
        hand.clicked,
    ]


def explored(hand: Hand) -> None:
    """The promise, which Python writes, is of the unit, the bound and the stop that the controls show."""
    shown = hand.shown()
    text = hand.page.locator("body").inner_text()
    epsilon = hand.page.locator(".ladder[data-epsilon]").first.get_attribute("data-epsilon")
    alone = any(name.startswith("choice") and value == "One trip" for name, value in shown.items())
    bound = (
        ContributionBound(PrivacyUnit.TRIP, None)
        if alone
        else ContributionBound(PrivacyUnit.USER, int(shown[f"field {BOUND}"]))
    )
    assert protection_text(bound, Fraction(epsilon)) in text, (shown, epsilon)
    assert shown[f"slider {CURVE}"] == shown["slider epsilon"]
    on_the_map = re.findall(r"\d+", shown["map chosen"].partition("/")[0])
    listed = hand.page.locator("[data-testid=stMultiSelect]", has_text=re.compile("Click a"))
    expect(listed.locator(".react-aria-ComboBox [data-tag]")).to_have_count(len(on_the_map))


def viewer(hand: Hand) -> list[Way]:
    hand.may_go = re.compile(
        "epsilon|Time|map chosen|Estimate"
    )  # not every view has a map, or numbers of two kinds
    return [
        lambda: hand.slid("epsilon"),
        lambda: hand.slid("epsilon"),
        lambda: hand.dragged("epsilon"),
        lambda: hand.chose("map Map", "conversion_path Flows", "show_chart Rhythm", "format_list"),
        lambda: hand.chose("Estimate", "Released"),
        lambda: hand.switched("Time"),
        lambda: hand.slid("Time window"),
        hand.clicked,
    ]


def viewed(hand: Hand) -> None:
    """The address, which Python writes, names the stop that the slider shows and the places that the map shows."""
    query = parse_qs(urlparse(hand.page.url).query)
    ladder = hand.page.locator(".ladder[data-epsilon]")
    if ladder.count():
        assert query["rung"] == [ladder.first.get_attribute("data-epsilon")]
    if "map chosen" in hand.shown():
        tiles = [*query.get("tile", []), *query.get("with", [])]
        shown = re.findall(r"\d+", hand.shown()["map chosen"])
        assert tiles == ["ABCD"[int(place)] for place in shown]


def synthesize(hand: Hand) -> list[Way]:
    hand.may_go = re.compile(f"^field {re.escape(BOUND)}|People|Visits")  # a model of trips has no bound
    return [
        lambda: hand.slid("ε in total"),
        lambda: hand.slid("ε in total"),
        lambda: hand.chose("A person", "One trip"),
        lambda: hand.typed(BOUND, "3", "8", "21"),
        lambda: hand.chose("Visits", "Routes", "Over time"),
        lambda: hand.chose("People", "Trips"),
        lambda: hand.typed("Title", "Spring", "A city in May"),
    ]


def trajectories(hand: Hand) -> list[Way]:
    return [
        lambda: hand.slid("ε of Critical, for one trajectory"),
        lambda: hand.slid("ε of Critical, for one trajectory"),
        lambda: hand.chose("One trip", "A person's day"),
        lambda: hand.typed("Tiles that count (height h)", "3", "4", "5"),
        lambda: hand.chose("Places", "Whole trajectories"),
        lambda: hand.switched("Once for each move to another tile"),
        lambda: hand.typed("Title", "Days", "Ways of one day"),
    ]


def stays_elsewhere(hand: Hand) -> None:
    """After a look at another page it is all there: Python had heard of it."""
    here = urlparse(hand.page.url).path
    hand.page.get_by_role("link", name=re.compile("Glossary")).first.click()
    hand.page.get_by_role("heading", name="Glossary", level=1).wait_for()
    hand.page.locator(f"[data-testid=stSidebarNav] a[href$='{here}']").first.click()
    hand.page.wait_for_url(re.compile(f"{here}(\\?.*)?$"))
    hand.page.wait_for_function(
        "(names) => names.length === 0 || document.querySelector('[data-testid=stMain] input[type=range]')",
        arg=[*hand.left],
    )
    hand.rests()


def leaking(hand: Hand) -> list[Way]:
    names = [name.removeprefix("slider ") for name in hand.shown() if name.startswith("slider ")]
    return [lambda name=name: hand.slid(name) for name in names] * 2 + [
        lambda: hand.chose("One trip", "A person", "20", "50")
    ]


def is_in_the_link(hand: Hand) -> None:
    """A lesson writes its controls into its address: opened anew, it shows the same."""
    hand.page.reload()
    hand.page.get_by_role("heading", level=1).first.wait_for()
    hand.rests()


def telling(hand: Hand) -> list[Way]:
    names = [name.removeprefix("field ") for name in hand.shown() if name.startswith("field ")]
    words = ("Look at this", "Busy tiles are in the middle", "A third sentence")
    return [lambda name=name: hand.typed(name, *words) for name in names]


def is_in_the_tab(hand: Hand) -> None:
    """A story is kept in its browser tab: a reload shows the same words."""
    hand.page.reload()
    hand.page.locator("textarea").first.wait_for()
    hand.rests()


def own_files(page, address: str, folder: Path) -> None:
    """Load trips and tiles of one's own, both files given at once, and look at them. No project with these files may come back."""
    from playwright.sync_api import TimeoutError as TooLate

    demo.write_city(folder, 20_000, 80, 11)
    seen: list[str] = []
    page.on(
        "request", lambda sent: seen.append(f"{sent.method} {sent.url}") if sent.method != "GET" else None
    )
    page.on("requestfailed", lambda sent: seen.append(f"failed: {sent.method} {sent.url} {sent.failure}"))
    page.on(
        "response",
        lambda got: seen.append(f"{got.status} {got.url}") if got.request.method != "GET" else None,
    )
    page.on("console", lambda told: seen.append(f"console: {told.text}") if told.type == "error" else None)
    page.goto(f"{address}/data")
    page.get_by_text("3 Clock, dates and bins").wait_for()
    given = page.locator("input[type=file]")
    given.nth(0).set_input_files(folder / "trips.csv")
    given.nth(1).set_input_files(folder / "tiles.geojson")
    try:
        page.get_by_text("Still needed: the time zone.").wait_for()
    except TooLate:  # what the browser had sent says whether a file was lost
        said = page.locator("[data-testid=stMain]").inner_text()
        raise AssertionError("\n".join([*seen, "The page says:", said])) from None
    chosen(page, "Time zone of the city", "Europe/Berlin")
    page.get_by_role("button", name="Load", exact=True).click()
    page.get_by_role("button", name="Look first").click()
    page.get_by_text("Explore these trips").click()


def a_story(page, address: str, _folder: Path) -> None:
    """Begin the story of a release."""
    page.goto(f"{address}/story")
    page.get_by_role("button", name="Start", exact=True).click()


PAGES = {
    "explore": ("", explore, explored),
    "viewer": ("viewer?view=map", viewer, viewed),
    "synthesize": ("synthesize", synthesize, stays_elsewhere),
    "trajectories": ("trajectories", trajectories, stays_elsewhere),
    "leaks": ("the_slider_that_leaks", leaking, is_in_the_link),
    "noise": ("shapes_of_noise", leaking, is_in_the_link),
    "own": (own_files, explore, explored),
    "story": (a_story, telling, is_in_the_tab),
}
"""By name: the path, or how one comes there; what can be moved, and what Python must say in the end."""


def moved(
    page, address: str, name: str, draws: random.Random, folder: Path, *, moves: int, rate: int
) -> Hand:
    """Open a page, move from its first paint on, and compare when it has come to rest."""
    if PAGES[name][0] is own_files:
        with running(Path(mkdtemp(dir=folder))) as fresh:
            return _moved(page, fresh, name, draws, folder, moves=moves, rate=rate)
    return _moved(page, address, name, draws, folder, moves=moves, rate=rate)


def _moved(
    page, address: str, name: str, draws: random.Random, folder: Path, *, moves: int, rate: int
) -> Hand:
    path, ways, agrees = PAGES[name]
    hand = Hand(page, draws, reach=3000 * rate)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
    if isinstance(path, str):
        page.goto(f"{address}/{path}")
    else:
        path(page, address, folder)
    page.locator("[data-testid=stMain]").locator(
        "input[type=range]:visible, textarea:visible"
    ).first.wait_for()
    while len(hand.made) < moves:
        hand.move(draws.choice(ways(hand)))
    hand.rests()
    agrees(hand)
    return hand


@pytest.mark.browser
@pytest.mark.parametrize(("name", "moves"), [("explore", 7), ("viewer", 5), ("leaks", 3)])
def test_moves_in_a_hurry_all_arrive(page, app, name, moves, tmp_path):
    moved(page, app, name, random.Random(f"{name} in a hurry"), tmp_path, moves=moves, rate=4)


@pytest.mark.audit
@pytest.mark.parametrize("loops", [0, 2])
def test_two_hundred_moves_all_arrive(page, app, loops, capsys, tmp_path):
    seed = int(os.environ.get(SEED, str(random.SystemRandom().randrange(10**9))))
    with capsys.disabled():
        print(f"\n{SEED}={seed}")
    draws, made = random.Random(f"{seed} {loops}"), 0
    page.set_default_timeout(10 * PATIENCE)  # eight times slower, beside others
    with busy_cores(loops):
        while made < 200:
            name, rate = draws.choice([*PAGES]), draws.choice(RATES)
            done = moved(page, app, name, draws, tmp_path, moves=min(12, 200 - made), rate=rate)
            made += len(done.made)
            with capsys.disabled():
                print(f"{made} of 200, last on {name}, {rate} times slower, beside {loops} busy loops")


@pytest.mark.browser
def test_two_files_that_are_given_at_once_both_arrive(page, tmp_path):
    with running(tmp_path / "home") as fresh:
        own_files(page, fresh, tmp_path)
        page.locator("[data-ready='true']").first.wait_for()


MOVE = """(slider) => {
  slider.value = "2";
  slider.dispatchEvent(new Event("input"));
  const behind = [...document.querySelectorAll("[data-behind][aria-busy=true]")].map((one) => one.textContent);
  slider.dispatchEvent(new Event("change"));
  return behind;
}"""


@pytest.mark.browser
def test_what_python_has_not_written_for_the_stop_yet_is_marked_as_soon_as_the_thumb_moves(page, app):
    page.goto(app)
    slider = page.get_by_role("slider", name="epsilon", exact=True)
    slider.wait_for()
    page.wait_for_function(AT_REST)
    promise = page.get_by_text("at most 74 times").first
    promise.wait_for()
    behind = slider.evaluate(MOVE)
    assert any(text.startswith("Protects") for text in behind), behind
    assert not any("Drag" in text for text in behind), "the purpose of the page does not follow the slider"
    page.wait_for_function(AT_REST)
    assert page.locator("[aria-busy=true]").count() == 0
    assert "at ε = 0.3" in page.locator("body").inner_text().replace("\n", " ")


SOCKETS = """() => {
  window.sockets = [];
  window.WebSocket = class extends WebSocket { constructor(...told) { super(...told); window.sockets.push(this); } };
}"""


@pytest.mark.browser
def test_a_move_that_is_made_without_a_connection_arrives_when_it_is_back(page, app):
    page.add_init_script(f"({SOCKETS})()")
    page.goto(app)
    slider = page.get_by_role("slider", name="epsilon", exact=True)
    slider.wait_for()
    page.get_by_text("at most 74 times").first.wait_for()
    page.wait_for_function(AT_REST)
    page.evaluate("() => window.sockets.at(-1).close()")
    slider.focus()
    page.keyboard.press("Home")
    page.get_by_text("becomes right at most 53 times").first.wait_for()
    page.wait_for_function(AT_REST)
    assert slider.input_value() == "0"


@pytest.mark.browser
def test_a_time_window_that_is_left_in_the_middle_of_a_move_is_there_again(page, app):
    page.goto(app)
    page.get_by_role("slider", name="epsilon", exact=True).wait_for()
    page.wait_for_function(AT_REST)
    more_choices(page)
    page.locator("label", has=page.get_by_role("switch", name="Time")).first.click()
    bar = page.locator("[data-window]").first
    for window in range(1, 4):
        page.get_by_role("button", name="Later").click()
        page.locator(f"[data-window='{window}']").first.wait_for()
    page.get_by_role("link", name=re.compile("Glossary")).first.click()  # before the bar has told it
    page.get_by_role("heading", name="Glossary", level=1).wait_for()
    page.locator("[data-testid=stSidebarNav]").get_by_role("link", name=re.compile("Explore")).first.click()
    bar.wait_for()
    page.wait_for_function(AT_REST)
    assert bar.get_attribute("data-window") == "3"
