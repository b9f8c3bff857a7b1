import pickle
import time

import numpy as np
import pytest
import shapely
from made_tiles import ring

from dpcore import limits
from dpcore.errors import InternalError, TessellationError
from dpcore.tiles import Tessellation, gate


def squares(places, size=1.0):
    return [shapely.box(x, y, x + size, y + size) for x, y in places]


def of(polygons, ids=None, **options):
    ids = ids or [f"t{i}" for i in range(len(polygons))]
    return Tessellation.of(ids, [None] * len(ids), polygons, "tiles.geojson", **options)


def refused(polygons, ids=None, **options):
    with pytest.raises(TessellationError) as found:
        of(polygons, ids, **options)
    return str(found.value)


def test_one_tile_and_tiles_apart_are_fine():
    assert of(squares([(0, 0)])).notes == ()
    apart = of(squares([(0, 0), (5, 5), (1, 0)]))
    assert apart.notes == ()
    assert apart.index.assign([0.5, 3, 5.5], [0.5, 3, 5.5]).tolist() == [0, -1, 1]


def test_overlapping_tiles_are_refused_by_name_and_percent():
    said = refused(squares([(0, 0), (0.88, 0), (5, 5)]))
    assert 'tiles "t0" and "t1" overlap by 12 % of the smaller one' in said
    assert "t2" not in said
    assert "Each point must lie in one tile" in said


def test_a_tile_inside_another_and_a_copy_are_refused():
    assert "overlap by 100 %" in refused(squares([(0, 0), (0, 0)]))
    assert "overlap by 100 %" in refused([shapely.box(0, 0, 9, 9), shapely.box(1, 1, 2, 2)])
    assert "overlap" in refused([shapely.box(0, 0, 9, 9), shapely.box(6, 1, 7, 2)])


def test_crossing_tiles_without_each_others_middle_are_refused():
    assert "overlap" in refused([shapely.box(0, 2, 9, 2.5), shapely.box(1, 0, 1.5, 9)])


def test_at_most_five_pairs_are_named():
    assert refused(squares([(0.1 * i, 0) for i in range(20)])).count(" overlap by ") == 5


def test_thousands_of_copies_are_refused_quickly():
    start = time.process_time()
    assert "overlap by 100 %" in refused(squares([(0, 0)] * 5_000))
    assert time.process_time() - start < 20


def test_slivers_are_joined_and_noted():
    tiles = of([shapely.box(0, 0, 1, 1), shapely.box(1 - 1e-6, 0, 2, 1), shapely.box(5, 5, 6, 6)])
    (note,) = tiles.notes
    assert (
        note
        == "the borders of 2 tiles were joined: they overlapped by at most one part in 1,000,000 of a tile"
    )
    assert shapely.coverage_is_valid(list(tiles.polygons))
    assert tiles.index.assign([0.5, 1.5, 1 - 5e-7], [0.5, 0.5, 0.5]).min() >= 0


def test_an_overlap_just_over_a_sliver_is_refused():
    share = 2 * limits.MAX_SLIVER_SHARE
    assert "overlap by 0.02 %" in refused([shapely.box(0, 0, 1, 1), shapely.box(1 - share, 0, 2, 1)])


def test_corners_that_one_neighbour_lacks_are_added():
    left = shapely.box(0, 0, 1, 1)
    right = shapely.Polygon([(1, 0), (2, 0), (2, 1), (1, 1), (1, 0.5)])
    tiles = of([left, right])
    assert tiles.notes == ("the borders of 2 tiles were joined: their corners differed",)
    assert shapely.coverage_is_valid(list(tiles.polygons))


def test_a_repair_that_changes_tiles_is_refused(monkeypatch):
    monkeypatch.setattr(shapely, "coverage_clean", lambda shapes: [shapely.box(0, 0, 3, 1), *shapes[1:]])
    said = refused([shapely.box(0, 0, 1, 1), shapely.box(1 - 1e-6, 0, 2, 1)])
    assert 'the borders of neighbours do not meet: "t0"' in said
    monkeypatch.setattr(shapely, "coverage_clean", lambda shapes: shapes)
    assert "the borders of neighbours do not meet: tiles.geojson" in refused(
        [shapely.box(0, 0, 1, 1), shapely.box(1 - 1e-6, 0, 2, 1)]
    )


def test_too_many_small_overlaps_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "MAX_OVERLAP_PAIRS", 0)
    assert "pairs of tiles do not meet" in refused([shapely.box(0, 0, 1, 1), shapely.box(1 - 1e-6, 0, 2, 1)])


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0), (1, 1), (1, 0), (0, 1)],  # a bow-tie
        [(0, 0), (3, 3), (3, 0), (0, 1)],  # one with a large and a small half
        [(0, 0), (4, 0), (4, 4), (1, 4), (1, 1), (2, 1), (2, 5), (0, 5)],  # a strip laid across itself
    ],
)
def test_an_outline_that_crosses_itself_is_refused_by_name(corners):
    said = refused([shapely.Polygon(corners), shapely.box(8, 8, 9, 9)], ["bow", "box"])
    assert said.startswith('the outline of 1 tile crosses itself: "bow": tiles.geojson.')


def test_an_outline_that_touches_itself_or_crosses_by_rounding_is_repaired_and_noted():
    touching = shapely.Polygon([(0, 0), (2, 0), (2, 2), (1, 2), (1, 0), (1, 2), (0, 2)])
    rounded = shapely.Polygon(
        [(5, 0), (6, 0), (6, 1), (5.5, 1), (5.5 + 1e-9, 1 + 1e-9), (5.5 + 1e-9, 1 - 1e-9), (5, 1)]
    )
    tiles = of([touching, rounded, shapely.box(8, 8, 9, 9)], ["touching", "rounded", "box"])
    assert tiles.notes == ('the outline of 2 tiles crossed itself and was repaired: "rounded", "touching"',)
    assert all(polygon.is_valid for polygon in tiles.polygons)
    assert [polygon.area for polygon in tiles.polygons] == pytest.approx([1, 1, 4])


@pytest.mark.parametrize(
    "sliver", [shapely.box(5, 5, 5 + 1e-12, 6), shapely.box(5, 89.9, 5.000001, 89.900001)]
)
def test_a_tile_below_a_square_metre_is_refused_by_name(sliver):
    assert '1 tile below 1 square metre: "t1"' in refused([shapely.box(8, 8, 9, 9), sliver])


def test_tiles_across_the_180th_meridian_or_at_a_pole_are_refused_with_a_hint():
    around = shapely.Polygon([(179, 0), (-179, 0), (-179, 1), (179, 1)])
    said = refused([around, shapely.box(0, 0, 1, 1)])
    assert '1 tile over more than 180 degrees of longitude: "t0"' in said
    assert "Split them at the 180th meridian, and end them before a pole." in said
    for box in (shapely.box(0, 80, 10, 90), shapely.box(0, -90, 10, -80)):
        assert '1 tile at a pole: "t1"' in refused([shapely.box(0, 0, 1, 1), box])
    split = shapely.MultiPolygon([shapely.box(179, 0, 180, 1), shapely.box(-180, 0, -179, 1)])
    assert of([split]).index.assign([179.5, -179.5, 0.0], [0.5, 0.5, 0.5]).tolist() == [0, 0, -1]


@pytest.mark.parametrize(
    "flat",
    [
        shapely.Polygon(),
        shapely.MultiPolygon(),
        shapely.Polygon([(0, 0), (1, 1), (2, 2), (0, 0)]),
        shapely.Polygon([(0, 0), (0, 0), (0, 0), (0, 0)]),
    ],
)
def test_tiles_without_an_area_are_refused(flat):
    assert '1 tile without an area: "t1"' in refused([shapely.box(5, 5, 6, 6), flat])


def test_repeated_ids_are_refused_or_united():
    polygons = squares([(0, 0), (1, 0), (5, 5), (9, 9)])
    said = refused(polygons, ["b", "a", "b", 7])
    assert "1 tiles stand" not in said
    assert '"b"' in said
    tiles = of(polygons, ["b", "a", "b", 7], merge_ids=True)
    assert tiles.tile_ids == ("7", "a", "b")
    assert tiles.polygons[2].geom_type == "MultiPolygon"
    assert tiles.notes == ('2 features were merged into 1 tile: "b"',)


def test_united_neighbours_become_one_polygon():
    tiles = of(squares([(0, 0), (1, 0)]), ["a", "a"], merge_ids=True)
    assert tiles.polygons[0].geom_type == "Polygon"
    assert tiles.polygons[0].area == 2


def test_the_first_name_of_a_merged_tile_stays():
    tiles = Tessellation.of(
        ["a", "a", "b"],
        [None, "North", "x"],
        squares([(0, 0), (1, 0), (5, 5)]),
        "made",
        merge_ids=True,
    )
    assert tiles.tile_names == ("North", "x")


@pytest.mark.parametrize("bad", ["outside", "<script>", "", None, True, "=1"])
def test_ids_are_checked_here_too(bad):
    assert "tile 2" in refused(squares([(0, 0), (1, 0)]), ["a", bad])


def test_no_tiles_and_too_many_are_refused(monkeypatch):
    with pytest.raises(TessellationError, match="there are no tiles"):
        Tessellation.of([], [], [], "made")
    monkeypatch.setattr(limits, "MAX_TILES", 2)
    assert "there are 3 tiles" in refused(squares([(0, 0), (1, 0), (2, 0)]))


def test_shapes_that_geos_cannot_handle_are_refused(monkeypatch):
    def fail(*_, **__):
        raise shapely.errors.GEOSException("TopologyException")

    monkeypatch.setattr(shapely, "coverage_is_valid", fail)
    assert "cannot be processed" in refused(squares([(0, 0)]))


@pytest.mark.parametrize(
    "fields",
    [
        ((), (), ()),
        (("b", "a"), ("b", "a"), (shapely.box(0, 0, 1, 1),) * 2),
        (("a", "a"), ("a", "a"), (shapely.box(0, 0, 1, 1),) * 2),
        (("a",), (), (shapely.box(0, 0, 1, 1),)),
    ],
)
def test_columns_that_do_not_belong_together_are_a_fault_of_the_program(fields):
    with pytest.raises(InternalError):
        Tessellation(*fields)


def test_bounds_and_digest_are_those_of_the_tiles():
    polygons = squares([(0, 0), (1, 0)])
    tiles = of(polygons)
    assert tuple(tiles.bounds) == (0, 0, 2, 1)
    assert len(tiles.digest) == 64
    assert tiles.digest == of(polygons[::-1], ["t1", "t0"]).digest
    assert tiles.digest != of(polygons, ["t0", "t2"]).digest
    assert tiles.digest != of(squares([(0, 0), (1.5, 0)])).digest
    again = pickle.loads(pickle.dumps(tiles))
    assert again == tiles
    assert again.digest == tiles.digest


def test_the_index_is_built_once():
    tiles = of([shapely.Polygon(ring(i, 0)) for i in range(3)])
    assert tiles.index is tiles.index
    assert tiles.index.assign(np.array([13.005, 13.025]), np.array([52.005, 52.005])).tolist() == [0, 2]


def test_lines_left_over_by_an_operation_are_dropped():
    mixed = shapely.GeometryCollection([shapely.LineString([(0, 0), (1, 1)]), shapely.box(0, 0, 1, 1)])
    assert gate._polygons_only(mixed).equals(shapely.box(0, 0, 1, 1))
    assert gate._polygons_only(None).is_empty


def test_one_limit_says_what_a_sliver_is(monkeypatch):
    pair = [shapely.box(0, 0, 1, 1), shapely.box(0.4, 0, 1.4, 1)]
    assert "overlap by 60 %" in refused(pair)
    monkeypatch.setattr(limits, "MAX_SLIVER_SHARE", 0.7)
    assert "were joined" in of(pair).notes[0]
