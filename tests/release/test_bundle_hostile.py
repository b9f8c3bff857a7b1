from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import stat
import tracemalloc
import zipfile
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.measures.trip_rule import TripRule
from dpcore.release import read_bundle, write_bundle, zipped
from dpcore.release.canonical import canonical, sealed
from dpcore.release.table_files import csv_bytes, parquet_bytes
from tests.release.made_releases import made_release
from tests.release.tampering import manifest, rewrite


@pytest.fixture(scope="module")
def release():
    return made_release(weights={"od_flows": 1, "trips_over_time": 1}, epsilon="0.2")


def refused(place):
    with pytest.raises(BundleError) as found:
        read_bundle(place)
    assert found.value.__cause__ is None
    return str(found.value)


# ---- manifests


@contextlib.contextmanager
def resource_limit():
    """Less than 4 GB of memory more than now."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**32, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def raw(folder, data: bytes) -> str:
    (folder / "manifest.json").write_bytes(data)
    return refused(folder)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"{",
        b"\xff\xfe{\x00}\x00",
        b'{"format": NaN}',
        b'{"format": 1e999}',
        b'{"format": -Infinity}',
        b'{"format": 1.0}',
        b'{"format": 1' + b"0" * 5000 + b"}",
        b'{"format": "a", "format": "a"}',
        b'{"format": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b"[" * 3_000_000,
        b'{"format": "epsilon-atlas release bundle"}',
        b"\x80\x04\x95K.",
        b"PK\x03\x04",
    ],
    ids=lambda text: repr(text[:24]),
)
def test_what_is_no_manifest_is_refused(bundle, text):
    raw(bundle, text)


def test_another_schema_version_says_which_one_is_read(bundle):
    rewrite(bundle, lambda d: d.update(schema_version=99))
    assert "schema version 99" in refused(bundle)
    assert "reads versions up to 5" in refused(bundle)


def test_half_a_character_is_refused(bundle):
    text = (bundle / "manifest.json").read_text().replace("Trips of", "\\ud800 of")
    raw(bundle, text.encode())


@pytest.mark.parametrize("field", ["title", "id", "dataset", "population"])
def test_marks_that_turn_the_direction_of_reading_are_refused(bundle, field):
    rewrite(bundle, lambda d: d["release"].update({field: "abc\u202edef"}))
    refused(bundle)


def test_tags_in_names_stay_text(tmp_path):
    release = made_release(title="<script>alert(1)</script>", note="<img src=x>")
    write_bundle(release, tmp_path / "tags")
    assert read_bundle(tmp_path / "tags").title == "<script>alert(1)</script>"


def test_an_unknown_measure_is_refused_with_the_known_ones(bundle):
    def change(document):
        document["measures"][0]["name"] = "home_addresses"

    rewrite(bundle, change)
    assert "unknown measure" in refused(bundle)


def test_weights_and_counts_without_bounds_are_refused(bundle):
    for weight in (0, -1, 10**17, True, None, "8"):
        rewrite(bundle, lambda d, weight=weight: d["measures"][0].update(weight=weight))
        refused(bundle)
    rewrite(bundle, lambda d: d["measures"][0].update(weight=1))
    read_bundle(bundle)
    rewrite(bundle, lambda d: d["privacy"]["rungs"].extend(d["privacy"]["rungs"] * 100))
    refused(bundle)


FREE = ("release", "ledger_entry", "command", "software", "statements", "timezone", "files")
WRONG = ([], {}, None, "x", -1, 10**17, True, "1/0")


def places(value, path=()):
    yield path
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, member in members:
        yield from places(member, (*path, name))


def replaced(document, path, value):
    changed = json.loads(json.dumps(document))
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return changed


def test_the_rule_that_cut_the_trips_is_one_and_is_that_of_the_readme(tmp_path):
    release = made_release(weights={"trips_per_weekday": 1}, trip_rule=TripRule.by_stays("200m,20min"))
    write_bundle(release, tmp_path / "cut")
    assert read_bundle(tmp_path / "cut").trip_rule == release.trip_rule
    for wrong in ("trip-gap 60min", "gap", "", 7, None, "trip-gap 2h"):
        rewrite(tmp_path / "cut", lambda d, wrong=wrong: d.update(trip_rule=wrong))
        refused(tmp_path / "cut")


def test_no_member_of_the_manifest_can_be_anything_else(tmp_path):
    bundle = tmp_path / "b"
    write_bundle(made_release(weights={"trips_per_weekday": 1}, epsilon="0.2"), bundle)
    document = manifest(bundle)
    del document["seal"]
    tried = 0
    for number, path in enumerate(places(document)):
        if not path:
            continue
        for value in (..., WRONG[number % 8], WRONG[(number + 3) % 8]):
            changed = replaced(document, path, value)
            if changed == document:
                continue
            (bundle / "manifest.json").write_bytes(canonical(sealed(changed)))
            tried += 1
            if path[0] in FREE and isinstance(value, str):
                with contextlib.suppress(BundleError):
                    read_bundle(bundle)
            elif path in (("release", "raised_from"), ("period",), ("ledger_entry", "part")) or (
                path[0] in ("software", "ledger_entry")
            ):
                with contextlib.suppress(BundleError):  # may be left out, or be any whole number
                    read_bundle(bundle)
            else:
                with pytest.raises(BundleError):
                    read_bundle(bundle)
    assert tried > 200


# ---- tables


def tables(bundle, table):
    with contextlib.suppress(pa.ArrowException, KeyError):  # CSV holds no lists
        rewrite(bundle, tables__od_flows__csv=csv_bytes(table))
    rewrite(bundle, tables__od_flows__parquet=parquet_bytes(table))


@pytest.fixture
def flows(bundle):
    return pq.read_table(bundle / "tables" / "od_flows.parquet")


def column(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


HARMED = {
    "fewer rows": lambda t: t.slice(1),
    "more rows": lambda t: pa.concat_tables([t, t]),
    "no rows": lambda t: t.slice(0, 0),
    "another order": lambda t: t.take(list(range(len(t)))[::-1]),
    "a column less": lambda t: t.drop_columns(["value"]),
    "a column more": lambda t: t.append_column("true_value", t["value"]),
    "a column twice": lambda t: t.append_column("value", t["value"]),
    "another name": lambda t: t.rename_columns(["from", *t.column_names[1:]]),
    "an unknown key": lambda t: column(t, "origin", pa.array(["Z"] * len(t))),
    "floats": lambda t: column(t, "value", pc.cast(t["value"], pa.float64())),
    "NaN": lambda t: column(t, "value", pa.array([float("nan")] * len(t))),
    "missing values": lambda t: column(t, "value", pa.array([None] * len(t), pa.int64())),
    "missing keys": lambda t: column(t, "origin", pa.array([None] * len(t), pa.string())),
    "texts": lambda t: column(t, "value", pc.cast(t["value"], pa.string())),
    "lists": lambda t: column(t, "value", pa.array([[1]] * len(t))),
    "half widths": lambda t: column(t, "half_width_95", pc.add(t["half_width_95"], 1)),
    "endless counts": lambda t: column(t, "value", pa.array([2**63 - 1] * len(t))),
    "points elsewhere": lambda t: column(t, "origin_lat", pa.array([80.0] * len(t))),
    "no points": lambda t: column(t, "origin_lat", pa.nulls(len(t), pa.float64())),
}


@pytest.mark.parametrize("harm", HARMED.values(), ids=HARMED.keys())
def test_a_table_that_is_not_the_one_of_the_plan_is_refused(bundle, flows, harm):
    tables(bundle, harm(flows))
    refused(bundle)


def test_a_listed_value_below_the_threshold_is_refused(tmp_path):
    write_bundle(made_release(sparse=True, weights={"od_flows": 1}), tmp_path / "b")
    table = pq.read_table(tmp_path / "b" / "tables" / "od_flows.parquet")
    tables(tmp_path / "b", column(table, "value", pa.array([5] * len(table))))
    assert "below the threshold" in refused(tmp_path / "b")
    rewrite(tmp_path / "b", lambda d: d["measures"][0]["listing"].update(threshold=5))
    assert "threshold does not follow from the plan" in refused(tmp_path / "b")


def test_a_parquet_file_with_notes_of_its_writer_is_refused(bundle, flows):
    for notes in ({"ARROW:schema": "AAAA"}, {"pandas": "{}"}):
        packed = io.BytesIO()
        with pq.ParquetWriter(packed, flows.schema, store_schema=False) as writer:
            writer.write_table(flows)
            writer.add_key_value_metadata(notes)
        rewrite(bundle, tables__od_flows__parquet=packed.getvalue())
        refused(bundle)


def test_a_parquet_file_that_declares_too_much_is_refused_before_it_is_decoded(bundle, flows, monkeypatch):
    rewrite(bundle, tables__od_flows__parquet=parquet_bytes(flows))
    read_bundle(bundle)
    monkeypatch.setattr(limits, "MAX_BUNDLE_ROWS", len(flows) - 1)
    refused(bundle)


def test_a_huge_text_that_repeats_does_not_fill_the_memory(bundle, flows):
    many = 20_000  # times a text of a megabyte: 20 GB, were it written out
    once = {name: pa.array([flows[name][0].as_py()] * many, flows[name].type) for name in flows.column_names}
    once["origin"] = pa.DictionaryArray.from_arrays(pa.array([0] * many, pa.int32()), ["x" * 1_000_000])
    packed = io.BytesIO()
    pq.write_table(pa.table(once), packed, compression="zstd", store_schema=False)
    assert len(packed.getvalue()) < 2**20
    rewrite(bundle, tables__od_flows__parquet=packed.getvalue())
    with resource_limit():
        refused(bundle)


def test_a_text_whose_number_points_nowhere_is_refused(bundle, flows):
    packed = io.BytesIO()
    pq.write_table(flows, packed, compression="none", store_schema=False)
    whole, found = packed.getvalue(), 0
    for at in range(4, len(whole) // 4):
        changed = whole[:at] + b"\x07" + whole[at + 1 :]
        try:
            table = pq.read_table(pa.BufferReader(changed), read_dictionary=["origin", "destination"])
        except (pa.ArrowException, OSError, ValueError):
            continue
        try:
            table.validate(full=True)
        except pa.ArrowInvalid:
            rewrite(bundle, tables__od_flows__parquet=changed)
            refused(bundle)
            found += 1
    assert found


def test_changed_bytes_with_a_sum_that_fits_are_refused_or_read_and_nothing_else(bundle):
    for name, key in (
        ("tables/od_flows.parquet", "tables__od_flows__parquet"),
        ("tables/od_flows.csv", "tables__od_flows__csv"),
        ("tiles.geojson", "tiles__geojson"),
        ("tiles.parquet", "tiles__parquet"),
        ("tiles.gpkg", "tiles__gpkg"),
    ):
        data = (bundle / name).read_bytes()
        for at in range(0, len(data), max(1, len(data) // 70)):
            rewrite(bundle, **{key: data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :]})
            with contextlib.suppress(BundleError):
                read_bundle(bundle)
        rewrite(bundle, **{key: data})
    read_bundle(bundle)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" * 9, b"\x80\x04K\x01.", b"a,b\n1,2\n"])
def test_what_is_no_parquet_is_refused(bundle, data):
    rewrite(bundle, tables__od_flows__parquet=data)
    refused(bundle)


# ---- tiles


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"[0.0,0.0]", b"[NaN,0.0]"),
        (b"[0.0,0.0]", b"[1e999,0.0]"),
        (b"[0.0,0.0]", b"[0.5,0.0]"),
        (b'"tile_id":"A"', b'"tile_id":"B"'),
        (b'"tile_id":"A"', b'"tile_id":"=A"'),
        (b'"tile_id":"A"', b'"tile_id":"E"'),
        (b'"type":"FeatureCollection"', b'"type":"FeatureCollection","crs":{}'),
        (b'"tile_name":"A"', b'"tile_name":"A","home":"x"'),
    ],
)
def test_tiles_that_are_not_those_of_the_manifest_are_refused(bundle, old, new):
    data = (bundle / "tiles.geojson").read_bytes()
    assert old in data
    rewrite(bundle, tiles__geojson=data.replace(old, new))
    refused(bundle)


# ---- folders


def test_links_pipes_and_folders_do_not_belong_to_a_bundle(bundle, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    readme = (bundle / "README.md").read_bytes()
    (bundle / "README.md").unlink()
    (bundle / "README.md").symlink_to(secret)
    assert "link" in refused(bundle)
    (bundle / "README.md").unlink()
    os.mkfifo(bundle / "README.md")
    refused(bundle)
    (bundle / "README.md").unlink()
    (bundle / "README.md").mkdir()
    refused(bundle)
    (bundle / "README.md").rmdir()
    (bundle / "README.md").write_bytes(readme)
    read_bundle(bundle)
    (bundle / "tables" / "deep").mkdir()
    refused(bundle)


def test_a_linked_folder_inside_is_refused(bundle, tmp_path):
    (bundle / "tables").rename(tmp_path / "elsewhere")
    (bundle / "tables").symlink_to(tmp_path / "elsewhere")
    assert "link" in refused(bundle)


def test_too_many_files_are_refused(bundle):
    for number in range(limits.MAX_BUNDLE_FILES):
        (bundle / f"x{number}").touch()
    assert "too many" in refused(bundle)


def test_places_that_hold_no_bundle_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    for name in ("empty", "file", "pipe", "missing"):
        refused(tmp_path / name)


def test_bytes_are_counted_over_all_files(bundle, monkeypatch):
    total = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
    monkeypatch.setattr(limits, "MAX_BUNDLE_UNPACKED_BYTES", total)
    read_bundle(bundle)
    monkeypatch.setattr(limits, "MAX_BUNDLE_UNPACKED_BYTES", total - 1)
    assert "too large" in refused(bundle)


# ---- archives


def packed(members) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members:
            archive.writestr(member, content)
    return data.getvalue()


@pytest.fixture
def members(written):
    return [
        (str(path.relative_to(written)), path.read_bytes()) for path in written.rglob("*") if path.is_file()
    ]


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "a/../../evil",
        "..",
        "C:\\evil",
        "tables\\x.csv",
        "./x",
        "tables//x",
        "top/manifest.json",
    ],
)
def test_names_that_lead_out_of_the_archive_are_refused_and_nothing_is_written(
    members, name, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    refused(packed([*members, (name, b"x")]))
    assert list(tmp_path.iterdir()) == []


def test_a_name_cut_by_a_nul_is_refused(members):
    data = packed([*members, ("tablesXx", b"x")])
    refused(data.replace(b"tablesXx", b"tables\x00x"))


def test_links_in_archives_are_refused(members):
    link = zipfile.ZipInfo("extra")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    assert "link" in refused(packed([*members, (link, b"/etc/passwd")]))


def test_a_file_that_stands_twice_is_refused(members):
    with pytest.warns(UserWarning, match="Duplicate"):
        data = packed([*members, members[0]])
    refused(data)


def test_a_bomb_stops_at_the_limit_whatever_it_declares(members, monkeypatch):
    monkeypatch.setattr(limits, "MAX_BUNDLE_UNPACKED_BYTES", 2**22)
    rest = [member for member in members if member[0] != "README.md"]
    bomb = packed([*rest, ("README.md", b"\0" * 2**28)])
    assert len(bomb) < 2**20
    small = (2**28).to_bytes(4, "little")
    for data in (bomb, bomb.replace(small, (1000).to_bytes(4, "little"))):
        tracemalloc.start()
        refused(data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**25


def test_an_archive_with_too_many_names_is_refused_before_they_are_read(monkeypatch):
    data = packed([(f"x{number}", b"") for number in range(30_000)])
    opened = []
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: opened.append(1))
    assert "too many" in refused(data)
    assert opened == []


def test_what_a_mac_puts_into_an_archive_is_named_with_the_command_that_deletes_it(members, tmp_path):
    place = tmp_path / "release.zip"
    inside = [(f"bundle/{name}", content) for name, content in members]
    of_mac = [("__MACOSX/bundle/._manifest.json", b"x"), ("bundle/.DS_Store", b"x")]
    place.write_bytes(packed([*inside, *of_mac]))
    said = refused(place)
    assert (
        'a Mac put files beside those of the bundle: "__MACOSX/bundle/._manifest.json", "bundle/.DS_Store"'
        in said
    )
    assert "zip -d BUNDLE.zip '__MACOSX/*' '*.DS_Store'" in said


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_whose_unpacking_cannot_be_counted_are_refused(members, method):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    assert "method" in refused(data.getvalue())


def test_damaged_archives_are_refused(written):
    data = zipped(written)
    for at in range(0, len(data), len(data) // 150):
        with contextlib.suppress(BundleError):
            read_bundle(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        refused(data[:at])
    refused(data + b"x")


def test_archives_within_archives_and_two_top_folders_are_refused(members, written):
    refused(packed([("b.zip", zipped(written))]))
    refused(packed([(f"a/{name}", data) for name, data in members] + [("b/manifest.json", b"{}")]))
    refused(packed([(f"a/b/{name}", data) for name, data in members]))


def test_too_large_an_archive_is_not_looked_into(written, monkeypatch):
    data = zipped(written)
    monkeypatch.setattr(limits, "MAX_BUNDLE_BYTES", len(data) - 1)
    assert "too large" in refused(data)


def test_the_sums_in_the_tests_are_those_of_the_files(bundle):
    document = manifest(bundle)
    for name, entry in document["files"].items():
        assert entry["sha256"] == sha256((bundle / name).read_bytes()).hexdigest()


def test_who_publishes_is_text_of_a_bundle_and_those_without_read_as_before(tmp_path):
    named = made_release(
        weights={"trips_per_weekday": 1}, publisher="<b>City</b>\n council\N{RIGHT-TO-LEFT OVERRIDE}"
    )
    assert named.publisher == "<b>City</b> council"
    write_bundle(named, tmp_path / "named")
    assert read_bundle(tmp_path / "named").publisher == named.publisher
    said = (tmp_path / "named" / "README.md").read_text(encoding="utf-8")
    assert "Published by" in said
    assert "<b>" not in said
    write_bundle(made_release(weights={"trips_per_weekday": 1}), tmp_path / "nobody")
    assert read_bundle(tmp_path / "nobody").publisher == ""
    assert "publisher" not in (tmp_path / "nobody" / "manifest.json").read_text(encoding="utf-8")
    for wrong in (["City"], 3, "x" * (limits.MAX_TITLE_CHARACTERS + 1), "a\x00b"):
        rewrite(tmp_path / "named", lambda d, wrong=wrong: d["release"].update(publisher=wrong))
        refused(tmp_path / "named")
