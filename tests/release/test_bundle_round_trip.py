from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest
import shapely

from dpcore import disk
from dpcore.errors import InputError, InternalError
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts, Step
from dpcore.noise.mechanisms import raised
from dpcore.release import Anchor, read_bundle, verify_bundle, write_bundle, writing, zipped
from dpcore.release.kinds import registry_record, tables
from dpcore.release.release import Tables
from dpcore.tiles import Tessellation
from tests.conftest import ROOT
from tests.release.made_releases import WEEK, made_release

CHOSEN = KeyChoices(WEEK, Step.WEEK, (6, 12), {"jump_length": ("0.5", "2")})

KINDS = [
    {"unit": "user"},
    {"unit": "trip"},
    {"unit": "user", "period": None},
    {"unit": "trip", "sparse": True},
    {"unit": "user", "sparse": True, "period": None},
    {"choices": CHOSEN, "weights": {"trips_over_time": 1, "visits_per_time_tile": 2, "jump_length": 3}},
    {"weights": {"trips_per_user": 1, "od_flows": 3}, "epsilon": "0.1"},
    {"weights": {"od_flows": 1}, "epsilon": "20"},
    {
        "weights": dict.fromkeys(MEASURES, 1),
        "epsilon": "3",
        "choices": KeyChoices(WEEK, districts=Districts(("north", "south"), (0, 0, 1, 1))),
    },
]


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def same(one, other):
    for name in ("id", "title", "note", "dataset", "population", "created", "plan", "timezone"):
        assert getattr(one, name) == getattr(other, name)
    for name in ("anchor", "parameters_chosen", "raised_from", "command", "software"):
        assert getattr(one, name) == getattr(other, name)
    assert one.tessellation.digest == other.tessellation.digest
    assert one.tessellation.tile_names == other.tessellation.tile_names
    assert list(one.measurements) == list(other.measurements)
    for found, wanted in zip(one.measurements.values(), other.measurements.values(), strict=True):
        for name in ("origin", "measure", "counts", "keys", "bound", "sensitivity", "rungs", "share"):
            assert getattr(found, name) == getattr(wanted, name)
        assert (found.half_widths, found.threshold) == (wanted.half_widths, wanted.threshold)
        assert found.listed_at == wanted.listed_at
        np.testing.assert_array_equal(found.values, wanted.values)
        np.testing.assert_array_equal(found.cell_numbers, wanted.cell_numbers)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_was_written_is_what_is_read_from_folder_and_zip(kind, tmp_path):
    release = made_release(**kind)
    digest = write_bundle(release, tmp_path / "city").digest
    same(read_bundle(tmp_path / "city"), release)
    packed = zipped(tmp_path / "city")
    (tmp_path / "city.zip").write_bytes(packed)
    same(read_bundle(tmp_path / "city.zip"), release)
    same(read_bundle(packed), release)
    assert verify_bundle(packed, digest=digest).in_ledger


def test_a_raised_release_keeps_its_listing_at_the_earlier_rung(tmp_path):
    first = made_release(sparse=True, weights={"od_flows": 1})
    finer = (Fraction(3), Fraction(5))
    plan = replace(first.plan, rungs=(*first.plan.rungs, *finer))
    flows = first.measurements["od_flows"]
    higher = raised(flows, np.full(len(flows.cells), 30, np.int64), finer)
    anchor = Anchor("5f", 4, "ab", first.anchor.currency, Fraction(3), Fraction(10), part="north")
    release = made_release(
        sparse=True, plan=plan, drawn=Tables({"od_flows": higher}), anchor=anchor, raised_from=first.id
    )
    write_bundle(release, tmp_path / "b")
    back = read_bundle(tmp_path / "b")
    same(back, release)
    assert back.measurements["od_flows"].listed_at == 2
    assert back.plan.epsilon == 5


def test_a_sparse_table_may_list_nothing(tmp_path):
    release = made_release(sparse=True, weights={"od_flows": 1})
    flows = release.measurements["od_flows"]
    empty = replace(flows, cells=flows.cells[:0], values=flows.values[:, :0])
    write_bundle(replace(release, drawn=Tables({"od_flows": empty})), tmp_path / "b")
    assert read_bundle(tmp_path / "b").measurements["od_flows"].values.shape == (8, 0)


def test_the_same_release_gives_the_same_bytes(tmp_path):
    release = made_release(sparse=True)
    one, other = (write_bundle(release, tmp_path / name).digest for name in "ab")
    assert one == other == sha256((tmp_path / "a" / "manifest.json").read_bytes()).hexdigest()
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert zipped(tmp_path / "a") == zipped(tmp_path / "b")


def test_the_archive_holds_the_same_files_under_one_top_folder(tmp_path):
    write_bundle(made_release(), tmp_path / "a")
    archive = zipfile.ZipFile(io.BytesIO(zipped(tmp_path / "a")))
    unpacked = {name: archive.read(name) for name in archive.namelist()}
    assert unpacked == {f"four-tiles-3-0a1b2c/{name}": data for name, data in files(tmp_path / "a").items()}


def test_an_archive_without_a_top_folder_is_read_too(tmp_path):
    write_bundle(made_release(), tmp_path / "a")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("tables")
        for name, data in files(tmp_path / "a").items():
            archive.writestr(name, data)
    assert read_bundle(packed.getvalue()).id == "four-tiles-3-0a1b2c"


def test_tiles_keep_their_digest_and_their_rings_turn_as_rfc_7946_asks(tmp_path):
    clockwise = shapely.Polygon([(0, 0), (0, 3), (3, 3), (3, 0)], [[(1, 1), (2, 1), (2, 2), (1, 2)]])
    parts = shapely.MultiPolygon([shapely.box(5, 0, 6, 1, ccw=False), shapely.box(7, 0, 8, 1)])
    tiles = Tessellation.of(["a", "b"], ["<b>x</b>", "=1+1"], [clockwise, parts], "test")
    write_bundle(made_release(tessellation=tiles), tmp_path / "b")
    back = read_bundle(tmp_path / "b").tessellation
    assert back.tile_names == ("<b>x</b>", "=1+1")
    assert all(shapely.equals(one, other) for one, other in zip(back.polygons, tiles.polygons, strict=True))
    for shape in back.polygons:
        for part in shapely.get_parts(shape):
            assert part.exterior.is_ccw
            assert not any(ring.is_ccw for ring in part.interiors)


def test_a_folder_that_is_not_empty_is_refused_and_left_alone(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="not empty"):
        write_bundle(made_release(), tmp_path / "b")
    assert files(tmp_path / "b") == {"mine.txt": b"x"}
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_an_empty_folder_is_used_and_a_file_is_not(tmp_path):
    (tmp_path / "empty").mkdir()
    write_bundle(made_release(), tmp_path / "empty")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError):
        write_bundle(made_release(), tmp_path / "file")


@pytest.mark.parametrize(
    "name",
    [
        (tables, "csv_bytes"),
        (registry_record, "registry_yaml"),
        (writing, "manifest_of"),
        (disk, "sync_folder"),
    ],
)
def test_a_bundle_appears_whole_or_not_at_all(name, tmp_path, monkeypatch):
    def fails(*_):
        raise OSError("disk full")

    monkeypatch.setattr(*name, fails)
    with pytest.raises(InputError, match="cannot be written"):
        write_bundle(made_release(), tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_that_does_not_verify_never_comes_to_be(tmp_path, monkeypatch):
    written = tables.csv_bytes
    monkeypatch.setattr(tables, "csv_bytes", lambda table: written(table).replace(b"7", b"8"))
    with pytest.raises(InternalError):
        write_bundle(made_release(), tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


def test_others_may_read_a_bundle(tmp_path):
    before = os.umask(0o022)
    try:
        write_bundle(made_release(), tmp_path / "b")
    finally:
        os.umask(before)
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "b" / "manifest.json").stat().st_mode & 0o777 == 0o644


def test_a_preview_is_never_released():
    release = made_release()
    preview = replace(release.measurements["od_flows"], origin="preview")
    with pytest.raises(ValueError, match="preview"):
        replace(release, drawn=Tables({**release.measurements, "od_flows": preview}))


def test_bundles_are_read_where_trips_and_noise_are_gone(tmp_path):
    write_bundle(made_release(sparse=True), tmp_path / "b")
    code = f"""
import sys
GONE = {{"dpcore." + n for n in ("private", "owner", "curator", "noise.mechanisms", "noise.samplers", "noise.sparse", "views")}}
class Gone:
    def find_spec(self, name, path=None, target=None):
        if ".".join(name.split(".")[:2]) in GONE:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
from pathlib import Path
from dpcore.release import read_bundle, verify_bundle, zipped
place = Path({str(tmp_path / "b")!r})
assert read_bundle(place).measurements and verify_bundle(place).files and zipped(place)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
