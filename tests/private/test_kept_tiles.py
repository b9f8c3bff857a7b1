"""Tiles that were read before: the same tiles, and never those of other bytes, options or code."""

from __future__ import annotations

import json
import os
import stat

import numpy as np
import pytest
import shapely

from dpcore.api import owner
from dpcore.errors import TessellationError
from dpcore.private import kept, kept_tiles, store
from dpcore.tiles import Tessellation
from dpcore.tiles import describe_properties as describe_afresh
from dpcore.tiles import read_tessellation as read_afresh
from dpcore.tiles.index import TileIndex
from dpcore.views.maps.tile_map import MapGeometry, packed_tiles

NAME = "districts.geojson"


def geojson(size: int = 3, shift: float = 0.0) -> bytes:
    """Squares with names, one of them with a hole that another tile fills, one in two parts, one drawn the wrong way."""
    shapes = {f"t{i}": shapely.box(i + shift, 0.1, i + 1 + shift, 1.1) for i in range(size)}
    shapes["t0"] = shapes["t0"].difference(shapely.box(0.2 + shift, 0.3, 0.4 + shift, 0.5))
    shapes["hole"] = shapely.box(0.2 + shift, 0.3, 0.4 + shift, 0.5)
    shapes["two"] = shapely.MultiPolygon([shapely.box(20, 0, 21, 1), shapely.box(22, 0, 23, 1)])
    shapes["t1"] = shapes["t1"].reverse()
    features = [
        {
            "type": "Feature",
            "properties": {"tile_id": name, "tile_name": f"Platz {name} ü", "code": f"c{name}"},
            "geometry": json.loads(shapely.to_geojson(shape)),
        }
        for name, shape in shapes.items()
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


@pytest.fixture
def gates(monkeypatch):
    """How often a file was read and checked."""
    seen = []

    def counted(*given, **options):
        seen.append(options)
        return read_afresh(*given, **options)

    monkeypatch.setattr(kept_tiles, "read_afresh", counted)
    return seen


def kept_files(kind: str = "tiles"):
    return sorted((store.home() / "private" / "cache" / "tessellations" / kind).iterdir())


def same(one: Tessellation, other: Tessellation) -> bool:
    wkb = [shapely.to_wkb(np.array(tiles.polygons)).tolist() for tiles in (one, other)]
    return one == other and one.digest == other.digest and wkb[0] == wkb[1] and one.notes == other.notes


def test_what_was_kept_is_what_was_read_and_is_not_checked_twice(gates):
    data = geojson()
    first, second = (owner.read_tessellation(data, NAME) for _ in range(2))
    assert len(gates) == 1
    assert same(first, read_afresh(data, NAME))
    assert same(second, first)
    assert [shape.geom_type for shape in second.polygons] == [shape.geom_type for shape in first.polygons]


def test_what_was_repaired_is_said_again(gates):
    ring = [[0, 0], [1, 0], [1, 1], [0.5, 1], [0.5, 2], [0.5, 1], [0, 1], [0, 0]]  # with a spike
    spiked = {"type": "Polygon", "coordinates": [ring]}
    feature = {"type": "Feature", "properties": {"tile_id": "a"}, "geometry": spiked}
    data = json.dumps({"type": "FeatureCollection", "features": [feature]}).encode()
    first, second = (owner.read_tessellation(data, NAME) for _ in range(2))
    assert len(gates) == 1
    assert first.notes == second.notes != ()


def test_districts_are_kept_with_the_tiles(gates):
    data = geojson().replace(b'"code": "ct', b'"district": "D').replace(b'"code": "c', b'"other": "')
    first, second = (owner.read_tessellation(data, NAME) for _ in range(2))
    assert len(gates) == 1
    assert first.districts == second.districts == read_afresh(data, NAME).districts
    assert "D0" in second.districts


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (geojson(shift=1e-9), {}),
        (geojson(), {"tile_id": "code"}),
        (geojson(), {"merge_ids": True}),
        (geojson().replace(b"Platz", b"Place", 1), {}),
    ],
    ids=["one coordinate", "another id", "merging", "a name"],
)
def test_other_bytes_and_other_options_are_read_by_themselves(gates, data, options):
    owner.read_tessellation(geojson(), NAME)
    found = owner.read_tessellation(data, NAME, **options)
    assert len(gates) == 2
    assert same(found, read_afresh(data, NAME, **options))


def test_another_version_of_the_code_reads_anew(gates, monkeypatch):
    owner.read_tessellation(geojson(), NAME)
    monkeypatch.setattr(kept, "code_digest", lambda: "another")
    owner.read_tessellation(geojson(), NAME)
    assert len(gates) == 2


def test_the_version_is_that_of_every_file_of_the_package(monkeypatch, tmp_path):
    package = tmp_path / "dpcore"
    (package / "tessellation").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    gate = package / "tessellation" / "gate.py"
    monkeypatch.setattr(kept, "FOLDER", package)
    found = []
    for text in ("a", "b", "a"):
        gate.write_text(text)
        kept.code_digest.cache_clear()
        found.append(kept.code_digest())
    kept.code_digest.cache_clear()
    assert found[0] == found[2] != found[1]


def test_files_of_the_package_are_read_again_only_where_one_was_changed(monkeypatch, tmp_path):
    package = tmp_path / "dpcore"
    (package / "tiles").mkdir(parents=True)
    gate = package / "tiles" / "gate.py"
    monkeypatch.setattr(kept, "FOLDER", package)
    monkeypatch.setattr(kept, "_SETTLED_NS", 0)
    digest, read = kept._digest_of_code, []
    monkeypatch.setattr(kept, "_digest_of_code", lambda: read.append(digest()) or read[-1])

    def again():
        kept.code_digest.cache_clear()
        return kept.code_digest()

    gate.write_text("a")
    first = again()
    assert [again(), len(read)] == [first, 1]
    os.utime(gate, ns=(0, 0))
    marked = kept._marks_of_code(), gate.stat().st_ctime_ns
    gate.write_text("b")  # as long as before, and said to be as old
    while (
        gate.stat().st_ctime_ns == marked[1]
    ):  # the clock of the file system ticks some hundred times a second
        os.utime(gate, ns=(0, 0))
    assert kept._marks_of_code() != marked[0]
    assert again() != first
    gate.unlink()
    assert again() not in read[:2]
    kept.code_digest.cache_clear()


def test_a_file_of_the_package_that_changed_a_moment_ago_is_read_again(monkeypatch, tmp_path):
    """Its next change may get the same time."""
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    (tmp_path / "a.py").write_text("")
    changed = (tmp_path / "a.py").stat().st_ctime_ns
    monkeypatch.setattr(kept.time, "time_ns", lambda: changed + kept._SETTLED_NS - 1)
    assert kept._marks_of_code() is None
    monkeypatch.setattr(kept.time, "time_ns", lambda: changed + kept._SETTLED_NS)
    assert kept._marks_of_code() is not None


def test_files_are_read_where_shapes_are_processed_by_a_library_of_the_system(monkeypatch, tmp_path):
    """Its files lie elsewhere, and nothing would tell that it changed."""
    for name in ("numpy", "shapely"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    monkeypatch.setattr(kept, "_COUNTING", ("numpy", "shapely"))
    monkeypatch.setattr(kept.sys, "path", [str(tmp_path)])
    monkeypatch.setattr(kept, "_SETTLED_NS", 0)
    assert kept._marks_of_code() is None
    (tmp_path / "shapely.libs").mkdir()
    assert kept._marks_of_code() is not None


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda _: b"", lambda b: b[:300] + b"\x01" + b[301:]])
def test_what_is_damaged_is_read_again_and_kept_anew(gates, damage):
    data = geojson()
    owner.read_tessellation(data, NAME)
    (place,) = kept_files()
    whole = place.read_bytes()
    place.write_bytes(damage(whole))
    assert same(owner.read_tessellation(data, NAME), read_afresh(data, NAME))
    assert len(gates) == 2
    assert place.read_bytes() == whole


def test_a_file_that_is_refused_is_refused_every_time(gates):
    data = geojson().replace(b"[0.0, 0.1]", b"[0.0, 0.1, 5, 5, 5]")
    for _ in range(2):
        with pytest.raises(TessellationError, match="feature 1"):
            owner.read_tessellation(data, NAME)
    assert len(gates) == 2
    assert kept_files() == []


def test_the_index_is_kept_and_gives_the_same_tiles():
    tiles = [owner.read_tessellation(geojson(), NAME) for _ in range(2)]
    random = np.random.default_rng(2)
    lng, lat = random.uniform(-1, 24, 20_000), random.uniform(-0.5, 1.5, 20_000)
    corners = shapely.get_coordinates(np.array(tiles[0].polygons))
    lng, lat = np.r_[lng, corners[:, 0], np.nan], np.r_[lat, corners[:, 1], 0]
    wanted = TileIndex(tiles[0].polygons).assign(lng, lat)
    for one in tiles:
        assert (one.index.assign(lng, lat) == wanted).all()
    kept, fresh = tiles[1].index.arrays(), TileIndex(tiles[0].polygons).arrays()
    assert kept.keys() == fresh.keys()
    for name, array in fresh.items():
        assert kept[name].dtype == array.dtype
        assert np.array_equal(kept[name], array), name
    (place,) = kept_files("indexes")
    place.write_bytes(place.read_bytes()[:-1])
    assert (owner.read_tessellation(geojson(), NAME).index.assign(lng, lat) == wanted).all()


def test_the_index_belongs_to_the_shapes_and_not_to_the_file():
    one = owner.read_tessellation(geojson(), NAME)
    other = owner.read_tessellation(geojson(shift=0.5), NAME)
    assert one.index.assign([3.2], [0.6]) == [-1]
    assert other.index.assign([3.2], [0.6]) == [other.tile_ids.index("t2")]


def test_what_is_drawn_is_made_once_for_tiles_and_names():
    made = []

    def pack(tessellation: Tessellation) -> bytes:
        made.append(tessellation)
        return packed_tiles(tessellation)

    data, renamed = geojson(), geojson().replace(b"Platz", b"Place")
    for given in (data, data, renamed, data):
        tiles = owner.read_tessellation(given, NAME)
        assert MapGeometry.of(tiles, owner.kept_bytes(tiles, pack)) == MapGeometry.of(tiles)
    assert len(made) == 2


def test_the_columns_of_a_file_are_told_from_what_was_kept(monkeypatch):
    data = geojson()
    wanted = describe_afresh(data, NAME)
    assert owner.describe_properties(data, NAME) == wanted
    monkeypatch.delattr(kept_tiles, "describe_afresh")
    assert owner.describe_properties(data, NAME) == wanted


def test_nobody_learns_which_city_it_was(own_home):
    owner.read_tessellation(geojson(), NAME).index  # noqa: B018 - reading it keeps it
    owner.describe_properties(geojson(), NAME)
    names = [path for kind in ("tiles", "properties", "indexes") for path in kept_files(kind)]
    assert all(len(path.name) == 32 for path in names)
    assert {stat.S_IMODE(path.stat().st_mode) for path in names} == {0o600}
    owner.forget()
    assert not any((own_home / "private" / "cache").glob("**/*"))


def test_only_the_newest_few_stay(monkeypatch):
    monkeypatch.setattr(kept, "_MOST_KEPT", 2)
    for size in (3, 4, 5, 6):
        owner.read_tessellation(geojson(size), NAME)
    assert len(kept_files()) == 2


def test_a_folder_that_cannot_be_written_costs_time_alone(own_home, gates):
    (own_home / "private").mkdir(parents=True, exist_ok=True)
    (own_home / "private" / "cache").write_text("in the way")
    for _ in range(2):
        assert same(owner.read_tessellation(geojson(), NAME), read_afresh(geojson(), NAME))
    assert len(gates) == 2
