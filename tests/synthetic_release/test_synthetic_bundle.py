"""A synthetic release goes into a bundle and comes out of it as it was, and its trips load like any trips."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest

import dpcore
from dpcore import limits
from dpcore.api import owner
from dpcore.command_line.main import main
from dpcore.errors import InputError, InternalError
from dpcore.kinds.roy.article import PRINTED, RULE, SOUND, Outliers, printed
from dpcore.kinds.stability.choices import COMBINATIONS
from dpcore.kinds.stability.kind import sources_of_trips
from dpcore.measures.keys import Period
from dpcore.release import kind_of, read_bundle, verify_bundle, write_bundle
from dpcore.release.manifest import readme_of as readme
from dpcore.release.statements import choice_sentence
from tests.cities import four_tiles
from tests.synthetic_release.made_synthetic import WEEK, made_synthetic, roy_choices, stability_choices

RELEASES = {
    "roy": made_synthetic,
    "roy between tiles": lambda: made_synthetic(
        roy_choices(by_month=False, extras=(), zips=()), form="tiles"
    ),
    "stability": lambda: made_synthetic(stability_choices()),
    "stability without dates": lambda: made_synthetic(stability_choices(period=None), form="tiles"),
    "taps apart": lambda: made_synthetic(
        stability_choices(combinations=(("on_time", "on_loc"), ("off_loc",)))
    ),
    "ends first": lambda: made_synthetic(stability_choices(combinations=(("off_loc",), ("on_loc",)))),
    "one end alone": lambda: made_synthetic(
        stability_choices(combinations=(("off_time", "off_loc"), ("off_loc",)))
    ),
    "nothing shown": lambda: made_synthetic(stability_choices(minutes=5, epsilon=Fraction(1, 2))),
}


@pytest.mark.parametrize("made", RELEASES.values(), ids=RELEASES)
def test_what_was_written_is_read_back(made, tmp_path):
    release = made()
    digest = write_bundle(release, tmp_path / "bundle").digest
    found = read_bundle(tmp_path / "bundle")
    assert verify_bundle(tmp_path / "bundle", digest=digest).files == len(
        [path for path in (tmp_path / "bundle").rglob("*") if path.is_file()]
    )
    for name in ("id", "title", "note", "plan", "anchor", "charged_delta", "created"):
        assert getattr(found, name) == getattr(release, name), name
    assert (found.drawn.seed, found.drawn.form) == (release.drawn.seed, release.drawn.form)
    if hasattr(release.drawn.tables, "large"):
        for name, one in release.drawn.tables.large.items():
            other = found.drawn.tables.large[name]
            assert (other.keys, other.part.tolist()) == (one.keys, one.part.tolist())
            assert other.counts.tolist() == one.counts.tolist()
    else:
        for name, table in release.drawn.tables.values.items():
            assert np.array_equal(found.drawn.tables.values[name], table)
    assert (
        write_bundle(found, tmp_path / "again").digest == digest
    )  # the same release, the same bytes: trips too


@pytest.mark.parametrize("made", RELEASES.values(), ids=RELEASES)
def test_trips_load_like_any_trips_file(made, tmp_path):
    release = made()
    write_bundle(release, tmp_path / "bundle")
    rows = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())["trips"]["rows"]
    file = owner.TripsFile.on_disk(tmp_path / "bundle" / "trips.parquet")
    trips = owner.load(file, owner.inspect(file), four_tiles(), timezone="Europe/Berlin")
    assert (trips.has_users, trips.has_points) == (False, release.drawn.form == "points")
    counted = owner.exact_table(trips, "trips_per_weekday", None)
    assert sum(counted["value"]) == rows
    visits = dict(zip(*owner.exact_table(trips, "visits_per_tile", None).values(), strict=True))
    table = pq.read_table(tmp_path / "bundle" / "trips.parquet").to_pandas()
    whole = table.dropna(subset=["started_at", "ended_at", "start_tile", "end_tile"])
    assert len(whole) == rows or hasattr(release.drawn.tables, "large")
    for tile in "ABCD":  # of a trip with one known end that end counts, as for every trips file
        least = (whole["start_tile"] == tile).sum() + (whole["end_tile"] == tile).sum()
        assert visits[tile] >= least if len(whole) < rows else visits[tile] == least


def test_trips_are_as_many_as_the_tables_count_and_lie_in_the_period():
    release = made_synthetic()
    table = next(kind_of(release.plan).batches_of_trips(release)).to_pandas()
    assert len(table) == max(0, round(release.drawn.tables.total))
    assert table["started_at"].between("2024-04-01", "2024-04-08").all()
    assert (table["ended_at"] > table["started_at"]).all()
    assert set(table["zip"]) <= {"02139", "=1+1", "other"}
    assert table["synthetic_id"].tolist() == list(range(1, len(table) + 1))


def test_rows_of_large_counts_are_repeated_as_often_as_they_were_counted():
    release = made_synthetic(stability_choices())
    plan = release.drawn.tables.plan
    assert [one.name for one in sources_of_trips(plan)] == ["on_time+on_loc+off_loc"]
    table = next(kind_of(release.plan).batches_of_trips(release)).to_pandas()
    shown = release.drawn.tables.columns("on_time+on_loc+off_loc")
    for day, clock, start, end, count in zip(*shown.values(), strict=True):
        if clock == "UNKNOWN":
            continue
        rows = table[table["started_at"] == f"{day} {clock}"]
        at_start = rows["start_tile"].isna() if start == "UNKNOWN" else rows["start_tile"] == start
        at_end = rows["end_tile"].isna() if end == "UNKNOWN" else rows["end_tile"] == end
        assert (at_start & at_end).sum() == count
    both = table.dropna(subset=["started_at", "ended_at"])
    assert len(both)
    assert (both["ended_at"] >= both["started_at"]).all()


REPEATED = {
    "both ends, with the most": ([("on_loc",), ("off_loc",), ("on_loc", "off_loc")], ["on_loc+off_loc"]),
    "each end by itself": ([("on_loc",), ("off_loc",)], ["on_loc", "off_loc"]),
    "starts come first": ([("off_loc",), ("on_time", "on_loc")], ["on_time+on_loc", "off_loc"]),
    "as for the Opal cards": (COMBINATIONS, ["on_time+on_loc", "off_time+off_loc"]),
    "both ends beat one that is as good": (
        [("on_time", "on_loc"), ("on_loc", "off_time"), ("off_loc",)],
        ["on_loc+off_time"],
    ),
    "a clock of both ends tells no place": (
        [("on_time", "off_time"), ("on_loc",), ("off_loc",)],
        ["on_loc", "off_loc"],
    ),
    "ends alone": ([("off_time",), ("off_time", "off_loc")], ["off_time+off_loc"]),
}


@pytest.mark.parametrize(("combinations", "repeated"), REPEATED.values(), ids=REPEATED)
def test_rows_are_those_of_both_ends_or_of_the_best_of_each(combinations, repeated):
    plan = stability_choices(combinations=tuple(combinations)).plan()
    assert [one.name for one in sources_of_trips(plan)] == repeated


def test_starts_and_ends_that_were_counted_apart_can_both_be_counted_again(tmp_path):
    release = made_synthetic(stability_choices(combinations=(("on_loc",), ("off_loc",)), period=None))
    write_bundle(release, tmp_path / "bundle")
    file = owner.TripsFile.on_disk(tmp_path / "bundle" / "trips.parquet")
    trips = owner.load(file, owner.inspect(file), four_tiles(), timezone="Europe/Berlin")
    visits = dict(zip(*owner.exact_table(trips, "visits_per_tile", None).values(), strict=True))
    table = pq.read_table(tmp_path / "bundle" / "trips.parquet").to_pandas()
    for end, name in (("start", "on_loc"), ("end", "off_loc")):
        shown = release.drawn.tables.columns(name)
        for tile, count in zip(shown[name], shown["count"], strict=True):
            if tile != "UNKNOWN":
                assert (table[f"{end}_tile"] == tile).sum() == count
    for tile in "ABCD":
        ends = [
            dict(zip(*release.drawn.tables.columns(name).values(), strict=True))
            for name in ("on_loc", "off_loc")
        ]
        assert visits[tile] == sum(one.get(tile, 0) for one in ends)
    told = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())
    assert told["trips"]["repeats"] == ["on_loc", "off_loc"]
    assert "twice as many rows as trips" in told["statements"]["trips"]


def test_no_end_takes_the_room_of_the_other(monkeypatch):
    monkeypatch.setattr(limits, "MAX_SYNTHETIC_TRIPS", 100)
    release = made_synthetic(stability_choices(combinations=(("on_loc",), ("off_loc",))))
    ends = [
        batch.column("start_tile").null_count for batch in kind_of(release.plan).batches_of_trips(release)
    ]
    assert [len(batch) for batch in kind_of(release.plan).batches_of_trips(release)] == [50, 50]
    assert ends[1] == 50 > ends[0]


def test_many_trips_are_cut_at_the_limit_and_still_verify(monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "MAX_SYNTHETIC_TRIPS", 100)
    for number, release in enumerate((made_synthetic(), made_synthetic(stability_choices()))):
        write_bundle(release, tmp_path / str(number))
        assert pq.read_metadata(tmp_path / str(number) / "trips.parquet").num_rows == 100
        read_bundle(tmp_path / str(number))


def test_trips_are_written_in_batches(monkeypatch, tmp_path):
    for place in ("kinds.roy.kind", "kinds.stability.kind", "release.kinds.trip_rows"):
        monkeypatch.setattr(f"dpcore.{place}.BATCH_ROWS", 64)
    release = made_synthetic()
    write_bundle(release, tmp_path / "bundle")
    assert pq.read_metadata(tmp_path / "bundle" / "trips.parquet").num_row_groups > 5
    read_bundle(tmp_path / "bundle")


def test_a_bundle_in_which_a_tile_is_called_as_what_is_not_known_never_comes_to_be(tmp_path):
    tiles = replace(four_tiles(), tile_ids=("A", "B", "C", "UNKNOWN"))
    with pytest.raises(InternalError):
        write_bundle(made_synthetic(stability_choices(), tessellation=tiles), tmp_path / "bundle")


def test_a_folder_that_is_not_empty_is_refused_and_a_preview_is_never_released(tmp_path):
    (tmp_path / "mine").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="not empty"):
        write_bundle(made_synthetic(), tmp_path)
    tables = made_synthetic().drawn.tables
    preview = type(tables)(tables.plan, tables.values, "preview")
    with pytest.raises(ValueError, match="preview"):
        made_synthetic(tables=preview)


def test_readme_and_manifest_tell_what_is_promised(tmp_path):
    write_bundle(
        made_synthetic(stability_choices(period=Period(WEEK.first, WEEK.first))), tmp_path / "bundle"
    )
    text = (tmp_path / "bundle" / "README.md").read_text(encoding="utf-8")
    told = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())
    assert told["privacy"]["delta"] == {"about": "1e-06", "exact": "1/1000000"}
    assert told["parts"] == {"columns": ["date"], "listed": [["2024-04-01"]]}
    for words in ("one trip", "delta", "trips on, nothing is promised", "never means zero", "shown from"):
        assert words in text, words
    assert told["method"]["variant"] == "add-remove"


def test_the_readme_says_what_is_the_article_s_and_what_is_ours(capsys):
    text = readme(made_synthetic()).decode()
    assert SOUND in text
    assert RULE in text
    with pytest.raises(SystemExit):
        main(["synth", "roy", "--help"])
    assert RULE in " ".join(capsys.readouterr().out.split())
    with pytest.raises(SystemExit):
        main(["synth", "sweep", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert all(printed(metric) in said for metric in PRINTED)
    assert "Ours, because the article does not say it: whose quartiles these are" in said
    assert all(f"{one.value}: {one.words}" in said and "(ours" in one.words for one in Outliers)


def test_the_readme_says_nothing_twice_and_prints_versions_as_they_are():
    release = made_synthetic(
        stability_choices(combinations=(("on_loc", "off_loc"),)), parameters_chosen="after_preview"
    )
    text = readme(release).decode()
    assert text.count(choice_sentence("after_preview")) == 1
    assert f"epsilon-atlas {dpcore.__version__}" in text
    assert "0 minutes if there is no time at all" in text
    assert readme(made_synthetic()).decode().count(choice_sentence("before_data")) == 1
