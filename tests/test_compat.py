"""Calls of DpMobilityReport: what each parameter becomes, and what is refused."""

from __future__ import annotations

import inspect
import json
import re
from datetime import date
from fractions import Fraction

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcore
from dpcore import compat
from dpcore.api.compat import ANALYSES, SEGMENTS, chosen_analyses, edges_of, notes_on, weights_of
from dpcore.errors import InputError, PrivacyError, TessellationError
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from tests.cities import PLACES, four_tiles
from tests.conftest import ROOT

GUIDE = ROOT / "docs" / "how-to" / "move-from-dpmobilityreport.md"
WEEK = dpcore.Period(date(2024, 4, 1), date(2024, 4, 7))

# Every parameter of its constructor, version 0.2.11, with its default.
THEIRS = {
    "df": inspect.Parameter.empty,
    "tessellation": None,
    "privacy_budget": None,
    "user_privacy": True,
    "max_trips_per_user": None,
    "analysis_selection": None,
    "analysis_exclusion": None,
    "budget_split": {},
    "timewindows": [2, 6, 10, 14, 18, 22],
    "max_travel_time": None,
    "bin_range_travel_time": None,
    "max_jump_length": None,
    "bin_range_jump_length": None,
    "max_radius_of_gyration": None,
    "bin_range_radius_of_gyration": None,
    "max_user_tile_count": None,
    "bin_range_user_tile_count": None,
    "max_user_time_delta": None,
    "bin_range_user_time_delta": None,
    "subtitle": None,
    "disable_progress_bar": False,
    "seed_sampling": None,
    "evalu": False,
}


def frame() -> pd.DataFrame:
    rows = [
        (user, trip, pd.Timestamp(2024, 4, 1 + trip, hour), PLACES[place][1], PLACES[place][0])
        for user in (1, 2)
        for trip in (1, 2)
        for hour, place in ((8, "A"), (9, "B"))
    ]
    return pd.DataFrame(rows, columns=["uid", "tid", "datetime", "lat", "lng"])


def tiles() -> gpd.GeoDataFrame:
    ours = four_tiles()
    return gpd.GeoDataFrame({"tile_id": ours.tile_ids}, geometry=list(ours.polygons), crs=4326)


def moved(**call: object) -> compat.Moved:
    usual = {"privacy_budget": 1, "max_trips_per_user": 5, "timezone": "Europe/Berlin", "period": WEEK}
    return compat.plan_of(frame(), tiles(), **(usual | call))


def test_every_parameter_is_taken_under_its_name_and_with_its_default():
    ours = inspect.signature(compat.plan_of).parameters
    assert [name for name in ours if name in THEIRS] == [*THEIRS]
    assert set(ours) - set(THEIRS) == {"timezone", "period", "drop_bad"}
    for name, default in THEIRS.items():
        given_here = ours[name].default
        if name == "timewindows":
            assert list(given_here) == default
        elif name == "budget_split":  # a default that could be written into is none of ours
            assert given_here is None
        else:
            assert given_here is default, name


def test_a_plain_call_asks_for_all_fifteen_analyses_with_equal_shares():
    found = moved()
    assert [*found.plan.weights] == [*ANALYSES]
    assert set(MEASURES) - set(ANALYSES) == {
        "od_flows_per_window",
        "od_districts",
        "total_trips",
        "incomplete_trips",
    }
    assert {found.plan.share(name) for name in ANALYSES} == {Fraction(1, 15)}
    assert found.plan.bound == dpcore.ContributionBound.per_user(5)
    assert found.plan.epsilon == 1
    assert found.plan.choices == KeyChoices(period=WEEK)
    assert found.title == ""


def test_what_comes_back_is_ready_to_be_looked_at_and_published():
    found = moved(privacy_budget=0.5, subtitle="Our town", analysis_selection=["place_analysis"])
    look = dpcore.preview(found.trips, found.plan)
    assert dpcore.table(look, "visits_per_tile")["truth"].tolist() == [4, 4, 0, 0, 0]
    ledger = dpcore.open_ledger()
    dpcore.register(ledger, "town", unit="user", total_budget=Fraction(1))
    paid = dpcore.publish(
        found.trips, found.tiles, found.plan, ledger=ledger, dataset="town", nonce="1", title=found.title
    )
    assert paid.charged == Fraction(1, 2)
    assert [*paid.release.measurements] == ["visits_per_tile", "visits_per_time_tile"]


def test_neither_frame_is_changed_nor_a_list():
    df, tessellation, hours = frame(), tiles().to_crs(25831), [14, 2]
    split = {"od_flows": 2}
    before = df.copy(), tessellation.copy()
    compat.plan_of(
        *(df, tessellation, 1, True, 3), timewindows=hours, budget_split=split, timezone="Europe/Berlin"
    )
    pd.testing.assert_frame_equal(df, before[0])
    pd.testing.assert_frame_equal(tessellation, before[1])
    assert (hours, split) == ([14, 2], {"od_flows": 2})


def test_the_moved_call_shows_nothing_private():
    assert "trips=<PrivateTrips>" in repr(moved())
    assert "POLYGON" not in repr(moved())


@pytest.mark.parametrize(
    ("call", "error", "where", "mend"),
    [
        ({"privacy_budget": None}, PrivacyError, "privacy_budget", "exact_table"),
        ({"privacy_budget": True}, PrivacyError, "epsilon", "0.5"),
        ({"privacy_budget": float("inf")}, PrivacyError, "epsilon", "0.5"),
        ({"privacy_budget": float("nan")}, PrivacyError, "epsilon", "0.5"),
        ({"privacy_budget": 0}, PrivacyError, "epsilon", "0.5"),
        ({"privacy_budget": -1.0}, PrivacyError, "epsilon", "0.5"),
        ({"max_trips_per_user": None}, PrivacyError, "max_trips_per_user", "without looking"),
        ({"max_trips_per_user": 0}, PrivacyError, "max trips", "never read off the data"),
        ({"max_trips_per_user": 2.5}, PrivacyError, "max trips", "never read off the data"),
        ({"user_privacy": "yes"}, InputError, "user_privacy", "unit of privacy"),
        ({"evalu": True}, PrivacyError, "evalu", "Leave it out"),
        ({"seed_sampling": 7}, PrivacyError, "seed_sampling", "Leave it out"),
        (
            {"period": None, "analysis_selection": ["trips_over_time"]},
            PrivacyError,
            "trips_over_time",
            "period=",
        ),
        (
            {"period": None, "analysis_selection": ["od_flows", "trips_over_time"]},
            PrivacyError,
            "trips_over_time",
            "period=",
        ),
        ({"bin_range_jump_length": 1}, PrivacyError, "bin_range_jump_length", "max_jump_length"),
        ({"max_jump_length": 0}, InputError, "max_jump_length", "120"),
        ({"max_jump_length": True}, InputError, "max_jump_length", "120"),
        ({"max_jump_length": float("nan")}, InputError, "max_jump_length", "120"),
        ({"max_travel_time": "60"}, InputError, "max_travel_time", "120"),
        ({"max_travel_time": Fraction(1, 3)}, InputError, "max_travel_time", "120 or 0.5"),
        (
            {"max_travel_time": 60, "bin_range_travel_time": Fraction(20, 3)},
            InputError,
            "bin_range_travel_time",
            "120 or 0.5",
        ),
        (
            {"max_travel_time": 10_000, "bin_range_travel_time": 1},
            PrivacyError,
            "max_travel_time, bin_range_travel_time",
            "width",
        ),
        (
            {"max_travel_time": 5, "bin_range_travel_time": 10},
            PrivacyError,
            "max_travel_time, bin_range_travel_time",
            "width",
        ),
        (
            {"max_user_tile_count": 5, "bin_range_user_tile_count": 0.5},
            InputError,
            "bin_range_user_tile_count",
            "1, 2, 3",
        ),
        ({"timewindows": [2, 30]}, PrivacyError, "windows", "0 to 23"),
        ({"timewindows": []}, PrivacyError, "windows", "0 to 23"),
        ({"timewindows": [2.5, 6]}, InputError, "timewindows", "hours"),
        ({"budget_split": {"od_flow": 2}}, InputError, "od_flow", "od_flows"),
        ({"budget_split": {"od_flows": 1.5}}, PrivacyError, "od_flows", "Leave the measure out"),
        ({"budget_split": {"od_flows": 0}}, PrivacyError, "od_flows", "Leave the measure out"),
        ({"budget_split": [("od_flows", 2)]}, InputError, "budget_split", "od_flows"),
        ({"analysis_selection": ["flows"]}, InputError, "flows", "od_analysis"),
        ({"analysis_selection": "od_flows"}, InputError, "analysis_selection", '["od_flows"]'),
        ({"analysis_exclusion": [*SEGMENTS]}, PrivacyError, "analysis_exclusion", "Choose one"),
    ],
)
def test_what_is_unsafe_or_means_nothing_is_refused_with_the_reason_and_the_way_out(call, error, where, mend):
    with pytest.raises(error) as refused:
        moved(**call)
    assert where in refused.value.where
    assert mend in refused.value.mend


def test_data_that_mean_nothing_here_are_refused():
    order = frame().assign(datetime=range(8))
    call = {"privacy_budget": 1, "max_trips_per_user": 5, "timezone": "Europe/Berlin"}
    with pytest.raises(InputError, match="order of records and no time"):
        compat.plan_of(order, tiles(), **call)
    with pytest.raises(InputError, match="these are no trips"):
        compat.plan_of([1], tiles(), **call)
    with pytest.raises(TessellationError, match="none are given"):
        compat.plan_of(frame(), **call)
    with pytest.raises(InputError, match="zone"):
        compat.plan_of(frame(), tiles(), 1, True, 5)


def test_bad_records_are_left_out_only_if_asked_for():
    broken = pd.concat([frame(), frame().head(1).assign(lat=202.0, uid=3)])
    call = {"privacy_budget": 1, "max_trips_per_user": 5, "timezone": "Europe/Berlin"}
    with pytest.raises(InputError):
        compat.plan_of(broken, tiles(), **call)
    assert compat.plan_of(broken, tiles(), **call, drop_bad=True).trips.report.dropped


@pytest.mark.parametrize(
    "period",
    [
        WEEK,
        (date(2024, 4, 1), date(2024, 4, 7)),
        ["2024-04-01", "2024-04-07"],
        "2024-04-01/2024-04-07",
        (pd.Timestamp("2024-04-01"), "2024-04-07"),
    ],
)
def test_a_period_is_taken_in_every_usual_way(period):
    assert moved(period=period).plan.choices.period == WEEK


@pytest.mark.parametrize(
    "period",
    [
        7,
        "2024-04-01",
        ("2024-04-01",),
        ("1.4.2024", "7.4.2024"),
        (20240401, 20240407),
        True,
        (pd.NaT, pd.NaT),
        ("2024-04-01", "2024-04-07", "2024-04-08"),
        (pd.Timestamp("2024-04-01 10:00"), "2024-04-07"),
    ],
)
def test_what_is_no_period_is_refused_with_what_to_pass(period):
    with pytest.raises(InputError, match=r"no dates of a period: period\. .*'2024-04-01/2024-04-28'"):
        moved(period=period)


@pytest.mark.parametrize("column", ["uid", "tid"])
def test_whole_ids_that_pandas_made_floats_are_whole_again_and_the_missing_one_is_named_by_its_row(column):
    """One missing id makes floats of a column of integers."""
    gap = frame()
    gap[column] = gap[column].where(gap.index != 3)
    assert gap[column].dtype == float
    call = {"privacy_budget": 1, "max_trips_per_user": 5, "timezone": "Europe/Berlin"}
    with pytest.raises(InputError, match=f"id missing: data frame, row 4, column {column}"):
        compat.plan_of(gap, tiles(), **call)
    report = compat.plan_of(gap, tiles(), **call, drop_bad=True).trips.report
    assert [(rule.count, rule.rule.split(":")[0]) for rule in report.dropped] == [
        (1, "user id missing" if column == "uid" else "trip id missing")
    ]
    assert report.records == 8


def test_ids_that_are_no_whole_numbers_stay_refused():
    half = frame().astype({"uid": float})
    half["uid"] += 0.5
    half.loc[0, "uid"] = np.nan
    with pytest.raises(InputError, match="never floats"):
        compat.plan_of(half, tiles(), 1, True, 5, timezone="Europe/Berlin", drop_bad=True)


def test_trips_can_be_hidden_instead_of_people():
    found = moved(user_privacy=False)
    assert found.plan.bound == dpcore.ContributionBound.per_trip()
    assert any("ignored at trip level" in note for note in found.notes)
    assert not any("ignored" in note for note in moved(user_privacy=False, max_trips_per_user=None).notes)


@pytest.mark.parametrize("budget", [0.1, "0.1", np.float64(0.1), Fraction(1, 10)])
def test_epsilon_is_the_number_that_was_typed(budget):
    if isinstance(budget, Fraction):
        with pytest.raises(PrivacyError):
            moved(privacy_budget=budget)
        return
    assert moved(privacy_budget=budget, analysis_selection=["od_flows"]).plan.epsilon == Fraction(1, 10)


def test_dates_that_only_the_data_could_give_are_left_out_and_said():
    found = moved(period=None)
    assert "trips_over_time" not in found.plan.weights
    assert any("trips_over_time is left out" in note for note in found.notes)
    assert not any("left out, and its budget" in note for note in moved().notes)


@pytest.mark.parametrize("segment", SEGMENTS)
def test_a_segment_stands_for_its_analyses(segment):
    assert chosen_analyses([segment], None)[0] == SEGMENTS[segment]
    assert chosen_analyses(None, [segment])[0] == tuple(n for n in ANALYSES if n not in SEGMENTS[segment])
    assert chosen_analyses(["all"], None)[0] == ANALYSES


def test_a_selection_overrules_an_exclusion_and_says_so():
    found, notes = chosen_analyses(["od_flows", "place_analysis"], ["od_flows"])
    assert found == ("visits_per_tile", "visits_per_time_tile", "od_flows")
    assert "analysis_exclusion is ignored" in notes[0]


def test_a_weight_of_what_is_not_asked_for_is_ignored_and_said():
    weights, notes = weights_of(("od_flows",), {"od_flows": 3, "jump_length": 2})
    assert weights == {"od_flows": 3}
    assert "jump_length" in notes[0]


@given(
    st.sets(st.sampled_from(ANALYSES), min_size=1),
    st.dictionaries(st.sampled_from(ANALYSES), st.integers(1, 50)),
    st.booleans(),
)
def test_shares_are_proportional_to_budget_split_with_1_where_nothing_is_given(names, split, excluded):
    chosen = {"analysis_exclusion": sorted(set(ANALYSES) - names)} if excluded else {"analysis_selection": sorted(names)}  # fmt: skip
    analyses, _ = chosen_analyses(chosen.get("analysis_selection"), chosen.get("analysis_exclusion"))
    weights, _ = weights_of(analyses, split)
    plan = dpcore.Plan(dpcore.ContributionBound.per_trip(), weights, (Fraction(1),))
    total = sum(split.get(name, 1) for name in names)
    assert {name: plan.share(name) for name in plan.weights} == {
        name: Fraction(split.get(name, 1), total) for name in names
    }
    assert sum(plan.share(name) for name in plan.weights) == 1


def test_windows_become_hours_in_order():
    assert moved(timewindows=np.array([18, 6])).plan.choices.windows == (6, 18)


@pytest.mark.parametrize(
    ("analysis", "most", "width", "edges"),
    [
        ("travel_time", None, None, None),
        ("travel_time", 20, 5, "5 10 15 20"),
        ("travel_time", 22, 5, "5 10 15 20 22"),  # the last bin holds 22 and more, as its name says
        ("travel_time", 100, 30, "30 60 90 100"),
        ("travel_time", 100, None, "10 20 30 40 50 60 70 80 90 100"),
        ("jump_length", 1, 0.1, "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"),
        ("radius_of_gyration", 1.5, 0.5, "0.5 1 1.5"),
        ("user_time_delta", 48, 16, "0 16 32 48"),  # below 0 lie trips that began before the last one ended
        ("user_tile_count", 3, 1, "1 2 3 4"),  # each number by itself, then more than 3
        ("user_tile_count", 6, 2, "2 4 6"),
        ("user_tile_count", 25, None, "3 6 9 12 15 18 21 24 25"),
        ("user_tile_count", 4, None, "1 2 3 4 5"),
    ],
)
def test_a_maximum_and_a_width_become_public_edges(analysis, most, width, edges):
    expected = None if edges is None else tuple(edges.split())
    assert edges_of(analysis, most, width) == expected
    call = {f"max_{analysis}": most, f"bin_range_{analysis}": width}
    chosen = moved(**call, analysis_selection=[analysis]).plan.choices.edges
    assert chosen == ({} if expected is None else {analysis: expected})


@given(st.integers(1, 400), st.integers(1, 400))
def test_edges_are_the_multiples_of_the_width_up_to_the_maximum_and_that_one(most, width):
    if width > most:
        with pytest.raises(PrivacyError):
            edges_of("travel_time", most, width)
        return
    assert [*map(int, edges_of("travel_time", most, width))] == sorted({*range(width, most, width), most})


def test_notes_say_what_differs_for_what_was_chosen_and_each_fact_once():
    notes = moved().notes
    assert len(set(notes)) == len(notes) >= 10
    few = moved(analysis_selection=["trips_per_weekday"]).notes
    assert len(few) == 2
    assert any("25 hours" in note for note in notes_on(["travel_time"]))
    assert not any("25 hours" in note for note in notes_on(["jump_length"]))
    assert all(notes_on([name]) for name in ANALYSES)


def test_notes_on_histograms_point_to_five_number_summaries():
    assert any("five_numbers" in note for note in notes_on(["travel_time"]))
    assert not any("five_numbers" in note for note in notes_on(["od_flows"]))


# What DpMobilityReport 0.2.11 counts in the mini city without noise, with timewindows 0, 8, 16 and the maxima and widths
# named here; shares of people and trips turned back into counts. Where ours differ, the reason stands beside it.
MINI_CALL = {
    "max_travel_time": 120,
    "bin_range_travel_time": 5,
    "max_jump_length": 10,
    "bin_range_jump_length": 1,
    "max_radius_of_gyration": 5,
    "bin_range_radius_of_gyration": 0.5,
    "max_user_tile_count": 6,
    "bin_range_user_tile_count": 2,
    "max_user_time_delta": 48,
    "bin_range_user_time_delta": 4,
}
MINI_COUNTS = {
    "travel_time": [46, 46, 9, 21, 16, 15, 20, 10, 22, 12, 11, 6, 8, 11, 5, 5, 6, 5, 3, 1, 1, 2, 5, 1, 13],
    "jump_length": [88, 3, 3, 10, 5, 5, 9, 21, 5, 9, 142],
    "radius_of_gyration": [12, 0, 0, 1, 0, 2, 1, 1, 0, 0, 43],
    "user_tile_count": [18, 24, 13, 5],
    "user_time_delta": [
        1 + 3,
        24,
        21,
        14,
        10,
        13,
        11,
        12,
        8,
        7,
        8,
        8,
        8,
        92,
    ],  # its bins below 0 are one of ours
    "mobility_entropy": [18, 0, 0, 0, 1, 0, 3, 9, 6, 23],
}
WHOLE_DAYS = {
    0: -1,
    12: -1,
    24: 2,
}  # two trips of more than a day: under 5 and from 60 minutes there, over 120 here
MINI_ARRIVALS = {  # of tiles T06 and T09
    ("weekday", "0-8"): [6, 9],
    ("weekday", "8-16"): [20, 31],
    ("weekday", "16-0"): [19, 31],
}


@pytest.fixture(scope="module")
def mini_call():
    """The call on the mini city, at trip level so that all trips count."""

    def call(shared):
        df = pd.read_csv(shared("oracle-mini/trips.csv"), parse_dates=["datetime"])
        tessellation = gpd.read_file(shared("oracle-mini/tiles.geojson"))
        options = {"timewindows": [16, 0, 8], "timezone": "Europe/Berlin", **MINI_CALL}
        return compat.plan_of(df, tessellation, 1, False, **options)

    return call


def test_the_same_call_counts_the_same_in_the_mini_city(shared, mini_call):
    found = mini_call(shared)
    for measure, theirs in MINI_COUNTS.items():
        ours = dpcore.exact_table(found.trips, measure, choices=found.plan.choices)["value"].tolist()
        gone = WHOLE_DAYS if measure == "travel_time" else {}
        assert ours == [count + gone.get(number, 0) for number, count in enumerate(theirs)], measure
    arrivals = dpcore.exact_table(found.trips, "visits_per_time_tile", choices=found.plan.choices)
    arrivals = arrivals.set_index(["day_type", "window", "tile_id"])["value"]
    for window, theirs in MINI_ARRIVALS.items():
        assert [arrivals[*window, tile] for tile in ("T06", "T09")] == theirs
    counts = json.loads(shared("oracle-mini/expected/counts.json").read_text(encoding="utf-8"))
    numbers = dpcore.exact_table(found.trips, "ds_statistics").set_index("statistic")["value"]
    assert numbers["trips"] == counts["n_trips"]


def test_the_call_in_the_docs_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.+?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {"df": frame(), "tessellation": tiles()})
    assert dpcore.read_bundle("bundle").plan.epsilon == 1


def test_the_table_of_the_docs_names_every_parameter():
    section = GUIDE.read_text(encoding="utf-8")
    for name in THEIRS:
        shown = re.sub(r"^(max|bin_range)_(?!trips).+$", r"\1_...", name)
        assert f"`{shown}`" in section, name
