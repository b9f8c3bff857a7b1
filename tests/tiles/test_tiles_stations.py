"""A table of stations becomes tiles: to each the places nearest to it, up to a public radius."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import shapely

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import describe_properties, read_tessellation, stations

BOSTON = (42.36, -71.08)
NAME = "stations.csv"
METRES = 2 * math.pi * 6_371_008.8 / 360


def table(places, header="id,name,lat,lng", end="\n", separator=","):
    """A table of stations s0, s1, ... at (lat, lng)."""
    rows = [separator.join(header.split(","))]
    rows += [
        separator.join([f"s{i}", f"Station {i}", repr(lat), repr(lng)]) for i, (lat, lng) in enumerate(places)
    ]
    return (end.join(rows) + end).encode()


def tiles(data, name=NAME, **options):
    return read_tessellation(data, name, **options)


def refused(data, name=NAME, **options):
    with pytest.raises(TessellationError) as found:
        tiles(data, name, **options)
    return str(found.value)


def around(count, seed=1, spread=0.02, middle=BOSTON):
    rng = random.Random(seed)
    lat, lng = middle
    return [(lat + rng.uniform(-spread, spread), lng + rng.uniform(-spread, spread)) for _ in range(count)]


def metres(one, other):
    """Haversine, on the sphere that trips are measured on."""
    (lat, lng), (to_lat, to_lng) = (map(math.radians, place) for place in (one, other))
    root = (
        math.sin((to_lat - lat) / 2) ** 2
        + math.cos(lat) * math.cos(to_lat) * math.sin((to_lng - lng) / 2) ** 2
    )
    return 2 * 6_371_008.8 * math.asin(math.sqrt(root))


@pytest.mark.parametrize("radius", [100.0, 500.0, 5_000.0])
def test_a_point_falls_into_the_tile_of_the_nearest_station_within_the_radius(radius):
    stations = around(60)
    found = tiles(table(stations), station_radius=radius)
    number = [int(tile[1:]) for tile in found.tile_ids]
    points = around(4_000, seed=2, spread=0.03)
    tile = found.index.assign(np.array([lng for _, lng in points]), np.array([lat for lat, _ in points]))
    inside = 0
    for point, at in zip(points, tile.tolist(), strict=True):
        distances = sorted((metres(point, station), i) for i, station in enumerate(stations))
        (nearest, i), (second, _) = distances[:2]
        if abs(nearest - radius) < 0.0015 * radius + 0.1 or second - nearest < 0.5:
            continue  # at a border; a circle is drawn with 64 corners
        assert (-1 if at < 0 else number[at]) == (i if nearest < radius else -1)
        inside += at >= 0
    assert inside > 20


@pytest.mark.parametrize("radius", [100.0, 500.0, 2_000.0])
def test_no_corner_lies_beyond_the_radius(radius):
    stations = around(80)
    found = tiles(table(stations), station_radius=radius)
    for tile, polygon in zip(found.tile_ids, found.polygons, strict=True):
        corners = shapely.get_coordinates(polygon)
        assert (
            max(metres(stations[int(tile[1:])], (lat, lng)) for lng, lat in corners)
            <= radius * 1.0001 + 0.001
        )


def test_neighbours_share_their_borders_without_repair():
    for count, spread in ((3, 0.002), (200, 0.02), (3_000, 0.15)):
        found = tiles(table(around(count, seed=count, spread=spread)))
        assert shapely.coverage_is_valid(np.array(found.polygons))
        assert shapely.is_valid(np.array(found.polygons)).all()
        assert found.notes == ("each tile holds the places nearest to its station, up to 500 m away",)


def test_one_station_is_a_disc_of_the_radius():
    (disc,) = tiles(table([BOSTON]), station_radius=1_000).polygons
    corners = shapely.get_coordinates(disc)
    assert {round(metres(BOSTON, (lat, lng))) for lng, lat in corners} == {1_000}
    metres2 = disc.area * METRES**2 * math.cos(math.radians(BOSTON[0]))
    assert metres2 == pytest.approx(math.pi * 1_000**2, rel=0.003)


@pytest.mark.parametrize("count", [2, 3, 7])
@pytest.mark.parametrize("step", [(0.001, 0.0), (0.0, 0.001), (0.0007, -0.0013)])
def test_stations_on_a_line_have_tiles_side_by_side(count, step):
    places = [(BOSTON[0] + i * step[0], BOSTON[1] + i * step[1]) for i in range(count)]
    found = tiles(table(places))
    assert len(found.tile_ids) == count
    points = [found.index.assign(np.array([lng]), np.array([lat]))[0] for lat, lng in places]
    assert points == list(range(count))
    union = shapely.union_all(np.array(found.polygons))
    assert union.geom_type == "Polygon"
    assert len(union.interiors) == 0


def test_a_square_of_four_has_one_corner_in_common():
    lat, lng = BOSTON
    places = [(lat + i * 0.002, lng + j * 0.002) for i in range(2) for j in range(2)]
    found = tiles(table(places))
    assert shapely.coverage_is_valid(np.array(found.polygons))


def test_stations_far_from_each_other_are_whole_discs():
    found = tiles(table([(42.36, -71.08), (44.0, -75.0), (40.0, -73.0)]))
    areas = [p.area * math.cos(math.radians(p.centroid.y)) * METRES**2 for p in found.polygons]
    assert areas == pytest.approx([math.pi * 500**2] * 3, rel=0.005)


def test_a_smaller_radius_lies_in_a_larger_one_and_has_another_digest():
    small, usual = tiles(table(around(20)), station_radius=200), tiles(table(around(20)))
    assert small.digest != usual.digest
    for one, other in zip(small.polygons, usual.polygons, strict=True):
        assert one.area < other.area
        assert one.difference(other).area < 1e-3 * one.area


def test_the_order_of_the_table_changes_nothing():
    lines = table(around(50)).splitlines()
    other = b"\n".join([lines[0], *reversed(lines[1:])])
    assert tiles(other).digest == tiles(table(around(50))).digest


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order mark"])
def test_separators_line_ends_and_marks_change_nothing(end, separator, mark):
    places = around(10)
    assert tiles(mark + table(places, end=end, separator=separator)).digest == tiles(table(places)).digest


@pytest.mark.parametrize(
    ("header", "column"),
    [
        ("station_id,name,lat,lon", "station_id"),
        ("Station ID,Station Name,Latitude,Longitude", "Station ID"),
        ("id,station,lat,lng", "id"),
        ("ID,label,station_latitude,station_longitude", "ID"),
        ("id,name,stop_lat,stop_lon", "id"),
    ],
)
def test_usual_names_of_columns_are_known(header, column):
    data = table(around(3), header)
    found = tiles(data)
    assert found.tile_ids == ("s0", "s1", "s2")
    assert found.tile_names == ("Station 0", "Station 1", "Station 2")
    assert next(each.column for each in describe_properties(data, NAME) if each.proposed) == column


def test_another_column_can_be_the_id():
    assert tiles(table(around(2)), tile_id="name").tile_ids == ("Station 0", "Station 1")


def test_ids_that_went_through_a_spreadsheet_lose_their_point():
    data = b"id,name,lat,lng\n3.0,A,42.3,-71.0\n007,B,42.4,-71.0\n6140.05,C,42.5,-71.0\n"
    assert tiles(data).tile_ids == ("007", "3", "6140.05")


def test_rows_that_repeat_count_once_and_are_told():
    data = table(around(3))
    again = data + data.splitlines()[1] + b"\n\n"
    assert tiles(again).digest == tiles(data).digest
    assert "1 row repeats another one and counted once" in tiles(again).notes


def test_two_places_with_one_id_are_refused_or_one_tile():
    lat, lng = BOSTON
    data = f"id,lat,lng\nA,{lat},{lng}\nB,{lat},{lng + 0.01}\nA,{lat + 0.01},{lng}\n".encode()
    assert "several features have one tile id" in refused(data)
    merged = tiles(data, merge_ids=True)
    assert merged.tile_ids == ("A", "B")
    assert merged.polygons[0].geom_type == "MultiPolygon"


@pytest.mark.parametrize("shift", [0.0, 1e-12, 5e-6])
def test_two_stations_at_one_place_are_refused_by_their_lines(shift):
    lat, lng = BOSTON
    data = table([(lat, lng), (lat + 0.01, lng), (lat + shift, lng)])
    assert "are at the same place: lines 2 and 4" in refused(data)
    assert tiles(table([(lat, lng), (lat + 2e-5, lng)])).tile_ids == ("s0", "s1")


def test_a_table_of_one_place_alone_is_refused_at_once():
    lines = [f"s{i},42.3,-71.0" for i in range(20_000)]
    said = refused(("id,lat,lng\n" + "\n".join(lines)).encode())
    assert said.count(" and ") <= 6


@pytest.mark.parametrize(
    ("lat", "lng", "text"),
    [
        ("", "-71.0", "a station without coordinates: stations.csv, line 3, column lat"),
        (" ", "-71.0", "a station without coordinates"),
        ("4,2,3", "-71.0", "not a number"),
        ("north", "-71.0", "not a number"),
        ("nan", "-71.0", "not a number"),
        ("inf", "-71.0", "not a number"),
        ("4_2", "-71.0", "not a number"),
        ("0x2a", "-71.0", "not a number"),
        ("\u0664\u0662", "-71.0", "not a number"),
        ("1e999", "-71.0", "outside [-90, 90]"),
        ("-71.0", "142.3", "more than 2,000 km apart"),
        ("90.1", "-71.0", "outside [-90, 90]: stations.csv, line 3, column lat"),
        ("42.3", "-180.5", "outside [-180, 180]: stations.csv, line 3, column lng"),
        ("233904.1", "900000", "outside [-90, 90]"),
        ("0", "0", "more than 2,000 km apart"),
    ],
)
def test_bad_coordinates_are_refused_by_their_line(lat, lng, text):
    data = f'id;lat;lng\nA;42.31;-71.01\nB;"{lat}";{lng}\n'.encode()
    assert text in refused(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\n\n", "no header"),
        (b"id,lat,lng\n", "there are no stations"),
        (b"id,name\nA,B\n", "no column for the latitude"),
        (b"id,lat,latitude,lng\nA,1,1,1\n", "2 columns for the latitude"),
        (b"id,id,lat,lng\nA,A,1,1\n", "two columns have the same name"),
        (b"id,lat,lng\nA,1\n", "line 2"),
        (b"id,lat,lng\nA,1,2,3\n", "has 4 fields, the header 3"),
        (b"name,code,lat,lng\nA,B,1,2\n", "no property is known as tile id"),
        (b"id,lat,lng\n,1,2\n", "the tile id is missing"),
        (b"id,lat,lng\n=1+1,1,2\n", "is not an id"),
        (b"id,lat,lng\noutside,1,2\n", "That word stands for"),
        (b'id,lat,lng\n"A,1,2\n' + b"x" * 200_000, "the text is not CSV"),
        (b"id,lat,lng\nA\xff,1,2\n", "not UTF-8"),
        (b"id,lat,lng\nA\0,1,2\n", "NUL"),
        (",".join(["id", "lat", "lng", *(f"c{i}" for i in range(300))]).encode(), "the limit is 256"),
        (b"id,lat,lng\nA,89,0\n", "too near a pole"),
        (b"id,lat,lng\nA,10,179.999\n", "180th meridian"),
        (b"id,lat,lng\nA,10,179.9\nB,10,-179.9\n", "more than 2,000 km apart"),
    ],
)
def test_what_is_no_table_of_stations_is_refused_and_says_why(data, text):
    assert text in refused(data)


@pytest.mark.parametrize(
    "header",
    [
        "uid,tid,datetime,lat,lng",
        "user_id,started_at,ended_at,lat,lng",
        "ride_id,lat,lng",
        "seq_id,start_date,strt_statn,lat,lng",
        "Start Time,lat,lng",
    ],
)
def test_a_table_of_trips_is_refused_and_no_cell_of_it_is_said(header):
    cells = ",".join("zq7canary" for _ in header.split(","))
    said = refused(f"{header}\n{cells}\n".encode())
    assert "looks like trips" in said
    assert "zq7canary" not in said


@pytest.mark.parametrize("radius", [0.0, 9.0, -5.0, 60_000.0, math.nan, math.inf, True])
def test_a_radius_out_of_range_is_refused(radius):
    assert "the radius of a station's tile is out of range" in refused(table([BOSTON]), station_radius=radius)


def test_a_place_written_as_zeros_is_told():
    assert any("latitude 0" in note for note in tiles(b"id,lat,lng\nA,0,0\nB,0.1,0.1\n").notes)


def test_a_table_has_no_layers_and_other_content_is_named():
    assert "a table has no layers" in refused(table([BOSTON]), layer="tiles")
    assert "the content is GeoJSON" in refused(b'{"type": "FeatureCollection"}')
    assert "the content is a zip archive" in refused(b"PK\x03\x04" + bytes(50))
    assert "the content is an XML document" in refused(b"<kml/>")


def test_more_stations_than_tiles_are_allowed_are_refused_before_any_tile_is_made(monkeypatch):
    monkeypatch.setattr(limits, "MAX_TILES", 10)
    monkeypatch.setattr(stations, "cells", None)
    assert "there are 11 tiles" in refused(table(around(20)))


def test_the_stations_of_boston(shared):
    place = shared("real/boston/hubway_stations.csv")
    found = tiles(place, place.name)
    assert len(found.tile_ids) == 142
    assert set(found.tile_ids) == {str(number) for number in range(3, 146) if number != 28}
    assert found.tile_names[found.tile_ids.index("67")] == "MIT at Mass Ave / Amherst St"
    assert len(found.notes) == 1
    rows = [line.split(";") for line in place.read_text().split("\r")[1:] if line]
    lat, lng = (np.array([float(row[at]) for row in rows]) for at in (4, 5))
    at = found.index.assign(lng, lat)
    assert [found.tile_ids[tile] for tile in at] == [row[0] for row in rows]


def test_the_stations_of_sydney_hold_two_at_one_place(shared):
    place = shared("real/opal_release/Stations_locations.csv")
    assert "are at the same place: lines 229 and 249" in refused(place, place.name, tile_id="loc")


def test_an_open_quotation_mark_does_not_hide_the_stations_below_it():
    table = 'id,name,lat,lng\n1,"a,42.1,-71.1\n2,b,42.2,-71.2\n3,c",42.3,-71.3\n'
    with pytest.raises(TessellationError, match="line 2"):
        stations.features(table.encode(), "s.csv", 500)
