"""Formats that a child process reads, and what it must not do."""

import json
import subprocess
import sys
import time

import numpy as np
import pyproj
import pytest
import shapely
from made_formats import DEGREES, IDS, METRES, NAMES, geoparquet, table, topojson, with_gdal, zipped

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import in_child, read_tessellation


def refused(data, name, **options):
    with pytest.raises(TessellationError) as found:
        read_tessellation(data, name, **options)
    assert str(found.value).isprintable()
    return str(found.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


@pytest.fixture(scope="module")
def shapefile(folder):
    return with_gdal(folder, "zones.shp", "ESRI Shapefile", METRES, "EPSG:25833")


def files_of(shapefile, *but):
    return {
        path.name: path.read_bytes()
        for path in sorted(shapefile.parent.glob("zones.*"))
        if path.suffix in {".shp", ".shx", ".dbf", ".prj", ".cpg"} and path.suffix not in but
    }


def file_of(kind, folder, shapefile):
    """The file of a kind, a path or bytes, and its name."""
    if kind in {"ewkt", "ewkb", "geojson in csv"}:
        texts = {
            "ewkt": ([f"SRID=25833;{shape.wkt}" for shape in METRES], "the_geom"),
            "ewkb": ([shapely.to_wkb(shape, hex=True) for shape in DEGREES], "geom", "\t"),
            "geojson in csv": (
                [shapely.to_geojson(shape).replace('"', '""') for shape in DEGREES],
                "Geo Shape",
                ";",
            ),
        }
        return table(*texts[kind]), "zones.csv"
    if kind == "parquet":
        return geoparquet(pyproj.CRS.from_epsg(25833).to_json_dict()), "zones.parquet"
    if kind == "kml":
        return with_gdal(folder, "zones.kml", "LIBKML", DEGREES, "EPSG:4326"), "zones.kml"
    if kind == "fgb":
        return with_gdal(folder, "zones.fgb", "FlatGeobuf", METRES, "EPSG:25833"), "zones.fgb"
    return shapefile, shapefile.name


@pytest.mark.parametrize("kind", ["shp", "fgb", "parquet", "kml", "ewkt", "ewkb", "geojson in csv"])
def test_every_format_gives_the_same_tiles(kind, folder, shapefile):
    data, name = file_of(kind, folder, shapefile)
    tiles = read_tessellation(data, name)
    assert tiles.tile_ids == tuple(reversed(IDS))
    assert tiles.tile_names == tuple(reversed(NAMES))
    if kind in {"shp", "fgb", "parquet", "ewkt"}:
        assert tiles.notes == ("coordinates were reprojected from EPSG:25833 to WGS84",)
    for found, wanted in zip(tiles.polygons, reversed(DEGREES), strict=True):
        assert shapely.hausdorff_distance(found, wanted) < 1e-8


def test_topojson_is_told_by_its_content_and_shares_its_arcs():
    tiles = read_tessellation(topojson(), "zones.json")
    assert (tiles.tile_ids, tiles.tile_names, tiles.notes) == (("N1", "N2"), ("West", "East"), ())
    assert np.allclose(tuple(tiles.bounds), (13, 52, 13.02, 52.01))
    assert shapely.coverage_is_valid(list(tiles.polygons))
    said = refused(topojson(("zones", "wards")), "zones.topojson")
    assert 'Choose one of: "wards", "zones". Name it with --layer (in a notebook: layer).' in said
    assert read_tessellation(topojson(("zones", "wards")), "z.topojson", layer="wards").digest == tiles.digest
    assert "this is not a Topology" in refused(b"{}", "zones.topojson")


FORGED = {
    b"[2, -1]": (b"[2, -99999]", b"[2, true]", b"[2, 1e3]", b"[]", b"[2]", b"[2, 0]", b"7"),
    b'"scale": [0.01, 0.01]': (
        b'"scale": [0.01]',
        b'"scale": [0.01, "x"]',
        b'"scale": [1e400, 1]',
        b'"skale": 7',
    ),
    b'"arcs": [[[1, 0], [0, 1]]': (b'"arcs": [[[1, 0], [0, null]]', b'"arcs": [[]', b'"arcs": [5'),
    b'"objects": {"zones": {': (b'"objects": {"zones": 7, "z": {', b'"objects": 7, "o": {"zones": {'),
    b'"MultiPolygon"': (b'"LineString"', b"[]"),
}


@pytest.mark.parametrize(("old", "new"), [(old, new) for old, many in FORGED.items() for new in many])
def test_a_forged_topology_is_refused(old, new):
    data = topojson()
    assert old in data
    refused(data.replace(old, new), "zones.topojson", **({"layer": "zones"} if b'"z"' in new else {}))


def test_an_arc_that_is_used_again_and_again_is_counted_before_it_is_copied(monkeypatch):
    monkeypatch.setattr(limits, "MAX_CORNERS", 1_000)
    data = topojson().replace(b"[2, -1]", b"[" + b"2, -1, " * 10_000 + b"2]")
    assert "too many corners" in refused(data, "zones.topojson")


def test_a_shapefile_without_a_system_that_a_register_holds_needs_one(shapefile):
    bare = zipped(files_of(shapefile, ".prj"))
    assert "--tiles-crs EPSG:..." in refused(bare, "zones.zip")
    tiles = read_tessellation(bare, "zones.zip", tiles_crs="EPSG:25833")
    assert tiles.notes == ("coordinates were reprojected from EPSG:25833 to WGS84",)
    custom = files_of(shapefile) | {"zones.prj": files_of(shapefile)["zones.prj"].replace(b"15.0", b"15.5")}
    assert "undefined or unknown" in refused(zipped(custom), "zones.zip")


def test_a_shapefile_says_which_of_its_files_is_missing(shapefile, monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)
    assert "a Shapefile needs its other files" in refused(shapefile.read_bytes(), "zones.shp")
    assert "the name says a zip archive, the content is GeoJSON" in refused(b"{}", "zones.shp")
    monkeypatch.undo()
    assert "the Shapefile has no .shx and no .dbf" in refused(
        zipped(files_of(shapefile, ".shx", ".dbf")), "zones.zip"
    )
    assert "there is no Shapefile in the archive" in refused(zipped({"doc.kml": b"<kml/>"}), "zones.zip")
    two = zipped({f"{one}/{name}": its for one in "ab" for name, its in files_of(shapefile).items()})
    assert '"a/zones", "b/zones"' in refused(two, "zones.zip")


LETTERS = [
    ("GBK", "北京", "GBK", 0),
    ("shift_jis", "東京ソ", "Shift_JIS", 0),
    ("cp932", "東京", "", 0x13),
    ("cp1251", "Москва", "ANSI 1251", 87),
    ("iso8859-2", "Łódź", "88592", 87),
    ("latin-1", "Köln ÿ", "", 87),
    ("utf-8", "Zürich", "UTF-8", 0),
]


@pytest.mark.parametrize(("letters", "name", "cpg", "number"), LETTERS)
def test_a_shapefile_is_read_in_the_letters_that_it_names(letters, name, cpg, number, folder):
    written = name.encode(letters)
    place = with_gdal(
        *(folder, "letters.shp", "ESRI Shapefile", METRES, "EPSG:25833"),
        columns={"zone_id": IDS, "name": [chr(0x61 + n) * len(written) for n in range(len(IDS))]},
    )
    parts = {one.name: one.read_bytes() for one in place.parent.glob("letters.*")}
    dbf = bytearray(parts["letters.dbf"].replace(b"c" * len(written), written))
    dbf[29] = number
    parts |= {"letters.dbf": bytes(dbf), "letters.cpg": cpg.encode()}
    assert read_tessellation(zipped(parts), "letters.zip").tile_names[0] == name


def test_letters_that_are_unknown_or_wrong_are_refused_with_what_mends_them(shapefile):
    files = files_of(shapefile)
    said = refused(zipped(files | {"zones.cpg": b"letters of old"}), "zones.zip")
    assert 'unknown encoding "letters of old"' in said
    dbf = files["zones.dbf"].replace("Zürich".encode(), b"Z\xff\xffrich")
    assert "the texts are not utf-8" in refused(zipped(files | {"zones.dbf": dbf}), "zones.zip")
    assert "encoding" in refused(zipped(files | {"zones.cpg": b"zlib_codec"}), "zones.zip")


def test_columns_are_counted_before_their_values_are_made(monkeypatch):
    monkeypatch.setattr(limits, "MAX_COLUMNS", 2)
    assert "3 different properties: zones.parquet. At most 2" in refused(geoparquet(None), "zones.parquet")
    with pytest.raises(ValueError, match=r"^$"):
        in_child._rows({"columns": list("abc"), "values": [[], [], []], "sizes": []}, b"")


def test_a_geoparquet_without_shapes_that_can_be_read_is_refused():
    assert "not well-known binary" in refused(geoparquet(None, encoding="polygon"), "zones.parquet")
    said = refused(
        geoparquet(None), "zones.parquet"
    )  # metres, and GeoParquet means degrees if it says nothing
    assert "They look projected" in said
    assert "--tiles-crs" in said  # and that advice helps
    tiles = read_tessellation(geoparquet(None), "zones.parquet", tiles_crs="EPSG:25833")
    assert tiles.notes == ("coordinates were reprojected from EPSG:25833 to WGS84",)
    for declared in ("EPSG:25833", "OGC:CRS84", pyproj.CRS.from_epsg(25833).to_json_dict()):
        said = refused(geoparquet(declared), "zones.parquet", tiles_crs="EPSG:27700")
        assert "If the file is wrong, correct what it declares" in said
    assert "undefined or unknown" in refused(geoparquet(None, crs=None), "zones.parquet")


def test_a_layer_that_must_be_chosen_is_asked_for_wherever_the_file_is_read():
    place = "<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark>"
    folders = "".join(f"<Folder><name>{name}</name>{place}</Folder>" for name in ("one", "two"))
    for data, name in (
        (f"<kml><Document>{folders}</Document></kml>".encode(), "t.kml"),
        (topojson(("a", "b")), "t.json"),
    ):
        with pytest.raises(TessellationError, match="there are several layers") as found:
            read_tessellation(data, name)
        assert found.value.options == {"--layer"}


def test_all_layers_are_the_only_one_or_are_asked_for_one_by_one(tmp_path, shapefile):
    drivers = {"z.gpkg": "GPKG", "z.fgb": "FlatGeobuf"}
    written = {
        name: with_gdal(tmp_path, name, driver, METRES, "EPSG:25833") for name, driver in drivers.items()
    }
    for name, data in {"z.json": topojson(("zones",)), **written}.items():
        assert read_tessellation(data, name, layer="*").digest == read_tessellation(data, name).digest
    two = files_of(shapefile)
    two |= {name.replace("zones", "wards"): part for name, part in two.items()}
    for data, name in ((topojson(("zones", "wards")), "z.json"), (zipped(two), "z.zip")):
        said = refused(data, name, layer="*")
        assert "there are several layers" in said
        assert '"*" takes all folders of a KML; of this file one layer is read. Choose one' in said


LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
<kml><Placemark><name>&b;&f;</name></Placemark></kml>"""
VRT = b'<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>/etc/passwd</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>'


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (LAUGHS, "tiles.kml", "delete all from <!DOCTYPE up to <kml"),
        (b"<!-- <kml> -->" + LAUGHS, "tiles.kml", "an XML document"),
        (VRT, "tiles.kml", "an XML document"),
        (VRT, "tiles.fgb", "an XML document"),
        (VRT, "tiles.zip", "an XML document"),
        (VRT, "tiles.csv", "an XML document"),
        (VRT, "tiles.gml", "an XML document"),
        (
            LAUGHS.replace(b"<kml", b"<a xmlns:gml='http://www.opengis.net/gml'"),
            "tiles.gml",
            "an XML document with a doc",
        ),
        (
            b'<a numberMatched="9" numberReturned="2" x="opengis.net/gml"/>',
            "tiles.gml",
            "only a part of the tiles",
        ),
        (b'{"geometryType": "", "features": [], "exceededTransferLimit": true}', "tiles.json", "only a part"),
        (b'{"type": "FeatureCollection", "features": [], "numberMatched": 3}', "tiles.json", "only a part"),
        (b'\x1e{"type": "Feature"}\n\x1e{"type": ]}\n', "tiles.geojsonl", "not JSON: tiles.geojsonl, line 2"),
        ('<?xml version="1.0"?><kml/>'.encode("utf-16"), "tiles.kml", "text that is not UTF-8"),
        ("id;lat;lng".encode("utf-16"), "tiles.csv", "Save it as UTF-8"),
        (b'{"a": 1}' + b"\n" * 2_000_000 + b"[", "tiles.json", "not JSON"),
        (b"PAR1", "tiles.fgb", "the content is a Parquet file"),
        (b'{"type":"Topology","arcs":' + b"[" * 200_000, "tiles.topojson", "nested deeper"),
        (b"uid,started_at,geometry\n1,2020-01-01,POINT(1 1)\n", "tiles.csv", "this looks like trips"),
    ],
)
def test_content_of_another_kind_is_refused_before_a_child_is_started(data, name, said, monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)
    assert said in refused(data, name)


PLACEMARK = "<Placemark><name>a</name><Polygon><outerBoundaryIs><LinearRing><coordinates>{}</coordinates></LinearRing>"
LINK = "<NetworkLink><Link><href>http://127.0.0.1:1/x.kml</href></Link></NetworkLink><Document><name>&lt;</name></Document>"
GML = b"""<f:c xmlns:f="x" xmlns:gml="http://www.opengis.net/gml" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="x http://127.0.0.1:1/x.xsd">
<gml:featureMember><f:a fid="1"><f:n>a</f:n></f:a></gml:featureMember></f:c>"""
BADS = {
    "cut fgb": lambda _, folder: (folder / "zones.fgb").read_bytes()[:-150],
    "no fgb": lambda _, __: b"fgb\x03fgb\x01" + b"\xff" * 300,
    "virtual.zip": lambda files, _: zipped(files | {"zones.shp": VRT}),
    "forged.parquet": lambda _, __: geoparquet(None)[:-300] + b"\xff" * 292 + b"\x10\0\0\0PAR1",
    "link.kml": lambda _, __: f"<kml>{LINK}</kml>".encode(),
    "deep.kml": lambda _, __: b"<kml>" + b"<Folder>" * 100_000,
    "link.gml": lambda _, __: GML.replace(b"</f:a>", b"<f:g xlink:href='file:///etc/passwd#a'/></f:a>"),
    "deep.gml": lambda _, __: GML.replace(b"</f:a>", b"<gml:Polygon>" * 100_000),
    "rings.json": lambda _, __: (
        b'{"geometryType": "esriGeometryPolygon", "features": [{"geometry": {"rings": [[1, [2]]]}}]}'
    ),
    "text.parquet": lambda _, __: geoparquet(None, long=True),
    "open.csv": lambda _, __: table(["POLYGON((0 0, 1 0", "POINT(1 1)", "GEOMETRYCOLLECTION(" * 50_000]),
}


@pytest.mark.parametrize("kind", BADS)
def test_a_damaged_or_forged_file_is_refused(kind, folder, shapefile):
    if kind == "cut fgb":
        with_gdal(folder, "zones.fgb", "FlatGeobuf", METRES, "EPSG:25833")
    data = BADS[kind](files_of(shapefile), folder)
    start = time.process_time()
    said = refused(data, kind.replace(" ", "."), **({"tile_id": "zone_id"} if kind == "open.csv" else {}))
    assert "root" not in said
    assert time.process_time() - start < 60


def test_an_archive_is_counted_while_it_is_unpacked_and_its_names_are_no_paths(
    shapefile, monkeypatch, tmp_path
):
    outside = tmp_path / "zones"
    names = {f"../..{outside}{name[5:]}": its for name, its in files_of(shapefile).items()}
    beside = {"readme.txt": b"x", "__MACOSX/._zones.shp": b"x"}
    assert read_tessellation(zipped(names | beside), "zones.zip").tile_ids == tuple(reversed(IDS))
    assert list(tmp_path.iterdir()) == []
    bomb = zipped(files_of(shapefile) | {"zones.dbf": bytes(20_000_000)})
    monkeypatch.setattr(limits, "MAX_TESSELLATION_BYTES", 1_000_000)
    assert len(bomb) < 100_000
    assert "the archive unpacks to too much" in refused(bomb, "zones.zip")


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        (
            "MAX_CHILD_SECONDS",
            0,
            "reading takes too long",
        ),  # no time at all: it is over before the child begins
        ("MAX_CHILD_MEMORY_BYTES", 2**26, "damaged, or too large"),
        ("MAX_CHILD_ANSWER_BYTES", 100, "damaged, or too large"),
    ],
)
def test_a_child_has_little_time_memory_and_room(limit, most, said, monkeypatch):
    monkeypatch.setattr(limits, limit, most)
    assert said in refused(table([shape.wkt for shape in DEGREES]), "zones.csv")


LOCKED = """
import ctypes, json, os, resource, socket, subprocess, sys
sys.path.insert(0, sys.argv[1])
import child
child._close_the_doors({"driver": sys.argv[4]})
import pyogrio
tries = {
    "file": lambda: open(child.__file__),
    "new file": lambda: open(sys.argv[2], "w"),
    "socket": lambda: socket.socket(),
    "process": lambda: subprocess.Popen(["true"]),
    "pipe": os.pipe,
    "gdal file": lambda: pyogrio.list_layers(sys.argv[3]),
    "gdal web": lambda: pyogrio.list_layers("/vsicurl/http://127.0.0.1:1/x.kml"),
    "gdal other": lambda: pyogrio.list_layers(b'{"type":"FeatureCollection","features":[]}'),
}
passed = []
for name, attempt in tries.items():
    try:
        attempt()
    except (OSError, pyogrio.errors.DataSourceError):
        continue
    passed.append(name)
if sys.platform == "linux" and ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) != 1:
    passed.append("new rights")
if resource.getrlimit(resource.RLIMIT_NPROC) != (0, 0):
    passed.append("processes")
print(json.dumps([passed, list(pyogrio.list_drivers())]))
"""


def test_a_kml_document_without_a_name_is_read():
    ring = (
        "<LinearRing><coordinates>13.3,52.4,0 13.4,52.4,0 13.4,52.5,0 13.3,52.4,0</coordinates></LinearRing>"
    )
    shape = f"<Polygon><outerBoundaryIs>{ring}</outerBoundaryIs></Polygon>"
    text = f"<kml xmlns='http://www.opengis.net/kml/2.2'><Document><Placemark><name>M&#252;hle</name>{shape}</Placemark></Document></kml>"
    assert read_tessellation(text.encode(), "plain.kml").tile_ids == ("M\u00fchle",)


@pytest.mark.parametrize("driver", ["KML", "GML", "ESRIJSON"])
def test_the_child_can_open_nothing_and_knows_one_driver(folder, tmp_path, driver):
    passed, drivers = locked(folder, tmp_path, driver)
    assert ({*passed} - {"new rights"}, drivers) == (set(), [driver])
    assert not (tmp_path / "new").exists()


def test_no_program_of_the_child_can_gain_rights(folder, tmp_path):
    assert "new rights" not in locked(folder, tmp_path, "KML")[0]


def locked(folder, tmp_path, driver):
    """What a child can still do once its doors are closed, and the drivers that it knows."""
    known = with_gdal(folder, "known.kml", "LIBKML", DEGREES, "EPSG:4326")
    place = str(in_child._PROGRAM.parent)
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOCKED, place, str(tmp_path / "new"), str(known), driver],
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"system": null, "columns": [], "values": [], "sizes": [5]}',
        b'{"system": null, "columns": [], "values": [], "sizes": [-1, 1]}',
        b'{"system": null, "columns": ["a"], "values": [[]], "sizes": [0]}',
        b'{"system": null, "columns": 7, "values": [], "sizes": []}',
        b'{"system": [1], "columns": [], "values": [], "sizes": []}',
        b'{"fault": ["\\u001b[31m", "x"]}',
        b'{"fault": ["one"]}',
        b'{"fault": 7}',
    ],
)
def test_what_a_child_answers_is_not_trusted(told, monkeypatch):
    def forge(words, *, stdout, env, **_):
        assert "SECRET" not in env
        stdout.write(len(told).to_bytes(8, "little") + told)
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setattr(subprocess, "run", forge)
    refused(table([shape.wkt for shape in DEGREES]), "zones.csv")


def test_importing_the_package_loads_no_gdal():
    asked = "import sys, dpcore.tiles; print({'pyogrio', 'pyarrow', 'geopandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)
    assert done.stdout == b"set()\n"


def placemark(name, west, *others):
    corners = " ".join(f"{x},{y},0" for x, y in shapely.box(west, 54, west + 0.1, 54.1).exterior.coords)
    area = f"<Polygon><outerBoundaryIs><LinearRing><coordinates>{corners}</coordinates></LinearRing></outerBoundaryIs></Polygon>"
    shape = f"<MultiGeometry>{''.join(others)}{area}</MultiGeometry>" if others else area
    return f"<Placemark><name>{name}</name>{shape}</Placemark>"


def kml(**folders):
    inside = "".join(f"<Folder><name>{name}</name>{held}</Folder>" for name, held in folders.items())
    return f"<kml xmlns='http://www.opengis.net/kml/2.2'><Document>{inside}</Document></kml>".encode()


def test_folders_of_a_kml_document_are_loaded_by_one_name_or_all_together():
    data = kml(north=placemark("a", 9), south=placemark("b", 9.1))
    assert 'Choose one with --layer (in a notebook: layer): "north", "south", or "*" for all.' in refused(
        data, "places.kml"
    )
    assert read_tessellation(data, "places.kml", layer="*").tile_ids == ("a", "b")
    assert read_tessellation(data, "places.kml", layer="south").tile_ids == ("b",)
    assert read_tessellation(kml(one=placemark("a", 9)), "places.kml", layer="*").tile_ids == ("a",)


def test_an_area_with_the_point_of_its_label_is_the_area():
    label = "<Point><coordinates>9.05,54.05,0</coordinates></Point>"
    alone, labelled = (read_tessellation(kml(f=placemark("a", 9, *more)), "p.kml") for more in ((), (label,)))
    assert labelled.digest == alone.digest
    only = f"<Placemark><name>a</name>{label}</Placemark>"
    assert (
        "each tile holds the places nearest"
        in read_tessellation(kml(f=only), "p.kml", tile_id="Name").notes[0]
    )
    collected = table(
        [f"GEOMETRYCOLLECTION ({shape.centroid.wkt}, {shape.wkt})" for shape in DEGREES], "the_geom"
    )
    plain = table([shape.wkt for shape in DEGREES], "the_geom")
    assert read_tessellation(collected, "z.csv").digest == read_tessellation(plain, "z.csv").digest


def test_a_placemark_without_an_area_is_left_out_and_said():
    note = "<Placemark><name>of 2024</name><description>x</description></Placemark>"
    pin = "<Placemark><name>a pin</name><Point><coordinates>9,54,0</coordinates></Point></Placemark>"
    way = pin.replace("Point", "LineString").replace("54,0<", "54,0 9,55,0<")
    pinned = read_tessellation(kml(f=pin + placemark("a", 9) + note + pin, pins=pin), "p.kml", layer="*")
    assert pinned.tile_ids == ("a",)
    assert pinned.notes == ("placemarks without an area were left out: 4",)
    assert "the geometry is not a polygon" in refused(kml(f=placemark("a", 9) + way), "p.kml")
    (alone,) = read_tessellation(
        kml(f=note + pin), "p.kml", tile_id="Name"
    ).tile_ids  # pins alone are stations
    assert alone == "a pin"
    tiles = read_tessellation(kml(f=note + placemark("a", 9) + note + placemark("b", 9.1)), "p.kml")
    assert tiles.tile_ids == ("a", "b")
    assert tiles.notes == ("placemarks without an area were left out: 2",)
