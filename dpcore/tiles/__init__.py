"""The public tiles on which trips are counted: read from a file that is checked first, or laid as a grid.

``read_tessellation`` reads the formats of maps, and tables of stations. ``square_grid`` and ``hexagon_grid`` cover a ``Box``
with tiles. ``describe_properties`` shows which columns of a file could name its tiles. The result is a ``Tessellation``:
tiles in WGS84 that do not overlap, sorted by their id. ``own_districts`` and ``halved`` give districts, groups of tiles: those
of the file, or a halving of the map.

A tessellation is public input. Choose it without looking at the trips: tiles drawn around the places that people visited
would reveal where they were.
"""

from dpcore.tiles.districts import halved, own_districts
from dpcore.tiles.grids import (
    about_so_many_hexagons,
    hexagon_grid,
    hexagon_metres,
    number_of_squares,
    square_grid,
)
from dpcore.tiles.labels import PropertySummary
from dpcore.tiles.reading import describe_properties, read_tessellation
from dpcore.tiles.stations import RADIUS_M as STATION_RADIUS_M
from dpcore.tiles.tessellation import Box, Tessellation

__all__ = [
    "STATION_RADIUS_M",
    "Box",
    "PropertySummary",
    "Tessellation",
    "about_so_many_hexagons",
    "describe_properties",
    "halved",
    "hexagon_grid",
    "hexagon_metres",
    "number_of_squares",
    "own_districts",
    "read_tessellation",
    "square_grid",
]
