import pytest
from made_tiles import collection, feature, ring

from dpcore.errors import TessellationError
from dpcore.tiles import describe_properties, geojson, read_tessellation


def data_of(rows, **members):
    return collection([feature(row, [ring(i, 0)], **members) for i, row in enumerate(rows)])


def read(data, **options):
    return read_tessellation(data, "tiles.geojson", **options)


def refused(data, **options):
    with pytest.raises(TessellationError) as found:
        read(data, **options)
    return str(found.value)


@pytest.mark.parametrize(
    "column",
    [
        "tile_id",
        "TILE_ID",
        "tileId",
        "tile id",
        "LocationID",
        "location_id",
        "zone_id",
        "GEOID",
        "GEOID10",
        "ID",
        "h3",
    ],
)
def test_known_id_columns_are_found(column):
    assert read(data_of([{"other": "x", column: "b"}, {"other": "x", column: "a"}])).tile_ids == ("a", "b")


def test_the_best_known_column_wins():
    assert read(data_of([{"id": 9, "LocationID": 8, "tile_id": 7, "OBJECTID": 6}])).tile_ids == ("7",)


def test_the_id_member_of_features_serves_last():
    data = collection([feature({"OBJECTID": 5}, [ring(0, 0)], id="x1"), feature({}, [ring(1, 0)], id=3)])
    assert read(data).tile_ids == ("3", "x1")
    assert read(collection([feature({"id": "property"}, [ring(0, 0)], id="member")])).tile_ids == (
        "property",
    )
    assert read(collection([feature(None, [ring(0, 0)], id="member")])).tile_ids == ("member",)


@pytest.mark.parametrize("column", ["tile_name", "Name", "zone", "NAMELSAD10"])
def test_known_name_columns_are_found(column):
    tiles = read(data_of([{"tile_id": "a", column: "North"}, {"tile_id": "b", column: None}]))
    assert tiles.tile_names == ("North", "b")


def test_row_numbers_are_not_taken_but_offered():
    said = refused(data_of([{"OBJECTID": 1, "size": "s"}, {"OBJECTID": 2, "size": "s"}]))
    assert "no property is known as tile id" in said
    assert '"OBJECTID"' in said
    assert '"size"' not in said


def test_shapes_of_one_tile_are_joined_as_the_refusal_says():
    said = refused(
        data_of([{"code": "a", "kind": "x"}, {"code": "a", "kind": "x"}, {"code": "b", "kind": "x"}])
    )
    assert '--tile-id "code" --merge-ids' in said


def test_nothing_that_could_serve_is_said():
    assert "Give every tile a property tile_id" in refused(data_of([{"size": 1.5}]))


def test_a_column_can_be_chosen_by_its_name_in_any_case():
    data = data_of([{"tile_id": "a", "Code": "x"}])
    assert read(data, tile_id="Code").tile_ids == ("x",)
    assert read(data, tile_id="code").tile_ids == ("x",)
    said = refused(data, tile_id="nothing\n")
    assert 'there is no property "nothing"' in said
    assert '"Code"' in said


@pytest.mark.parametrize("value", [None, True, 1.5, "", [1], {"a": 1}, "=1", "outside"])
def test_a_value_that_is_no_id_is_refused_with_its_feature(value):
    said = refused(data_of([{"tile_id": "a"}, {"tile_id": value}]))
    assert "feature 2" in said
    assert "feature 2" in refused(data_of([{"tile_id": "a"}, {}]))


def test_repeated_ids_are_refused_unless_merged():
    data = data_of([{"tile_id": 1, "fid": 1}, {"tile_id": 1.0, "fid": 2}, {"tile_id": "2", "fid": 3}])
    said = refused(data)
    assert 'several features have one tile id: "1"' in said
    assert '"fid"' not in said, "trips with zone ids would would be in wrong tiles"
    assert 'Trips with zone ids name their tiles by "tile_id"' in said
    other = data_of([{"tile_id": 1, "part": 5, "fid": 1}, {"tile_id": 2, "part": 5, "fid": 2}])
    assert '"fid"' in refused(other, tile_id="part"), (
        "no trip names its tile by a property that nothing knows"
    )
    tiles = read(data, merge_ids=True)
    assert tiles.tile_ids == ("1", "2")
    assert tiles.notes == ('2 features were merged into 1 tile: "1"',)
    assert tiles.index.assign([13.005, 13.015, 13.025], [52.005] * 3).tolist() == [0, 0, 1]


def test_many_repeated_ids_are_cut_short():
    assert "and 3 more" in refused(data_of([{"tile_id": i // 2} for i in range(16)]))


def test_a_page_can_see_which_properties_could_be_ids():
    rows = [
        {"tile_id": 1, "unique": "a", "half": None, "size": 1.5, "nested": [1]},
        {"tile_id": 1, "unique": "b\u202e", "half": "x", "size": 2.5, "nested": {}},
        {"tile_id": 2, "unique": "c", "half": "", "size": 2.5, "nested": None},
    ]
    seen = {each.column: each for each in describe_properties(data_of(rows), "tiles.geojson")}
    assert list(seen) == ["tile_id", "unique", "half", "size", "nested"]
    assert (seen["tile_id"].proposed, seen["tile_id"].possible_id, seen["tile_id"].repeats) == (
        True,
        True,
        True,
    )
    assert (seen["unique"].proposed, seen["unique"].possible_id, seen["unique"].repeats) == (
        False,
        False,
        False,
    )
    assert seen["unique"].examples == ("a", "b", "c")
    assert (seen["half"].filled, seen["half"].features, seen["half"].possible_id) == (1, 3, False)
    assert (seen["size"].filled, seen["size"].distinct, seen["size"].possible_id) == (3, 2, False)
    assert not seen["nested"].possible_id


def test_a_file_whose_columns_were_asked_for_is_parsed_once(monkeypatch):
    data, parsed = (data_of([{"tile_id": "a"}, {"tile_id": "b"}]) for _ in range(2))
    seen = []
    read = geojson.features
    monkeypatch.setattr(geojson, "features", lambda *given: seen.append(1) or read(*given))
    describe_properties(data, "x.geojson")
    read_tessellation(parsed, "x.geojson")
    assert len(seen) == 1
    read_tessellation(data, "x.geojson")
    assert len(seen) == 2, "nothing is held longer than that"
