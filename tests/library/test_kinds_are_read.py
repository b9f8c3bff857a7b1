"""dpcore as a library: what anyone may take out of a release of every kind."""

from __future__ import annotations

import csv
import io
from datetime import date
from functools import partial

import pandas as pd
import pyarrow.parquet as pq
import pytest

import dpcore
from dpcore.command_line.main import main
from dpcore.errors import (
    InputError,
    PrivacyError,
)
from dpcore.release import kind_of
from tests.library.made_kinds import KINDS, PEOPLE, RANGE, plan_of, sure


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


def test_a_release_of_every_kind_is_compared_with_itself_and_with_its_bundle(walked):
    for kind in KINDS:
        found = dpcore.compare(walked[kind].release, walked[kind].folder)
        assert set(found[found["metric"] == "jsd"]["value"]) == {0.0}
        assert "mark" not in found


@pytest.mark.parametrize(("kind", "view"), [("model", "map"), ("stability", "map-on"), ("tree", "ways")])
def test_a_release_of_any_kind_has_a_report_and_pictures_at_its_one_epsilon(walked, tmp_path, kind, view):
    release = walked[kind].release
    assert "What is promised" in dpcore.report_html(release)
    assert dpcore.picture(release, tmp_path / "view.png", view).stat().st_size > 10_000
    for refused in (
        partial(dpcore.report_html, release),
        partial(dpcore.picture, release, tmp_path / "x.png", view),
    ):
        with pytest.raises(PrivacyError, match="not released"):
            refused(epsilon="0.1")


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


def test_a_question_that_the_tree_kept_nothing_of_has_a_range_and_no_number(walked, city, capsys):
    receipt = walked["tree"]
    nodes = dpcore.table(receipt.release, "tree")
    first = nodes[nodes["depth"] == 1].sort_values("value").iloc[-1]
    kept = {*nodes[nodes["parent"] == first["node"]]["symbol"]}
    question = f"^ {first['symbol']} {next(one for one in city[1].tile_ids if one not in kept)}"
    asked = dpcore.ask(receipt.release, question)
    assert asked[["count", "noise_low_95", "noise_high_95"]].isna().all(axis=None)
    assert asked["at_least"][0] == 0 < asked["at_most"][0]
    assert main(["ask", str(receipt.folder), question]) == 0
    said = capsys.readouterr()
    (printed,) = csv.DictReader(io.StringIO(said.out))
    assert [printed[name] for name in RANGE] == ["", "0", str(asked["at_most"][0]), "", ""]
    assert "That never means zero" in said.err


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
