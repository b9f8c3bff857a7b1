"""What every page that spends says before it does: trips that lie elsewhere, and the total of an account that opens."""

from __future__ import annotations

from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator
from tests.app.test_pages import load, texts, trips
from tests.conftest import ROOT

PAGES = {name: f"pages/owner/{name}.py" for name in ("release", "synthesize", "trajectories")}
SWAPPED = "inside if latitude and longitude are swapped"


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))


def last_word(name: str, content: bytes, *, look: bool = False) -> AppTest:
    """The page with a data set of its own that waits for the owner's last word. ``look``: its counts are looked at first."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    load(app, content)
    if look:
        assert app.run().metric
    app.switch_page(PAGES[name]).run()
    for field, day in zip(app.date_input, (date(2024, 4, 1), date(2024, 4, 7)), strict=False):
        field.set_value(day)
    app.run()
    for label, text in (
        ("Name of the data set", "trams"),
        ("Who is in the data", "riders"),
        ("Title", "Trams"),
    ):
        next(one for one in app.text_input if one.label == label).set_value(text).run()
    next(one for one in app.text_input if one.label.startswith("Budget for all")).set_value("25").run()
    next(iter(app.radio)).set_value("after_preview").run()
    next(one for one in app.button if one.label.startswith("Review and publish")).click().run()
    assert not app.exception
    assert any(one.label.startswith("Publish and charge") for one in app.button)
    return app


@pytest.mark.parametrize("name", PAGES)
def test_trips_outside_the_tiles_are_named_at_the_last_word(name):
    axes = b"lng,lat"  # most places lie in a tile, if they were read the other way round
    most = trips().replace(b"lat,lng", axes).replace(b"0.5,0.5", b"0.5,1.5")
    few = [f"v{n},0,2024-04-01 {at}:00:00,{n % 2}.5,0.5\n".encode() for n in range(9) for at in ("08", "09")]
    app = last_word(name, most + b"".join(few), look=True)
    assert SWAPPED in "\n".join(one.value for one in app.warning)
    assert curator.default_ledger().accounts() == ()


@pytest.mark.parametrize("name", PAGES)
def test_an_account_is_shown_with_the_total_that_was_set_before_it_is_opened(name):
    app = last_word(name, trips())
    assert "ε 25 in total, for good" in texts(app)
    assert not [one for one in app.warning if "outside every tile" in one.value]
    assert curator.default_ledger().accounts() == ()
    next(one for one in app.button if one.label.startswith("Publish and charge")).click().run()
    assert not app.exception
    assert curator.default_ledger().account("trams").total == 25
