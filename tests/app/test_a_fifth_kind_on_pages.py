"""A further kind of release needs no page of its own: the part that publishes, the Library and the Viewer take it as it is."""

from __future__ import annotations

from fractions import Fraction

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator
from dpcore.release import read_bundle, zipped
from pages.owner.parts.release.publishing import publish_section
from pages.owner.parts.release.spending import Offer
from pages.owner.parts.synthesize import opal as synthesize_opal
from tests.app.test_pages import open_code, texts
from tests.app.test_synthesize_page import PAGE, open_tab, press, words
from tests.conftest import ROOT
from tests.release.test_a_fifth_kind import TOTALS, TotalPlan, total_kind

LIBRARY, VIEWER = "pages/released/library.py", "pages/released/viewer.py"


@pytest.fixture(autouse=True)
def fifth(tmp_path, monkeypatch):
    """The kind, an account book and a shelf of its own, and a tab that offers it."""
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    offered = Offer(TotalPlan(Fraction(2)), "All trips", {"What": "one number"})
    monkeypatch.setattr(synthesize_opal, "opal_tab", lambda data, _: publish_section(data, offered))
    with total_kind():
        yield


@pytest.fixture
def published():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE).run()
    open_tab(app, words.OPAL_TAB)
    next(iter(app.radio)).set_value("before_data").run()
    press(app, "Review and publish")
    assert "one number" in texts(app)
    press(app, "Publish and charge ε 2")
    assert not app.error
    return app


def receipt(app):
    return app.session_state["atlas"].drafted.of_kinds[TOTALS.name].receipt


def entry():
    (committed,) = curator.default_ledger().statement("demo city").committed
    return committed


def test_it_is_reviewed_paid_and_published(published):
    said = texts(published)
    assert "Charged ε 2. Left: ε 8 in the account of demo city" in said
    assert "Published before" not in said
    assert "See it in the Library" in [link.proto.label for link in published.get("page_link")]
    assert curator.kind_of_entry(entry().terms) == TOTALS.name
    open_code(published)
    assert "python -m total --epsilon 2 --dataset demo city" in "\n".join(one.value for one in published.code)


def test_the_library_shows_its_card_and_the_viewer_leaves_it_alone(published, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(receipt(published).folder))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(LIBRARY).run()
    assert not app.exception
    said = texts(app)
    assert TOTALS.about in said
    assert "ε = **2** in all" in said
    assert f"About {receipt(published).release.drawn.value:,} trips." in said
    assert {"Download .zip"} == {one.proto.label for one in app.get("download_button")}
    app.switch_page(VIEWER).run()
    assert not app.exception
    assert "There is no release to look at yet" in "\n".join(one.value for one in app.info)


def test_a_visitor_can_bring_its_bundle_along(published, tmp_path, monkeypatch):
    content = zipped(receipt(published).folder)
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "empty"))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(LIBRARY).run()
    app.file_uploader[0].set_value(("total.zip", content, "application/zip")).run()
    assert not app.error
    assert TOTALS.about in texts(app.run())
    assert read_bundle(content).id in texts(app).replace("\\", "")
