"""The code that pages show does what they do: it runs, gives the same plan, and is a notebook."""

from __future__ import annotations

import json
import sys
from datetime import date
from fractions import Fraction

import pytest

import dpcore
from dpcore.api.code import Code, compare_code, load_code, preview_code, publish_code, read_code
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release import kind_of
from dpcore.release.python_text import call, literal

DEMO = load_code(demo=True, timezone="Europe/Berlin")
PEOPLE = ContributionBound.per_user(8)
WEEK = Period(date(2024, 3, 4), date(2024, 3, 10))


def ran(code: Code) -> dict[str, object]:
    """The names after the program has run."""
    names: dict[str, object] = {}
    exec(compile(code.python(), "code", "exec"), names)
    return names


def cells(code: Code) -> list[dict]:
    notebook = json.loads(code.notebook())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    return notebook["cells"]


PLANS = {
    "tables": Plan.up_to(
        PEOPLE, {"visits_per_tile": 2, "trips_over_time": 1}, "0.5", KeyChoices(WEEK, Step.WEEK)
    ),
    "tables with all choices": Plan.up_to(
        PEOPLE,
        {"travel_time": 2, "visits_per_time_tile": 1, "od_flows": 3},
        "0.3",
        KeyChoices(WEEK, windows=(6, 12, 22), edges={"travel_time": ("5", "12.5")}, visits_cap=4),
        five_numbers=3,
        false_flows=Fraction(3),
    ),
    "trips alone": Plan.up_to(ContributionBound.per_trip(), {"trips_per_weekday": 1}, "2"),
    "ranges": Plan.up_to(PEOPLE, {"travel_time": 1, "jump_length": 1}, "1", ranges=Fraction(1, 10)),
    "model": dpcore.model_plan(
        PEOPLE, "1", WEEK, holidays=[date(2024, 3, 8)], attributes=["gender"], zips=["02139"]
    ),
    "large counts": dpcore.stability_plan(
        PEOPLE, "2", delta="1/8000000", combinations=["on_loc", "on_loc+on_time"]
    ),
    "tree": dpcore.tree_plan(PEOPLE, "0.2", levels={"a": "Low", 'b"c': "High"}, height=4, trajectory="day"),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_text_of_a_plan_makes_the_same_plan(name):
    plan = PLANS[name]
    text = kind_of(plan).python(plan)
    assert max(map(len, text.splitlines())) <= 120
    assert eval(text, {"dpcore": dpcore, "date": date, "Fraction": Fraction}) == plan


def test_long_calls_take_a_line_for_each_argument():
    text = call("dpcore.table", "x" * 60, literal("y" * 60))
    assert text.count("\n") == 3


@pytest.mark.parametrize(
    "plan",
    [
        Plan.up_to(PEOPLE, {"visits_per_tile": 1, "od_flows": 1}, "0.5"),
        dpcore.model_plan(PEOPLE, "1", WEEK),
        dpcore.stability_plan(PEOPLE, "4", combinations=["on_loc"]),
        dpcore.tree_plan(PEOPLE, "0.2", height=2),
    ],
    ids=lambda plan: kind_of(plan).name,
)
def test_the_code_of_a_release_publishes_it_and_looks_at_it(plan, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = publish_code(DEMO, plan, dataset="demo city", unit=PrivacyUnit.USER, total="10", title="A 'city'")
    names = ran(code)
    assert names["release"].plan == plan
    assert names["release"].title == "A 'city'"
    assert "This charges the account" in code.python()
    assert sys.modules["dpcore"] is dpcore


def test_the_code_of_a_preview_shows_noise_beside_the_truth():
    plan = Plan.up_to(PEOPLE, {"visits_per_tile": 1}, "2")
    code = preview_code(DEMO, plan, Fraction(1), ["visits_per_tile"])
    names = ran(code)
    shown = eval(code.cells[-1][1], names)
    assert "truth" in shown
    assert "private" in code.python()


def test_a_notebook_holds_the_same_cells_as_the_program():
    code = preview_code(DEMO, PLANS["tables"], Fraction("0.5"), ["visits_per_tile"])
    program = "\n\n".join("".join(cell["source"]) for cell in cells(code) if cell["cell_type"] == "code")
    names: dict[str, object] = {}
    exec(program, names)
    assert names["plan"] == PLANS["tables"]
    assert all(cell["outputs"] == [] for cell in cells(code) if cell["cell_type"] == "code")


def test_files_stand_as_placeholders():
    said, code = load_code(demo=False, timezone="America/New_York")
    assert code.splitlines() == [
        "tiles = dpcore.load_tiles('TILES.geojson')",
        "trips = dpcore.load_trips('TRIPS.csv', tiles, timezone='America/New_York')",
    ]
    assert said.endswith(".")


def test_reading_and_comparing_have_their_code():
    assert "digest='ab'" in read_code("ab", "dpcore.table(release, 'od_flows')").python()
    assert "dpcore.compare('BUNDLE-A', 'BUNDLE-B')" in compare_code().python()
