"""Trips of an owner in a session, for tests of what other pages make of them: as the Data page leaves them, without its runs."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from dpcore.api import owner
from dpcore.measures.choices import KeyChoices
from pages.owner.parts.state.data_sets import data_set
from pages.owner.parts.state.session import Session
from tests.app.test_pages import TILES


def given(app: AppTest, content: bytes, tiles: bytes = TILES) -> AppTest:
    """A visitor with the trips of a CSV file, who looks first. The next run shows them."""
    if "atlas" not in app.session_state:
        app.session_state["atlas"] = Session()
    file, on = owner.TripsFile.uploaded("trips.csv", content), owner.read_tessellation(tiles, "tiles.geojson")
    trips = owner.load(file, owner.inspect(file), on, timezone="Europe/Berlin")
    mine = app.session_state["atlas"]
    mine.load(data_set(trips, on, KeyChoices()))
    mine.agreed = True
    return app
