"""Explore opens with its purpose, what a stranger can learn, and the curve: expected at once, then counted from the truth for both units."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.privacy import RUNGS, ContributionBound, Promise
from pages.owner.parts.explore import curves
from pages.owner.parts.state import words
from tests.app.sent import sent
from tests.conftest import ROOT


def messages(app: AppTest, field: str) -> list[dict]:
    """What the page sent as JSON with such a field."""
    found = [json.loads(element.proto.json) for element in app.get("bidi_component") if element.proto.json]
    return [one for one in found if isinstance(one, dict) and field in one]


def opened() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not app.exception
    return app


@pytest.mark.usefixtures("whole_curve", "own_previews")
def test_the_first_screen_says_what_it_is_and_both_sides_of_the_trade_off(monkeypatch):
    app = opened()
    said = " ".join(one.value for one in app.markdown)
    assert words.PURPOSE in said
    (curve,) = messages(app, "tables")
    person, trip = curve["lines"]
    assert (person["unit"], trip["unit"]) == ("user", "trip")
    assert all(len(errors) == len(RUNGS) for line in (person, trip) for errors in line["expected"].values())
    known = sent(app, "points")[-1][1]
    assert {*known} == {person["name"], trip["name"]}
    assert all(error is not None for line in known.values() for errors in line.values() for error in errors)
    questions = [row["question"] for row in curve["learnt"]["rows"]]
    assert questions == [*Promise.of(ContributionBound.per_user(8), RUNGS[0]).questions]
    app.run()
    assert messages(app, "tables") == [curve], "the same bytes are not sent again"
    monkeypatch.setattr(curves, "_FEW_TILES", 10)
    large = opened()
    (line,) = [one for one in sent(large, "points")[-1][1].values() if any(any(row) for row in one.values())]
    assert sum(error is not None for error in line["tiles"]) == 1, (
        "of many tiles only the stop that is looked at"
    )
