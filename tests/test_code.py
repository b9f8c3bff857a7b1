"""The code that pages show does what they do: it runs, gives the same plan, and is a notebook."""

from __future__ import annotations

import json
import sys
from datetime import date
from fractions import Fraction

import pandas as pd
import pytest

import dpcore
from dpcore import demo
from dpcore.api import owner
from dpcore.api.code import (
    Code,
    Loading,
    Paying,
    TilesLoading,
    change_code,
    compare_code,
    load_code,
    preview_code,
    publish_code,
    read_code,
    without_days,
)
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.measures.plan import Plan
from dpcore.planning.python_text import call, literal
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release import kind_of
from dpcore.tiles import Box, square_grid


@pytest.fixture(autouse=True)
def own_home(home, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(home))
    monkeypatch.setattr(demo, "DEMO_TRIPS", 30_000)  # the city with fewer people: code is the same for any
    monkeypatch.setattr(demo, "DEMO_TILES", 40)
    return home


DEMO = load_code(demo=True, timezone="Europe/Berlin")
PEOPLE = ContributionBound.per_user(8)
PAYING = Paying("demo city", PrivacyUnit.USER, "30")
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
    code = publish_code(DEMO, plan, PAYING, title="A 'city'")
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


def test_a_program_prints_what_a_notebook_shows_and_says_nothing_twice():
    plan = PLANS["tables"]
    code = preview_code(DEMO, plan, Fraction("0.5"), [*plan.weights])
    looks = [f"dpcore.table(looked, '{name}', '0.5')" for name in plan.weights]
    assert [line for line in code.python().splitlines() if "dpcore.table" in line] == [
        f"print({look})" for look in looks
    ]
    assert code.python().count("# A measure as a data frame.") == 1
    sources = ["".join(cell["source"]) for cell in cells(code)]
    assert sources[-3:] == ["A measure as a data frame.", *looks]


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
    assert "found = dpcore.change('BUNDLE-A', 'BUNDLE-B')" in change_code("", {}, {}).python()
    told = change_code("od_districts", {"mode": "bus"}, {}).python()
    assert "dpcore.change(\n    dpcore.part_release('BUNDLE-A', {'mode': 'bus'}),\n" in told
    assert "    'od_districts',\n" in told


def test_days_that_were_read_off_the_trips_are_not_written_and_the_code_reads_them_again():
    trips, _ = dpcore.demo_city()
    found = owner.observed_period(trips)
    plan = Plan.up_to(PEOPLE, {"trips_over_time": 1}, "1", KeyChoices(found))
    code = preview_code(DEMO, plan, Fraction(1), ["trips_over_time"], observed=found)
    for text in (code.python(), code.notebook()):
        assert "dpcore.Period(FIRST_DAY, LAST_DAY)" in text
        assert "private until a release names them" in text
        assert not any(day in text for one in (found.first, found.last) for day in (literal(one), str(one)))
    assert ran(code)["plan"] == plan


@pytest.mark.parametrize("name", ["tables", "model"])
def test_no_code_or_command_that_publishes_holds_such_days(name):
    plan = PLANS[name]
    code = publish_code(DEMO, plan, PAYING, title="A city", observed=WEEK).python()
    command = without_days(kind_of(plan).command(plan, "city", "UTC"), WEEK)
    assert "dpcore.Period(FIRST_DAY, LAST_DAY)" in code
    assert "FIRST_DAY/LAST_DAY" in command
    for day in (WEEK.first, WEEK.last):
        assert not any(said in text for said in (literal(day), str(day)) for text in (code, command))


def test_that_all_trips_are_of_one_day_is_not_said_either():
    day = Period(WEEK.first, WEEK.first)
    assert without_days(literal(day), day) == "dpcore.Period(FIRST_DAY, LAST_DAY)"


def test_public_days_stand_in_the_code():
    code = preview_code(DEMO, PLANS["tables"], Fraction("0.5"), ["visits_per_tile"]).python()
    assert literal(WEEK) in code
    assert "FIRST_DAY" not in code


def test_the_code_of_an_open_account_charges_it_under_its_own_terms(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = dpcore.open_ledger()
    dpcore.register(
        ledger,
        "open",
        unit="trip",
        total_budget="5",
        population="riders",
        parts=["a", "b"],
    )
    plan = Plan.up_to(ContributionBound.per_trip(), {"visits_per_tile": 1}, "1")
    paying = Paying("open", PrivacyUnit.TRIP, "5", registered=True)
    code = publish_code(
        DEMO,
        plan,
        paying,
        title="T",
        note="Of spring.",
        publisher="City",
        parameters_chosen="before_data",
        part="a",
    )
    release = ran(code)["release"]
    assert (release.note, release.publisher, release.parameters_chosen, release.anchor.part) == (
        "Of spring.",
        "City",
        "before_data",
        "a",
    )


def test_a_new_account_says_who_is_in_the_data():
    paying = Paying("new", PrivacyUnit.USER, "5", "riders of the tram")
    assert (
        "population='riders of the tram'" in publish_code(DEMO, PLANS["tables"], paying, title="T").python()
    )


def test_a_changed_plan_is_another_request_and_the_same_one_is_charged_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = publish_code(DEMO, Plan.up_to(PEOPLE, {"visits_per_tile": 1}, "1"), PAYING, title="T").python()
    found = []
    for text in (code, code, code.replace("'1'", "'2'", 1)):
        names: dict[str, object] = {}
        exec(text, names)
        found.append(names["receipt"])
    first, again, other = found
    assert again.repeated
    assert first.release.id == again.release.id
    assert not other.repeated
    assert other.release.plan.epsilon == 2


def test_the_code_that_loads_keeps_how_files_were_read():
    how = Loading({"uid": "person"}, True, True, TilesLoading({"tile_id": "code", "station_radius": 300}))
    said, code = load_code(demo=False, timezone="UTC", how=how)
    assert code.splitlines() == [
        "tiles = dpcore.load_tiles('TILES.geojson', tile_id='code', station_radius=300)",
        "trips = dpcore.load_trips(",
        "    'TRIPS',",
        "    tiles,",
        "    timezone='UTC',",
        "    columns={'uid': 'person'},",
        "    drop_bad=True,",
        ")",
    ]
    assert "folder" in said


def test_trips_whose_columns_were_named_are_loaded_again_by_the_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(
        {
            "person": ["p", "q"],
            "started_at": ["2024-04-01 08:00:00"] * 2,
            "ended_at": ["2024-04-01 08:30:00"] * 2,
            "start_zone": ["A", "B"],
            "end_zone": ["B", "A"],
        }
    )
    (tmp_path / "TRIPS").mkdir()
    for name in ("one.csv", "two.csv"):
        frame.assign(person=[f"{name} {at}" for at in range(2)]).to_csv(
            tmp_path / "TRIPS" / name, index=False
        )
    grid = square_grid(Box(0.0, 0.0, 0.02, 0.02), 1000)
    columns = {name: name for name in ("started_at", "ended_at")}
    columns |= {"uid": "person", "start_tile": "start_zone", "end_tile": "end_zone"}
    how = Loading(columns, several=True, tiles=TilesLoading(grid=("square_grid", 1000)))
    text = Code("", (load_code(demo=False, timezone="UTC", how=how),)).python()
    names: dict[str, object] = {"WEST": 0.0, "SOUTH": 0.0, "EAST": 0.02, "NORTH": 0.02}
    for at, tile in enumerate(("A", "B")):
        for file in (tmp_path / "TRIPS").iterdir():
            file.write_text(file.read_text().replace(f",{tile}", f",{grid.tile_ids[at]}"))
    exec(text, names)
    assert names["tiles"].digest == grid.digest
    assert names["trips"].has_users
    assert names["trips"].report.trips == 4
