"""Releases of other kinds side by side: what means the same is compared, and the rest is named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import dpcore
from dpcore.command_line.main import main
from dpcore.comparison import Pair, compared, left_out, matched, side_of_any
from dpcore.errors import InputError
from dpcore.kinds.roy.released_views import synthetic_counts
from dpcore.kinds.tree.choices import Making
from dpcore.kinds.tree.kind import VISITS_SCHEMA
from dpcore.measures.choices import KeyChoices
from dpcore.release import kind_of, write_bundle
from dpcore.views.comparison.likeness import said_beside
from dpcore.views.report.two_reports import PUBLIC, comparison_html
from tests.release.added_kinds import added
from tests.release.made_releases import WEEK, grid, made_release
from tests.release.test_a_fifth_kind import Total, TotalKind, TotalPlan
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices
from tests.synthetic_release.made_tree import made_tree, tree_choices

SYNTHETIC = (
    "visits_per_tile",
    "od_flows",
    "trips_over_time",
    "trips_per_weekday",
    "trips_per_hour",
    "visits_per_time_tile",
    "travel_time",
)
LOW = stability_choices(epsilon=Fraction(1, 2))


@pytest.fixture(scope="module")
def roy():
    return made_synthetic()


@pytest.fixture(scope="module")
def large():
    return made_synthetic(stability_choices())


@pytest.fixture(scope="module")
def tree():
    return made_tree(number=3_000)


@pytest.fixture(scope="module")
def tables():
    return made_release()


def value_of(table, **keys) -> float:
    rows = np.logical_and.reduce([table.columns[name] == key for name, key in keys.items()])
    return float(table.values[rows].sum())


def test_synthetic_trips_are_counted_as_their_views_count_them(roy):
    side, found, tiles = side_of_any(roy), synthetic_counts(roy), roy.tessellation.tile_ids
    assert tuple(side.tables) == SYNTHETIC
    assert (side.name, side.released, side.tessellation) == (f"{roy.id} (synthetic)", True, roy.tessellation)
    visits = [value_of(side.tables["visits_per_tile"], tile_id=tile) for tile in tiles]
    assert visits == (found.starts + found.ends).tolist()
    flows = [[value_of(side.tables["od_flows"], origin=a, destination=b) for b in tiles] for a in tiles]
    assert flows == found.flows.tolist()
    hours = side.tables["trips_per_hour"]
    assert [value_of(hours, kind="start", hour=str(hour)) for hour in range(24)] == found.hours.tolist()


def test_synthetic_trips_beside_themselves_are_perfect_and_beside_others_are_not(roy):
    same, other = dpcore.compare(roy, roy), dpcore.compare(roy, made_synthetic(seed=5))
    assert set(same["measure"]) == set(SYNTHETIC) == set(other["measure"])
    assert set(same[same["metric"] == "jsd"]["value"]) == {0.0}
    assert (other[other["metric"] == "jsd"]["value"] > 0).all()
    assert "none is that of a real person" in same.attrs["notes"][0]


def test_beside_tables_synthetic_trips_leave_out_what_they_cannot_count(roy, tables):
    one, other = side_of_any(tables), side_of_any(roy)
    visits = matched(one.tables["visits_per_tile"], other.tables["visits_per_tile"])
    assert sorted(visits.columns["tile_id"]) == sorted(tables.tessellation.tile_ids)
    dates = matched(one.tables["trips_over_time"], other.tables["trips_over_time"])
    assert {*dates.columns["date"]} == {day.isoformat() for day in WEEK.days}
    assert one.tables["visits_per_tile"].rate is not None
    assert visits.rates == (
        None,
        None,
    )  # the noise of synthetic trips is not known, so none of a difference is
    said = said_beside(one, other)
    assert visits.notes == ("without outside, which a side does not count",)
    assert dates.notes == ("without after and before, which a side does not count",)
    assert any(sentence == f"Not compared, only in {other.name}: Travel time (minutes)." for sentence in said)
    page = comparison_html(one, other, static=True)
    assert PUBLIC in page
    assert f"{roy.id} (synthetic)" in page
    assert "none is that of a real person" in page


def test_visits_of_the_way_are_not_compared_with_those_of_the_ends(roy):
    way = made_release(
        weights={"visits_per_tile": 1, "trips_per_hour": 1}, choices=KeyChoices(WEEK, visits_cap=4)
    )
    assert "visits of a trip" in left_out(side_of_any(way), side_of_any(roy))["visits_per_tile"].what
    assert not left_out(
        side_of_any(way), side_of_any(made_release())
    )  # nothing says what those of a table are


def test_large_counts_are_compared_on_what_both_list_and_the_rest_is_no_zero(large):
    one, other = side_of_any(large), side_of_any(made_synthetic(LOW))
    name = "on_time+on_loc+off_loc"
    mine, theirs = (
        {*zip(*(column.tolist() for column in side.tables[name].columns.values()), strict=True)}
        for side in (one, other)
    )
    assert mine - theirs
    pair: Pair = matched(one.tables[name], other.tables[name])
    kept = {*zip(*(column.tolist() for column in pair.columns.values()), strict=True)}
    assert kept == mine & theirs
    assert (pair.one >= one.tables[name].threshold).all()
    assert (pair.other >= other.tables[name].threshold).all()
    (note,) = pair.notes
    assert note.startswith(f"{len(kept):,} cells are listed on both sides")
    assert (
        f"{len(mine - theirs):,} of A alone are below the threshold of {other.tables[name].threshold:,} in B"
        in note
    )
    assert {score.cells for score in compared(one, other, measures=[name])} == {len(kept)}


def test_large_counts_that_list_no_cell_in_common_have_no_number(large):
    side = side_of_any(large)
    table = side.tables["on_loc"]
    nothing = replace(
        table, columns={name: column[:0] for name, column in table.columns.items()}, values=table.values[:0]
    )
    with pytest.raises(InputError, match="no cell is listed on both sides"):
        compared(side, replace(side, tables={"on_loc": nothing}))


def test_the_order_of_the_columns_of_a_combination_makes_no_difference(large):
    turned = made_synthetic(stability_choices(combinations=(("off_loc", "on_loc", "on_time"),)))
    assert {*dpcore.compare(large, turned)["measure"]} == {"on_time+on_loc+off_loc"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"minutes": 180}, "the bins of times are not the same"),
        ({"period": None}, "the parts are not the same"),
    ],
)
def test_large_counts_of_other_keys_are_left_out_with_the_reason(large, changes, reason):
    other = side_of_any(made_synthetic(stability_choices(**changes)))
    assert left_out(side_of_any(large), other)["on_time+on_loc+off_loc"].what == reason


def test_trees_are_compared_by_the_number_of_places(tree):
    table = side_of_any(tree).tables["trajectories_by_places"]
    batches = [
        batch
        for name, schema, rows in kind_of(tree.plan).rows(tree)
        if schema == VISITS_SCHEMA
        for batch in rows
    ]
    lengths = np.unique(
        np.concatenate([batch["trajectory"].to_numpy() for batch in batches]), return_counts=True
    )[1]
    assert table.values.tolist() == np.bincount(lengths, minlength=4)[1:].tolist()
    found = dpcore.compare(tree, made_tree(number=1_000))
    assert found["metric"].tolist() == ["smape", "jsd", "kld", "emd"]
    assert "rest was too rare" in found.attrs["notes"][0]
    assert "Trajectories by places" in dpcore.compare_html(tree, tree)


def test_what_cannot_be_compared_is_refused_in_one_sentence(roy, large, tree, tables):
    far = made_release(tessellation=grid(), weights={"visits_per_tile": 1})
    other_way = made_tree(tree_choices(making=Making(minutes=30)))
    for one, other, reason in (
        (roy, far, "the tiles are not the same"),
        (tables, large, "no measure in common"),
        (roy, tree, "no measure in common"),
        (large, roy, "no measure in common"),
        (tree, made_tree(tree_choices(height=2)), "the heights are not the same"),
        (tree, other_way, "the kinds of trajectory are not the same"),
    ):
        for compare in (dpcore.compare, partial(dpcore.compare_html, static=True)):
            with pytest.raises(InputError, match=reason):
                compare(one, other)


def test_of_a_kind_that_says_nothing_nothing_can_be_compared(tables):
    with added(TotalKind()), pytest.raises(InputError, match="nothing of a release of the kind"):
        side_of_any(replace(tables, plan=TotalPlan(Fraction(1)), drawn=Total(5)))


def test_the_command_says_what_is_synthetic_and_what_is_left_out(roy, tables, tmp_path, capsys):
    for name, release in (("tables", tables), ("roy", roy)):
        write_bundle(release, tmp_path / name)
    given = [str(tmp_path / "tables"), str(tmp_path / "roy")]
    assert (
        main(
            ["compare", *given, "--epsilon", "0.5", "--html", str(tmp_path / "page.html"), "--metrics", "jsd"]
        )
        == 0
    )
    told = capsys.readouterr()
    assert [row.split(",")[0] for row in told.out.splitlines()[1:]] == [
        one for one in tables.measurements if one in SYNTHETIC
    ]
    assert "note: Synthetic trips are drawn from noisy tables" in told.err
    assert "note: not compared, only in roy (synthetic): travel_time" in told.err
    assert "for the owner only" not in told.err
    assert "roy (synthetic)" in (tmp_path / "page.html").read_text(encoding="utf-8")
