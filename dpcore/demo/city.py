"""The districts of the demo city: many small ones in the middle, few large ones outside, with plausible names."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from dpcore.demo.land import Floats, Land, bent, land_of, to_degrees
from dpcore.errors import InputError, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dpcore.demo.land import Floats, Land


def _list(words: str) -> list[str]:
    return words.split()


_WORDS: Final = _list(
    "Mill Linden Fisher Abbey Castle Swan Heron Weaver Tanner Copper Chapel Bishop Orchard Alder Birch Willow "
    "Rowan Hazel Maple Elder Thorn Fern Amber Anchor Lantern Rope Salt Mast Gull Otter Fox Hare Raven Lark Finch "
    "Crane Kestrel Stag Bell Cooper Potter Baker Glass Brick Clay Stone Silver Iron Winter Summer Monk Shepherd "
    "Falcon Barley Clover Heather Ivy Juniper Badger Drover Miller Pilgrim Sailor Smith"
)
_KINDS: Final = {
    "water": _list("Quay Wharf Bank Bridge Ferry Landing Lock Basin"),
    "centre": _list("Gate Lanes Quarter Court Row Yard Cross Arcade"),
    "inner": _list("Hill Park Green Gardens Terrace Side Rise Crescent"),
    "outer": _list("Heath Moor Fields Wood Common Meadow Ridge Hollow Farm Dale"),
}
_ENDINGS: Final = _list("by stead ham wick ford holm ton worth")
_STEMS: Final = _list("Alder Brand Thor Ask Elm Hol Lang Nor Oster Rav Sund West Ket Grim Svan Ul")
_COMPASS: Final = ("East", "North East", "North", "North West", "West", "South West", "South", "South East")
_MORE: Final = ("", *_COMPASS, "Upper", "Lower", "Outer", "Inner", "New", "Old")
_LANDMARKS: Final = {
    "Market Square": "Old Town",
    "Central Station": "Station Quarter",
    "Harbour": "Old Harbour",
    "University": "University",
    "Hospital": "Hospital Hill",
    "Shipyard": "Shipyard",
    "Stadium": "Stadium Park",
    "Shopping Park": "Shopping Park",
    "Beach": "Firth Beach",
}


def district_names(land: Land, middles: Floats, to_water: Floats, home_of: dict[str, int]) -> list[str]:
    """One name for each district, all different.

    Args:
        land: The ground.
        middles: Middle of each district, km east and north; shape (n, 2).
        to_water: Distance of each district to the river, km; shape (n,).
        home_of: Number of the district of each landmark and of each suburb (``suburb 0`` and so on).
    """
    rng = np.random.default_rng([len(middles), 4])
    names: dict[int, str] = {}
    for landmark, name in _LANDMARKS.items():
        names.setdefault(home_of[landmark], name)
    suburbs = _of_suburbs(land, rng)
    for number, name in enumerate(suburbs):
        names.setdefault(home_of[f"suburb {number}"], name)
    away = middles[:, None] - land.suburbs[None, :, :2]
    distance = np.hypot(away[..., 0], away[..., 1])
    nearest = distance.argmin(axis=1)
    taken = set(names.values())
    for tile in np.argsort(distance.min(axis=1), kind="stable"):
        number = nearest[tile]
        if distance[tile, number] > 2.2 * land.suburbs[number, 2]:
            break
        east, north = away[tile, number]
        point = _COMPASS[round(np.degrees(np.arctan2(north, east)) / 45) % 8]
        name = f"{suburbs[number]} {point}"
        if int(tile) not in names and name not in taken:
            names[int(tile)] = name
            taken.add(name)
    words = rng.permutation(_WORDS)
    makers = {
        kind: _names(list(np.roll(words, 16 * turn)), list(rng.permutation(_KINDS[kind])))
        for turn, kind in enumerate(_KINDS)
    }
    radius = np.hypot(middles[:, 0], middles[:, 1])
    return [
        names[tile] if tile in names else next(makers[_kind(radius[tile], to_water[tile])])
        for tile in range(len(middles))
    ]


def suburb_names(land: Land, tiles: int) -> list[str]:
    """The names of the suburbs in a city of so many districts."""
    return _of_suburbs(land, np.random.default_rng([tiles, 4]))


def _of_suburbs(land: Land, rng: np.random.Generator) -> list[str]:
    stems = rng.permutation(_STEMS)[: len(land.suburbs)]
    return [stem + ending for stem, ending in zip(stems, rng.permutation(_ENDINGS), strict=True)]


def _kind(radius: float, to_water: float) -> str:
    if to_water < 0.02:
        return "water"
    return "centre" if radius < 1.6 else "inner" if radius < 3.8 else "outer"


def _names(words: list[str], kinds: list[str]) -> Iterator[str]:
    """All names of a kind of district. A word is repeated only after all others."""
    for more, turn in product(_MORE, range(len(kinds))):
        for number, word in enumerate(words):
            yield f"{word} {kinds[(number + turn) % len(kinds)]} {more}".rstrip()


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
    """The districts of a city: exactly ``tiles`` of them, without overlaps, and without gaps except for the river.

    The same arguments give the same districts. The ground depends on the seed alone, so more districts divide the same
    city.

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
    return CityTiles(ids, _tile_names(land, polygons), polygons)


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
    # A mean may lie in the water or outside a dent of the city limit. The nearest person does not.
    return people[cKDTree(apart).query(sites)[1]]


def _density(land: Land, count: int, rng: np.random.Generator) -> Floats:
    """Points of the density that the size of districts follows; km, shape (count, 2)."""
    kind = rng.random(count)
    angle = rng.uniform(0, 2 * np.pi, count)
    # With the square root points are even over a disc. The higher the power, the denser the middle.
    radius = np.where(kind < 0.68, 9.5 * rng.random(count) ** 1.35, 9.5 * np.sqrt(rng.random(count)))
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    points += 0.2 * rng.standard_normal((count, 2))  # so that no crowd stands on one spot
    near = kind > 0.86
    suburb = land.suburbs[rng.integers(0, len(land.suburbs), count)]
    points[near] = (suburb[:, :2] + rng.standard_normal((count, 2)) * suburb[:, 2:3])[near]
    return points


def _cells(bank: shapely.Polygon, sites: Floats, rng: np.random.Generator) -> NDArray[np.object_]:
    """The cells of the sites on one bank: shapely Polygons in whole units of the grid.

    All borders are cut where they meet and rounded in one step. The areas between them are faces of one drawing, so two
    neighbours cannot disagree about their border.
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
    """Bent borders between the sites of a bank, which reach a little over its edge; km, shape (n, pieces, 2)."""
    from scipy.spatial import Voronoi  # noqa: PLC0415 - slow to load, and most commands build no city

    angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    far = 80 * np.column_stack([np.cos(angle), np.sin(angle)])  # so that no cell of a site is infinite
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


def _tile_names(land: Land, polygons: NDArray[np.object_]) -> list[str]:
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
