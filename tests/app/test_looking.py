"""Whoever looked at the trips cannot publish as if nobody had; the public city may be looked at."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator
from dpcore.api import owner
from pages.owner.parts.explore.clamping import COUNT as CLAMPING
from pages.owner.parts.explore.looking import PLAN_AFTER_A_LOOK
from pages.owner.parts.release.bound_choice import LOOK
from pages.owner.parts.release.spending import Offer, pending_release
from pages.owner.parts.state.draft import Look, Publishing
from tests.app.own_trips import given
from tests.app.test_pages import TILES, load, trips
from tests.app.test_release_page import PAGE, REVIEW, button, named, texts
from tests.conftest import ROOT

EXPLORE, DATA = "pages/owner/explore.py", "pages/owner/data.py"
CLEAN = "Before anyone looked at the data"


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, own_home, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    shutil.rmtree(own_home / "ledgers", ignore_errors=True)


@pytest.fixture
def app():
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)


def own(app):
    return release_page(given(app, trips(users=40)))


def release_page(app):
    app.switch_page(PAGE).run()
    if not next(t for t in app.text_input if t.label == "Name of the data set").value:
        named(app, "city trams", "riders of 2024")
        next(t for t in app.text_input if t.label == "Title").set_value("Trams").run()
    assert not app.exception
    return app


def published(app):
    button(app, "Publish and charge").click().run()
    assert not app.exception
    return curator.releases(curator.default_ledger(), "city trams")[-1]


def test_trips_that_were_only_loaded_may_be_published_as_unseen(app):
    assert CLEAN in own(app).radio[0].options


def test_a_preview_of_own_trips_is_remembered_and_said(app):
    own(app).radio[0].set_value("before_data").run()
    app.switch_page(EXPLORE).run()
    release_page(app)
    assert CLEAN not in app.radio[0].options
    assert "You looked at a preview of these trips on Explore" in texts(app)
    assert app.radio[0].value is None
    assert button(app, REVIEW).disabled
    load(app, trips(users=40))  # the same file anew
    assert CLEAN not in release_page(app).radio[0].options
    load(app, trips(users=41))  # another month: its plan is the one that was made after that look
    assert CLEAN not in release_page(app).radio[0].options
    assert Look.EARLIER.value in texts(app)
    app.session_state["atlas"].forget()
    load(app, trips(users=41))
    assert CLEAN in release_page(app).radio[0].options, "a plan that begins anew"


def test_whoever_follows_what_explore_shows_has_chosen_after_a_preview(app):
    own(app).radio[0].set_value("before_data").run()
    app.switch_page(EXPLORE).run()
    app.number_input[0].set_value(3).run()
    button(app, "Plan a release like this").click().run()
    release_page(app)
    draft = app.session_state["atlas"].draft()
    assert (draft.bound.max_trips, draft.epsilon) == (3, 1)
    assert draft.way == "after_preview"
    assert CLEAN not in app.radio[0].options
    assert "at most 3 trips of each person counted" in texts(app)


def test_a_preview_of_the_public_city_is_not_looking(app):
    app.switch_page(EXPLORE).run()
    app.switch_page(PAGE).run()
    assert CLEAN in app.radio[0].options
    button(app, LOOK).click().run()
    assert CLEAN in app.radio[0].options
    assert CLEAN in own(app).radio[0].options


def test_counting_what_each_bound_leaves_out_is_looking(app):
    own(app).radio[0].set_value("before_data").run()
    button(app, LOOK).click().run()
    assert not app.exception
    assert CLEAN not in app.radio[0].options
    assert Look.BOUND.value in texts(app)
    assert button(app, REVIEW).disabled


def test_counting_what_the_bounds_of_a_sum_cut_off_is_looking_and_is_asked_for(app):
    own(app).radio[0].set_value("before_data").run()
    app.switch_page(EXPLORE).run()
    mine = app.session_state["atlas"]
    mine.seen.clear()  # as if the map of this page had told nothing
    mine.looks.clear()
    bounds = next(t for t in app.text_input if t.label.startswith("Bounds of duration"))
    bounds.set_value("0:30:1").run()
    assert "Within the bounds" not in " ".join(one.value for one in app.markdown)
    assert Look.CLAMPED not in mine.seen
    button(app, CLAMPING).click().run()
    assert not app.exception
    told = "The mean of 160 values is **60.00 minutes**. Within the bounds it is **30.00 minutes**: 30.00 minutes too small, 50.0 % of the sum."
    assert told in [one.value for one in app.markdown]
    assert Look.CLAMPED in mine.seen
    assert mine.draft().way == "after_preview"
    assert CLEAN not in release_page(app).radio[0].options
    assert Look.CLAMPED.value in texts(app)
    load(app, trips(users=40))
    assert Look.CLAMPED in app.session_state["atlas"].seen
    app.switch_page(EXPLORE).run()
    next(t for t in app.text_input if t.label.startswith("Bounds of duration")).set_value("9:3:1").run()
    assert not app.exception
    assert "the lowest value must be below" in app.error[0].value.lower()


def observed(app):
    own(app)
    app.switch_page(DATA).run()
    button(app, "Use the first and last day").click().run()
    button(app, "Use 2024-04-01 to 2024-04-05").click().run()
    return release_page(app)


def test_the_paid_histogram_says_before_looking_and_carries_no_period_read_off_the_trips(app):
    observed(app)
    button(app, "Pay ε").click().run()
    assert not app.exception
    release = published(app)
    assert list(release.measurements) == ["trips_per_user"]
    assert (release.parameters_chosen, release.plan.choices.period) == ("before_data", None)


def test_a_histogram_on_tiles_whose_box_was_read_off_the_trips_says_so(app):
    own(app)
    mine = app.session_state["atlas"]
    mine.looked_ahead(mine.data.trips.fingerprints, Look.EXTENT)
    release_page(app).run()
    assert Look.EXTENT.value in texts(app)
    button(app, "Pay ε").click().run()
    assert published(app).parameters_chosen == "after_preview"


def test_an_extent_that_was_read_before_loading_is_remembered(app):
    app.switch_page(DATA).run()
    app.file_uploader[0].set_value(("trips.csv", trips(), "text/csv")).run()
    next(c for c in app.button_group if c.label == "Tiles from").set_value("Square grid").run()
    next(b for b in app.button if b.label.startswith("I understand")).click().run()
    assert not app.exception
    next(c for c in app.button_group if c.label == "Tiles from").set_value("Upload").run()
    load(app, trips())
    assert Look.EXTENT.value in texts(release_page(app))


def test_no_release_says_before_looking_where_something_was_seen(app, subtests):
    own(app)
    draft, loaded = app.session_state["atlas"].drafted, app.session_state["atlas"].data
    ledger, plan = curator.default_ledger(), draft.plan()
    for look in (None, *Look):
        with (
            subtests.test(look.name if look else "only the period was read off"),
            pytest.MonkeyPatch.context() as patched,
        ):
            draft.chosen, draft.looked = "before_data", {look} if look else set()
            data = loaded if look else replace(loaded, period_observed=True)
            asked = []
            patched.setattr(
                curator, "Request", lambda asked=asked, **request: asked.append(request) or Named()
            )
            offer, mine = Offer(plan, "Trips"), Publishing("Trips")
            patched.setattr(owner, "outside_warning", lambda *_: "counted on these trips")
            pending = pending_release(data, draft, offer, mine, draft.account(), ledger)
            assert pending.warning == ("counted on these trips" if look else None), (
                "no count before anyone looked"
            )
            assert asked[0]["parameters_chosen"] == "after_preview"


def test_a_command_that_looks_while_the_last_word_is_asked_is_not_charged_as_unseen(app):
    own(app).radio[0].set_value("before_data").run()
    button(app, REVIEW).click().run()
    mine = app.session_state["atlas"]
    owner.remember_looks(mine.data.trips.fingerprints)
    button(app, "Publish and charge").click().run()
    assert not app.exception
    assert any("looked at on this computer meanwhile" in one.value for one in app.error)
    assert curator.default_ledger().accounts() == ()
    assert CLEAN not in release_page(app).radio[0].options
    assert Look.ELSEWHERE.value in texts(app)


def test_data_tells_a_look_that_was_taken_elsewhere_by_its_name(app):
    """Before anything is shown here: no page promises what Release then refuses."""
    given(app, trips(users=40))
    mine = app.session_state["atlas"]
    mine.agreed, mine.draft().trips = False, 160
    owner.remember_looks(mine.data.trips.fingerprints)
    app.switch_page(DATA).run()
    assert not app.exception
    told = f"{Look.ELSEWHERE.value} {PLAN_AFTER_A_LOOK}"
    assert told in [one.value for one in app.caption]


def test_a_look_stops_nothing_that_the_page_has_charged(app):
    own(app)
    data, draft = app.session_state["atlas"].data, app.session_state["atlas"].drafted
    draft.chosen = "before_data"
    ledger = curator.default_ledger()
    asked = (data, draft, Offer(draft.plan(), "Trips"), Publishing("Trips"), draft.account(), ledger)
    first, again = pending_release(*asked), pending_release(*asked)
    first.work.begin()
    assert first.work.over(60)
    assert first.work.result().release.parameters_chosen == "before_data"
    owner.remember_looks(data.trips.fingerprints)
    again.work.begin()
    assert again.work.over(60)
    assert again.work.result().repeated


class Named:
    nonce = "nonce"


def test_a_period_read_off_the_trips_is_remembered_when_they_are_loaded_anew(app):
    observed(app)
    assert CLEAN not in app.radio[0].options
    load(app, trips(users=40), TILES)
    release_page(app)
    assert CLEAN not in app.radio[0].options
    assert Look.PERIOD.value in texts(app)
