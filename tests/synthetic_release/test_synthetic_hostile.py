"""Synthetic bundles that were changed, or made to harm, are refused in plain words."""

from __future__ import annotations

import json
from datetime import date
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.errors import BundleError
from dpcore.kinds.stability.zones import tiles_of_zones
from dpcore.measures.attribute import Categories
from dpcore.measures.keys import Period
from dpcore.release import read_bundle, read_tables, verify_bundle, write_bundle
from dpcore.release.canonical import canonical
from dpcore.release.table_files import csv_bytes, parquet_bytes
from tests.cities import four_tiles
from tests.release.tampering import rewrite
from tests.synthetic_release.made_synthetic import made_synthetic, roy_choices, stability_choices

FILES = (
    "manifest.json",
    "README.md",
    "tiles.geojson",
    "trips.parquet",
    "tables/date.csv",
    "tables/date.parquet",
)


@pytest.fixture
def roy(tmp_path):
    write_bundle(made_synthetic(roy_choices(extras=(), zips=())), tmp_path / "roy")
    return tmp_path / "roy"


@pytest.fixture
def large(tmp_path):
    write_bundle(made_synthetic(stability_choices()), tmp_path / "large")
    return tmp_path / "large"


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_byte_is_found_wherever_it_is(roy, name):
    data = (roy / name).read_bytes()
    for place in (0, len(data) // 3, len(data) - 2):
        changed = bytearray(data)
        changed[place] ^= 1
        (roy / name).write_bytes(bytes(changed))
        with pytest.raises(BundleError):
            verify_bundle(roy)
    (roy / name).unlink()
    with pytest.raises(BundleError):
        verify_bundle(roy)
    (roy / name).write_bytes(data)
    verify_bundle(roy)


def member(path, value):
    """A change of one member of the manifest."""

    def change(document):
        *before, last = path
        for name in before:
            document = document[name]
        document[last] = value

    return change


FORGED = {
    "a smaller epsilon": member(("method", "epsilon"), "1"),
    "an epsilon of the promise": member(("privacy", "epsilon", "exact"), "1/1"),
    "a half width": member(("tables", 0, "half_width_95"), 0),
    "another unit": member(("method", "unit"), "user"),
    "another bound": member(("method", "max_trips"), 3),
    "a boolean bound": member(("method", "max_trips"), True),
    "an endless fraction": member(("method", "epsilon"), "1/" + "9" * 200),
    "a number that nobody can write out": member(("method", "epsilon"), "1e99999999999"),
    "a name as long as a book": member(("method", "extras"), ["\x1b[31m" + "x" * 50_000]),
    "a zero denominator": member(("method", "epsilon"), "1/0"),
    "a period": member(("method", "period", "last"), "2024-04-06"),
    "an endless period": member(("method", "period", "last"), "9999-12-31"),
    "holidays that are no days": member(("method", "holidays"), ["2024-04-31"]),
    "holidays that are none": member(("method", "holidays"), "all"),
    "attributes": member(("method", "extras"), ["gender"]),
    "zips": member(("method", "zips"), [["x"]]),
    "no kind": member(("method", "kind"), "magic"),
    "another kind": member(("method", "kind"), "stability"),
    "a number of trips": member(("trips", "rows"), 3),
    "a seed": member(("trips", "seed"), "-1"),
    "a form": member(("trips", "form"), "tiles"),
    "a version": member(("schema_version",), 99),
    "an extra member": member(("free",), "money"),
    "a file too many": member(("files", "x.exe"), {"sha256": "0" * 64}),
    "a file outside": member(("files", "../x"), {"sha256": "0" * 64}),
    "a charge": member(("ledger_entry", "charged_delta"), {"about": "0", "exact": "0"}),
    "no sentence": member(("statements", "promise"), 3),
    "method gone": member(("method",), None),
    "a table of the tiles": member(("tiles", "count"), 5),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_a_manifest_forged_with_all_sums_right_is_refused(roy, change):
    rewrite(roy, change)
    with pytest.raises(BundleError) as refused:
        verify_bundle(roy)
    assert len(str(refused.value)) < 1_000


def test_forged_parts_and_zones_are_refused(tmp_path):
    """Choices that say another thing than the tables and the tiles, or that nobody could make."""
    divided = stability_choices(
        divisions=(Categories("mode", ("bus", "train")),),
        skipped=Period(date(2024, 4, 3), date(2024, 4, 4)),
        zones=(("A", "north"), ("B", "south"), ("C", "south")),
    )
    release = made_synthetic(divided, tessellation=tiles_of_zones(four_tiles(), divided.zones))
    write_bundle(release, tmp_path / "divided")
    place = tmp_path / "divided"
    assert read_bundle(place).plan == divided
    original = (place / "manifest.json").read_bytes()
    for path, value in (
        (("method", "divisions"), [["mode", "bus"]]),
        (("method", "divisions"), [["mode", "train", "bus"]]),
        (("method", "divisions"), [["kind", "bus", "train"]]),
        (("method", "divisions"), [["mode", "bus", "=1+1"]]),
        (("method", "divisions"), [["on_loc", "bus", "train"]]),
        (("method", "divisions"), [[]]),
        (("method", "divisions"), [["mode", *map(str, range(900))]] * 12),
        (("method", "divisions"), "mode"),
        (("method", "skipped"), None),
        (("method", "skipped"), {"first": "2024-04-01", "last": "2024-04-04"}),
        (("method", "skipped"), {"first": "2024-04-03", "last": "9999-12-31"}),
        (("method", "zones"), {"north": "00A", "west": "00B|00C"}),
        (("method", "zones"), {"north": "00A", "south": "00A"}),
        (("method", "zones"), {"<b>": "00A"}),
        (("method", "zones"), {"north": ["00A"]}),
        (("method", "zones"), {}),
    ):
        rewrite(place, member(path, value))
        with pytest.raises(BundleError):
            verify_bundle(place)
        (place / "manifest.json").write_bytes(original)


def test_forged_choices_of_large_counts_are_refused(large):
    original = (large / "manifest.json").read_bytes()
    for change in (
        member(("method", "delta"), "1/100000000"),
        member(("method", "delta"), "1/2"),
        member(("method", "variant"), "opal"),
        member(("method", "minutes"), 7),
        member(("method", "minutes"), True),
        member(("method", "combinations"), [["on_loc"]]),
        member(("method", "combinations"), [["password"]]),
        member(("method", "combinations"), []),
        member(("method", "period"), None),
        member(("tables", 1, "threshold"), 1),
        member(("parts", "listed"), []),
    ):
        rewrite(large, change)
        with pytest.raises(BundleError):
            verify_bundle(large)
        (large / "manifest.json").write_bytes(original)
    verify_bundle(large)


def tables_with(folder, name, change):
    """Rewrite a table in both of its files, with sums that fit."""
    table = change(pq.read_table(folder / f"tables/{name}.parquet"))
    rewrite(
        folder, **{f"tables__{name}__csv": csv_bytes(table), f"tables__{name}__parquet": parquet_bytes(table)}
    )


def column(name, values):
    return lambda table: table.set_column(table.schema.get_field_index(name), name, values(table))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("date", lambda table: table.slice(1)),
        ("date", lambda table: pa.concat_tables([table, table])),
        ("date", column("date", lambda table: pa.array(table["date"].to_pylist()[::-1]))),
        ("date", column("half_width_95", lambda table: pa.array([1] * len(table)))),
        ("date", column("value", lambda table: pa.array([2**60] * len(table)))),
        ("date", column("value", lambda table: pa.array([None] * len(table), pa.int64()))),
        ("date", column("value", lambda table: pa.array([0] * len(table)))),  # the total is another then
    ],
)
def test_forged_tables_are_refused(roy, name, change):
    tables_with(roy, name, change)
    with pytest.raises(BundleError):
        read_bundle(roy)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.take(list(range(len(table)))[::-1]),
        lambda table: pa.concat_tables([table, table.slice(len(table) - 1)]),
        column("value", lambda table: pa.array([1] * len(table))),
        column("date", lambda table: pa.array(["2020-01-01"] * len(table))),
        column("on_loc", lambda table: pa.array(["<script>"] * len(table))),
    ],
)
def test_forged_large_counts_are_refused(large, change):
    tables_with(large, "on_loc", change)
    with pytest.raises(BundleError):
        read_bundle(large)


def trips_with(folder, change):
    table = change(pq.read_table(folder / "trips.parquet"))
    written = BytesIO()
    pq.write_table(table, written, store_schema=False)
    rewrite(folder, trips__parquet=written.getvalue())


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.slice(3),
        lambda table: table.drop_columns(["end_lat"]),
        lambda table: table.append_column("user_id", table["synthetic_id"]),
        column("start_tile", lambda table: pa.array(["Z"] * len(table))),
        column("start_tile", lambda table: pa.array([None] * len(table), pa.string())),
        column("start_lat", lambda table: pa.array([0.1] * len(table))),
        column("start_lat", lambda table: pa.array([float("nan")] * len(table))),
        column("ended_at", lambda table: table["started_at"].take(pa.array(list(range(len(table)))[::-1]))),
        column("synthetic_id", lambda table: pa.array(["x"] * len(table))),
    ],
)
def test_forged_trips_are_refused(roy, change):
    trips_with(roy, change)
    with pytest.raises(BundleError):
        read_bundle(roy)


def test_what_is_no_parquet_and_what_declares_too_much_is_refused(roy):
    rewrite(roy, trips__parquet=b"PAR1" + b"\0" * 40 + b"PAR1")
    with pytest.raises(BundleError):
        read_bundle(roy)


def test_a_false_sentence_in_the_readme_is_refused_however_well_it_was_sealed(roy):
    text = (roy / "README.md").read_bytes()
    rewrite(roy, README__md=text.replace(b"discrete Laplace", b"no"))
    with pytest.raises(BundleError, match="README"):
        verify_bundle(roy)


def test_the_words_of_another_version_are_its_own_and_the_verdict_says_so(roy):
    assert "Another version" not in verify_bundle(roy).words

    def older(document):
        document["software"]["epsilon-atlas"] = "0.0.1"

    rewrite(roy, older, README__md=b"# Other words\n")
    assert "wording of its README was not compared" in verify_bundle(roy).words


def test_a_stranger_in_the_folder_is_refused(roy):
    (roy / "virus.txt").write_text("x", encoding="utf-8")
    with pytest.raises(BundleError, match="does not belong"):
        verify_bundle(roy)


def test_a_digest_that_the_ledger_does_not_know_is_refused(roy):
    with pytest.raises(BundleError, match="ledger knows"):
        verify_bundle(roy, digest="0" * 64)


def test_neither_kind_passes_for_the_other(roy, tmp_path):
    with pytest.raises(BundleError, match="synthetic trips, not of tables"):
        read_tables(roy)
    assert read_bundle(roy).plan.kind == "roy"
    document = json.loads((roy / "manifest.json").read_bytes())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_bytes(canonical({**document, "format": "something"}))
    with pytest.raises(BundleError):
        verify_bundle(tmp_path / "other")
    with pytest.raises(BundleError, match="not the manifest of a release"):
        read_bundle(tmp_path / "other")
