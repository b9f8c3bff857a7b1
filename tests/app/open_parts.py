"""Opens what a page makes when it is opened: sections of a report with their numbers, and parts of lessons."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from streamlit.testing.v1 import AppTest

from dpcore.views.report.entries import SECTIONS
from pages.learn.parts.catalogue import Lesson, lessons
from tests.conftest import ROOT


def open_box(app: AppTest, key: str, label: str) -> None:
    """Open each expander of that name; ``key``: how its key begins."""
    for box in [box for box in app.expander if box.label == label]:
        app.session_state[box.proto.id[box.proto.id.index(key) :]] = True
    app.run()
    assert not app.exception, app.exception


def open_section(app: AppTest, title: str) -> None:
    """Open a section of a report: of the owner's, or by the address that of a release."""
    if "viewing" in app.session_state:
        app.query_params["section"] = next(part.value for part, called, _ in SECTIONS if called == title)
    else:
        app.session_state[app.session_state["atlas"].form.key("report section")] = title
    app.run()
    assert not app.exception, app.exception


def in_every_section(app: AppTest, *, numbers: bool = False) -> Iterator[str]:
    """Open one section of a report after the other; ``numbers``: and the tables of its measures."""
    for title in [tab.label for tab in app.tabs]:
        open_section(app, title)
        if numbers:
            open_box(app, "numbers of ", "The numbers")
        yield title


def parts_of(one: Lesson) -> list[dict[str, str]]:
    """The address of each part of a lesson: none for that which is open at first, then its key and title."""
    for call in ast.walk(ast.parse((ROOT / one.page).read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "frame.tabs":
            (shown,), (named,) = call.args, call.keywords
            titles = [title.value for title in shown.keys[1:]]
            return [{}, *({named.value.value: title} for title in titles)]
    return [{}]


PARTS = [(one, part) for one in lessons() for part in parts_of(one)]
"""Each part of each lesson."""


def name_of(given: object) -> str:
    """A lesson or the address of a part, as a name of a test."""
    return given.file if isinstance(given, Lesson) else " ".join(given.values()) or "first part"
