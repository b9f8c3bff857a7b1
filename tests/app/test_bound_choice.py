"""The part of the Release page about M: looking is marked, paying asks first, is charged once and suggests a bound."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator
from pages.owner.parts.release.bound_choice import LOOK, PAY
from tests.conftest import ROOT


@pytest.fixture
def app(tmp_path, monkeypatch):
    """The Release page of the built-in city, with a ledger of its own and the part about M opened."""
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.switch_page("pages/owner/release.py").run()
    assert not test.exception
    return test


def press(app, label: str) -> None:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception


def texts(app) -> str:
    return "\n".join(str(e.value) for kind in ("markdown", "caption", "error") for e in app.get(kind))


def charts(app) -> list[bytes]:
    """The pictures of noise and bias against M."""
    found = [chart.proto.SerializeToString() for chart in app.get("plotly_chart")]
    return [chart for chart in found if b"trips counted per person" in chart]


def test_nothing_is_counted_before_the_owner_asks_and_what_is_shown_carries_its_mark(app, monkeypatch):
    assert charts(app) == []
    press(app, LOOK)
    (chart,) = charts(app)
    for name in (b"privacy noise", b"left out by the bound", b"Demo data"):
        assert name in chart
    assert "for the owner only, not accounted" in texts(app)
    assert "differs from picture to picture" in texts(app)
    monkeypatch.setattr("dpcore.private.bound_study.exact_answers", None)
    app.run()  # the study is kept
    assert len(charts(app)) == 1


def test_paying_shows_the_price_first_is_charged_once_and_suggests_a_bound(app):
    press(app, PAY.format(charge="0.1"))
    assert "ε 0\\.1, counted for people" in texts(app)
    assert "ε 9\\.9 of 10" in texts(app)
    assert curator.default_ledger().accounts() == ()  # nothing was spent by asking
    press(app, "Publish and charge ε 0.1")
    ledger = curator.default_ledger()
    assert ledger.statement("demo city").spent * 10 == 1
    assert "suits visits per tile best" in texts(app)
    assert "An estimate" in texts(app)
    assert any(b"Estimated from a paid histogram" in chart for chart in charts(app))
    assert not any(
        button.label.startswith("Pay ε") for button in app.button
    )  # it is there: paying again would buy nothing
    (release,) = curator.releases(ledger, "demo city")
    assert list(release.measurements) == ["trips_per_user"]
    assert release.parameters_chosen == "before_data"
