"""What is chosen in the browser is told until Python has read it: both ends of the protocol, without a page."""

from __future__ import annotations

import json
import subprocess
from fractions import Fraction
from types import SimpleNamespace

import pytest

from dpcore.views.ground.selection import Selection
from pages.parts import held
from pages.parts.held import Ear, answer, between_districts, chosen_ear, epsilon_ear, hear, level_ear
from tests.node import NODE
from tests.scripts import as_one

LINK = "a city"


@pytest.fixture
def session(monkeypatch):
    """State of a visitor, and the answers that the browser got."""
    state, answers = {}, []
    monkeypatch.setattr(held, "st", SimpleNamespace(session_state=state))
    monkeypatch.setattr(held, "map_data", lambda _kind, _link, message, **_: answers.append(message))
    return SimpleNamespace(state=state, answers=answers)


def wish(value, number=1, order=0):
    return {"value": value, "number": number, "order": order, "times": 0}


def test_a_wish_is_read_once_and_the_answer_has_its_number(session):
    taken = []
    ear = Ear("window", LINK, taken.append, lambda: taken[-1] if taken else None)
    hear("bar", ear)
    answer(ear)
    session.state["bar"] = {"window": wish(3, 7)}
    for _ in range(2):
        hear("bar", ear)
        answer(ear)
    session.state["bar"] = {"window": wish(2, 6)}  # an older one, told late by another component
    hear("bar", ear)
    assert taken == [3]
    assert session.answers[0] == {"window": {"number": 0, "order": 0, "value": None}}
    assert session.answers[1] == session.answers[2] == {"window": {"number": 7, "order": 0, "value": 3}}


def test_what_python_chose_since_outranks_a_wish_and_the_first_wish_knows_of_no_order(session):
    at = [4]
    ear = epsilon_ear(
        LINK, [Fraction(1, 10), Fraction(1)], lambda: at[0], lambda rung: at.__setitem__(0, rung), 2
    )
    at[0] = 1
    session.state["slider"] = {"epsilon": wish("0.1", 5, order=1)}
    hear("slider", ear)
    answer(ear)
    assert session.answers[-1] == {"epsilon": {"number": 5, "order": 2, "value": "1"}}, "read, and refused"
    session.state["slider"] = {"epsilon": wish("0.1", 6, order=None)}
    hear("slider", ear)
    answer(ear)
    assert session.answers[-1] == {"epsilon": {"number": 6, "order": 2, "value": "0.1"}}


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"epsilon": None},
        {"epsilon": "0.1"},
        {"epsilon": {}},
        {"epsilon": {"number": "9", "value": "0.1"}},
        {"epsilon": wish("0.7")},
        {"epsilon": wish(["0.1"])},
        {"epsilon": wish(0)},
    ],
)
def test_nothing_that_the_browser_says_is_trusted(session, told):
    at = [1]
    ear = epsilon_ear(
        LINK, [Fraction(1, 10), Fraction(1)], lambda: at[0], lambda rung: at.__setitem__(0, rung)
    )
    session.state["slider"] = told
    hear("slider", ear)
    answer(ear)
    assert at == [1]
    assert session.answers[-1]["epsilon"]["value"] == "1"


def test_places_are_kept_if_there_are_such(session):
    kept = [Selection()]
    ear = chosen_ear(LINK, (4, 2), lambda: kept[-1], kept.append)
    for number, places in enumerate(([1, 3], [9], "x"), 1):
        session.state["map"] = {"chosen": wish({"places": places, "other": None, "districts": False}, number)}
        hear("map", ear)
    answer(ear)
    assert kept == [Selection(), Selection((1, 3))]
    assert session.answers[-1]["chosen"] == {
        "number": 3,
        "order": 0,
        "value": {"places": [1, 3], "other": None, "districts": False},
    }


def test_a_level_is_kept_if_there_is_such(session):
    ear, levels = level_ear(LINK), []
    for number, level in enumerate(("tiles", "cells", None, ["tiles"], "districts"), 1):
        session.state["map"] = {"level": wish(level, number)}
        hear("map", ear)
        levels.append(between_districts(LINK))
    assert levels == [False, False, False, False, True]


BROWSER = """
let now = 1000;
const timers = [], app = { state: "notRunning", connection: "CONNECTED" };
Date.now = () => now;
globalThis.setTimeout = (call, after) => timers.push({ call, at: now + after }) && timers.at(-1);
globalThis.clearTimeout = (timer) => { const at = timers.indexOf(timer); if (at >= 0) timers.splice(at, 1); };
let woken = () => {};
globalThis.MutationObserver = class { constructor(call) { woken = call; } observe() {} };
globalThis.CSSStyleSheet = class { replaceSync() {} };
globalThis.CustomEvent = class extends Event { constructor(name, { detail }) { super(name); this.detail = detail; } };
globalThis.Node = { DOCUMENT_POSITION_FOLLOWING: 4 };
const text = { dataset: {}, busy: null, "data-untold": false, setAttribute: (_, on) => { text.busy = on; }, removeAttribute: () => { text.busy = null; } };
globalThis.document = {
  querySelector: () => ({ getAttribute: (name) => (name.includes("script") ? app.state : app.connection) }),
  querySelectorAll: (which) => (which.includes("behind") && text.busy === null ? [] : [text]),
  adoptedStyleSheets: [], addEventListener() {},
  documentElement: { toggleAttribute: (name, on) => { text[name] = on; } },
};
const root = { getRootNode: () => ({ host: { compareDocumentPosition: () => 4 } }) };
const pass = (time) => {
  for (const end = now + time; ;) {
    const due = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
    if (!due) { now = end; return; }
    now = due.at;
    clearTimeout(due);
    due.call();
  }
};
const ran = () => { app.state = "notRunning"; woken(); };
const told = [];
const tells = (who) => (name, { value, number, order }) => told.push([who, name, value, order, number]);
const answered = (number, value, order = 0) => takeAnswers("a city", { epsilon: { number, order, value } });
const shown = () => held("a city", "epsilon");
"""


def in_the_browser(tmp_path, script: str) -> object:
    """What a script says that uses the browser's end; ``said`` is its list."""
    place = tmp_path / "script.cjs"
    place.write_text(
        f"{BROWSER}\n{as_one('held')}\nconst said = [];\n{script}\nprocess.stdout.write(JSON.stringify(said));"
    )
    done = subprocess.run([NODE, place], capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_a_wish_is_told_again_until_its_number_is_read(tmp_path):
    said = in_the_browser(
        tmp_path,
        """speak("a city", "epsilon", root, tells("slider"));
        answered(0, "1");
        wish("a city", "epsilon", "0.5", null);
        said.push(told.length, text.busy, text["data-untold"]);
        app.state = "running"; pass(60_000); said.push(told.length); // a run is under way: it is not begun anew
        ran(); pass(500); said.push(told.length); // it did not read the wish
        pass(5000); said.push(told.length > 2);
        answered(told.at(-1)[4], "0.5"); const before = told.length;
        said.push(text.busy, text["data-untold"]); pass(60_000); said.push(told.length - before, shown());""",
    )
    assert said == [1, "true", True, 1, 2, True, None, False, 0, "0.5"]


def test_another_component_tells_it_after_the_first_one_went_and_after_the_connection_is_back(tmp_path):
    said = in_the_browser(
        tmp_path,
        """app.connection = "PINGING_SERVER";
        const first = speak("a city", "epsilon", root, tells("first"));
        wish("a city", "epsilon", "0.5", null);
        first.end(); speak("a city", "epsilon", root, tells("second"));
        pass(5000); said.push(told.length);
        app.connection = "CONNECTED"; woken(); pass(500);
        said.push(told.length, told[0].slice(0, 4));""",
    )
    assert said == [0, 1, ["second", "epsilon", "0.5", None]]


def test_python_may_refuse_outrank_or_forget(tmp_path):
    said = in_the_browser(
        tmp_path,
        """speak("a city", "epsilon", root, tells("slider"));
        answered(0, "1"); said.push(shown()); // what Python holds is shown
        wish("a city", "epsilon", "0.5", null);
        answered(told.at(-1)[4], "2"); said.push(shown()); // refused: Python's own
        pass(60_000); said.push(told.length);
        wish("a city", "epsilon", "0.1", null);
        answered(1, "0.2", 1); said.push(shown()); pass(60_000); said.push(told.length); // a step of a story came first
        wish("a city", "epsilon", "0.3", null); said.push(told.at(-1)[3]);
        answered(told.at(-1)[4], "0.3", 1);
        answered(0, "1", 1); pass(500); // a new session of Python, which never read it
        said.push(shown(), told.at(-1)[2]);""",
    )
    assert said == ["1", "2", 1, "0.2", 2, 1, "0.3", "0.3"]


def test_under_a_hand_nothing_moves_by_itself(tmp_path):
    said = in_the_browser(
        tmp_path,
        """speak("a city", "epsilon", root, tells("slider"));
        answered(0, "1");
        move("a city", "epsilon", "0.5", null); said.push(text.busy, told.length);
        answered(0, "2"); said.push(shown());
        move("a city", "epsilon", "2", null); said.push(text.busy); // back where Python is: nothing is chosen
        wish("a city", "epsilon", "2", null); said.push(told.length);
        answered(0, "1"); said.push(shown());""",
    )
    assert said == ["true", 0, "0.5", None, 0, "1"]


def test_the_end_of_a_call_that_was_overtaken_ends_nothing(tmp_path):
    said = in_the_browser(
        tmp_path,
        """const first = ends(root, () => said.push("first")), second = ends(root, () => said.push("second"));
        first(); second(); second();""",
    )
    assert said == ["second"]
