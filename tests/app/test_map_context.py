"""What lies under the map: given on the Data page, kept with the project, published if the owner wishes."""

from __future__ import annotations

import json

from dpcore.api import studies
from tests.app.test_pages import texts
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
    press(app, "Remove")
    assert app.session_state["atlas"].data.context is None
    assert tab().session_state["atlas"].data.context is None
    (project,) = studies.projects.recent("")
    studies.projects.delete("", project.id)
    assert not [*own_home.rglob("*.context")]
