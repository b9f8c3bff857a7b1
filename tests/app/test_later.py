"""What a server makes for other pages while the first one is looked at."""

from __future__ import annotations

from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.errors import InputError
from dpcore.lessons import city
from pages.owner.parts import data_sets, later, report_parts
from pages.owner.parts.results import Kept
from pages.parts import serve
from tests.conftest import ROOT


def test_the_report_of_the_built_in_city_is_there_before_anybody_opens_it(monkeypatch):
    monkeypatch.setattr(report_parts, "_FIRST", Kept())
    later.begin()
    kept = {kind: len(held) for kind, held in report_parts._FIRST.by_kind.items()}
    assert kept == {"report": 1, "report estimates": 1}
    asked = []
    monkeypatch.setattr(data_sets.owner, "preview", lambda *_: asked.append("a preview"))
    monkeypatch.setattr(report_parts, "estimate", lambda *_, **__: asked.append("estimates"))
    counted = city.flows_between.cache_info().misses
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/owner/report.py").run()
    assert not app.exception, app.exception
    app.switch_page("pages/learn/07_ghost_flows.py").run()
    assert not app.exception, app.exception
    assert not asked, "the page draws nothing anew"
    assert city.flows_between.cache_info().misses == counted


@pytest.fixture
def waited(monkeypatch):
    """A server whose first page stands when the test says so, and whose browser draws in no time."""
    ready, slept = Event(), []
    monkeypatch.setattr(serve, "ready", ready)
    monkeypatch.setattr(serve, "sleep", slept.append)
    for name in ("disable", "enable", "freeze"):
        monkeypatch.setattr(serve, name, lambda: None)
    return ready, slept


def test_other_pages_wait_for_the_first_one_and_a_fault_stops_nothing(waited):
    ready, slept = waited
    made = []

    def first() -> None:
        made.append(("first", ready.is_set()))
        ready.set()  # the page stands

    def faulty() -> None:
        raise InputError("a fault", "a page", "the page that meets it says how")

    serve._begin(lambda: (first, faulty, lambda: made.append(("last", ready.is_set()))))
    assert made == [("first", False), ("last", True)]
    assert slept == [serve._DRAWN]
