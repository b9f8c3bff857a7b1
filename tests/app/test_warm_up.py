"""What a server imports and makes before the first visit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dpcore.errors import InputError
from pages.parts import warm_up
from tests.conftest import ROOT


def test_a_fault_before_the_first_visit_stops_nothing(monkeypatch):
    made = []

    def first() -> None:
        made.append("first")
        raise InputError("a fault", "a page", "the page that meets it says how")

    for name in ("disable", "enable", "freeze"):
        monkeypatch.setattr(warm_up, name, lambda: None)
    warm_up.begin(lambda: first)
    assert made == ["first"]
    assert warm_up._imported.is_set()
    warm_up.begin(lambda: None)  # a server for viewers makes nothing


NAMES = """
import sys
import pages.parts.chart
before = set(sys.modules)
import pages.owner.parts.start.warm_up_before
print(*(sys.modules[name].__file__ for name in set(sys.modules) - before if ".parts." in name and name.startswith("pages.") and sys.modules[name].__file__))
"""


def test_what_is_imported_before_names_no_component():
    """A module of a component that no page imported before would be imported where no page runs."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", NAMES], check=True, cwd=ROOT, capture_output=True, text=True
    )
    imported = [Path(file) for file in ran.stdout.split()]
    assert any(file.name == "data_sets.py" for file in imported)
    assert [file.name for file in imported if "component(" in file.read_text(encoding="utf-8")] == []
