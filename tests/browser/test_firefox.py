"""Once through the app in Firefox: Explore, the Viewer with time and two sides, and the Report."""

from __future__ import annotations

import pytest

from dpcore.release import write_bundle
from tests.browser.conftest import running
from tests.browser.firefox import firefox, found
from tests.release.made_releases import grid, made_release

# No machine of every day has a Firefox, so this runs where it was installed: apt-get install firefox-esr xvfb
pytestmark = pytest.mark.audit

MAP = ".ladder[data-ready=true] .stage"
REST = "$('[data-testid=stApp]')[0]?.dataset.testScriptState === 'notRunning'"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    write_bundle(
        made_release(id="grid-1", title="A made grid", tessellation=grid(), epsilon="2"), folder / "grid"
    )
    with running(tmp_path_factory.mktemp("home"), EPSILON_ATLAS_BUNDLES=str(folder)) as address:
        yield address


@pytest.fixture
def browser(tmp_path):
    path = found()
    if path is None:
        pytest.skip("no Firefox with a screen; apt-get install firefox-esr xvfb")
    with firefox(path, tmp_path) as browser:
        yield browser


def test_the_app_works_in_firefox_without_an_error(browser, place):
    browser.open(place)
    browser.wait(f"$({MAP!r}).length")
    browser.wait("$('.tradeoff[data-user=\"13\"]').length")
    browser.wait(REST)
    assert browser.colours(MAP) > 100, "the map is drawn"
    browser.press(".tradeoff .plot input", 0.5, to=0.2)
    browser.wait("$('.ladder[data-epsilon=\"0.3\"]').length")
    browser.wait(REST)
    browser.press(MAP, 0.45, 0.5)
    browser.wait("$('.ladder[data-chosen]:not([data-chosen=\"\"])').length")

    browser.open(f"{place}/viewer?release=grid-1&view=map&rung=1&window=weekday.6-10&beside=weekend.6-10")
    browser.wait("$('.ladder[data-numbers=estimate]').length")
    browser.wait(REST)
    assert browser.colours(MAP) > 20
    browser.press("[data-do=play]")
    browser.wait("$('.ladder[data-ready][data-window=\"3\"]').length")
    browser.press("[data-do=play]")
    browser.press(".divider", to=0.2)
    assert float(browser.see("$('.divider')[0].value")) < 25
    browser.press(MAP, 0.45, 0.4)
    browser.wait("$('.ladder[data-chosen]:not([data-chosen=\"\"])').length")
    browser.wait("location.search.includes('tile=')")

    browser.open(f"{place}/report")
    browser.wait("$('[data-testid=stPlotlyChart] .main-svg').length > 2")
    browser.wait(REST)
    assert browser.errors == []
