"""Publish as the owner in a browser, then look as a viewer: nothing private reaches the second one."""

from __future__ import annotations

import csv
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import chosen, running, settled
from tests.browser.moves import AT_REST

pytestmark = pytest.mark.browser

CANARY = "canary-9b2e-uid"
BUSY = 54_321
"""Trips of the canary; with M = 3 no released number comes near a count over all of them, and digits of other
numbers, which a smaller count would meet now and then, do not spell it."""


def told(secret: str, data: bytes) -> bool:
    """Whether a word stands in some bytes by itself; as a part of a hash or of a fraction it says nothing."""
    return (
        re.search(rb"(?<![0-9A-Za-z.,])" + re.escape(secret.encode()) + rb"(?![0-9A-Za-z])", data) is not None
    )


TILES = """{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"tile_id":"W"},"geometry":{"type":"Polygon",
"coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}},
{"type":"Feature","properties":{"tile_id":"E"},"geometry":{"type":"Polygon",
"coordinates":[[[1,0],[2,0],[2,1],[1,1],[1,0]]]}}]}"""


@pytest.fixture
def files(tmp_path):
    """Trips of sixty people and of the canary, all from W to E, and the two tiles."""
    trips, tiles = tmp_path / "trips.csv", tmp_path / "tiles.geojson"
    with trips.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["user_id", "started_at", "ended_at", "start_lat", "start_lng", "end_lat", "end_lng"])
        row = ["2024-04-02 08:00:00", "2024-04-02 09:00:00", 0.5, 0.5, 0.5, 1.5]
        writer.writerows([f"u{user}", *row] for user in range(60) for _ in range(2))
        writer.writerows([CANARY, *row] for _ in range(BUSY))
    tiles.write_text(TILES, encoding="utf-8")
    return trips, tiles


def button(page, name: str):
    return page.get_by_role("button", name=re.compile(name)).first


def publish(page, address: str, files) -> None:
    """From an empty Data page to the receipt."""
    page.goto(f"{address}/data")
    for number, file in enumerate(files):
        page.locator("input[type=file]").nth(number).set_input_files(file)
        settled(page)
    chosen(page, "Time zone of the city", "Europe/Berlin")
    load = page.get_by_role("button", name="Load", exact=True)
    expect(load).to_be_enabled()
    load.click()
    page.get_by_text("Owner preview: for the owner only").first.wait_for()
    page.get_by_role("link", name=re.compile("Release$")).first.click()
    page.get_by_role("heading", name="1 Whom to protect, and which account pays").wait_for()
    for label, text in (
        ("Name of the data set", "two tiles"),
        ("Who is in the data", "sixty people and one"),
        ("Title", "From west to east"),
        ("Trips counted per person", "3"),
    ):
        field = page.get_by_label(re.compile(f"^{label}")).first
        field.fill(text)  # also while the page is still being sent: nothing is lost by it
        field.press("Tab")
    page.get_by_text("Before anyone looked at the data").click()
    settled(page)
    review = button(page, "Review and publish")
    expect(review).to_be_enabled()
    review.click()
    confirm = button(page, "Publish and charge")
    confirm.wait_for()
    expect(page.get_by_role("dialog")).to_contain_text("two tiles")
    expect(page.get_by_role("dialog")).to_contain_text("From west to east")
    confirm.dblclick()
    page.get_by_role("heading", name="Published").wait_for()
    settled(page)
    expect(page.get_by_role("heading", name="Published")).to_be_in_viewport()  # its button stands far below
    expect(button(page, "Review and publish … once more")).to_be_visible()
    expect(page.get_by_text("Left: ε 9 in the account of two tiles").first).to_be_visible()  # charged once


def test_what_an_owner_publishes_a_viewer_sees_and_nothing_else(page, chromium, tmp_path, files):
    home, log = tmp_path / "home", tmp_path / "viewer.log"
    with running(home) as address:
        publish(page, address, files)

    received: list[bytes] = []
    only_looking = {"EPSILON_ATLAS_MODE": "view", "EPSILON_ATLAS_BUNDLES": str(home / "releases")}
    with (
        log.open("wb") as output,
        running(tmp_path / "viewer-home", output=output, **only_looking) as address,
    ):
        look = chromium.new_context().new_page()
        look.on("websocket", lambda ws: ws.on("framereceived", lambda data: received.append(data)))  # noqa: PLW0108
        look.goto(address)
        look.get_by_text("From west to east").first.wait_for()
        settled(look)
        look.goto(f"{address}/viewer")
        for view in ("Flows", "Rhythm", "Rankings", "Accuracy", "Guarantee", "Download", "Map"):
            settled(look)
            look.get_by_role(
                "radio", name=re.compile(f"{view}$")
            ).click()  # pictures of the page to read are called so too
        settled(look)
        look.wait_for_function(AT_REST)
        seen = [look.content().encode()]
        expect(look.get_by_text("Protects everything a person did").first).to_be_attached()
        look.close()
    seen += [data.encode() if isinstance(data, str) else data for data in received]
    seen += [path.read_bytes() for path in (home / "releases").rglob("*") if path.is_file()]
    seen.append(log.read_bytes())
    assert len(received) > 20
    assert any(b"two tiles" in data for data in seen)
    true = BUSY + 120
    for secret in (CANARY, str(true), f"{true:,}"):
        assert not any(told(secret, data) for data in seen), secret
    assert not any(CANARY.encode() in data or true.to_bytes(4, "little") in data for data in seen)
    assert b"Traceback" not in log.read_bytes()
