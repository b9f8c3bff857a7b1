"""Districts on the pages for owners: those of the tiles file, and what is refused with what to do."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.test_pages import load, texts, trips
from tests.app.test_release_page import named
from tests.conftest import ROOT

DATA, RELEASE, EXPLORE = "pages/owner/data.py", "pages/owner/release.py", "pages/owner/explore.py"


def tiles(*districts) -> bytes:
    """Four squares in a row, each with its district; None: it has no such property."""
    features = []
    for number, district in enumerate(districts):
        ring = [
            [number / 2, 0],
            [(number + 1) / 2, 0],
            [(number + 1) / 2, 1],
            [number / 2, 1],
            [number / 2, 0],
        ]
        more = {} if district is None else {"district": district}
        features.append(
            {
                "type": "Feature",
                "properties": {"tile_id": f"T{number}", **more},
                "geometry": {"type": "Polygon", "coordinates": [ring]},
            }
        )
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)


def offered(app, file: bytes) -> AppTest:
    app.file_uploader[1].set_value(("tiles.geojson", file, "application/geo+json")).run()
    assert not app.exception
    return app


def planned(app):
    app.switch_page(RELEASE).run()
    assert not app.exception
    return app.session_state["atlas"].draft().plan().choices.districts


def test_districts_of_the_file_are_taken(app):
    app.switch_page(DATA).run()
    said = texts(offered(app, tiles("a", "a", "b", "b")))
    assert "2 districts, from the property district of the file." in said
    load(app, trips(), tiles("a", "a", "b", "b"))
    assert planned(app).names == ("a", "b")
    named(app, "city trams", "riders of 2024")
    field = next(n for n in app.number_input if n.label.startswith("Districts"))
    assert field.proto.placeholder == "2, of the tiles file"
    field.set_value(4).run()
    assert len(planned(app).names) == 4
    app.switch_page(EXPLORE).run()
    assert not app.exception
    assert "Between the 2 districts" in texts(app)


@pytest.mark.parametrize(
    ("districts", "what"),
    [
        (("a", "a", "b", None), 'Tiles without a district: "T3"'),
        (("a", "a", "a", "a"), "All tiles lie in one district"),
    ],
)
def test_districts_that_cannot_be_used_are_refused_with_what_to_do(app, districts, what):
    file = tiles(*districts)
    app.switch_page(DATA).run()
    app.file_uploader[0].set_value(("trips.csv", trips(), "text/csv")).run()
    offered(app, file)
    (error,) = [one.value for one in app.error]
    assert what in error.replace("\\", "")
    assert "halving the map" in error
    load_button = next(b for b in app.button if b.label == "Load")
    assert load_button.disabled
    next(box for box in app.checkbox if box.label.startswith("Lay districts")).check().run()
    assert not app.error
    next(s for s in app.selectbox if s.label == "Time zone of the city").set_value("Europe/Berlin").run()
    next(b for b in app.button if b.label == "Load").click().run()
    assert not app.exception
    assert app.session_state["atlas"].data.tessellation.districts == ()
    assert planned(app) is None, "so few tiles bear no halving"
