"""Explore merges tiles as the Viewer does, and names the drawn value of a flow beside its estimate."""

from __future__ import annotations

import numpy as np
from streamlit.testing.v1 import AppTest

from dpcore.privacy import PrivacyUnit
from dpcore.views.maps.window_message import window_names, windows_of
from pages.owner.parts.state.session import CHOSEN
from tests.app.chosen_places import chosen
from tests.app.sent import answered
from tests.conftest import ROOT
from tests.views.read_map import ESTIMATES, ReadEstimates


def sent(app: AppTest) -> dict[str, ReadEstimates]:
    """The estimates that the page sent, by what they are of."""
    found = (element.proto.SerializeToString() for element in app.get("bidi_component"))
    read = [ReadEstimates(data) for data in found if ESTIMATES in data]
    return {what: one for one in read for what in ("tiles", "flows") if what in one.head}


def test_tiles_merge_on_explore_and_choices_stay_when_the_page_is_left_or_loaded_again():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not app.exception
    assert "regions" not in sent(app)["tiles"].head
    app.segmented_control(key="merge chosen").set_value(20).run()
    assert not app.exception
    tiles, flows = (sent(app)[what] for what in ("tiles", "flows"))
    assert tiles.head["merged"] == flows.head["merged"] == 20, "the last message counts for the whole page"
    assert len(np.unique(tiles.of_tiles)) < len(tiles.of_tiles)
    assert (tiles.noise <= 20).all()
    app.switch_page("pages/owner/release.py").run()
    app.switch_page("pages/owner/explore.py").run()
    assert app.segmented_control(key="merge chosen").value == 20
    assert sent(app)["tiles"].head["merged"] == 20
    tile = app.session_state["atlas"].data.tessellation.tile_ids[3]
    app.session_state["atlas"].form.values[CHOSEN] = {"tile": tile}  # as a click leaves it
    app.run()
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not again.exception
    assert sent(again)["tiles"].head["merged"] == 20
    assert any(tile in one.value for one in again.markdown), "what is chosen is told"
    assert [one["places"] for one in answered(again, "chosen")] == [[3]], "and the maps hear of it"
    assert chosen(again.multiselect, "places").value == [3]
    chosen(again.segmented_control, "level").set_value("Districts").run()
    assert not again.exception
    (district,) = chosen(again.multiselect, "places").value
    assert again.session_state["atlas"].form.values[CHOSEN] == {
        "level": "districts",
        "district": str(district + 1),
    }
    assert any("**District" in one.value for one in again.markdown), "a district is told like a tile"
    assert {"districts", "totals", "tile_totals"} <= {*sent(again)["flows"].head}, (
        "flows and circles of both levels"
    )


def test_a_flow_has_its_drawn_value_beside_its_estimate_where_flows_were_drawn():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    told = sent(app)["flows"].head["flows"]
    assert len(told["released"]) == told["count"] > 0, (
        "flows between tiles are bought where a person is hidden too"
    )
    next(c for c in app.button_group if c.label == "Hide").set_value(PrivacyUnit.TRIP).run()
    assert not app.exception
    flows = sent(app)["flows"].head["flows"]
    assert len(flows["released"]) == flows["count"]
    assert any(" to " in told for told in flows["released"])


def test_a_chosen_tile_is_told_of_the_window_that_the_map_shows_and_of_the_whole_period():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    session = app.session_state["atlas"]
    window = windows_of(session.plan())[2]
    session.form.values |= {CHOSEN: {"tile": session.data.tessellation.tile_ids[3]}, "explore window": window}
    app.run()
    assert not app.exception
    (told,) = [one.value for one in app.markdown if "**Whole period**" in one.value]
    truth = session.preview().truth
    in_window = truth["visits_per_time_tile"].reshape(-1, len(session.data.tessellation.tile_ids) + 1)[2][3]
    first, second = told.split("**Whole period**")
    assert f"**{window_names(session.plan())[2]}**: about " in first
    assert f"True: {in_window:,}." in first.replace("\\", "")
    assert " arrivals " in first
    assert f"True: {truth['visits_per_tile'][3]:,}." in second.replace("\\", "")
