"""dpcore as a library: every kind of release on a synthetic city, from its plan to what anyone may take out of it."""

from __future__ import annotations

import csv
import io
import shutil
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import dpcore
from dpcore import demo
from dpcore.command_line.main import main
from dpcore.curator import publishing
from dpcore.errors import (
    BudgetExceededError,
    BundleError,
    InputError,
    LedgerError,
    PrivacyError,
    UnfinishedError,
)
from dpcore.privacy import decimal_text
from dpcore.release import kind_of

WEEKS = dpcore.Period(date(2024, 3, 4), date(2024, 3, 31))
PEOPLE = dpcore.ContributionBound.per_user(3)
KINDS = ("tables", "model", "stability", "tree")
RANGE = ["count", "at_least", "at_most", "noise_low_95", "noise_high_95"]


@pytest.fixture(autouse=True)
def own_home(home, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(home))
    return home


@pytest.fixture(scope="module")
def city(home):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(home))
        demo.write_city(home / "city", 60_000, 60, 7)
        tiles = dpcore.load_tiles(home / "city" / "tiles.geojson")
        return dpcore.load_trips(home / "city" / "trips.parquet", tiles, timezone="Europe/Berlin"), tiles


def plan_of(kind: str, tiles):
    return {
        "tables": lambda: dpcore.Plan.up_to(PEOPLE, {"visits_per_tile": 2, "travel_time": 1}, "1"),
        "model": lambda: dpcore.model_plan(PEOPLE, "2", WEEKS),
        "stability": lambda: dpcore.stability_plan(
            PEOPLE, "4", combinations=("on_loc", "off_loc", "on_time+on_loc"), minutes=60
        ),
        "tree": lambda: dpcore.tree_plan(
            PEOPLE, "0.5", levels={tiles.tile_ids[0]: "Low"}, tiles=tiles, height=3
        ),
    }[kind]()


@pytest.fixture(scope="module")
def walked(city, home):
    """The receipt of each kind, all paid from one account."""
    trips, tiles = city
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(home))
        ledger = dpcore.open_ledger()
        dpcore.register(ledger, "city", unit="user", total_budget="15", population="invented people")
        return {
            kind: dpcore.publish(
                trips, tiles, plan_of(kind, tiles), ledger=ledger, dataset="city", nonce=kind
            )
            for kind in KINDS
        }


def sure(answers: pd.DataFrame) -> bool:
    """Whether every count lies within its ranges, of which the one of the noise is the narrower."""
    return bool(
        (answers["at_least"] <= answers["noise_low_95"]).all()
        and (answers["noise_low_95"] <= answers["count"]).all()
        and (answers["count"] <= answers["noise_high_95"]).all()
        and (answers["noise_high_95"] <= answers["at_most"]).all()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_of_every_kind_is_priced_published_read_and_verified(walked, city, kind):
    (trips, tiles), receipt, ledger = city, walked[kind], dpcore.open_ledger()
    plan = plan_of(kind, tiles)
    price = dpcore.price(plan, "user")
    assert (receipt.charged, receipt.charged_delta) == (price.epsilon, price.delta)
    again = dpcore.publish(trips, tiles, plan, ledger=ledger, dataset="city", nonce=kind)
    assert (again.repeated, again.digest) == (True, receipt.digest)
    release = dpcore.read_bundle(receipt.folder, digest=receipt.digest)
    assert release.plan == plan
    assert not dpcore.verify(str(receipt.folder)).in_ledger
    verdict = dpcore.verify(receipt.folder, ledger)
    assert verdict.in_ledger
    assert verdict.digest == receipt.digest


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_of_every_kind_is_a_frame_and_what_the_command_prints(walked, kind, capsys):
    folder = walked[kind].folder
    release = dpcore.read_bundle(folder)
    for name in kind_of(release.plan).tables(release):
        frame = dpcore.table(release, name)
        assert len(frame) > 0
        if len(frame) < 2_000:
            assert main(["table", str(folder), name]) == 0
            printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
            pd.testing.assert_frame_equal(frame, printed, check_dtype=False, check_exact=False, rtol=1e-6)
    with pytest.raises(InputError, match=r"[Cc]hoose one of: "):
        dpcore.table(release, "od_flows")
    with pytest.raises(PrivacyError, match="this rung was not released"):
        dpcore.table(release, kind_of(release.plan).tables(release)[0], "9")


def test_a_table_of_another_kind_is_the_file_of_its_bundle(walked):
    for kind, name, file in (
        ("model", "start+end", "tables/start-end.parquet"),
        ("stability", "on_time+on_loc", "tables/on_time-on_loc.parquet"),
        ("tree", "tree", "tree.parquet"),
        ("tree", "trajectories", "trajectories.parquet"),
    ):
        receipt = walked[kind]
        written = pq.read_table(receipt.folder / file).to_pandas()
        pd.testing.assert_frame_equal(dpcore.table(receipt.release, name), written)


def test_only_tables_are_put_in_agreement_compared_and_reported(walked):
    for kind in KINDS[1:]:
        release = walked[kind].release
        name = kind_of(release.plan).tables(release)[0]
        with pytest.raises(InputError, match="made of measures"):
            dpcore.table(release, name, consistent=True)
        with pytest.raises(InputError, match="made of measures"):
            dpcore.report_html(release)
        with pytest.raises(InputError, match="only tables can be compared"):
            dpcore.compare(release, walked["tables"].release)


@pytest.mark.parametrize("kind", ["model", "stability", "tree"])
def test_synthetic_trips_of_a_release_are_those_of_its_bundle(walked, kind):
    receipt = walked[kind]
    of_release, of_bundle = (dpcore.synthetic_trips(one) for one in (receipt.release, receipt.folder))
    pd.testing.assert_frame_equal(of_release, of_bundle)
    assert of_bundle["synthetic_id"].tolist() == [*range(1, len(of_bundle) + 1)]
    assert {"started_at", "ended_at", "start_tile", "end_tile", "start_lat"} <= {*of_bundle.columns}
    assert of_bundle.attrs == of_release.attrs
    says_nothing = of_bundle["started_at"].eq(pd.Timestamp(2000, 1, 1)).all()
    assert says_nothing == (kind == "tree")
    assert not says_nothing or "the same date, and midnight as their time" in of_bundle.attrs["note"]


def test_trips_of_a_model_load_like_any_trips(walked, city):
    drawn = dpcore.synthetic_trips(walked["model"].release)
    flows = dpcore.table(walked["model"].release, "start+end")
    assert abs(len(drawn) - flows["value"].sum()) < 0.05 * len(drawn)
    loaded = dpcore.load_trips(drawn, city[1], timezone="Europe/Berlin")
    assert dpcore.exact_table(loaded, "visits_per_tile")["value"].sum() == 2 * len(drawn)


def test_a_release_without_synthetic_trips_says_what_it_holds(walked):
    receipt = walked["tables"]
    for one in (receipt.release, str(receipt.folder)):
        with pytest.raises(
            InputError, match=r"no synthetic trips.*visits_per_tile, travel_time, ds_statistics, five_numbers"
        ):
            dpcore.synthetic_trips(one)


def test_a_question_about_a_tree_is_answered_with_its_range(walked, capsys):
    receipt = walked["tree"]
    nodes = dpcore.table(receipt.release, "tree")
    first = nodes[nodes["depth"] == 1].sort_values("value").iloc[-1]
    begin = dpcore.ask(receipt.release, f"^ {first['symbol']}")
    assert [*begin.columns] == ["question", *RANGE]
    assert begin["question"].tolist() == [f"^ {first['symbol']}"]
    assert begin["count"][0] == pytest.approx(first["estimate"])
    assert sure(begin)
    ways = dpcore.table(receipt.release, "frequent_ways")
    assert sure(ways)
    asked = dpcore.ask(receipt.release, ways["way"][0])
    assert asked[RANGE].iloc[0].tolist() == ways[RANGE].iloc[0].tolist()
    assert main(["ask", str(receipt.folder), ways["way"][0]]) == 0
    printed = [*csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert [int(printed[0][name]) for name in RANGE] == [round(float(asked[name][0])) for name in RANGE]


def test_the_places_that_come_next_are_a_question_each(walked):
    release = walked["tree"].release
    nodes = dpcore.table(release, "tree")
    first = nodes.loc[nodes[nodes["depth"] == 2]["parent"].value_counts().index[0] - 1]
    following = dpcore.ask(release, f"^ {first['symbol']} ?")
    kept = nodes[(nodes["parent"] == first["node"]) & ~nodes["symbol"].isin(["$", "+"])]
    assert {*following["question"]} == {f"^ {first['symbol']} {symbol}" for symbol in kept["symbol"]}
    assert following["count"].is_monotonic_decreasing
    assert sure(following)
    for text in (f"{first['symbol']} > ?", f"^ ** {first['symbol']} ?"):
        assert {*following["question"].str.split().str[-1]} <= {
            *dpcore.ask(release, text)["question"].str.split().str[-1]
        }
    one = dpcore.ask(release, following["question"][0])
    assert one.iloc[0].tolist() == following.iloc[0].tolist()


def test_a_question_about_large_counts_is_answered_with_its_range(walked):
    release = walked["stability"].release
    listed = dpcore.table(release, "on_time+on_loc").iloc[0]
    found = dpcore.ask(release, f"on_loc = {listed['on_loc']}, on_time = {listed['on_time']}")
    assert [*found.columns] == ["on_time", "on_loc", "count", "at_least", "at_most"]
    assert found.iloc[0].tolist() == [
        *listed[["on_time", "on_loc", "value"]],
        max(1, listed["value"] - listed["half_width_95"]),
        listed["value"] + listed["half_width_95"],
    ]
    there = dpcore.table(release, "off_loc")["off_loc"]
    missing = next(tile for tile in release.tessellation.tile_ids if tile not in {*there})
    unlisted = dpcore.ask(release, f'off_loc="{missing}"')
    large, plan = release.drawn.tables.large["off_loc"], release.drawn.tables.plan
    assert unlisted["count"].isna().all()
    assert unlisted["at_least"].tolist() == [0]
    width = dpcore.table(release, "off_loc")["half_width_95"][0]
    assert unlisted["at_most"].tolist() == [large.threshold - 1 + width]
    assert plan.threshold(plan.combinations[1]) == large.threshold


def test_days_that_were_counted_apart_are_answered_one_by_one(city):
    trips, tiles = city
    days = dpcore.Period(date(2024, 3, 4), date(2024, 3, 6))
    plan = dpcore.stability_plan(PEOPLE, "4", combinations=["on_loc"], period=days)
    ledger = dpcore.open_ledger()
    dpcore.register(ledger, "days", unit="user", total_budget="5")
    release = dpcore.publish(trips, tiles, plan, ledger=ledger, dataset="days", nonce="1").release
    every = dpcore.ask(release, f"on_loc = {tiles.tile_ids[0]}")
    assert every["date"].tolist() == ["2024-03-04", "2024-03-05", "2024-03-06"]
    one = dpcore.ask(release, f"on_loc = {tiles.tile_ids[0]}, date = 2024-03-05")
    pd.testing.assert_frame_equal(one, every[1:2].reset_index(drop=True))
    with pytest.raises(InputError, match="no such day was released: date"):
        dpcore.ask(release, f"on_loc = {tiles.tile_ids[0]}, date = 2024-03-07")


@pytest.mark.parametrize(
    ("kind", "question", "words"),
    [
        ("tables", "A > B", "answers no questions"),
        ("model", "A > B", "answers no questions"),
        ("tree", "", "needs places"),
        ("tree", "nowhere > D001", "names a tile that does not exist"),
        ("tree", "? > D001", "names a tile that does not exist"),
        ("tree", "D001 > D002, D003", "mixes signs"),
        ("stability", "", "not counted together"),
        ("stability", "D001", "names a column and its value"),
        ("stability", "on_loc = D001, on_loc = D002", "names a column and its value"),
        ("stability", "on_loc = D001, off_loc = D002", "not counted together"),
        ("stability", "on_loc = nowhere", "no such value is on the public list"),
        ("stability", "date = 2024-03-04, on_loc = D001", "not counted together"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(walked, kind, question, words, capsys):
    with pytest.raises(InputError, match=words):
        dpcore.ask(walked[kind].release, question)
    assert main(["ask", str(walked[kind].folder), question]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_a_release_is_raised_by_whatever_names_it(city):
    trips, tiles = city
    ledger = dpcore.open_ledger()
    dpcore.register(ledger, "raised", unit="user", total_budget="5")
    made = dpcore.publish(trips, tiles, plan_of("tables", tiles), ledger=ledger, dataset="raised", nonce="1")
    by_receipt = dpcore.top_up(made, "2", ledger=ledger, nonce="2")
    by_release = dpcore.top_up(by_receipt.release, Fraction(3), ledger=ledger, nonce="3")
    by_place = dpcore.top_up(str(by_release.folder), "4", ledger=ledger, nonce="4")
    by_name = dpcore.top_up(by_place.release.id, "5", ledger=ledger, nonce="5")
    assert [one.charged for one in (made, by_receipt, by_release, by_place, by_name)] == [1] * 5
    for rung in ("1", "0.5"):
        tables = [dpcore.table(one.release, "visits_per_tile", rung) for one in (made, by_name)]
        pd.testing.assert_frame_equal(*tables)
    assert dpcore.top_up(made, "2", ledger=ledger, nonce="2").repeated
    paid = dpcore.spent(ledger, "raised")
    assert paid["charged_exact"].tolist() == ["1"] * 5
    assert "It continues the chain" not in paid["why"][0]
    assert paid["why"][1:].str.contains("It continues the chain .* only the difference counts").all()
    assert paid["title"].tolist()[:2] == ["raised", f"raises {made.release.id}"]
    with pytest.raises(BudgetExceededError):
        dpcore.top_up(by_name, "6", ledger=ledger, nonce="6")
    with pytest.raises(PrivacyError, match="topped up already"):
        dpcore.top_up(made, "4.5", ledger=ledger, nonce="7")
    with pytest.raises(PrivacyError, match="higher than what was released"):
        dpcore.top_up(by_name, "0.5", ledger=ledger, nonce="8")
    with pytest.raises(InputError, match="knows no such release"):
        dpcore.top_up("raised-99-abcdef", "2", ledger=ledger, nonce="9")


@pytest.mark.parametrize("kind", ["model", "stability", "tree"])
def test_only_a_release_of_tables_is_raised(walked, kind):
    ledger = dpcore.open_ledger()
    before = ledger.head()
    with pytest.raises(PrivacyError, match="only a release of tables can be raised"):
        dpcore.top_up(walked[kind], "9", ledger=ledger, nonce="raise")
    assert ledger.head() == before


def test_what_was_spent_is_told_in_two_frames(walked):
    ledger = dpcore.open_ledger()
    accounts = dpcore.accounts(ledger).set_index("dataset").loc["city"]
    total = sum(receipt.charged for receipt in walked.values())
    assert (accounts["unit"], accounts["total"], accounts["releases"]) == ("user", 15, 4)
    assert Fraction(accounts["spent_exact"]) == total
    assert accounts["left"] == float(15 - total)
    assert accounts["spent_delta"] == 1e-6
    paid = dpcore.spent(ledger, "city")
    assert paid["release"].tolist() == [receipt.release.id for receipt in walked.values()]
    assert paid["kind"].tolist() == ["tables", "roy", "stability", "trajectory-tree"]
    assert paid["nonce"].tolist() == [*KINDS]
    assert paid["state"].eq("committed").all()
    assert "Low of weight 2/5: 0.5 / (2/5) = 1.25" in paid["why"].iloc[-1]
    with pytest.raises(InputError, match="city"):
        dpcore.spent(ledger, "nobody")


def test_the_ledger_of_this_installation_is_shown_without_naming_it(walked, capsys):
    assert main(["ledger", "show"]) == 0
    shown = {row["dataset"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert shown["city"]["total"] == "15"
    assert main(["ledger", "explain", "--dataset", "city"]) == 0
    assert "0.5 / (2/5) = 1.25" in capsys.readouterr().out
    assert main(["ledger", "verify"]) == 0
    assert "lines are as they were written" in capsys.readouterr().out
    assert main(["ledger", "entries"]) == 0
    capsys.readouterr()
    number = walked["tree"].release.anchor.number
    assert main(["ledger", "void", str(number), "--reason", "never"]) == 2
    assert f"entry {number}" in capsys.readouterr().err


def test_a_ledger_that_is_only_read_is_not_begun(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path))
    for job in (["show"], ["verify"], ["entries"], ["explain", "--dataset", "city"]):
        assert main(["ledger", *job]) == 2
        assert "there is no ledger" in capsys.readouterr().err
    assert not (tmp_path / "ledger").exists()
    words = ("--dataset", "town", "--total-budget", "2", "--account-unit", "user")
    assert main(["ledger", "register", *words]) == 0
    assert main(["ledger", "show"]) == 0
    assert "town" in capsys.readouterr().out


def test_a_bundle_that_was_changed_or_that_another_ledger_paid_for_is_refused(walked, tmp_path):
    folder = tmp_path / "bundle"
    shutil.copytree(walked["tree"].folder, folder)
    other = dpcore.open_ledger(tmp_path / "other.db")
    with pytest.raises(LedgerError, match="not the ledger that paid"):
        dpcore.verify(folder, other)
    (folder / "levels.csv").write_bytes(b"")
    for check in (dpcore.verify, dpcore.read_bundle, dpcore.synthetic_trips):
        with pytest.raises(BundleError):
            check(folder)


def test_parts_without_a_common_user_are_charged_side_by_side(city):
    trips, tiles = city
    ledger = dpcore.open_ledger()
    terms = {"unit": "user", "total_budget": "3", "parts": ["north", "south"]}
    account = dpcore.register(ledger, "two", **terms)
    assert account.parts_of is dpcore.register(ledger, "two", **terms, parts_of="user").parts_of
    drawn = pd.DataFrame(
        {
            "uid": np.repeat([f"v{number}" for number in range(50)], 2),
            "tid": 1,
            "datetime": pd.Timestamp(2024, 3, 5, 8),
            "lat": tiles.polygons[0].centroid.y,
            "lng": tiles.polygons[0].centroid.x,
        }
    )
    others = dpcore.load_trips(drawn, tiles, timezone="Europe/Berlin")
    for given, part in ((trips, "north"), (others, "south")):
        asked = {"ledger": ledger, "dataset": "two", "nonce": part, "part": part}
        dpcore.publish(given, tiles, dpcore.model_plan(PEOPLE, "2", WEEKS), **asked)
    assert dpcore.accounts(ledger).set_index("dataset").loc["two", ["spent", "left", "parts"]].tolist() == [
        2,
        1,
        "north, south",
    ]
    assert dpcore.spent(ledger, "two")["part"].tolist() == ["north", "south"]
    with pytest.raises(InputError, match="no such part: 'west'"):
        dpcore.publish(
            trips, tiles, plan_of("tree", tiles), ledger=ledger, dataset="two", nonce="west", part="west"
        )
    with pytest.raises(PrivacyError, match="other terms"):
        dpcore.register(ledger, "two", unit="user", total_budget="3")
    with pytest.raises(PrivacyError, match="may share a person"):
        dpcore.register(ledger, "weekdays", **terms, parts_of="trip")
    with pytest.raises(PrivacyError, match="there are no parts"):
        dpcore.register(ledger, "none", unit="user", total_budget="3", parts_of="user")


def test_plans_are_told_in_plain_words_and_never_in_floats(city, tmp_path):
    _, tiles = city
    made = (
        lambda epsilon: dpcore.model_plan(PEOPLE, epsilon, WEEKS),
        lambda epsilon: dpcore.stability_plan(PEOPLE, epsilon),
        lambda epsilon: dpcore.tree_plan(PEOPLE, epsilon),
    )
    for plan in made:
        assert plan("0.5") == plan(Fraction(1, 2))
        for wrong in (1.0, "much", None):
            with pytest.raises(PrivacyError, match="epsilon"):
                plan(wrong)
    assert dpcore.stability_plan(PEOPLE, "1", delta="1e-6") == dpcore.stability_plan(
        PEOPLE, "1", delta=Fraction(1, 10**6)
    )
    for wrong in (1e-6, "0", "some"):
        with pytest.raises(PrivacyError, match="delta"):
            dpcore.stability_plan(PEOPLE, "1", delta=wrong)
    with pytest.raises(InputError, match="unknown variant"):
        dpcore.stability_plan(PEOPLE, "1", variant="best")
    with pytest.raises(InputError, match=r"unknown trajectory.*trip, day"):
        dpcore.tree_plan(PEOPLE, "1", trajectory="week")
    with pytest.raises(PrivacyError, match="day of a person is not a trip"):
        dpcore.tree_plan(dpcore.ContributionBound.per_trip(), "1", trajectory="day")
    assert dpcore.tree_plan(PEOPLE, "1", promise="record").strategy.value == "record"
    (tmp_path / "levels.csv").write_text(f"tile_id,privacy\n{tiles.tile_ids[0]},Low\n", encoding="utf-8")
    of_file = dpcore.tree_plan(PEOPLE, "0.5", levels=tmp_path / "levels.csv", tiles=tiles, height=3)
    assert of_file == plan_of("tree", tiles)
    with pytest.raises(InputError, match="a file of levels names tiles"):
        dpcore.tree_plan(PEOPLE, "1", levels=str(tmp_path / "levels.csv"))
    with pytest.raises(InputError, match="tile that does not exist"):
        dpcore.tree_plan(PEOPLE, "1", levels={"nowhere": "Low"}, tiles=tiles)
    with pytest.raises(InputError, match="zip"):
        dpcore.model_plan(PEOPLE, "1", WEEKS, zips=["=1+1"])


def test_expected_errors_of_other_kinds_are_those_of_their_releases(walked, city):
    _, tiles = city
    for kind in ("model", "stability"):
        expected = dpcore.expected_errors(plan_of(kind, tiles), tiles).set_index("measure")
        release = walked[kind].release
        assert tuple(expected.index) == kind_of(release.plan).tables(release)
        for name in expected.index:
            found = dpcore.table(release, name)
            assert set(found["half_width_95"]) == {expected.loc[name, "half_width_95"]}
            assert len(found) <= expected.loc[name, "cells"]
            assert kind == "model" or found["value"].min() >= expected.loc[name, "stands_out_from"]
        assert expected["epsilon"].sum() == pytest.approx(float(release.plan.epsilon))
        assert set(expected["sensitivity"]) == {3}
        assert expected["readable_share"].isna().all()
    with pytest.raises(InputError, match="no list of tables"):
        dpcore.expected_errors(plan_of("tree", tiles), tiles)
    with pytest.raises(InputError, match="no plan of a release"):
        dpcore.expected_errors({"od_flows": 1}, tiles)


def test_only_a_plan_of_tables_is_previewed(city):
    trips, tiles = city
    for kind in KINDS[1:]:
        with pytest.raises(InputError, match="only a plan of tables is previewed"):
            dpcore.preview(trips, plan_of(kind, tiles))


def test_what_was_cut_short_is_shown_finished_or_given_back(city, monkeypatch):
    trips, tiles = city
    ledger = dpcore.open_ledger()
    dpcore.register(ledger, "cut", unit="user", total_budget="5")
    asked = {"ledger": ledger, "dataset": "cut"}
    with monkeypatch.context() as patch:
        # cut right before the first byte of noise is written: what was written could not be given back
        patch.setattr(publishing.pending, "mark_as_drawn", lambda *_: (_ for _ in ()).throw(OSError))
        for nonce in ("finish", "give back"):
            with pytest.raises(UnfinishedError):
                dpcore.publish(trips, tiles, plan_of("model", tiles), nonce=nonce, **asked)
    assert dpcore.spent(ledger, "cut")["state"].tolist() == ["reserved", "reserved"]
    assert dpcore.accounts(ledger).set_index("dataset").loc["cut", ["spent", "unfinished"]].tolist() == [4, 2]
    finished = dpcore.publish(trips, tiles, plan_of("model", tiles), nonce="finish", **asked)
    assert (finished.left, finished.repeated) == (1, False)
    first, second = dpcore.spent(ledger, "cut")["entry"]
    dpcore.void(ledger, second, reason="cut before anything was drawn")
    assert dpcore.spent(ledger, "cut")[["entry", "state"]].values.tolist() == [[first, "committed"]]
    assert dpcore.accounts(ledger).set_index("dataset").loc["cut", "left"] == 3
    with pytest.raises(LedgerError, match="not open"):
        dpcore.void(ledger, first, reason="a change of mind")


def test_what_is_no_plan_is_refused_before_anything_is_charged(city):
    trips, tiles = city
    ledger = dpcore.open_ledger()
    dpcore.register(ledger, "poor", unit="user", total_budget="1")
    before = ledger.head()
    for wrong in ({"od_flows": 1}, None, "model"):
        with pytest.raises(InputError, match="no plan of a release"):
            dpcore.price(wrong, "user")
        with pytest.raises(InputError, match="no plan of a release"):
            dpcore.publish(trips, tiles, wrong, ledger=ledger, dataset="poor", nonce="wrong")
    much = dpcore.model_plan(PEOPLE, "2", WEEKS)
    with pytest.raises(BudgetExceededError):
        dpcore.publish(trips, tiles, much, ledger=ledger, dataset="poor", nonce="too much")
    assert ledger.head() == before


def test_a_receipt_and_a_path_stand_for_their_release_wherever_one_is_read(walked):
    paid, tree = walked["tables"], walked["tree"]
    visits = dpcore.table(paid.release, "visits_per_tile")
    assert list(dpcore.compare(paid, paid.folder)["measure"])
    for source in (paid, paid.folder, str(paid.folder)):
        pd.testing.assert_frame_equal(dpcore.table(source, "visits_per_tile"), visits)
        assert len(dpcore.geodataframe(source, "visits_per_tile")) == len(visits) - 1
        assert "Visits" in repr(dpcore.deck(source, "visits_per_tile"))
        assert dpcore.chart(source, "travel_time").data
        assert "<!doctype html>" in dpcore.report_html(source, static=True)
    for source in (tree, tree.folder, str(tree.folder)):
        assert dpcore.ask(source, "^ ?").equals(dpcore.ask(tree.release, "^ ?"))
        assert len(dpcore.synthetic_trips(source)) > 0


@pytest.mark.parametrize("source", [None, 3, pd.DataFrame({"value": [1]})])
def test_what_is_no_release_is_refused_in_words(source):
    for take in (dpcore.table, dpcore.geodataframe, dpcore.deck, dpcore.chart):
        with pytest.raises(InputError, match="this is no release"):
            take(source, "visits_per_tile")
    for take in (dpcore.report_html, dpcore.synthetic_trips, lambda one: dpcore.ask(one, "A")):
        with pytest.raises(InputError, match="this is no release"):
            take(source)


def test_a_path_without_a_bundle_and_a_preview_where_none_is_read_are_refused_in_words(city, home):
    look = dpcore.preview(city[0], plan_of("tables", city[1]))
    with pytest.raises(InputError, match="this is no release"):
        dpcore.ask(look, "A")
    with pytest.raises(InputError, match="this is no release"):
        dpcore.report_html(look)
    with pytest.raises(BundleError):
        dpcore.table(home / "nothing", "visits_per_tile")


def test_levels_of_places_are_named_in_upper_or_lower_case(city):
    tile = city[1].tile_ids[0]
    plans = [dpcore.tree_plan(PEOPLE, "0.1", levels={tile: name}) for name in ("Public-ish", "public-ISH")]
    assert plans[0] == plans[1]
    assert dpcore.price(plans[1], "user").epsilon == Fraction("0.1") * 3 * 5, "M times five"


@pytest.mark.parametrize("number", [1, 0.5])
def test_an_epsilon_and_a_delta_that_are_numbers_are_refused_with_how_to_write_them(number):
    with pytest.raises(PrivacyError, match=r"epsilon must be text, not a number.*quotes"):
        dpcore.stability_plan(PEOPLE, number)
    with pytest.raises(PrivacyError, match=r"delta must be text, not a number.*quotes"):
        dpcore.stability_plan(PEOPLE, "1", delta=number * 1e-6)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("tables", "Plan of visits_per_tile"),
        ("model", "Plan of synthetic trips: "),
        ("stability", "Plan of large counts ("),
        ("tree", "Plan of a trajectory tree of height "),
    ],
)
def test_a_release_says_its_kind_in_words_and_the_epsilon_that_was_charged(walked, kind, words):
    release = walked[kind].release
    charged = decimal_text(walked[kind].charged)
    assert repr(release) == f"<Release {release.id} of {release.plan!r}>"
    assert f"epsilon {charged}" in repr(release)
    assert repr(release.plan).startswith(f"<{words}")
    assert len(repr(release.plan)) < 130


@pytest.mark.parametrize(
    ("kind", "words"),
    [("model", "synthetic trips"), ("stability", "large counts"), ("tree", "trajectory tree")],
)
def test_what_has_no_pictures_says_so_by_its_kind(walked, kind, words):
    for draw in (dpcore.chart, dpcore.deck, dpcore.geodataframe):
        with pytest.raises(InputError, match=f"of the kind {words} has no such picture.*Use table"):
            draw(walked[kind].release, "visits_per_tile")


def test_an_epsilon_or_a_total_that_is_a_number_is_asked_for_as_text(walked, tmp_path):
    release, ledger = walked["tables"].release, dpcore.open_ledger(tmp_path / "numbers.db")
    for number in (0.5, 1):
        for call in (
            lambda given: dpcore.Plan.up_to(PEOPLE, {"od_flows": 1}, given),
            lambda given: dpcore.model_plan(PEOPLE, given, WEEKS),
            lambda given: dpcore.table(release, "visits_per_tile", given),
            lambda given: dpcore.chart(release, "visits_per_tile", given),
            lambda given: dpcore.register(ledger, "number", unit="user", total_budget=given),
        ):
            with pytest.raises(PrivacyError, match=r'text, in quotes, such as "0\.5"'):
                call(number)


def test_a_period_that_is_text_is_refused_at_once():
    with pytest.raises(PrivacyError, match="two dates, not text"):
        dpcore.Period("2024-03-04", "2024-03-31")
    with pytest.raises(PrivacyError, match="this is no period"):
        dpcore.model_plan(PEOPLE, "1", "2024-03-04/2024-03-31")
    for make in (dpcore.stability_plan, dpcore.tree_plan):
        with pytest.raises(PrivacyError, match="this is no period"):
            make(PEOPLE, "1", period="2024-03-04/2024-03-31")


def test_trips_that_mostly_lie_outside_the_tiles_are_published_only_if_the_owner_says_so(city, tmp_path):
    _, tiles = city
    rows = [("a", 1, 0.0, 0.0), ("b", 2, 1.0, 1.0)]
    frame = pd.DataFrame(
        [
            (user, trip, pd.Timestamp(2024, 3, 5, hour), lat, lng)
            for user, trip, lat, lng in rows
            for hour in (8, 9)
        ],
        columns=["uid", "tid", "datetime", "lat", "lng"],
    )
    trips = dpcore.load_trips(frame, tiles, timezone="Europe/Berlin")
    ledger = dpcore.open_ledger(tmp_path / "outside.db")
    dpcore.register(ledger, "elsewhere", unit="user", total_budget="3")
    before = ledger.head()
    asked = {"ledger": ledger, "dataset": "elsewhere", "nonce": "1"}
    with pytest.raises(InputError, match=r"belong together.*mostly_outside=True\. Nothing was charged"):
        dpcore.publish(trips, tiles, plan_of("tables", tiles), **asked)
    assert ledger.head() == before
    assert dpcore.publish(trips, tiles, plan_of("tables", tiles), mostly_outside=True, **asked).charged == 1
