"""What a server makes for other pages while the first one is looked at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.errors import InputError
from dpcore.lessons import city
from pages.learn.parts.catalogue import prepare
from pages.owner.parts import data_sets, later, report_parts
from pages.owner.parts.results import Kept
from pages.parts import background
from pages.parts.admission import Visit
from tests.app.conftest import LOCAL
from tests.conftest import ROOT

NOBODY = Visit(address="203.0.113.7", headers=(("Host", "atlas.example"),), now=0.0)


def test_the_report_of_the_built_in_city_is_there_before_anybody_opens_it(monkeypatch):
    monkeypatch.setattr(report_parts, "_FIRST", Kept())
    city.flows_between.cache_clear()
    later.begin()
    prepare()
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
    ready, named, slept = Event(), Event(), []
    monkeypatch.setattr(background, "ready", ready)
    monkeypatch.setattr(background, "named", named)
    monkeypatch.setattr(background, "sleep", slept.append)
    for name in ("disable", "enable", "freeze"):
        monkeypatch.setattr(background, name, lambda: None)
    return ready, named, slept


def test_other_pages_wait_for_the_first_one_and_a_fault_stops_nothing(waited):
    ready, named, slept = waited
    made = []

    def first() -> None:
        made.append(("first", ready.is_set()))
        named.set()
        ready.set()  # the page stands
        raise InputError("a fault", "a page", "the page that meets it says how")

    background.begin(lambda: (first, lambda: made.append(("last", ready.is_set()))))
    assert made == [("first", False), ("last", True)]
    assert slept == [background.DRAWN]


NAMES = """
import sys
import pages.parts.chart
before = set(sys.modules)
import pages.owner.parts.later
print(*(sys.modules[name].__file__ for name in set(sys.modules) - before if ".parts." in name and name.startswith("pages.")))
"""


def test_what_is_imported_later_names_no_component():
    """A module of a component that no page imported before would be imported where no page runs."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", NAMES], check=True, cwd=ROOT, capture_output=True, text=True
    )
    imported = [Path(file) for file in ran.stdout.split()]
    assert any(file.name == "report_parts.py" for file in imported)
    assert [file.name for file in imported if "component(" in file.read_text(encoding="utf-8")] == []


def test_nothing_more_is_imported_while_there_were_visitors_without_a_role_alone(visited):
    """Who imports the components of the pages before a page did would hide the map from everybody."""
    background.named.clear()
    visited(NOBODY)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not app.exception, app.exception
    assert background.ready.is_set()
    assert not background.named.is_set()
    visited(LOCAL)
    app.run()
    assert background.named.is_set()
