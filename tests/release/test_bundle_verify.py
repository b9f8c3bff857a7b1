from __future__ import annotations

import json
import shutil

import pytest

from dpcore.errors import BundleError
from dpcore.release import must_be_unchanged, read_bundle, verify_bundle, write_bundle
from dpcore.release.writing import zipped
from tests.release.made_releases import made_release
from tests.release.tampering import manifest, rewrite


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles") / "b"
    release = made_release(weights={"visits_per_tile": 2, "od_flows": 1}, epsilon="1")
    return folder, write_bundle(release, folder).digest


@pytest.fixture
def bundle(written, tmp_path):
    return shutil.copytree(written[0], tmp_path / "b")


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_untouched_bundle_verifies_and_says_what_that_does_not_mean(written):
    folder, digest = written
    verdict = verify_bundle(folder)
    assert (verdict.digest, verdict.files) == (digest, len(names(folder)))
    assert not verdict.in_ledger
    assert "rewrote all files consistently" in verdict.words
    assert digest in verdict.words
    paid = verify_bundle(folder, digest=digest)
    assert paid.in_ledger
    assert "paid for" in paid.words


def test_the_digest_of_the_ledger_must_match(written):
    with pytest.raises(BundleError, match="not the bundle that the ledger knows"):
        verify_bundle(written[0], digest="0" * 64)


def test_one_flipped_byte_anywhere_in_every_file_is_found(bundle):
    for name in names(bundle):
        place = bundle / name
        whole = place.read_bytes()
        for at in {0, len(whole) - 1, *range(3, len(whole), max(1, len(whole) // 12))}:
            place.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            with pytest.raises(BundleError):
                verify_bundle(bundle)
        place.write_bytes(whole)
    verify_bundle(bundle)


def test_a_bundle_that_changed_is_known_by_its_digests(written, bundle):
    digest = written[1]
    must_be_unchanged(bundle, digest)
    must_be_unchanged(zipped(bundle), digest)
    with pytest.raises(BundleError, match="changed after it was read"):
        must_be_unchanged(bundle, "0" * 64)
    table = bundle / "tables" / "od_flows.csv"
    whole = table.read_bytes()
    table.write_bytes(whole[:-1] + b" ")
    with pytest.raises(BundleError, match=r"was changed.*od_flows\.csv"):
        must_be_unchanged(bundle, digest)
    table.unlink()
    with pytest.raises(BundleError, match="missing"):
        must_be_unchanged(bundle, digest)


def test_a_false_sentence_in_the_readme_is_refused_however_well_it_was_sealed(bundle):
    words = (bundle / "README.md").read_bytes()
    rewrite(bundle, README__md=words.replace(b"random noise", b"no noise"))
    with pytest.raises(BundleError, match="README"):
        read_bundle(bundle)
    rewrite(bundle, lambda d: d["software"].update({"epsilon-atlas": "0.0.1"}))
    assert "wording of its README was not compared" in verify_bundle(bundle).words
    rewrite(bundle, lambda d: d["statements"]["not_protected"].pop())  # another version said less
    assert "wording of its README was not compared" in verify_bundle(bundle).words
    rewrite(bundle, lambda d: d["statements"]["not_protected"].append(1))  # which no version says
    with pytest.raises(BundleError):
        verify_bundle(bundle)


def test_the_manifest_alone_shows_that_a_byte_of_it_was_changed(written, tmp_path):
    # the sums of the files are checked after the manifest, so that it can be tried alone
    data = (written[0] / "manifest.json").read_bytes()
    (tmp_path / "b").mkdir()
    for at in range(0, len(data), 9):
        (tmp_path / "b" / "manifest.json").write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        with pytest.raises(BundleError) as found:
            verify_bundle(tmp_path / "b")
        assert "missing" not in found.value.what, at


@pytest.mark.parametrize("change", [lambda d: d[:-1], lambda d: d + b"\n", lambda _: b""])
def test_a_file_cut_or_grown_is_found(bundle, change):
    for name in names(bundle):
        place = bundle / name
        whole = place.read_bytes()
        place.write_bytes(change(whole))
        with pytest.raises(BundleError):
            verify_bundle(bundle)
        place.write_bytes(whole)


def test_a_missing_file_is_named(bundle):
    for name in names(bundle):
        whole = (bundle / name).read_bytes()
        (bundle / name).unlink()
        with pytest.raises(BundleError, match="missing") as found:
            verify_bundle(bundle)
        assert name in str(found.value)
        (bundle / name).write_bytes(whole)


@pytest.mark.parametrize("name", ["extra.txt", "tables/trips_per_hour.csv", ".hidden", "tables/.x"])
def test_a_file_too_many_is_named(bundle, name):
    (bundle / name).write_text("x")
    with pytest.raises(BundleError, match="does not belong") as found:
        verify_bundle(bundle)
    assert name in str(found.value)


def test_a_manifest_in_another_form_is_refused_though_it_says_the_same(bundle):
    document = manifest(bundle)
    (bundle / "manifest.json").write_text(json.dumps(document, sort_keys=True))
    with pytest.raises(BundleError, match="canonical form"):
        verify_bundle(bundle)


def test_a_manifest_with_another_seal_is_refused(bundle):
    text = (bundle / "manifest.json").read_text().replace("Trips of an", "Trips of one")
    (bundle / "manifest.json").write_text(text)
    with pytest.raises(BundleError, match="seal"):
        verify_bundle(bundle)


CONSISTENT = {
    "half width": lambda d: d["measures"][0]["rungs"][0].update(half_width_95=1),
    "sensitivity": lambda d: d["measures"][0].update(sensitivity=1),
    "share": lambda d: d["measures"][0]["share"].update(exact="1/2", decimal="0.5"),
    "weight": lambda d: d["measures"][0].update(weight=5),
    "epsilon": lambda d: d["privacy"]["epsilon"].update(exact="1/10", decimal="0.1"),
    "epsilon of a measure": lambda d: d["measures"][1]["epsilon"].update(exact="1/10", decimal="0.1"),
    "decimal text": lambda d: d["ledger_entry"]["charged"].update(decimal="0.1"),
    "rung": lambda d: d["privacy"]["rungs"][0].update(exact="1/20", decimal="0.05"),
    "bound": lambda d: d["privacy"].update(max_trips=1),
    "unit": lambda d: d["privacy"].update(unit="trip", max_trips=None),
    "relation": lambda d: d["privacy"].update(neighbouring_relation="change one privacy unit"),
    "delta": lambda d: d["privacy"].update(delta="1/1000000"),
    "keys": lambda d: d["measures"][0]["keys"].update(cells=4),
    "key columns": lambda d: d["measures"][0]["keys"]["axes"][0].update(columns=["tile"]),
    "what is counted": lambda d: d["measures"][0].update(counts="people"),
    "listing": lambda d: d["measures"][1].update(
        listing={"threshold": 3, "listed_at": {"decimal": "1", "exact": "1/1"}}
    ),
    "tiles": lambda d: d["tiles"].update(digest="0" * 64),
    "number of tiles": lambda d: d["tiles"].update(count=5),
    "extra fact": lambda d: d.update(rows=12),
    "extra sentence": lambda d: d["statements"].update(guarantee="Nobody can be identified."),
    "fewer sentences": lambda d: d["statements"].pop("not_protected"),
    "less that is not protected": lambda d: d["statements"]["not_protected"].pop(),
    "missing fact": lambda d: d["privacy"].pop("delta"),
}


@pytest.mark.parametrize("change", CONSISTENT.values(), ids=CONSISTENT.keys())
def test_facts_that_do_not_follow_from_the_plan_are_found_though_all_sums_fit(bundle, change):
    rewrite(bundle, change)
    with pytest.raises(BundleError):
        verify_bundle(bundle)
    with pytest.raises(BundleError):
        read_bundle(bundle)


def test_csv_and_parquet_must_say_the_same(bundle):
    text = (bundle / "tables" / "visits_per_tile.csv").read_text()
    rows = text.splitlines()
    rows[1] = rows[1].replace(rows[1].split(",")[1], str(int(rows[1].split(",")[1]) + 1), 1)
    rewrite(bundle, tables__visits_per_tile__csv=("\n".join(rows) + "\n").encode())
    with pytest.raises(BundleError, match="differs from its Parquet"):
        verify_bundle(bundle)


def test_the_map_must_show_the_values_of_the_table(bundle):
    data = (bundle / "maps" / "visits_per_tile.geojson").read_bytes()
    rewrite(bundle, maps__visits_per_tile__geojson=data.replace(b'"value":', b'"value":1'))
    with pytest.raises(BundleError, match="map"):
        verify_bundle(bundle)


def test_arcs_must_begin_and_end_in_their_tiles(bundle):
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from dpcore.release.table_files import csv_bytes, parquet_bytes

    table = pq.read_table(bundle / "tables" / "od_flows.parquet")
    at = table.column_names.index("origin_lng")
    moved = table.set_column(at, "origin_lng", pc.add(table["origin_lng"], 1.0))
    rewrite(bundle, tables__od_flows__csv=csv_bytes(moved), tables__od_flows__parquet=parquet_bytes(moved))
    with pytest.raises(BundleError, match="point"):
        verify_bundle(bundle)


def test_whoever_rewrites_everything_consistently_is_found_by_the_ledger_only(bundle, written):
    words = (bundle / "README.md").read_bytes().replace(b"Trips of an invented city", b"Another title")
    rewrite(bundle, lambda d: d["release"].update(title="Another title"), README__md=words)
    assert read_bundle(bundle).title == "Another title"
    assert not verify_bundle(bundle).in_ledger
    with pytest.raises(BundleError, match="ledger"):
        verify_bundle(bundle, digest=written[1])
