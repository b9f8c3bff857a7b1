"""What the server answers besides the pages: who may frame them, what it tells nobody, and what is seen first."""

from __future__ import annotations

import http.server
import json
import re
import threading
import urllib.error
import urllib.request

import pytest
from google.protobuf import json_format
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from pages.parts.first_screen import WIDGETS
from tests.browser.conftest import PATIENCE, running

pytestmark = pytest.mark.browser

FRAME_ONLY_OURSELVES = {"Content-Security-Policy": "frame-ancestors 'self'", "X-Frame-Options": "SAMEORIGIN"}
FRAME_NEVER = {"Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY"}


def answer(url):
    """Status and headers of what a server answers."""
    try:
        with urllib.request.urlopen(url, timeout=20) as found:
            return found.status, found.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


@pytest.mark.parametrize(
    "path", ["/", "/release", "/explore?x=1", "/_stcore/health", "/_stcore/host-config", "/nothing"]
)
def test_no_site_may_show_the_app_in_a_frame(address, path):
    headers = answer(address + path)[1]
    assert {name: headers[name] for name in FRAME_NEVER} == FRAME_NEVER


def test_the_parts_of_the_pages_may_stand_in_frames_of_the_pages(address):
    headers = answer(f"{address}/component/pages.parts.ladder_map.deckgl/index.html")[1]
    assert {name: headers[name] for name in FRAME_ONLY_OURSELVES} == FRAME_ONLY_OURSELVES


@pytest.mark.parametrize(
    "path", ["/_stcore/metrics", "/_stcore/metrics/", "/_stcore/%6detrics", "/_stcore/metrics?families=x"]
)
def test_the_numbers_of_the_server_are_told_to_nobody(address, path):
    assert answer(address + path)[0] == 404


def test_the_first_page_opens_under_its_name_too(page, address):
    page.goto(f"{address}/explore?x=1")
    page.get_by_role("heading", name="Explore").first.wait_for()
    page.get_by_role("link", name=re.compile("Explore$")).first.wait_for()
    expect(page).to_have_url(re.compile("/explore([?]|$)"))
    expect(page.get_by_text("Page not found")).to_have_count(0)


def frame_of(address, asked):
    """The frame of a page as a browser gets it, before Streamlit runs in it."""
    as_browsers = {"Accept": "text/html,*/*", "Accept-Encoding": "gzip"}
    request = urllib.request.Request(f"{address}{asked}", headers=as_browsers)
    with urllib.request.urlopen(request, timeout=20) as found:
        frame = found.read()
    assert len(frame) == int(found.headers["Content-Length"])
    assert found.headers["ETag"] is None, "of Streamlit's own file"
    return frame.decode()


def test_the_frame_of_a_page_has_our_title_and_nothing_pulses_in_it(page, address):
    page.goto(f"{address}/explore")
    page.get_by_role("heading", name="Explore").first.wait_for()
    for asked in ("/", "/release"):  # the map is known now
        head, _, body = frame_of(address, asked).partition("</head>")
        assert head.count("<title>") == head.count("<title>Epsilon Atlas</title>") == 1
        assert "animation: none" in body
        soon = re.findall('<link rel="prefetch" href="([^"]+)">', head)
        assert sum("deckgl" in one for one in soon) == 1
        assert {answer(address + one)[0] for one in soon} == {200}
    place = "document.body.insertAdjacentHTML('beforeend', '<div id=later data-testid=stSkeleton style=\"animation: blink 1s infinite\">')"
    page.evaluate(place)
    assert page.evaluate("getComputedStyle(document.getElementById('later')).animationName") == "none"


@pytest.mark.parametrize(
    ("asked", "title", "outlined"),
    [
        ("/", "Explore", True),
        ("/explore?x=1", "Explore", True),
        ("/release", "Release", False),
        ("/tiny_bits", "Tiny bits", False),
        ("/nothing<b>", "Epsilon Atlas", False),
        ("/viewer?present=1&release=x", "", False),
        ("/story?step=2", "", False),
    ],
)
def test_the_first_screen_has_the_title_of_its_page(address, asked, title, outlined):
    frame = frame_of(address, asked)
    (first,) = re.findall('<div class="first-screen" role="status"><b>(.*?)</b>', frame)
    assert first.lower() == title.lower()
    assert ('class="outline"' in frame) == outlined


def test_the_first_screen_is_seen_before_the_page_and_goes_with_its_title(page, address):
    page.route("**/static/js/*", lambda _route: None)  # Streamlit's code never comes
    page.goto(f"{address}/release", wait_until="commit")
    expect(page.locator(".first-screen")).to_contain_text("Release")
    page.unroute_all(behavior="ignoreErrors")
    page.goto(f"{address}/release")
    page.get_by_role("heading", name="Release").first.wait_for()
    expect(page.locator(".first-screen")).to_have_count(0)


@pytest.mark.parametrize(
    "asked", ["viewer", "library", "story", "data", "lessons", "compare", "viewer?present=1"]
)
def test_the_first_screen_of_every_page_goes(page, address, asked):
    page.goto(f"{address}/{asked}")
    page.locator("[data-test-script-state=notRunning]").wait_for()
    expect(page.locator(".first-screen")).to_have_count(0)


def test_the_code_of_widgets_is_where_the_first_screen_says(address):
    (parts,) = re.findall(r"for \(const part of (\[.*?\])\)", frame_of(address, "/"))
    addresses = json.loads(parts)
    assert len(addresses) == len(WIDGETS)
    assert {answer(address + one)[0] for one in addresses} == {200}


def test_nobody_may_send_messages_to_the_pages(address):
    with urllib.request.urlopen(f"{address}/_stcore/host-config", timeout=20) as found:
        assert b'"allowedOrigins":[]' in found.read()


@pytest.fixture
def other_site(address):
    """A page of another origin with the app in a frame."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<h1>Win a bicycle</h1><iframe src="{address}/release"></iframe>'.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_browser_does_not_show_the_app_in_the_frame_of_another_site(page, other_site):
    told = []
    page.on("console", lambda message: told.append(message.text))
    page.goto(other_site)
    page.wait_for_function("() => document.querySelector('iframe')")
    page.wait_for_load_state("networkidle")
    (frame,) = [one for one in page.frames if one != page.main_frame]
    assert frame.locator("[data-testid=stApp]").count() == 0
    assert any("frame-ancestors 'none'" in text for text in told)


@pytest.fixture
def fresh(tmp_path):
    """A server that nobody has visited yet."""
    with running(tmp_path) as place:
        yield place


def watched(page):
    """All texts that the page will have shown, however shortly."""
    seen = []

    def look(text):
        seen.append(text)

    page.expose_function("seen", look)
    page.add_init_script(
        "new MutationObserver(() => window.seen(document.body?.innerText ?? ''))"
        ".observe(document, {childList: true, subtree: true, characterData: true})"
    )
    return seen


def test_the_first_visit_may_be_a_link_to_a_page(fresh, page):
    seen = watched(page)
    page.goto(f"{fresh}/glossary")
    page.get_by_role("heading", name="Glossary").wait_for()
    assert not any("not found" in text.lower() for text in seen)


def test_a_start_says_that_it_is_one_before_anything_is_loaded(fresh, page):
    seen = watched(page)
    page.goto(fresh)
    page.get_by_role("slider").first.wait_for()
    page.get_by_text("Epsilon Atlas is starting").wait_for(state="hidden")
    assert any("Epsilon Atlas is starting" in text for text in seen)
    assert page.faults == []


def back(**asked) -> bytes:
    """A message of a browser."""
    return json_format.ParseDict(asked, BackMsg()).SerializeToString()


def answered(address: str, tries: int) -> int:
    """How many questions where a file may be sent are answered, each asked between two runs of the page."""
    run, found = back(rerun_script={"query_string": ""}), 0
    stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], max_size=None) as socket:
        for number in range(tries):
            name = f"question {number}"
            for message in (run, back(file_urls_request={"request_id": name, "file_names": ["a.csv"]}), run):
                socket.send(message)
            while True:  # an answer that was dropped never comes, and the test waits in vain
                told = ForwardMsg.FromString(socket.recv(PATIENCE / 1000))
                if told.HasField("file_urls_response") and told.file_urls_response.response_id == name:
                    found += 1
                    break
    return found


def test_a_browser_that_asks_where_to_send_a_file_while_a_page_runs_is_answered(address):
    assert answered(address, 12) == 12
