"""The districts of the demo city: many small ones in the middle, few large ones outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from dpcore.demo.land import Floats, Land, bent, land_of, to_degrees
from dpcore.demo.names import district_names
from dpcore.errors import InputError, InternalError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIN_TILES: Final = 12
MAX_TILES: Final = 5_000
GRID: Final = 10**7  # corners lie on whole ten-millionths of a degree, so neighbours share them bit for bit


class CityTiles(NamedTuple):
    """Districts in order of their distance from the market square."""

    ids: list[str]
    """``D001`` and so on."""
    names: list[str]
    """Names for people, all different."""
    polygons: NDArray[np.object_]
    """shapely Polygons; longitude, latitude in WGS84 degrees, rounded to 7 decimals."""


def city_tiles(tiles: int, seed: int) -> CityTiles:
    """The districts of a city: exactly ``tiles`` of them, without gaps but for the river and without overlaps.

    The same arguments give the same districts. The ground depends on the seed alone, so finer districts
    divide the same city.

    Raises:
        InputError: ``tiles`` is not between 12 and 5000, or the seed is negative.
    """
    if not MIN_TILES <= tiles <= MAX_TILES:
        raise InputError(
            "the number of tiles is out of range",
            f"{tiles} tiles",
            f"Choose a whole number from {MIN_TILES} to {MAX_TILES}.",
        )
    land = land_of(seed)
    rng = np.random.default_rng([seed, 1, tiles])
    sites = _sites(land, tiles, rng)
    sites = sites[np.argsort(np.hypot(sites[:, 0], sites[:, 1]), kind="stable")]
    side = shapely.contains_xy(land.banks[0], sites[:, 0], sites[:, 1])
    shapes = np.empty(tiles, dtype=object)
    for bank, here in zip(land.banks, (side, ~side), strict=True):
        shapes[here] = _cells(bank, sites[here], rng)
    polygons = shapely.transform(shapes, lambda whole: whole / GRID)
    width = max(3, len(str(tiles)))
    ids = [f"D{number:0{width}d}" for number in range(1, tiles + 1)]
    return CityTiles(ids, _named(land, polygons), polygons)


def _sites(land: Land, tiles: int, rng: np.random.Generator) -> Floats:
    """One point for each district, spread like the city: dense in the middle; km, shape (tiles, 2)."""
    from scipy.spatial import cKDTree  # noqa: PLC0415 - slow to load, and most commands build no city

    people = land.scatter(lambda count: _density(land, count, rng), max(6_000, 48 * tiles), 0.01)
    side = shapely.contains_xy(land.banks[0], people[:, 0], people[:, 1])
    apart = np.column_stack([people, np.where(side, 0.0, 100.0)])  # no district lies on both banks
    sites = apart[rng.permutation(len(apart))[:tiles]]
    landmarks = np.array(list(land.landmarks.values())[: tiles // 8])
    known = np.column_stack(
        [
            landmarks,
            np.where(shapely.contains_xy(land.banks[0], landmarks[:, 0], landmarks[:, 1]), 0.0, 100.0),
        ]
    )
    for _ in range(14 if tiles < 1_000 else 7):
        owner = cKDTree(sites).query(apart)[1]
        members = np.maximum(np.bincount(owner, minlength=tiles), 1)
        means = [np.bincount(owner, apart[:, axis], tiles) / members for axis in range(3)]
        sites = np.where((np.bincount(owner, minlength=tiles) > 0)[:, None], np.column_stack(means), sites)
        sites[cKDTree(sites).query(known)[1]] = known  # a well-known place is the middle of its district
    # A mean may lie in the water or beyond a dent of the limit: the nearest person does not.
    return people[cKDTree(apart).query(sites)[1]]


def _density(land: Land, count: int, rng: np.random.Generator) -> Floats:
    """Points of the density that the size of districts follows; km, shape (count, 2)."""
    kind = rng.random(count)
    angle = rng.uniform(0, 2 * np.pi, count)
    # Square root: even over a disc. The first power: ever denser towards the middle.
    radius = np.where(kind < 0.68, 9.5 * rng.random(count) ** 1.35, 9.5 * np.sqrt(rng.random(count)))
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    points += 0.2 * rng.standard_normal((count, 2))  # no crowd on a single spot
    near = kind > 0.86
    suburb = land.suburbs[rng.integers(0, len(land.suburbs), count)]
    points[near] = (suburb[:, :2] + rng.standard_normal((count, 2)) * suburb[:, 2:3])[near]
    return points


def _cells(bank: shapely.Polygon, sites: Floats, rng: np.random.Generator) -> NDArray[np.object_]:
    """The cells of the sites on one bank: shapely Polygons in whole units of the grid.

    All borders are cut where they meet and rounded in one step; what lies between them is then a face of
    one drawing, so two neighbours cannot disagree about their border.
    """
    borders = shapely.linestrings(_borders(bank, sites, rng))
    drawing = shapely.union_all(shapely.transform([*borders, bank.exterior], _to_grid), grid_size=1)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(drawing)))
    ground = shapely.transform(bank, _to_grid)
    shapely.prepare(ground)
    faces = faces[shapely.contains(ground, shapely.point_on_surface(faces))]
    points = shapely.points(_to_grid(sites))
    site, face = shapely.STRtree(faces).query(points, predicate="intersects")
    if len(site) != len(sites) or len(np.unique(face)) != len(sites):
        raise InternalError.at("demo city, districts")
    owner = np.full(len(faces), -1)
    owner[face] = site
    _adopt(faces, owner)
    order = np.argsort(owner, kind="stable")
    groups = np.split(faces[order], np.flatnonzero(np.diff(owner[order])) + 1)
    merged = [group[0] if len(group) == 1 else shapely.coverage_union_all(group) for group in groups]
    cells = np.empty(len(sites), dtype=object)
    cells[:] = [shapely.get_parts(shape)[0] for shape in merged]
    return cells


def _borders(bank: shapely.Polygon, sites: Floats, rng: np.random.Generator) -> Floats:
    """Bent borders between the sites of a bank, reaching a little over its edge; km, shape (n, pieces, 2)."""
    from scipy.spatial import Voronoi  # noqa: PLC0415 - slow to load, and most commands build no city

    angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    far = 80 * np.column_stack([np.cos(angle), np.sin(angle)])  # so that no cell of a site is endless
    cells = Voronoi(np.concatenate([sites, far]))
    ends = np.array([pair for pair in cells.ridge_vertices if min(pair) >= 0])
    near = bank.buffer(0.25)
    pieces = shapely.get_parts(shapely.intersection(shapely.linestrings(cells.vertices[ends]), near))
    pieces = pieces[(shapely.get_type_id(pieces) == 1) & (shapely.length(pieces) > 0)]
    straight = shapely.get_coordinates(pieces).reshape(-1, 2, 2)
    return bent(straight, 3 if len(sites) < 1_000 else 2, 0.1, rng)


def _adopt(faces: NDArray[np.object_], owner: NDArray[np.int64]) -> None:
    """Give each face without a site (a corner cut off by the river) to the neighbour with the longest border."""
    while True:
        orphans = np.flatnonzero(owner < 0)
        if not len(orphans):
            return
        first, second = shapely.STRtree(faces).query(faces[orphans], predicate="intersects")
        first = orphans[first]
        known = owner[second] >= 0
        first, second = first[known], second[known]
        shared = shapely.length(
            shapely.intersection(shapely.boundary(faces[first]), shapely.boundary(faces[second]))
        )
        best = np.lexsort((second, -shared, first))
        best = best[shared[best] > 0]
        if not len(best):
            raise InternalError.at("demo city, corners")
        child, position = np.unique(first[best], return_index=True)
        owner[child] = owner[second[best][position]]


def _to_grid(km: Floats) -> Floats:
    """Kilometres to whole units of the grid, kept as floats; shape (n, 2)."""
    return np.rint(to_degrees(km) * GRID)


def _named(land: Land, polygons: NDArray[np.object_]) -> list[str]:
    middles = shapely.get_coordinates(shapely.centroid(polygons))
    scale = to_degrees(np.array([[0.0, 0.0], [1.0, 1.0]]))
    middles = (middles - scale[0]) / (scale[1] - scale[0])
    water = shapely.difference(
        shapely.transform(land.outline, to_degrees), shapely.transform(land.ground, to_degrees)
    )
    to_water = shapely.distance(polygons, water.buffer(-1e-5)) / (scale[1, 1] - scale[0, 1])
    spots = {**land.landmarks, **{f"suburb {i}": (row[0], row[1]) for i, row in enumerate(land.suburbs)}}
    points = shapely.points(to_degrees(np.array(list(spots.values()))))
    home = shapely.STRtree(polygons).nearest(points)
    return district_names(land, middles, to_water, dict(zip(spots, home.tolist(), strict=True)))
