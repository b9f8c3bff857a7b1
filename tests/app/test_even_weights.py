"""The button that proposes even weights, driven without a browser."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    return test.switch_page("pages/owner/release.py").run()


def weights(app) -> dict[str, int]:
    start = "release weight user "
    return {
        one.key.removeprefix(start): one.value
        for one in app.number_input
        if (one.key or "").startswith(start)
    }


def test_even_weights_are_proposed_shown_and_may_be_changed(app):
    app.multiselect[0].set_value(["trips_per_weekday", "visits_per_tile", "od_flows"]).run()
    next(b for b in app.button if b.label == "Propose even weights").click().run()
    assert not app.exception
    even = weights(app)
    assert max(even.values()) == even["od_flows"] == 100
    assert even["trips_per_weekday"] == 25
    app.number_input(key="release weight user trips_per_weekday").set_value(7).run()
    assert weights(app) == even | {"trips_per_weekday": 7}
    assert not app.exception
