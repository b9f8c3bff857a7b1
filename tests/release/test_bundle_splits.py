"""Bundles of split tables: written, checked as from a stranger, estimated part by part, and taken apart."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore import curator, limits
from dpcore.errors import BundleError, InputError, PrivacyError
from dpcore.estimates import by_part, words
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Step
from dpcore.measures.plan import Plan
from dpcore.measures.split import parts_of
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.preview import preview
from dpcore.release import read_bundle, verify_bundle, write_bundle
from dpcore.release.kinds import tables
from dpcore.release.one_part import must_be_whole, part_of
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import CHOICES, account, request
from tests.release.made_releases import made_release
from tests.release.tampering import manifest, rewrite

MODE, PURPOSE = Categories("mode", ("bus", 'rail, "fast"')), Categories("purpose", ("work",))
BY = (MODE, PURPOSE)
WEIGHTS = {
    "visits_per_tile": 4,
    "od_flows": 3,
    "trips_per_hour": 2,
    "trips_over_time": 1,
    "travel_time": 1,
    "trips_per_user": 1,
}
CANARY = "canary-77-uid"


def split_choices(by=BY, **more) -> KeyChoices:
    return replace(CHOICES, splits=by, **more)


@pytest.fixture(scope="module")
def release():
    return made_release(weights=WEIGHTS, choices=split_choices(), unit="user")


def refused(place) -> str:
    with pytest.raises(BundleError) as found:
        verify_bundle(place)
    return str(found.value)


def trips():
    rng = random.Random(5)
    return private(
        [
            Trip(
                CANARY if user == 7 else f"u{user}",
                rng.choice("ABCD"),
                rng.choice("ABCD"),
                f"2024-04-0{1 + trip} 08:00",
                f"2024-04-0{1 + trip} 09:00",
                values=(rng.randrange(4), rng.randrange(3)),
            )
            for user in range(40)
            for trip in range(5)
        ],
        attributes=BY,
    )


def published(unit, nonce, weights=WEIGHTS, choices=None, epsilon="20"):
    bound = ContributionBound.per_user(3) if unit == "user" else ContributionBound.per_trip()
    plan = Plan.up_to(bound, weights, Fraction(epsilon), choices or split_choices())
    ledger = account("100", PrivacyUnit(unit))
    asked = replace(request(epsilon, nonce), plan=plan)
    return curator.publish(trips(), four_tiles(), asked, ledger), ledger


def test_a_split_release_is_written_verified_and_read_back(written, release):
    assert verify_bundle(written).estimates
    found = read_bundle(written)
    assert found.plan.choices.splits == BY
    for name, one in found.measurements.items():
        assert (one.values == release.measurements[name].values).all()
    document = manifest(written)
    assert document["key_choices"]["splits"] == [["mode", "bus", 'rail, "fast"'], ["purpose", "work"]]
    flows = next(one for one in document["measures"] if one["name"] == "od_flows")
    assert flows["keys"]["axes"][0] == {"columns": ["mode"], "keys": 4}
    assert flows["sensitivity"] == 3
    frame = pd.read_csv(written / "tables" / "od_flows.csv", keep_default_na=False)
    assert [*frame.columns[:4]] == ["mode", "purpose", "origin", "destination"]
    assert [*dict.fromkeys(frame["mode"])] == [*MODE.labels]
    readme = (written / "README.md").read_text(encoding="utf-8")
    assert 'split by mode: bus, rail, "fast", other, missing' in readme.replace("\\", "")
    assert "all parts together" in readme


def test_the_map_holds_the_sum_of_all_parts(written, release):
    visits = release.measurements["visits_per_tile"]
    sums = visits.values[-1].reshape(len(parts_of(BY)), -1).sum(axis=0)
    tiles = json.loads((written / "maps" / "visits_per_tile.geojson").read_text(encoding="utf-8"))
    assert [one["properties"]["value"] for one in tiles["features"]] == sums[:-1].tolist()
    assert all(one["properties"]["half_width_95"] > visits.half_widths[-1] for one in tiles["features"])


@pytest.mark.parametrize(
    "change",
    [
        lambda keys: keys["splits"][0].reverse(),
        lambda keys: keys["splits"][0].__setitem__(1, "tram"),
        lambda keys: keys["splits"][0].append("tram"),
        lambda keys: keys["splits"][0].pop(),
        lambda keys: keys["splits"].reverse(),
        lambda keys: keys["splits"].pop(),
        lambda keys: keys.pop("splits"),
        lambda keys: keys.__setitem__("splits", [["mode", "bus"]] * 3),
        lambda keys: keys.__setitem__("splits", [["mode", *(f"c{n}" for n in range(1001))]]),
        lambda keys: keys.__setitem__("splits", "mode"),
        lambda keys: keys.__setitem__("splits", [["tile_id", "bus"]]),
    ],
)
def test_changed_facts_of_a_split_are_refused(bundle, change):
    rewrite(bundle, lambda document: change(document["key_choices"]))
    refused(bundle)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (
            {"visits_per_tile": 1, "total_trips": 1},
            "counts the trips of all categories .*total_trips.* Leave it out",
        ),
        ({"trips_per_user": 1}, "trips_per_user is not split"),
    ],
)
def test_a_bundle_by_hand_is_read_no_sooner_than_it_would_be_published(tmp_path, weights, says, monkeypatch):
    with monkeypatch.context() as other_program:
        other_program.setattr(tables, "_must_be_split_alike", lambda _: None)
        write_bundle(made_release(weights=weights, choices=split_choices()), tmp_path / "hand")
    assert re.search(says, refused(tmp_path / "hand"))
    with pytest.raises(BundleError, match=says):
        read_bundle(tmp_path / "hand")
    plan = Plan.up_to(ContributionBound.per_user(3), weights, Fraction(1), split_choices())
    with pytest.raises(PrivacyError, match=says):
        curator.publish(trips(), four_tiles(), replace(request("1", "hand"), plan=plan), account("100"))


def test_a_changed_category_in_a_table_is_refused(bundle):
    name = bundle / "tables" / "trips_per_hour.csv"
    rewrite(bundle, tables__trips_per_hour__csv=name.read_bytes().replace(b"bus", b"tram", 1))
    assert "key" in refused(bundle) or "differ" in refused(bundle)


def test_a_part_is_the_table_of_that_part(written, release):
    whole = dpcore.table(release, "od_flows")
    for number, part in enumerate(parts_of(BY)):
        one = dpcore.part(written, "od_flows", part)
        rows = whole[(whole["mode"] == part["mode"]) & (whole["purpose"] == part["purpose"])]
        assert [*one.columns] == ["origin", "destination", "value", "half_width_95"]
        assert (one.to_numpy() == rows[[*one.columns]].to_numpy()).all(), number
    coarse = dpcore.part(release, "trips_per_hour", {"mode": "bus", "purpose": "work"}, "0.5")
    assert (coarse["half_width_95"] > 10).all()


def test_a_part_is_a_release_that_everything_reads(release):
    part = {"mode": 'rail, "fast"', "purpose": "other"}
    one = dpcore.part_release(release, part)
    assert not one.plan.choices.splits
    assert one.title.endswith('mode rail, "fast", purpose other')
    assert one.measurements["trips_per_user"] is release.measurements["trips_per_user"]
    assert one.plan.share("od_flows") == release.plan.share("od_flows")
    assert "fast" in dpcore.report_html(one, static=True)
    assert set(dpcore.compare(one, one)["value"].dropna()) <= {0.0, 1.0}
    assert dpcore.chart(one, "trips_per_hour").data
    assert dpcore.table(one, "five_numbers")["measure"].unique().tolist() == ["travel_time", "trips_per_user"]
    assert part_of(one, {}) is one
    assert must_be_whole(one) is one


def test_what_shows_one_table_refuses_split_ones_and_names_the_parts(release):
    for call in (
        lambda: dpcore.compare(release, release),
        lambda: dpcore.chart(release, "od_flows"),
        lambda: dpcore.geodataframe(release, "visits_per_tile"),
        lambda: dpcore.deck(release, "visits_per_tile"),
    ):
        with pytest.raises(InputError, match=r"one part.*mode: bus"):
            call()


def test_a_part_that_is_none_is_refused_with_those_that_are(release):
    with pytest.raises(InputError, match="category of mode"):
        dpcore.part(release, "od_flows", {"mode": "ship", "purpose": "work"})
    with pytest.raises(InputError, match="names no part"):
        dpcore.part(release, "od_flows", {"mode": "bus"})
    with pytest.raises(InputError, match="counts people"):
        dpcore.part(release, "trips_per_user", {"mode": "bus", "purpose": "work"})
    with pytest.raises(InputError, match="not split"):
        dpcore.part(made_release(), "od_flows", {"mode": "bus"})
    with pytest.raises(InputError, match="share of the trips of a category"):
        dpcore.part(release, "visits_per_tile", {"mode": "bus", "purpose": "work"}, estimate="all")


def test_each_part_is_estimated_as_a_release_of_its_own(release):
    found = dpcore.table(release, "visits_per_tile", estimate="counted")
    for part in parts_of(BY)[:3]:
        one = dpcore.part(release, "visits_per_tile", part, estimate="counted")
        rows = found[(found["mode"] == part["mode"]) & (found["purpose"] == part["purpose"])]
        assert one["estimate"].to_numpy() == pytest.approx(rows["estimate"].to_numpy(), abs=0.011)
    assert found.attrs["share"] is None
    assert words.NO_SHARE_OF_PARTS in found.attrs["note"]
    with pytest.raises(InputError, match="share of the trips of a category"):
        dpcore.table(release, "visits_per_tile", estimate="all")
    people = dpcore.table(release, "trips_per_user", estimate="counted")
    assert len(people) == release.measurements["trips_per_user"].keys.size


def test_with_very_many_parts_the_drawn_counts_stand(release, monkeypatch):
    monkeypatch.setattr(by_part, "MOST_PARTS", 3)
    found = by_part.estimate(release.plan, release.measurements, release.tessellation)
    assert {"od_flows", "visits_per_tile"} <= {*found.as_drawn}
    visits, drawn = found.tables["visits_per_tile"], release.measurements["visits_per_tile"].values[-1]
    assert visits.counted.values.sum() == pytest.approx(max(drawn.sum(), 0))
    assert (visits.counted.values <= np.maximum(drawn, 0)).all(), (
        "lowered alike, so that none is negative and the total stays"
    )
    assert visits.all_trips is None


def test_weekdays_and_overall_numbers_follow_from_split_tables(release):
    found = dpcore.table(release, "trips_per_weekday")
    dates = dpcore.table(release, "trips_over_time")
    assert [*found.columns[:3]] == ["mode", "purpose", "weekday"]
    inside = dates[~dates["date"].isin(["before", "after"])]
    for part in parts_of(BY):
        here = (inside["mode"] == part["mode"]) & (inside["purpose"] == part["purpose"])
        there = (found["mode"] == part["mode"]) & (found["purpose"] == part["purpose"])
        assert found[there]["value"].tolist() == inside[here]["value"].tolist()
    numbers = dpcore.table(release, "ds_statistics").set_index("statistic")["value"]
    assert numbers["trips"] == dates["value"].sum()
    months = made_release(weights=WEIGHTS, choices=split_choices(step=Step.MONTH))
    with pytest.raises(InputError):
        dpcore.table(months, "trips_per_weekday")


def test_very_many_cells_are_drawn_sparsely_and_read_back(monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 200)
    receipt, _ = published("trip", "sparse", {"od_flows": 1, "visits_per_tile": 1})
    flows = receipt.release.measurements["od_flows"]
    assert flows.cells is not None
    assert len(flows.cells) < flows.keys.size == 12 * 25
    verify_bundle(receipt.folder)
    one = dpcore.part(receipt, "od_flows", {"mode": "bus", "purpose": "work"})
    whole = dpcore.table(receipt, "od_flows")
    rows = whole[(whole["mode"] == "bus") & (whole["purpose"] == "work")]
    assert one["value"].tolist() == rows["value"].tolist()
    work = dpcore.part_release(read_bundle(receipt.folder), {"mode": "bus", "purpose": "work"})
    assert dpcore.table(work, "od_flows")["value"].tolist() == rows["value"].tolist()
    assert work.measurements["visits_per_tile"].cells is None
    dpcore.chart(work, "od_flows")
    dpcore.report_html(work)


def test_other_tables_are_listed_whole_or_refused_before_the_charge_and_of_strangers_too(monkeypatch):
    receipt, _ = published("trip", "whole", {"trips_per_hour": 1})
    size = receipt.release.measurements["trips_per_hour"].keys.size
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", size - 1)
    says = rf"would have {size:,} cells, the limit is {size - 1:,}: .*trips_per_hour.* List fewer categories"
    assert re.search(says, refused(receipt.folder))
    ledger = account("100", PrivacyUnit("trip"))
    before = ledger.statement("town").spent
    plan = Plan.up_to(ContributionBound.per_trip(), {"trips_per_hour": 1}, Fraction(1), split_choices())
    with pytest.raises(PrivacyError, match=says):
        curator.publish(trips(), four_tiles(), replace(request("1", "refused"), plan=plan), ledger)
    assert ledger.statement("town").spent == before
    with pytest.raises(PrivacyError, match=says):
        preview(trips(), plan)


@pytest.mark.parametrize("unit", ["user", "trip"])
def test_a_split_release_is_published_raised_and_names_nobody(unit):
    receipt, ledger = published(unit, "first", epsilon="10")
    again, _ = receipt, verify_bundle(receipt.folder)
    for path in again.folder.rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()
    raised = curator.top_up(ledger, receipt.release.id, Fraction(12), nonce="more")
    verify_bundle(raised.folder)
    assert read_bundle(raised.folder).plan.choices.splits == BY
    if unit == "trip":
        found = dpcore.table(raised, "visits_per_tile", estimate="all")
        assert found.attrs["share"]["low"] == 1


def test_a_part_of_a_preview_has_the_truth_of_its_own_trips(monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 200)  # flows are listed
    weights = {"trips_per_weekday": 1, "od_flows": 1, "trips_per_user": 1}
    drawn = preview(trips(), Plan.up_to(ContributionBound.per_user(3), weights, "20", split_choices()))
    assert drawn.counted_share == pytest.approx(3 / 5)
    truths = {
        name: dpcore.exact_table(trips(), name, choices=split_choices()).set_index(["mode", "purpose"])
        for name in ("trips_per_weekday", "od_flows")
    }
    for number, part in enumerate(parts_of(BY)):
        one = drawn.part(number)
        assert not one.plan.choices.splits
        assert one.truth["trips_per_user"] is drawn.truth["trips_per_user"]
        for name, table in truths.items():
            keys, measurement = one.measurements[name].keys, one.measurements[name]
            mine = table[table.index == tuple(part.values())]
            true = {
                tuple(row[:-1]): row[-1]
                for row in mine[[*keys.columns, "value"]].astype(str).to_numpy().tolist()
            }
            named = zip(*keys.labels(measurement.cell_numbers).values(), strict=True)
            assert [str(value) for value in one.truth[name]] == [true.get(key, "0") for key in named]


def test_trips_that_lack_the_attribute_or_declare_another_list_are_refused():
    other = (Categories("mode", ("bus",)), PURPOSE)
    ledger = account("100")
    plan = Plan.up_to(ContributionBound.per_user(3), WEIGHTS, Fraction(1), split_choices(other))
    with pytest.raises(PrivacyError, match="attribute mode with the same declaration"):
        curator.publish(trips(), four_tiles(), replace(request("1", "other"), plan=plan), ledger)


def test_more_cells_than_noise_can_be_drawn_for_are_refused_with_the_limit(monkeypatch):
    monkeypatch.setattr(limits, "MAX_SPARSE_CELLS", 250)
    with pytest.raises(PrivacyError, match="300 cells, the limit is 250"):
        published("user", "large", {"od_flows": 1})
