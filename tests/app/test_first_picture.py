"""The map of Explore is there before the rest is counted, and what was drawn once stays as it was drawn."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.api import studies
from dpcore.errors import InputError
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.views.planning.beside_truth import CARDS
from pages.owner.parts.state import words
from pages.parts import ladder_map as maps
from tests.app.test_pages import payloads, texts
from tests.conftest import ROOT
from tests.views.read_map import MAP, TILES, ReadMap

pytestmark = pytest.mark.usefixtures("own_previews")


@pytest.fixture
def steps(whole_curve, monkeypatch):  # noqa: ARG001 - all that Explore counts
    """What was counted and what was drawn, in order."""
    seen: list[tuple[str, object]] = []
    count, draw = studies.preview, maps.ladder_map

    def counted(trips, plan, measures=None):
        seen.append(("count", tuple(measures or plan.weights)))
        return count(trips, plan, measures)

    def drawn(message, *, key, **more):
        seen.append(("draw", key))
        return draw(message, key=key, **more)

    monkeypatch.setattr(studies, "preview", counted)
    monkeypatch.setattr(maps, "ladder_map", drawn)
    return seen


def opened() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not app.exception
    return app


def hide(app: AppTest, unit: PrivacyUnit) -> None:
    next(c for c in app.button_group if c.label == "Hide").set_value(unit).run()
    assert not app.exception


def values(app: AppTest) -> np.ndarray:
    message = next(e.proto.SerializeToString() for e in app.get("bidi_component") if MAP in e.proto.bytes)
    return ReadMap(message).values


def test_the_map_is_drawn_before_anything_else_is_counted(steps):
    app = opened()
    first = ("count", ("visits_per_tile",))
    # The second one is the scale of the colours, which all bounds share.
    assert steps[:3] == [first, first, ("draw", "visits")]
    assert [kind for kind, _ in steps[3:]] == ["count", "draw", "count"]
    session = app.session_state["atlas"]
    other = set(session.explored(ContributionBound.per_trip()))
    assert set(steps[5][1]) == other - {"visits_per_tile"}, "the other curve comes when all else is there"
    assert set(steps[3][1]) == {*session.explored()} - {"visits_per_tile"}
    assert "trips_per_user" in session.plan().weights, "tables of people are paid for and not counted here"
    assert "trips_per_user" not in session.explored()


def test_nothing_is_counted_or_drawn_twice(steps):
    app = opened()
    before = values(app)
    del steps[:]
    app.run()
    assert [kind for kind, _ in steps] == ["draw", "draw"]
    assert (values(app) == before).all()
    hide(app, PrivacyUnit.TRIP)
    counted = [measures for kind, measures in steps if kind == "count"]
    assert ("visits_per_tile",) not in counted, "the map of the scale is the map of that bound"
    hide(app, PrivacyUnit.USER)
    assert (values(app) == before).all(), "coming back shows the same draw"
    session = app.session_state["atlas"]
    assert (session.preview().measurements["visits_per_tile"].values[:, :-1] == before).all()


def test_until_all_is_counted_three_dots_keep_their_places(monkeypatch):
    count = studies.preview

    def only_the_map(trips, plan, measures=None):
        if "od_districts" in measures:
            raise InputError("the trips are gone", "trips", "Load them again.")
        return count(trips, plan, measures)

    monkeypatch.setattr(studies, "preview", only_the_map)
    app = opened()
    assert "The trips are gone" in texts(app)
    assert values(app).size, "the map is there"
    assert [(card.label, card.value) for card in app.metric] == [(label, "…") for label in CARDS]
    assert words.COUNTING in texts(app)
    monkeypatch.setattr(studies, "preview", count)
    before = values(app)
    app.run()
    assert [card.label for card in app.metric] == list(CARDS)
    assert "…" not in [card.value for card in app.metric]
    assert words.COUNTING not in texts(app)
    assert (values(app) == before).all()


def test_a_run_that_was_stopped_half_way_is_taken_up_where_it_was(monkeypatch, steps):
    count, stopped = studies.preview, []

    def stops(trips, plan, measures=None):
        if "trips_per_hour" in measures and not stopped:
            stopped.append(measures)
            raise InputError("stopped", "here", "Go on.")
        return count(trips, plan, measures)

    monkeypatch.setattr(studies, "preview", stops)
    app = opened()
    assert stopped
    before = values(app)
    del steps[:]
    app.run()
    first, other = (step for step in steps if step[0] == "count")
    assert first == ("count", tuple(stopped[0]))
    assert "od_flows" in other[1], "the other one is the curve of the other unit"
    assert (values(app) == before).all()


def test_the_tiles_travel_once_however_often_the_noise_is_drawn():
    app = opened()
    assert payloads(app).count(TILES) == 1, "one for both maps"
    tiles = [e.proto.SerializeToString() for e in app.get("bidi_component") if TILES in e.proto.bytes]
    hide(app, PrivacyUnit.TRIP)
    again = [e.proto.SerializeToString() for e in app.get("bidi_component") if TILES in e.proto.bytes]
    assert again == tiles, "unchanged bytes are not sent again"
