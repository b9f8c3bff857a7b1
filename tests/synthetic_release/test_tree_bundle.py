"""A released tree goes into a bundle and comes out of it as it was, and says what it promises."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest

from dpcore import limits
from dpcore.api import owner
from dpcore.kinds.tree.choices import Making, Outside
from dpcore.kinds.tree.levels_file import read_levels
from dpcore.kinds.tree.noisy_tree import TrajectoryWriter
from dpcore.kinds.tree.plan import Definition, Strategy
from dpcore.kinds.tree.tree import Consistency
from dpcore.release import read_bundle, write_bundle, zipped
from dpcore.release.reading import verify_bundle
from tests.cities import four_tiles
from tests.synthesis.tree.growing import PROMISES, TWO_LEVELS
from tests.synthesis.tree.written_out import synthetic_trajectories
from tests.synthetic_release.made_tree import LEVELS, day_choices, made_tree, tree_choices

KINDS = {
    "trips": tree_choices(),
    "days": day_choices(),
    "all critical": tree_choices(named=(), consistency=Consistency.SLACK),
    "another scale": tree_choices(named=(("A", "Low"),), descriptors=TWO_LEVELS),
    "one visit": tree_choices(height=1),
    "outside": tree_choices(making=Making(outside=Outside.PLACE), consistency=Consistency.NONE),
}


@pytest.mark.parametrize("choices", KINDS.values(), ids=KINDS)
def test_what_was_written_is_read_back(choices, tmp_path):
    release = made_tree(choices)
    digest = write_bundle(release, tmp_path / "bundle").digest
    found = read_bundle(tmp_path / "bundle")
    files = [path for path in (tmp_path / "bundle").rglob("*") if path.is_file()]
    assert verify_bundle(tmp_path / "bundle", digest=digest).files == len(files)
    assert (found.plan, found.id, found.drawn.seed) == (choices, release.id, 0)
    for column in ("parent", "symbol", "depth", "level", "units", "y", "x"):
        assert np.array_equal(
            getattr(found.drawn.tables.tree, column), getattr(release.drawn.tables.tree, column)
        ), column
    assert found.drawn.tables.plan.levels.level.tolist() == release.drawn.tables.plan.levels.level.tolist()
    assert write_bundle(found, tmp_path / "again").digest == digest
    assert read_bundle(zipped(tmp_path / "bundle")).id == release.id


@pytest.mark.parametrize(("definition", "strategy"), PROMISES)
def test_every_allocation_verifies(definition, strategy, tmp_path):
    release = made_tree(tree_choices(definition=definition, strategy=strategy, height=4), 300)
    write_bundle(release, tmp_path / "bundle")
    assert read_bundle(tmp_path / "bundle").plan.loss == release.plan.loss


def test_a_tree_without_anybody_is_a_release_too(tmp_path):
    write_bundle(made_tree(tree_choices(epsilon=tree_choices().epsilon / 10), 0), tmp_path / "bundle")
    assert read_bundle(tmp_path / "bundle").plan.epsilon < 1


def test_trajectories_are_those_of_the_tree_visit_by_visit(tmp_path):
    release = made_tree()
    write_bundle(release, tmp_path / "bundle")
    table = pq.read_table(tmp_path / "bundle" / "trajectories.parquet").to_pandas()
    every = synthetic_trajectories(release.drawn.tables.tree)
    assert table["trajectory"].nunique() == table["trajectory"].max() == len(every)
    found = table.groupby("trajectory")["tile_id"].agg(tuple).tolist()
    tiles = release.tessellation.tile_ids
    assert found == [
        tuple(tiles[symbol] for symbol in every.symbols[begin:end])
        for begin, end in zip(every.offsets[:-1], every.offsets[1:], strict=True)
    ]
    assert (
        table.groupby("trajectory")["position"].agg(list).map(lambda p: p == list(range(1, len(p) + 1))).all()
    )
    endings = table.groupby("trajectory")["ending"].first()
    names = np.array(["complete", "cut", "unknown"])[every.ending]
    assert endings.tolist() == names.tolist()


@pytest.mark.parametrize("form", ["points", "tiles"])
def test_trips_load_like_any_trips_file(form, tmp_path):
    release = made_tree(form=form)
    write_bundle(release, tmp_path / "bundle")
    file = owner.TripsFile.on_disk(tmp_path / "bundle" / "trips.parquet")
    trips = owner.load(file, owner.inspect(file), four_tiles(), timezone="Europe/Berlin")
    assert trips.has_points == (form == "points")
    every = synthetic_trajectories(release.drawn.tables.tree)
    starts = Counter(every.symbols[every.offsets[:-1]].tolist())
    ends = Counter(every.symbols[every.offsets[1:] - 1][every.ending == 0].tolist())
    flows = owner.exact_table(trips, "od_flows", None)
    assert sum(flows["value"]) == ends.total()
    visits = dict(zip(*owner.exact_table(trips, "visits_per_tile", None).values(), strict=True))
    assert visits["A"] >= ends[0]
    table = pq.read_table(tmp_path / "bundle" / "trips.parquet").to_pandas()
    assert Counter(table["start_tile"].map("ABCD".index)) == starts
    assert Counter(table["end_tile"].dropna().map("ABCD".index)) == ends


def test_a_day_is_no_trip_so_there_is_no_file_of_trips(tmp_path):
    write_bundle(made_tree(day_choices()), tmp_path / "bundle")
    assert not (tmp_path / "bundle" / "trips.parquet").exists()
    told = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())
    assert (told["trips"]["file"], told["trips"]["rows"]) == (None, 0)


def test_many_trajectories_are_thinned_and_still_verify(monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "MAX_SYNTHETIC_TRIPS", 100)
    monkeypatch.setattr("dpcore.kinds.tree.kind.BATCH_VISITS", 40)
    write_bundle(made_tree(), tmp_path / "bundle")
    told = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())["trajectories"]
    assert told["one_in"] > 5
    assert pq.read_metadata(tmp_path / "bundle" / "trajectories.parquet").num_rows == told["rows"]
    assert pq.read_metadata(tmp_path / "bundle" / "trips.parquet").num_row_groups > 3
    read_bundle(tmp_path / "bundle")
    assert f"Only one in {told['one_in']} is written" in (tmp_path / "bundle" / "README.md").read_text(
        encoding="utf-8"
    )


def test_levels_stand_in_the_bundle_as_a_table_that_can_be_used_again(tmp_path):
    write_bundle(made_tree(), tmp_path / "bundle")
    data = (tmp_path / "bundle" / "levels.csv").read_bytes()
    assert read_levels(data, four_tiles())[0] == LEVELS
    assert data.decode().splitlines()[-1] == '"D","Critical"'


SAID = {
    "trips": (
        tree_choices(),
        ("5/2", "1"),
        (
            "Location-PLDP",
            "Everything that one trip adds",
            "epsilon 2.5. This",
            "Low: epsilon 2.5.",
            "is removed from",
        ),
    ),
    "days": (
        day_choices(definition=Definition.RECORD, strategy=Strategy.RECORD),
        ("5/1", "2"),
        (
            "Record-PLDP",
            "At most 2 days",
            "one person adds, at whatever places: epsilon 5",
            "holds for the trajectories of people with at most 2 of them, and for trajectories that stay in the data",
            "and another one takes its place: epsilon 3.5 for one trajectory of a person with more than 2.",
            "nothing above High",
        ),
    ),
}


@pytest.mark.parametrize(("choices", "numbers", "words"), SAID.values(), ids=SAID)
def test_both_numbers_the_definition_and_the_exclusion_attack_are_told(choices, numbers, words, tmp_path):
    write_bundle(made_tree(choices), tmp_path / "bundle")
    text = (tmp_path / "bundle" / "README.md").read_text(encoding="utf-8")
    told = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())
    for word in ("exclusion attack", "public level", "cut to the height", *words):
        assert word in text, word
    levels = {one["name"]: one["epsilon"]["decimal"] for one in told["levels"]["descriptors"]}
    assert (told["privacy"]["epsilon"]["exact"], levels["Critical"]) == numbers
    assert f"Critical: epsilon {numbers[1]}." in text
    assert sum(one["places"] for one in told["levels"]["descriptors"]) == len(choices.tiles(four_tiles()))


def test_what_a_missing_trajectory_shows_is_said_where_trajectories_are_bounded_and_nowhere_else(tmp_path):
    for name, choices in (("trips", tree_choices()), ("days", day_choices())):
        write_bundle(made_tree(choices), tmp_path / name)
        text = (tmp_path / name / "README.md").read_text(encoding="utf-8")
        told = json.loads((tmp_path / name / "manifest.json").read_bytes())["statements"]
        bounded = name == "days"
        assert ("and stayed in the data, even without a visit" in text) == bounded
        assert (
            "people with at most 2 of them, and for trajectories that end earlier but stay" in text
        ) == bounded
        assert any("another one takes its place" in one for one in told["not_protected"]) == bounded
        assert ("count towards the bound of their person" in text) == bounded


def test_trajectories_are_made_ready_once_for_a_bundle(monkeypatch, tmp_path):
    made = []

    class Counted(TrajectoryWriter):
        def __init__(self, tree):
            made.append(tree)
            super().__init__(tree)

    monkeypatch.setattr("dpcore.kinds.tree.noisy_tree.TrajectoryWriter", Counted)
    release = made_tree()
    write_bundle(release, tmp_path / "bundle")
    assert len(made) == 2  # of the tree that is written, and of the one that is read back to be verified
    assert made[0] is release.drawn.tables.tree is not made[1]


def test_a_preview_is_never_released():
    tables = made_tree().drawn.tables
    with pytest.raises(ValueError, match="preview"):
        made_tree(tables=type(tables)(tables.plan, tables.tree, "preview"))
