"""The built-in city is public, so all visitors share its first previews. Nothing of anybody's own trips is shared."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.api import studies
from dpcore.errors import InternalError
from dpcore.privacy import ContributionBound, PrivacyUnit
from pages.owner.parts.report import report_parts
from pages.owner.parts.start import warm_up_before
from pages.owner.parts.state import data_sets
from pages.owner.parts.state.results import Growing, Kept
from tests.app.own_trips import given
from tests.app.test_first_picture import hide, opened, values
from tests.app.test_pages import trips
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def nothing_yet(monkeypatch):
    """As in a server that was started now."""
    monkeypatch.setattr(data_sets, "_SHARED", Kept())
    monkeypatch.setattr(report_parts, "_FIRST", Kept())


@pytest.fixture
def counted(monkeypatch):
    """What was counted, in order."""
    seen, count = [], studies.preview

    def counting(trips, plan, measures=None):
        seen.append((plan.bound, *(measures or plan.weights)))
        return count(trips, plan, measures)

    monkeypatch.setattr(studies, "preview", counting)
    return seen


def test_what_the_server_draws_at_its_start_is_what_visitors_see(counted):
    warm_up_before.begin()
    assert {bound.unit for bound, *_ in counted} == {PrivacyUnit.USER, PrivacyUnit.TRIP}
    del counted[:]
    one, other = opened(), opened()
    assert counted == []
    assert (values(one) == values(other)).all()
    mine = one.session_state["atlas"]
    assert mine.draws == 0
    assert mine.number_of_draw(mine.draft().bound) < 0, "never the number of a draw of one's own"
    assert "preview" not in mine.kept.by_kind


def test_the_report_that_the_first_visitor_draws_is_what_the_next_one_sees(counted):
    warm_up_before.begin()
    del counted[:]
    seen = []
    for app in (opened(), opened()):
        app.switch_page("pages/owner/report.py").run()
        assert not app.exception
        mine = app.session_state["atlas"]
        assert not mine.kept.holds("report", (mine.draft().bound, ()))
        assert mine.draws == 0
        seen.append([chart.proto.spec for chart in app.get("plotly_chart")])
    assert len(counted) == 1
    assert seen[0] == seen[1] != []


def test_another_bound_of_the_city_is_drawn_for_each_visitor(counted):
    apps = [opened(), opened()]
    del counted[:]
    drawn = []
    for app in apps:
        most = app.number_input(key="explore max trips")
        most.set_value(most.value + 1).run()
        assert not app.exception
        drawn.append(values(app))
    assert len(counted) >= 2
    assert (drawn[0] != drawn[1]).any()
    hide(apps[0], PrivacyUnit.TRIP)
    hide(apps[1], PrivacyUnit.TRIP)
    assert (values(apps[0]) == values(apps[1])).all()


def test_of_own_trips_nothing_is_shared():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    given(app, trips())
    app.switch_page("pages/owner/explore.py").run()
    assert not app.exception
    mine = app.session_state["atlas"]
    assert not mine.data.is_demo
    growing = mine.kept.by_kind["preview"].values()
    assert {one.kept is mine.kept for one in growing} == {True}
    assert ContributionBound.per_trip() in mine.kept.by_kind["preview"], "its colours too"
    shared = [one for held in data_sets._SHARED.by_kind.values() for one in held.values()]
    fingerprints = {one.trips.fingerprint for one in shared if isinstance(one, Growing)}
    assert mine.data.trips.fingerprint not in fingerprints
    with pytest.raises(InternalError):
        data_sets.first_preview(mine.data, mine.draft().bound)
    with pytest.raises(InternalError):
        data_sets.draw_shared(mine.data, mine.plan())
    app.switch_page("pages/owner/report.py").run()
    assert not app.exception
    assert mine.kept.holds("report", (mine.draft().bound, ()))
    assert report_parts._FIRST.by_kind == {}
    assert not any(
        mine.data.trips.fingerprint in repr(key)
        for held in data_sets._SHARED.by_kind.values()
        for key in held
    )
