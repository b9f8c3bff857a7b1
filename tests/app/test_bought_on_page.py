"""The Release page buys summaries and ranges; each test spends in a ledger of its own."""

from __future__ import annotations

import json
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import places
from tests.app.test_release_page import PAGE, button, metric, review
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, own_home, monkeypatch):
    """A ledger that no other test sees."""
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "releases"))
    for name in ("ledgers", "releases"):
        shutil.rmtree(own_home / name, ignore_errors=True)


@pytest.fixture
def app():
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    return test.switch_page(PAGE).run()


def box(app, label: str):
    return next(b for b in app.checkbox if b.label == label)


def test_without_a_histogram_there_is_nothing_to_buy(app):
    app.multiselect[0].set_value(["trips_per_weekday"]).run()
    assert not {"Five-number summaries", "Buy ranges of the bins"} & {b.label for b in app.checkbox}


def test_a_page_buys_both_for_the_epsilon_that_it_names(app):
    app.multiselect[0].set_value(["travel_time", "trips_per_weekday"]).run()
    box(app, "Five-number summaries").check().run()
    box(app, "Buy ranges of the bins").check().run()
    next(n for n in app.number_input if n.label.startswith("Share of ε")).set_value(20).run()
    assert not app.exception
    assert metric(app, "Price") == "ε 1"
    review(app)
    button(app, "Publish and charge").click().run()
    assert not app.exception
    (manifest,) = (places.home() / "releases").glob("*/manifest.json")
    told = json.loads(manifest.read_text(encoding="utf-8"))
    assert told["ranges"]["share"]["exact"] == "1/5"
    assert told["five_numbers"]["weight"] == 50
    assert list(told["five_numbers"]["values"]) == ["travel_time"]
    assert metric(app, "Left after it") == "ε 8"


def test_a_box_that_is_cleared_again_buys_nothing(app):
    app.multiselect[0].set_value(["travel_time"]).run()
    box(app, "Five-number summaries").check().run()
    box(app, "Five-number summaries").uncheck().run()
    review(app)
    button(app, "Publish and charge").click().run()
    (manifest,) = (places.home() / "releases").glob("*/manifest.json")
    assert "five_numbers" not in json.loads(manifest.read_text(encoding="utf-8"))


def test_a_histogram_that_is_taken_out_keeps_its_usual_bins(app):
    app.multiselect[0].set_value(["travel_time", "jump_length"]).run()
    box(app, "Buy ranges of the bins").check().run()
    ranged = next(m for m in app.multiselect if m.label.startswith("Histograms whose ranges"))
    assert ranged.value == ["travel_time", "jump_length"]
    ranged.set_value(["jump_length"]).run()
    review(app)
    button(app, "Publish and charge").click().run()
    assert not app.exception
    (manifest,) = (places.home() / "releases").glob("*/manifest.json")
    told = json.loads(manifest.read_text(encoding="utf-8"))
    assert list(told["ranges"]["values"]) == ["jump_length"]
    assert list(told["key_choices"]["edges"]) == ["jump_length"]
