"""Every page in every state, driven without a browser."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.privacy import RUNGS, PrivacyUnit
from dpcore.private import store
from tests.app.open_parts import open_box
from tests.app.test_roles import served
from tests.conftest import ROOT
from tests.views.read_map import ReadMap

CANARY = "canary-7f31-uid"

TILES = b"""{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"tile_id":"W","tile_name":"West *side*"},"geometry":{"type":"Polygon",
"coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}},
{"type":"Feature","properties":{"tile_id":"E","tile_name":"East"},"geometry":{"type":"Polygon",
"coordinates":[[[1,0],[2,0],[2,1],[1,1],[1,0]]]}}]}"""

EVERY_PAGE = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "pages").glob("[!p]*/*.py"))
"""Files beside one another in the folders of pages; their parts lie in folders of their own."""
FIRST_PAGE = "pages/owner/explore.py"


def trips(users: int = 40, bad: str = "") -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["uid", "tid", "datetime", "lat", "lng"])
    for user in range(users):
        for trip in range(5):
            name = CANARY if user == 0 else f"u{user}"
            writer.writerow([name, trip, f"2024-04-0{1 + trip} 08:00:00", 0.5, 0.5])
            writer.writerow([name, trip, f"2024-04-0{1 + trip} 09:00:00", 0.5, bad or 1.5])
    return out.getvalue().encode()


@pytest.fixture
def app():
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.run()
    return test


def texts(app) -> str:
    """All that a visitor reads."""
    kinds = ("title", "subheader", "markdown", "caption", "error", "info", "warning", "success", "metric")
    return "\n".join(
        str(e.value) + str(getattr(e, "label", "")) for kind in kinds for e in getattr(app, kind)
    )


def payloads(app) -> bytes:
    """All that reaches the browser for maps, charts and tables."""
    found = [
        element.proto.SerializeToString()
        for kind in ("bidi_component", "plotly_chart", "arrow_data_frame", "arrow_table")
        for element in app.get(kind)
    ]
    assert found
    return b"".join(found)


def load(app, content: bytes, tiles: bytes = TILES) -> None:
    """Give both files and the clock in one run: other tests give them one by one."""
    app.switch_page("pages/owner/data.py").run()
    app.file_uploader[0].set_value(("trips.csv", content, "text/csv"))
    app.file_uploader[1].set_value(("tiles.geojson", tiles, "application/geo+json"))
    next(s for s in app.selectbox if s.label == "Time zone of the city").set_value("Europe/Berlin").run()
    next(b for b in app.button if b.label == "Load").click().run()
    app.session_state["atlas"].agreed = True  # these owners look first; test_projects has the others


def open_code(app) -> None:
    """Open the expander with the code of a page."""
    open_box(app, "code of ", "The same in code")
    assert app.code


def look(app) -> None:
    """Look at the counts of what was loaded, before the plan is decided."""
    next(b for b in app.button if b.label == "Look first").click().run()
    assert not app.exception


def test_the_first_page_shows_the_city_without_a_question(app):
    assert not app.exception
    assert "Protects everything a person did" in texts(app)
    assert [title.value for title in app.title] == ["Explore"]
    assert [metric.label for metric in app.metric] == [
        "Known tiles",
        "Beside the truth",
        "Trips that count",
    ]
    assert b"Demo data" in payloads(app)


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_page_opens_by_itself(page):
    """All pages that there are, found by listing them: one that the router does not know shows the first one instead."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.switch_page(page).run()
    assert not test.exception
    if page != FIRST_PAGE:
        assert [title.value for title in test.title] != ["Explore"]
    # the Viewer has the title of a release instead, where another test has published one
    assert test.title or any(text.value.startswith("### ") for text in test.markdown)
    assert not test.error


def test_the_toggle_changes_the_promise_and_the_numbers(app):
    before = [metric.value for metric in app.metric]
    hide = next(c for c in app.button_group if c.label == "Hide")
    hide.set_value(PrivacyUnit.TRIP).run()
    assert not app.exception
    assert "Protects one trip" in texts(app)
    assert [metric.value for metric in app.metric] != before


def test_the_bound_changes_the_noise(app):
    app.number_input[0].set_value(1).run()
    few = texts(app)
    app.number_input[0].set_value(50).run()
    assert not app.exception
    assert "one trip of each person counted" in few
    assert "at most 50 trips of each person counted" in texts(app)


def test_own_trips_replace_the_city_and_carry_the_mark(app):
    load(app, trips())
    assert not app.exception
    assert not app.error
    assert "Owner preview: for the owner only" in texts(app)
    app.switch_page("pages/owner/explore.py").run()
    assert not app.exception
    seen = payloads(app)
    assert b"Owner preview: for the owner only" in seen
    assert b"Demo data" not in seen
    assert CANARY.encode() not in seen
    assert CANARY not in texts(app)


def test_after_loading_another_file_sentence_and_map_show_the_same_epsilon(app):
    """The map of other tiles begins anew, and so does the epsilon of everything that is said beside it."""
    app.session_state["atlas"].draft().stop_at(RUNGS.index(Fraction("7.5")))
    load(app, trips())
    app.switch_page("pages/owner/explore.py").run()
    assert not app.exception
    shown = ReadMap(payloads(app)).head
    epsilon = shown["rungs"][shown["options"]["start_rung"]]
    assert f"ε = {epsilon}" in texts(app)
    assert "ε = 7.5" not in texts(app)
    assert f"How ε = {epsilon} is shared" in "".join(expander.label for expander in app.expander)


def test_a_refused_file_leaves_what_was_loaded(app):
    load(app, trips())
    load(app, trips(bad=CANARY))
    assert not app.exception
    assert "line" in app.error[0].value
    assert CANARY not in texts(app)
    assert next(m for m in app.metric if m.label == "Trips").value == "200"


def test_bad_records_can_be_left_out_and_are_reported_by_line(app):
    content = trips() + b"u9,99,not a time,0.5,0.5\n"
    app.switch_page("pages/owner/data.py").run()
    app.file_uploader[0].set_value(("trips.csv", content, "text/csv")).run()
    app.file_uploader[1].set_value(("tiles.geojson", TILES, "application/geo+json")).run()
    next(s for s in app.selectbox if s.label == "Time zone of the city").set_value("Europe/Berlin").run()
    next(c for c in app.checkbox if c.label.startswith("Leave out bad")).check().run()
    next(b for b in app.button if b.label == "Load").click().run()
    look(app)
    assert next(m for m in app.metric if m.label == "Records left out").value == "1"
    assert "402" in texts(app)


def test_without_a_period_the_series_says_what_to_do(app):
    load(app, trips())
    app.switch_page("pages/owner/explore.py").run()
    assert any("need a public period" in info.value for info in app.info)
    app.switch_page("pages/owner/data.py").run()
    next(b for b in app.button if b.label.startswith("Use the first and last day")).click().run()
    assert app.session_state["atlas"].data.period is None, "seen, and not used yet"
    (said,) = [warning.value for warning in app.warning if "2024-04-01 to 2024-04-05" in warning.value]
    assert "become public" in said
    next(b for b in app.button if b.label == "Use 2024-04-01 to 2024-04-05").click().run()
    app.switch_page("pages/owner/explore.py").run()
    assert not app.exception
    assert not any("need a public period" in info.value for info in app.info)


def test_an_unreadable_file_is_refused_in_words(app):
    app.switch_page("pages/owner/data.py").run()
    app.file_uploader[0].set_value(("trips.csv", b"\x80\x04pickle", "text/csv")).run()
    assert not app.exception
    assert app.error


def test_two_visitors_share_nothing(app, visited):
    load(app, trips())
    app.run()
    visited(served())  # another owner, who logged in
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert b"Owner preview" not in payloads(other)
    assert "Owner preview" not in texts(other)
    other.switch_page("pages/owner/data.py").run()
    assert "trips.csv" not in texts(other) + " ".join(one.label for one in other.expander)


def test_tile_names_are_shown_as_plain_text(app):
    load(app, trips())
    app.switch_page("pages/owner/explore.py").run()
    assert "*side*" not in "".join(m.value for m in app.markdown if "West" in m.value)


def test_trips_that_were_forgotten_elsewhere_are_said_to_be_gone(app):
    load(app, trips(users=7))
    store.forget()
    app.run()
    assert not app.exception
    app.switch_page("pages/owner/explore.py").run()
    assert not app.exception
    app.switch_page("pages/owner/data.py").run()
    next(b for b in app.button if b.label == "Back to the built-in city").click().run()
    assert not app.exception
    assert "Demo data" in texts(app)


def test_the_extent_of_trips_at_one_place_is_refused_without_the_place(app):
    app.switch_page("pages/owner/data.py").run()
    row = "u,{},2024-04-01 08:00:00,0.123456,0.654321\n"
    content = "uid,tid,datetime,lat,lng\n" + "".join(row.format(i) for i in range(9))
    app.file_uploader[0].set_value(("trips.csv", content.encode(), "text/csv")).run()
    next(c for c in app.button_group if c.label == "Tiles from").set_value("Square grid").run()
    next(b for b in app.button if b.label.startswith("I understand")).click().run()
    assert not app.exception
    assert "span no area" in texts(app)
    assert "654321" not in texts(app)


def test_another_property_than_the_known_id_is_warned_of(app):
    tiles = json.loads(TILES)
    for number, one in enumerate(tiles["features"]):
        one["properties"] = {"OBJECTID": number, "LocationID": number // 2}
    app.switch_page("pages/owner/data.py").run()
    app.file_uploader[1].set_value(
        ("tiles.geojson", json.dumps(tiles).encode(), "application/geo+json")
    ).run()
    chosen = next(box for box in app.selectbox if box.label == "Property that names a tile")
    assert chosen.value == "LocationID"
    said = app.error[0].value
    assert "OBJECTID" not in said
    assert "Trips with zone ids name their tiles by" in said
    chosen.set_value("OBJECTID").run()
    assert any("wrong tiles" in one.value for one in app.warning)
