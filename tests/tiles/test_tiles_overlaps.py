"""Places that several tiles share, and all faults of a file in one answer."""

import json

import numpy as np
import pytest
import shapely
from made_tiles import collection, feature, ring

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import Tessellation, read_tessellation

LARGE, SMALL, FAR = shapely.box(0, 0, 2, 2), shapely.box(1.9, 0.5, 2.9, 1.5), shapely.box(5, 5, 6, 6)


def of(polygons, overlaps, ids="abcdefgh"):
    return Tessellation.of(
        list(ids)[: len(polygons)], [None] * len(polygons), polygons, "tiles.geojson", overlaps=overlaps
    )


def refused(polygons, overlaps="refuse"):
    with pytest.raises(TessellationError) as found:
        of(polygons, overlaps)
    return str(found.value)


def areas(tiles):
    return dict(zip(tiles.tile_ids, (shape.area for shape in tiles.polygons), strict=True))


def test_the_refusal_says_how_much_overlaps_and_who_could_keep_it():
    said = refused([LARGE, SMALL, FAR])
    assert said.startswith("1 pair of tiles overlap, on 1.7 % of the whole area: tiles")
    assert "--overlaps smaller or --overlaps first" in said


def test_a_refusal_carries_the_options_that_mend_it_and_none_that_a_tile_is_called():
    with pytest.raises(TessellationError) as found:
        of([LARGE, SMALL], "refuse", ids=["a --layer", "b"])
    assert "--layer" in str(found.value)
    assert found.value.options == {"--overlaps"}


def test_the_first_tile_of_the_file_or_the_smaller_one_keeps_a_shared_place():
    first, smaller = (of([LARGE, SMALL, FAR], how) for how in ("first", "smaller"))
    assert areas(first) == pytest.approx({"a": 4, "b": 0.9, "c": 1})
    assert areas(smaller) == pytest.approx({"a": 3.9, "b": 1, "c": 1})
    assert first.notes == (
        "1 pair of tiles overlap, on 1.7 % of the whole area: the tile that comes first in the file keeps a shared place",
    )
    assert first.index.assign([1.95], [1.0]).tolist() == [0]
    assert smaller.index.assign([1.95], [1.0]).tolist() == [1]
    assert len({first.digest, smaller.digest}) == 2
    # The order of the file matters to one of them only.
    assert of([SMALL, LARGE, FAR], "smaller", "bac").digest == smaller.digest
    assert areas(of([SMALL, LARGE, FAR], "first", "bac"))["b"] == pytest.approx(1)


def test_a_place_of_three_tiles_belongs_to_one():
    three = [shapely.box(0, 0, 2, 2), shapely.box(1, 1, 3.1, 3), shapely.box(1.5, 0, 4, 1.8)]
    for how, owner in (("first", "abc"), ("smaller", "abc")):
        tiles = of(three, how)
        assert shapely.coverage_is_valid(list(tiles.polygons))
        assert sum(areas(tiles).values()) == pytest.approx(shapely.union_all(three).area)
        assert tiles.tile_ids[tiles.index.assign([1.7], [1.5])[0]] == owner[0]
        again = Tessellation.of(tiles.tile_ids, tiles.tile_names, tiles.polygons, "again")
        assert again.digest == tiles.digest, "what a release writes is read back as it is"


def test_tiles_that_were_simplified_one_by_one_are_settled():
    """As official files are: neighbours share corners, and their borders between them differ."""
    rng = np.random.default_rng(5)
    corners = np.dstack(np.meshgrid(np.arange(13.0), np.arange(13.0))) * 0.01
    bends = {}

    def side(one, other):
        key = tuple(sorted((tuple(one), tuple(other))))
        off = rng.normal(0, 4e-5, (2, 2)) if key not in bends else bends[key] + rng.normal(0, 2e-5, (2, 2))
        bends.setdefault(key, off)
        middle = np.linspace(key[0], key[1], 4)[1:3] + off
        return [one, *(middle if tuple(one) == key[0] else middle[::-1])]

    squares = []
    for x in range(12):
        for y in range(12):
            round_it = [corners[y, x], corners[y, x + 1], corners[y + 1, x + 1], corners[y + 1, x]]
            around = [at for i in range(4) for at in side(round_it[i], round_it[(i + 1) % 4])]
            squares.append(shapely.Polygon(around))
    ids = [f"t{i}" for i in range(len(squares))]
    for how in ("first", "smaller"):
        tiles = of(squares, how, ids)
        assert shapely.coverage_is_valid(list(tiles.polygons))
        assert sum(areas(tiles).values()) == pytest.approx(shapely.union_all(squares).area)
        assert "of tiles overlap, on 0." in tiles.notes[0]


def test_a_tile_that_would_vanish_and_a_file_of_copies_are_refused(monkeypatch):
    inside = [shapely.box(0, 0, 9, 9), shapely.box(1, 1, 2, 2)]
    assert '1 tile lie wholly inside others: "b"' in refused(inside, "first")
    assert areas(of(inside, "smaller")) == pytest.approx({"a": 80, "b": 1})
    monkeypatch.setattr(limits, "MAX_OVERLAPS", 3)
    said = refused([LARGE] * 6, "smaller")
    assert said.startswith("at least ")
    assert "Each point must lie in one tile" in said
    assert "this is no way to settle overlaps" in refused([LARGE], "larger")


def test_all_faults_of_a_file_are_told_at_once():
    rows = [
        feature({"tile_id": "a"}, [ring(0, 0)]),
        feature({"tile_id": "a"}, [ring(1, 0)]),
        feature({"tile_id": "=1"}, [ring(2, 0)]),
        feature({"tile_id": "open"}, [ring(3, 0)[:-1]]),
        feature({"tile_id": "line"}, [[1, 2], [2, 2]], kind="LineString"),
        {**feature({"tile_id": "none"}, []), "geometry": None},
        {**feature({"tile_id": "nil"}, []), "geometry": None},
        feature({"tile_id": "over"}, [ring(0.5, 0)]),
        feature({"tile_id": "bow"}, [[[20, 0], [21, 1], [21, 0], [20, 1], [20, 0]]]),
    ]
    with pytest.raises(TessellationError) as found:
        read_tessellation(collection(rows), "tiles.geojson")
    assert (found.value.what, found.value.where) == ("7 faults", "tiles.geojson")
    said = found.value.mend
    for told in (
        "(1) a ring is not closed: tiles.geojson, feature 4.",
        "(2) the geometry is not a polygon: tiles.geojson, feature 5.",
        "(3) the geometry is missing: tiles.geojson, feature 6; feature 7.",
        'the tile id is "=1", which is not an id: tiles.geojson, feature 3',
        'several features have one tile id: "a"',
        "--merge-ids",
        'the outline of 1 tile crosses itself: "bow"',
        "1 pair of tiles overlap",
    ):
        assert told in said
    with pytest.raises(TessellationError) as found:
        read_tessellation(collection([rows[5]] * 30), "tiles.geojson", tile_id="nothing")
    assert "feature 5; 25 more" in found.value.mend
    assert 'there is no property "nothing"' in found.value.mend


def test_the_only_complete_and_unique_property_is_the_id():
    rows = [
        {"OBJECTID": i, "code": f"c{i}", "size": 7, "BoroName": name, "half": None if i else "x"}
        for i, name in enumerate(["Bronx", "Queens", "Bronx"])
    ]
    data = json.loads(collection([feature(row, [ring(i, 0)]) for i, row in enumerate(rows)]))
    tiles = read_tessellation(json.dumps(data).encode(), "tiles.geojson")
    assert (tiles.tile_ids, tiles.tile_names) == (("c0", "c1", "c2"), ("Bronx", "Queens", "Bronx"))
    for i, one in enumerate(data["features"]):
        one["properties"] |= {"other": f"o{i}", "id": None}
    with pytest.raises(TessellationError) as found:
        read_tessellation(json.dumps(data).encode(), "tiles.geojson")
    assert "Choose one with --tile-id" in found.value.mend
    assert '"code" (such as "c0", "c1"), "other" (such as "o0", "o1")' in found.value.mend
