"""dpcore as a library: releases of every kind are paid, raised, finished and given back."""

from __future__ import annotations

import csv
import io
import shutil
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MethodType

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.api import owner
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
from dpcore.measures.data_form import DataForm
from dpcore.measures.measure import Engine
from dpcore.tiles import Tessellation
from tests.library.made_kinds import KINDS, PEOPLE, WEEKS, plan_of


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


def test_trips_that_mostly_lie_outside_the_tiles_are_published_only_if_the_owner_says_so(
    city, tmp_path, monkeypatch
):
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
    monkeypatch.setattr(
        owner, "outside_warning", None
    )  # who chose before looking is not told by a refusal either
    asked |= {"nonce": "2", "parameters_chosen": "before_data"}
    with pytest.raises(PrivacyError, match="looked at on this computer"):
        dpcore.publish(trips, tiles, plan_of("tables", tiles), **asked)
    unseen = dpcore.load_trips(frame.assign(uid=["a"] * 4), tiles, timezone="Europe/Berlin")
    assert dpcore.publish(unseen, tiles, plan_of("tables", tiles), **asked).charged == 1


LOOKS = {
    "preview": lambda trips, tiles: dpcore.preview(trips, plan_of("tables", tiles)),
    "exact table": lambda trips, _: dpcore.exact_table(trips, "trips_per_hour"),
    "clamping": lambda trips, _: dpcore.clamping(trips, "duration=0:60:1"),
    "report": lambda trips, _: trips.report,
    "files": lambda trips, _: trips.files,
}


def test_the_handle_tells_no_number_that_is_not_a_look(city):
    _, tiles = city
    at = pd.Timestamp(2024, 3, 5, 8)
    frame = pd.DataFrame({"uid": "never", "tid": [1, 1], "datetime": at, "lat": 54.0, "lng": 9.0})
    trips = dpcore.load_trips(frame, tiles, timezone="Europe/Berlin")
    silent = [getattr(trips, name) for name in dir(trips) if not name.startswith("_") and name not in LOOKS]
    assert not owner.was_seen(trips.fingerprints)
    public = (str, bool, Path, Engine, Tessellation, DataForm, type(None), MethodType)
    words = [one for value in silent for one in (value if isinstance(value, tuple) else (value,))]
    assert [one for one in words if not isinstance(one, public)] == []


@pytest.mark.parametrize("look", LOOKS)
def test_who_looked_cannot_say_that_nobody_did(look, city, tmp_path):
    _, tiles = city
    at = pd.Timestamp(2024, 3, 5, 8)
    x, y = tiles.polygons[0].representative_point().coords[0]
    frame = pd.DataFrame({"uid": look, "tid": [1, 1, 2], "datetime": at, "lat": y, "lng": x})
    trips = dpcore.load_trips(frame, tiles, timezone="Europe/Berlin")
    ledger = dpcore.open_ledger(tmp_path / "looks.db")
    dpcore.register(ledger, "town", unit="user", total_budget="3")
    asked = {"ledger": ledger, "dataset": "town", "parameters_chosen": "before_data"}
    first = dpcore.publish(trips, tiles, plan_of("tables", tiles), nonce="1", **asked)
    LOOKS[look](trips, tiles)
    head = ledger.head()
    with pytest.raises(PrivacyError, match="looked at on this computer"):
        dpcore.publish(trips, tiles, plan_of("tables", tiles), nonce="2", **asked)
    again = dpcore.publish(trips, tiles, plan_of("tables", tiles), nonce="1", **asked)
    assert (again.digest, ledger.head()) == (first.digest, head)  # what was charged is finished


SAME_TRIPS = {
    "sorted": lambda frame: frame.iloc[::-1],
    "with an unused column": lambda frame: frame.assign(weather=[1.5, None, 2.5, "rain"]),
    "with an attribute": lambda frame: frame.assign(mode="bus"),
    "with other names": lambda frame: frame.iloc[:, ::-1].rename(columns={"uid": "person"}),
    "with another index": lambda frame: frame.set_index(pd.Index([7, 3, 9, 1])),
}


@pytest.mark.parametrize("change", SAME_TRIPS)
def test_a_look_at_a_frame_is_a_look_at_its_trips_in_whatever_order_and_company(change, city, tmp_path):
    _, tiles = city
    at = pd.Timestamp(2024, 3, 5, 8)
    x, y = tiles.polygons[0].representative_point().coords[0]
    frame = pd.DataFrame(
        {"uid": [change, change, None, "b"], "tid": [1, 1, 2, 3], "datetime": at, "lat": y, "lng": x}
    )
    loaded = partial(dpcore.load_trips, tiles=tiles, timezone="Europe/Berlin", drop_bad=True)
    assert loaded(frame).report.trips
    changed = SAME_TRIPS[change](frame)
    columns = {"uid": "person"} if "person" in changed else None
    attributes = {"mode": ["bus"]} if "mode" in changed else None
    ledger = dpcore.open_ledger(tmp_path / "looks.db")
    dpcore.register(ledger, "town", unit="user", total_budget="3")
    asked = {"ledger": ledger, "dataset": "town", "parameters_chosen": "before_data"}
    with pytest.raises(PrivacyError, match="looked at on this computer"):
        dpcore.publish(
            loaded(changed, columns=columns, attributes=attributes),
            tiles,
            plan_of("tables", tiles),
            nonce="1",
            **asked,
        )
    fewer = loaded(frame.iloc[:3])
    assert dpcore.publish(fewer, tiles, plan_of("tables", tiles), nonce="2", **asked).charged == 1


def test_a_refusal_that_counts_bad_records_is_a_look(city, tmp_path):
    _, tiles = city
    frame = pd.DataFrame(
        {"uid": "a", "tid": [1, 2], "datetime": pd.Timestamp(2024, 3, 5, 8), "lat": [54.0, 99.0], "lng": 9.0}
    )
    loaded = partial(dpcore.load_trips, tiles=tiles, timezone="Europe/Berlin")
    frame.to_csv(tmp_path / "trips.csv", index=False)
    ledger = dpcore.open_ledger(tmp_path / "looks.db")
    dpcore.register(ledger, "town", unit="user", total_budget="3")
    for source in (frame, tmp_path / "trips.csv"):
        with pytest.raises(InputError, match=r"outside \[-90, 90\]"):
            loaded(source)
        with pytest.raises(PrivacyError, match="looked at on this computer"):
            dpcore.publish(
                loaded(source, drop_bad=True),
                tiles,
                plan_of("tables", tiles),
                ledger=ledger,
                dataset="town",
                nonce="1",
                parameters_chosen="before_data",
            )
