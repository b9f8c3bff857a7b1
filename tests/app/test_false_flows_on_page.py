"""The number of false flows on the Release page, and the words about missing flows on all pages that show flows."""

from __future__ import annotations

from fractions import Fraction

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator, limits
from dpcore.privacy import PrivacyUnit
from dpcore.release import write_bundle
from dpcore.views.numbers.flows import WHAT_THE_NUMBER_CHANGES
from pages.owner.parts.state import data_sets
from tests.app.test_pages import texts
from tests.app.test_release_page import button, review
from tests.conftest import ROOT
from tests.release.made_releases import made_release

LABEL = "False flows in the list, about"


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "releases"))


def opened(page, **query):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(page)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def sliders(app):
    return [one for one in app.select_slider if one.label == LABEL]


def test_where_all_pairs_are_listed_no_number_is_asked_and_nothing_explained():
    assert not sliders(opened("pages/owner/release.py"))
    assert WHAT_THE_NUMBER_CHANGES not in texts(opened("pages/owner/explore.py"))


def test_the_number_of_the_page_reaches_the_bundle(monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 1_000)
    app = opened("pages/owner/release.py")
    app.multiselect[0].set_value(["trips_per_weekday"]).run()
    assert not sliders(app)
    app.multiselect[0].set_value(["od_flows"]).run()
    assert WHAT_THE_NUMBER_CHANGES in texts(app)
    (slider,) = sliders(app)
    assert slider.value == 1
    slider.set_value(Fraction(100)).run()
    review(app)
    assert "about 100 in the list" in texts(app)
    button(app, "Publish and charge").click().run()
    assert not app.exception
    (release,) = curator.releases(curator.default_ledger(), "demo city")
    assert release.plan.false_flows == 100
    assert release.measurements["od_flows"].expected_false == 100
    assert "No pair is added, however many trips it has" in texts(app.run())


def test_explore_and_viewer_explain_missing_flows(monkeypatch, tmp_path):
    release = made_release(id="grid", sparse=True, period=None, epsilon="1", false_flows=Fraction(10_000))
    write_bundle(release, tmp_path / "releases" / "grid")
    app = opened("pages/released/viewer.py", release="grid", view="flows", numbers="released")
    assert WHAT_THE_NUMBER_CHANGES in texts(app)
    assert "about 10,000 got into the list by chance" in texts(app)
    app = opened("pages/released/viewer.py", release="grid", view="rankings", numbers="released")
    assert "Of the listed pairs about 10,000 can be expected to be noise alone" in texts(app)
    # previews of the city are drawn once for all visitors of a process: here they are drawn anew, under the limit below
    monkeypatch.setattr(data_sets, "_SHARED", type(data_sets._SHARED)())
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 5_000)  # of the city, flows of tiles alone have more
    app = opened("pages/owner/explore.py")
    assert WHAT_THE_NUMBER_CHANGES not in texts(app), "flows of tiles are not drawn where a person is hidden"
    next(c for c in app.button_group if c.label == "Hide").set_value(PrivacyUnit.TRIP).run()
    assert not app.exception
    assert WHAT_THE_NUMBER_CHANGES in texts(app)
