"""What lies under the map, its attribution and its switch, and the search for a place, in a real browser."""

import http.server
import re
import threading
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from dpcore.release import write_bundle
from tests.browser.conftest import running
from tests.release.made_releases import made_release

pytestmark = pytest.mark.browser


def test_the_map_shows_its_surroundings_says_whose_they_are_and_finds_a_place(page, address):
    page.goto(address)
    page.locator(".ladder[data-ready='true'][data-context='shown']").first.wait_for()
    picture = page.locator(".ladder[data-ready='true']").first
    whose = picture.locator(".attribution")
    expect(whose).to_have_text(re.compile("Invented city"))
    switch = picture.get_by_role("button", name="Context")
    switch.click()
    expect(whose).to_be_hidden()
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(whose).to_be_visible()
    search = picture.get_by_role("combobox", name="Find a place, district or tile")
    search.fill("univ")
    expect(picture.locator("datalist option[value=University]").first).to_be_attached()
    search.press("Enter")
    expect(picture.locator(".live")).to_have_text(re.compile("University"))
    assert page.faults == []
    assert {url.split("/")[2] for url in page.requests if url.startswith("http")} == {address.split("/")[2]}


ONE_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000040001"
    "f61738550000000049454e44ae426082"
)


@contextmanager
def tile_server():
    """A server of pictures with a list of what it was asked for and by which site."""
    asked = []

    class Pictures(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Referer"], self.headers["Cookie"]))
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Type", "image/png")
            self.end_headers()
            self.wfile.write(ONE_PIXEL)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def test_a_tile_server_is_called_only_where_one_is_named_and_the_page_says_which(page, tmp_path):
    write_bundle(made_release(id="four", title="Four"), tmp_path / "four")
    with (
        tile_server() as (host, asked),
        running(
            tmp_path / "home",
            EPSILON_ATLAS_MODE="view",
            EPSILON_ATLAS_BUNDLES=str(tmp_path / "four"),
            EPSILON_ATLAS_TILE_SERVER=f"http://{host}/{{z}}/{{x}}/{{y}}.png",
            EPSILON_ATLAS_TILE_ATTRIBUTION="© <img src=x> us",
        ) as address,
    ):
        with page.expect_response(re.compile(re.escape(host))):
            page.goto(f"{address}/viewer?release=four&view=map")
        picture = page.locator(".ladder[data-ready='true']").first
        picture.wait_for()
        expect(picture.locator(".attribution")).to_have_text(f"© <img src=x> us · background: {host}")
        expect(picture.locator(".calls")).to_contain_text(f"loads the background from {host}")
        here = address.split("/")[2]
        assert {url.split("/")[2] for url in page.requests if url.startswith("http")} == {here, host}
        assert {(site, cookie) for _, site, cookie in asked} == {(f"{address}/", None)}
        assert all(re.fullmatch(r"/\d+/\d+/\d+\.png", path) for path, *_ in asked)
        picture.get_by_role("button", name="Context").click()
        expect(picture.locator(".calls")).to_have_count(0)
        before = len(asked)
        picture.get_by_role("button", name="Zoom in").click()
        picture.get_by_role("button", name="Zoom in").click()
        assert len(asked) == before
        with page.expect_response(re.compile(re.escape(host))):
            picture.get_by_role("button", name="Context").click()
        assert page.faults == []
