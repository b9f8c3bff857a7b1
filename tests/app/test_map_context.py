"""What lies under the map: given on the Data page, kept with the project, published if the owner wishes."""

from __future__ import annotations

import json

from dpcore.api import studies
from tests.app.own_trips import given
from tests.app.test_pages import TILES, texts, trips
from tests.app.test_projects import DATA, EXPLORE, loaded, press, tab, widget

FILE = json.dumps(
    {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"highway": "primary"},
                "geometry": {"type": "LineString", "coordinates": [[4.0, 50.0], [4.005, 50.005]]},
            }
        ],
    }
).encode()

CODES = TILES.replace(b'"W","tile_name":"West *side*"', b'"T1"').replace(b'"E","tile_name":"East"', b'"T2"')
"""The same tiles with ids that tell people nothing."""


def under_explore(app, name: str = "Grove St"):
    """Streets and a name, put under the map on Explore, where the map is looked at."""
    app.switch_page(EXPLORE).run()
    west, south, east, north = app.session_state["atlas"].data.tessellation.bounds
    point = {"type": "Point", "coordinates": [(west + east) / 2, (south + north) / 2]}
    place = {"type": "Feature", "properties": {"place": "suburb", "name": name}, "geometry": point}
    content = {"type": "FeatureCollection", "attribution": "© The city", "features": [place]}
    (upload,) = app.file_uploader
    upload.set_value(("names.geojson", json.dumps(content).encode(), "application/geo+json")).run()
    press(app, "Put it under the map")
    return app


def test_streets_and_names_are_offered_where_the_map_is_looked_at_and_tiles_are_called_after_them():
    app = tab()
    given(app, trips(), CODES)
    mine = app.session_state["atlas"]
    before = mine.data.tessellation.called
    assert "T1" in before
    app = under_explore(app)
    assert not app.exception
    data = app.session_state["atlas"].data
    assert "by Grove St" in data.tessellation.called
    assert data.tessellation.tile_names == before, "a release holds the names that the owner's file gave"
    assert "by Grove St" in {option.split(" (")[0] for box in app.multiselect for option in box.options}
    assert "called after the nearest place" in texts(app)
    drawn = app.session_state["atlas"].drawn().number
    press(app, "Remove")
    mine = app.session_state["atlas"]
    assert (mine.data.context, mine.data.tessellation.called) == (None, before)
    assert mine.drawn().number == drawn, "names draw no noise"


def test_another_month_on_these_tiles_keeps_the_names_also_after_a_reload():
    app = under_explore(agreed(loaded(tab())))
    app.switch_page(DATA).run()
    loaded(app, trips(users=30))
    data = app.session_state["atlas"].data
    assert data.context.context.attribution == "© The city"
    assert len(studies.projects.recent("")) == 2, "other trips are another project"
    assert tab(page=EXPLORE).session_state["atlas"].data.context.context.attribution == "© The city"


def test_what_another_tab_takes_away_is_gone_here_too():
    app = under_explore(agreed(loaded(tab())))
    other = tab(page=EXPLORE)
    press(other, "Remove")
    app.run()
    assert app.session_state["atlas"].data.context is None
    assert tab(page=EXPLORE).session_state["atlas"].data.context is None


def agreed(app):
    """The owner looks."""
    app.session_state["atlas"].agreed = True
    return app


def test_a_context_is_kept_with_its_project_and_goes_with_it(own_home):
    app = loaded(tab())
    bounds = app.session_state["atlas"].data.tessellation.bounds
    west, south, *_ = bounds
    there = FILE.replace(b"4.0, 50.0", f"{west}, {south}".encode())
    app.file_uploader[2].set_value(("streets.geojson", there, "application/geo+json")).run()
    press(app, "Put it under the map")
    assert "whose work" in texts(app) + "".join(one.value for one in app.error)
    widget(app.text_input, "Attribution").set_value("© The city").run()
    press(app, "Put it under the map")
    assert "© The city" in texts(app)
    app = tab(page=EXPLORE)  # a reload
    assert app.session_state["atlas"].data.context.context.attribution == "© The city"
    (file,) = own_home.rglob("*.context")
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    other = tab()
    assert "gone or damaged" in other.error[0].value
    data = other.session_state["atlas"].data
    assert (data.trips.name, data.context) == ("trips.csv", None), "the trips are there all the same"
    app.switch_page(DATA).run()
    assert app.session_state["atlas"].data.context is None, "what another tab found damaged is no longer kept"
    assert tab().session_state["atlas"].data.context is None
    (project,) = studies.projects.recent("")
    studies.projects.delete("", project.id)
    assert not [*own_home.rglob("*.context")]
