"""Bundles of trees that were changed, or made to harm, are refused in plain words."""

from __future__ import annotations

from fractions import Fraction
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.errors import BundleError
from dpcore.kinds.tree.table import SCHEMA, tree_from
from dpcore.release import read_bundle, verify_bundle, write_bundle
from dpcore.release.canonical import epsilon_of
from dpcore.release.table_files import parquet_bytes
from tests.cities import four_tiles
from tests.release.tampering import rewrite
from tests.synthetic_release.made_tree import made_tree, tree_choices
from tests.synthetic_release.test_synthetic_hostile import column, member

FILES = (
    "manifest.json",
    "README.md",
    "tiles.geojson",
    "levels.csv",
    "tree.parquet",
    "trajectories.parquet",
    "trips.parquet",
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written") / "bundle"
    write_bundle(made_tree(), folder)
    return folder


@pytest.fixture
def bundle(written, tmp_path):
    (tmp_path / "bundle").mkdir()
    for file in written.iterdir():
        (tmp_path / "bundle" / file.name).write_bytes(file.read_bytes())
    return tmp_path / "bundle"


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_byte_is_found_wherever_it_is(bundle, name):
    data = (bundle / name).read_bytes()
    for place in (0, len(data) // 3, len(data) // 2, len(data) - 2):
        changed = bytearray(data)
        changed[place] ^= 1
        (bundle / name).write_bytes(bytes(changed))
        with pytest.raises(BundleError):
            verify_bundle(bundle)
    (bundle / name).unlink()
    with pytest.raises(BundleError):
        verify_bundle(bundle)
    (bundle / name).write_bytes(data)
    verify_bundle(bundle)


def swapped(method):
    method["levels"] = {"Low": ["00A", "00B"], "High": ["00C"]}


def amount(epsilon: int):
    return epsilon_of(Fraction(epsilon))


FORGED = {
    "a smaller epsilon": member(("method", "epsilon"), "1/2"),
    "an epsilon of the promise": member(("privacy", "epsilon", "exact"), "1/1"),
    "an epsilon of a level": member(("levels", "descriptors", 0, "epsilon", "exact"), "1/1"),
    "another unit": member(("method", "unit"), "user"),
    "another bound": member(("method", "max_trips"), 3),
    "levels that do not match": lambda document: swapped(document["method"]),
    "no levels": member(("method", "levels"), {}),
    "levels of no tile": member(("method", "levels"), {"Low": ["00Q"]}),
    "levels of no scale": member(("method", "levels"), {"Secret": ["00A"]}),
    "levels twice": member(("method", "levels"), {"Low": ["00A", "01"], "High": ["00B", "00C"]}),
    "another scale": member(("method", "descriptors"), [["Low", "1/5"], ["High", "4/5"], ["Critical", "1"]]),
    "a scale that falls": member(("method", "descriptors", 4), ["Critical", "1/10"]),
    "a formula for a name": member(("method", "descriptors", 0), ["=1+1", "1/5"]),
    "another height": member(("method", "height"), 4),
    "an endless height": member(("method", "height"), 10**9),
    "no height": member(("method", "height"), 0),
    "another definition": member(("method", "definition"), "record"),
    "another strategy": member(("method", "strategy"), "uniform"),
    "another consistency": member(("method", "consistency"), "none"),
    "a day": member(("method", "making", "source"), "day"),
    "outside": member(("method", "making", "outside"), "place"),
    "no making": member(("method", "making"), None),
    "another kind": member(("method", "kind"), "roy"),
    "nodes": member(("tree", "nodes"), 3),
    "a number of trajectories": member(("trajectories", "number"), 3),
    "a thinning": member(("trajectories", "one_in"), 2),
    "a number of trips": member(("trips", "rows"), 3),
    "a smaller charge": member(("ledger_entry", "charged"), amount(1)),
    "a larger charge": member(("ledger_entry", "charged"), amount(3)),
    "an account that cannot pay it": member(("ledger_entry", "currency"), "user"),
    "a delta that was charged": member(("ledger_entry", "charged_delta"), {"about": "0.5", "exact": "1/2"}),
    "a part that costs more": lambda document: document["ledger_entry"].update(
        part="north", charged=amount(3)
    ),
    "no warning": member(("statements", "not_protected"), []),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_a_manifest_forged_with_all_sums_right_is_refused(bundle, change):
    rewrite(bundle, change)
    with pytest.raises(BundleError):
        verify_bundle(bundle)


@pytest.mark.parametrize(
    "change",
    [
        member(("method", "making", "minutes"), 5),
        member(("method", "period"), {"first": "2024-04-01", "last": "2024-04-07"}),
        member(("trips", "seed"), "7"),
    ],
)
def test_what_is_only_said_of_the_data_is_guarded_by_the_digest_that_the_ledger_holds(bundle, change):
    digest = verify_bundle(bundle).digest
    rewrite(bundle, change)
    with pytest.raises(BundleError, match="ledger knows"):
        verify_bundle(bundle, digest=digest)


def test_levels_in_the_file_that_are_not_those_of_the_manifest_are_refused(bundle):
    data = (bundle / "levels.csv").read_bytes()
    rewrite(bundle, levels__csv=data.replace(b"Low", b"High", 1))
    with pytest.raises(BundleError, match="levels"):
        read_bundle(bundle)


def values(name, change):
    """The column with its numbers changed."""

    def changed(table):
        numbers = table[name].to_numpy().copy()
        change(numbers, table)
        return pa.array(numbers)

    return column(name, changed)


def put(place, number):
    def change(numbers, _):
        numbers[place] = number

    return change


def add(place, number):
    def change(numbers, _):
        numbers[place] += number

    return change


SIGNAL = float(np.array([0x7FF0_0000_0000_0001], np.uint64).view(np.float64)[0])
"""No number, of the kind with which every sum is a warning."""


def all_of(table, name, value):
    return table.set_column(table.schema.get_field_index(name), name, pa.array([value] * len(table)))


def symbols(change):
    return column("symbol", lambda table: pa.array(change(table["symbol"].to_pylist()), pa.string()))


def swap(first, second):
    """Two rows exchanged, all columns but the number of the node."""

    def change(table):
        order = np.arange(len(table))
        order[[first, second]] = order[[second, first]]
        return column("node", lambda _: table["node"].combine_chunks())(table.take(pa.array(order)))

    return change


def without_markers(kind):
    def change(table):
        kept = table.filter(pa.array([symbol != kind for symbol in table["symbol"].to_pylist()]))
        return column("node", lambda kept: pa.array(range(1, len(kept) + 1)))(kept)

    return change


ORDER, PLAN, ESTIMATE, SHAPE, GONE = (
    "order of a tree",
    "follow from the plan",
    "estimate",
    "not what the manifest says",
    "missing",
)
TREES = {
    "a forged count": (ESTIMATE, values("value", add(0, 100))),
    "a forged count of an end": (
        ESTIMATE,
        values("value", lambda y, t: add(t["symbol"].to_pylist().index("$"), 40)(y, t)),
    ),
    "an impossible count": (PLAN, values("value", put(0, 2**60))),
    "a count below the threshold": (PLAN, values("value", put(0, 0))),
    "a forged estimate": (ESTIMATE, values("estimate", add(0, 0.5))),
    "an estimate that is none": (ESTIMATE, values("estimate", put(0, float("nan")))),
    "an estimate that processors warn of": (ESTIMATE, values("estimate", put(0, SIGNAL))),
    "an endless estimate": (ESTIMATE, values("estimate", put(3, float("inf")))),
    "a rate": (PLAN, values("rate_65536ths", add(0, 1))),
    "the rate of an end": (PLAN, values("rate_65536ths", add(-1, 1))),
    "no rate": (PLAN, values("rate_65536ths", put(0, 0))),
    "a negative rate": (PLAN, values("rate_65536ths", put(0, -5))),
    "a half width": ("half width", values("half_width_95", put(0, 0))),
    "a depth": (ORDER, values("depth", put(0, 2))),
    "an endless depth": (ORDER, values("depth", put(-1, 2**62))),
    "a parent that comes later": (ORDER, values("parent", put(0, 9))),
    "a parent of its own": (ORDER, values("parent", put(5, 6))),
    "a parent beyond": (ORDER, values("parent", put(-1, 10**6))),
    "a negative parent": (ORDER, values("parent", put(0, -1))),
    "parents out of order": (
        ORDER,
        values("parent", lambda p, _: p.__setitem__(slice(None), p[::-1].copy())),
    ),
    "siblings out of order": (ORDER, swap(0, 1)),
    "the order of depths": (ORDER, swap(0, -1)),
    "a node without a name": (GONE, symbols(lambda found: [None, *found[1:]])),
    "an unknown tile": (ORDER, symbols(lambda found: ["Q", *found[1:]])),
    "an end at the root": (ORDER, symbols(lambda found: ["$", *found[1:]])),
    "a tile beyond the height": (ORDER, symbols(lambda found: [*found[:-1], "A"])),
    "the same tile twice": (ORDER, symbols(lambda found: [found[0], found[0], *found[2:]])),
    "another level": (PLAN, lambda table: all_of(table, "level", "Critical")),
    "an unknown level": (PLAN, lambda table: all_of(table, "level", "x")),
    "node numbers": (ORDER, values("node", add(0, 1))),
    "no ends": (ORDER, without_markers("$")),
    "no cut ends": (ORDER, without_markers("+")),
    "fewer nodes": (ORDER, lambda table: table.slice(0, len(table) - 1)),
    "twice": (ORDER, lambda table: pa.concat_tables([table, table])),
    "another column": (SHAPE, lambda table: table.append_column("user_id", table["node"])),
    "a column less": (SHAPE, lambda table: table.drop_columns(["estimate"])),
    "texts for counts": (SHAPE, lambda table: all_of(table, "value", "7")),
}


@pytest.mark.parametrize(("why", "change"), TREES.values(), ids=TREES)
def test_a_forged_tree_is_refused_for_what_is_wrong(bundle, why, change):
    table = pq.read_table(bundle / "tree.parquet")
    rewrite(bundle, tree__parquet=parquet_bytes(change(table)))
    with pytest.raises(BundleError, match=why):
        read_bundle(bundle)


def test_nothing_lies_below_an_end():
    choices = tree_choices()
    rows = {
        "node": [1, 2, 3, 4, 5],
        "parent": [0, 1, 2, 3, 3],
        "symbol": ["A", "$", "B", "$", "+"],
        "depth": [1, 2, 3, 4, 4],
        "level": ["Low"] * 5,
        "rate_65536ths": [1] * 5,
        "value": [9] * 5,
        "half_width_95": [1] * 5,
        "estimate": [9.0] * 5,
    }
    below = pa.table(rows, SCHEMA)
    with pytest.raises(BundleError, match=ORDER):
        tree_from(below, choices.plan(four_tiles()), choices.consistency, "tree.parquet")


def test_a_tree_without_nodes_does_not_pass_for_another(bundle):
    table = pq.read_table(bundle / "tree.parquet")
    rewrite(bundle, tree__parquet=parquet_bytes(table.slice(0, 0)))
    with pytest.raises(BundleError, match="follow from the tree"):
        read_bundle(bundle)


def rows_with(folder, name, change):
    written = BytesIO()
    pq.write_table(change(pq.read_table(folder / f"{name}.parquet")), written, store_schema=False)
    rewrite(folder, **{f"{name}__parquet": written.getvalue()})


def moved(tiles):
    return ["B" if tiles[0] == "A" else "A", *tiles[1:]]


ROWS = {
    "fewer": ("trajectories", lambda table: table.slice(1)),
    "more": ("trajectories", lambda table: pa.concat_tables([table, table])),
    "none": ("trajectories", lambda table: table.slice(0, 0)),
    "another tile": ("trajectories", column("tile_id", lambda t: pa.array(moved(t["tile_id"].to_pylist())))),
    "another order": ("trajectories", lambda table: table.take(list(range(len(table)))[::-1])),
    "another ending": ("trajectories", lambda table: all_of(table, "ending", "complete")),
    "a person": ("trajectories", lambda table: table.append_column("user_id", table["trajectory"])),
    "fewer trips": ("trips", lambda table: table.slice(1)),
    "a trip elsewhere": ("trips", lambda table: all_of(table, "start_tile", "D")),
    "coordinates": ("trips", lambda table: all_of(table, "start_lat", 0.1)),
    "times": ("trips", column("ended_at", lambda t: pa.array([None] * len(t), pa.timestamp("us")))),
}


@pytest.mark.parametrize(("name", "change"), ROWS.values(), ids=ROWS)
def test_forged_rows_are_refused(bundle, name, change):
    rows_with(bundle, name, change)
    with pytest.raises(BundleError, match="follow from the tree"):
        read_bundle(bundle)


@pytest.mark.parametrize("name", ["trajectories", "trips"])
def test_rows_written_again_as_they_were_are_accepted(bundle, name):
    rows_with(bundle, name, lambda table: table)
    verify_bundle(bundle)


@pytest.mark.parametrize("name", ["tree", "trajectories", "trips"])
def test_what_is_no_parquet_is_refused(bundle, name):
    rewrite(bundle, **{f"{name}__parquet": b"PAR1" + b"\0" * 40 + b"PAR1"})
    with pytest.raises(BundleError):
        read_bundle(bundle)


def test_random_damage_is_always_a_refusal(bundle):
    rng = np.random.default_rng(5)
    for name in ("tree", "trajectories"):
        data = (bundle / f"{name}.parquet").read_bytes()
        for _ in range(60):
            changed = bytearray(data)
            for place in rng.integers(4, len(data), 3).tolist():
                changed[place] ^= int(rng.integers(1, 256))
            rewrite(bundle, **{f"{name}__parquet": bytes(changed)})
            try:
                found = read_bundle(bundle)
            except BundleError:
                continue
            assert found.plan.kind == "trajectory-tree"  # a byte that nobody reads
        rewrite(bundle, **{f"{name}__parquet": data})
    verify_bundle(bundle)
