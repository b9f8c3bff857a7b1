import gzip
import io
import os
import pickle
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from made_tiles import cells, collection, geopackage, row_of_tiles

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import describe_properties, read_tessellation

VRT = """<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource>{path}</SrcDataSource>
<GeometryType>wkbNone</GeometryType></OGRVRTLayer></OGRVRTDataSource>"""

opened = []
watched = {"now": False}


def watch(event, arguments):
    if watched["now"] and event in {
        "open",
        "sqlite3.connect",
        "socket.connect",
        "subprocess.Popen",
        "pickle.find_class",
    }:
        opened.append((event, str(arguments[0])))


sys.addaudithook(watch)


@pytest.fixture
def openings():
    """What is opened while a test runs; an audit hook cannot be removed, so it is switched."""
    opened.clear()
    watched["now"] = True
    yield opened
    watched["now"] = False


def refused(source, name="tiles.geojson", **options):
    with pytest.raises(TessellationError) as found:
        read_tessellation(source, name, **options)
    return str(found.value)


class Bomb:
    def __reduce__(self):
        return os.system, ("false",)


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("tiles.geojson", collection(row_of_tiles(["a"])))
    return buffer.getvalue()


def written(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


TABLE = pa.table({"a": [1]})
OTHERS = {
    "zip": (zipped(), "a zip archive"),
    "gzip": (gzip.compress(b"{}", mtime=0), "a gzip archive"),
    "parquet": (written(lambda file: pa.parquet.write_table(TABLE, file)), "a Parquet file"),
    "feather": (written(lambda file: pa.feather.write_feather(TABLE, file)), "an Arrow file"),
    "npy": (written(lambda file: np.save(file, np.arange(3))), "a NumPy file"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(100), "an HDF5 file"),
    "sqlite": (b"SQLite format 3\x00" + bytes(200), "an SQLite database of another kind"),
    "csv": (b"tile_id,wkt\na,POLYGON()\n", "not JSON"),
    "xml": (b"<?xml version='1.0'?><kml/>", "an XML document"),
    "zeros": (bytes(1000), "not JSON"),
    **{f"pickle{n}": (pickle.dumps(Bomb(), n), "a pickle" if n > 1 else "not JSON") for n in range(6)},
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("name", ["tiles.geojson", "tiles.json", "tiles.gpkg"])
def test_content_of_another_kind_is_refused_naming_both(kind, name, openings):
    data, words = OTHERS[kind]
    said = refused(data, name)
    assert words in said
    assert f"the name says {'GeoPackage' if name.endswith('gpkg') else 'GeoJSON'}" in said
    assert openings == []


def test_the_two_formats_under_each_others_name_are_refused():
    assert "the name says GeoJSON, the content is GeoPackage" in refused(geopackage(cells(1)))
    said = refused(collection(row_of_tiles(["a"])), "tiles.gpkg")
    assert "the name says GeoPackage, the content is GeoJSON" in said


@pytest.mark.parametrize("lead", ["", " \n", "\ufeff"])
def test_a_virtual_format_opens_no_other_file(tmp_path, openings, lead):
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n")
    path = tmp_path / "tiles.geojson"
    path.write_text(lead + VRT.format(path=secret))
    openings.clear()
    said = refused(path)
    assert "an XML document" in said
    assert "password" not in said
    assert openings == [("open", str(path))]
    assert "an XML document" in refused(path.read_bytes())


def test_a_virtual_format_inside_json_opens_no_other_file(tmp_path, openings):
    features = row_of_tiles(["a"])
    features[0]["properties"]["tile_name"] = VRT.format(path=tmp_path)
    data = collection(features)
    assert read_tessellation(data, "tiles.geojson").tile_names[0].startswith("<OGRVRTDataSource>")
    assert openings == []


def test_reading_opens_the_file_and_nothing_else(tmp_path, openings):
    path = tmp_path / "tiles.gpkg"
    path.write_bytes(geopackage(cells(2)))
    before = path.read_bytes()
    openings.clear()
    assert read_tessellation(path, path.name).tile_ids == ("T0", "T1")
    assert openings == [("open", str(path)), ("sqlite3.connect", ":memory:")]
    assert path.read_bytes() == before
    assert [child.name for child in tmp_path.iterdir()] == ["tiles.gpkg"]


@pytest.mark.parametrize("name", ["tiles", "tiles.log", "tiles.dbf", "tiles.geojson.gz", "", ".geojson"])
def test_a_name_that_tells_no_format_is_refused(name):
    assert "does not say what it holds" in refused(collection(row_of_tiles(["a"])), name)


def test_the_name_is_shown_without_folders_and_in_one_line():
    said = refused(b"", "../../etc/\u202e\x1b[31m\nnice name.geojson")
    assert said.isprintable()
    assert "etc" not in said
    assert "nice name.geojson" in said


@pytest.mark.parametrize("name", ["tiles.geojson", "tiles.gpkg"])
def test_an_empty_file_is_refused(name, tmp_path):
    assert "the file is empty" in refused(b"", name)
    (tmp_path / name).touch()
    assert "the file is empty" in refused(tmp_path / name, name)


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "tiles.geojson"
    with path.open("wb") as file:
        file.truncate(limits.MAX_TESSELLATION_BYTES + 1)
    assert "too large" in refused(path)
    monkeypatch.setattr(limits, "MAX_TESSELLATION_BYTES", 100)
    assert "too large" in refused(b"{" + b" " * 100)
    assert "too large" not in refused(b"{" + b" " * 99)


def test_what_is_no_file_is_refused(tmp_path):
    assert "no such file" in refused(tmp_path / "missing.geojson")
    assert "cannot be read" in refused(tmp_path)
    assert "not a file" in refused(Path("/dev/zero"))


def test_describing_refuses_the_same_files():
    with pytest.raises(TessellationError, match="zip archive"):
        describe_properties(zipped(), "tiles.geojson")
