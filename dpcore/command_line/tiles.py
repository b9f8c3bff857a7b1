"""Options that say how a file of tiles is read; of public data alone, so that commands without trips have them too."""

from __future__ import annotations

import argparse

from dpcore.tessellation import STATION_RADIUS_M, Tessellation, read_tessellation


def add_tile_options(command: argparse.ArgumentParser) -> None:
    """Add the options beside ``--tiles``."""
    command.add_argument("--tile-id", metavar="COLUMN", help="property that names a tile")
    command.add_argument(
        "--station-radius",
        type=float,
        default=STATION_RADIUS_M,
        metavar="M",
        help="how many metres the tile of a station reaches, where the tiles are a table of stations (.csv); "
        "default: %(default)g",
    )


def tiles_of(options: argparse.Namespace) -> Tessellation:
    """The tiles that the options name; raises TessellationError."""
    return read_tessellation(
        options.tiles,
        options.tiles.name,
        id_column=options.tile_id,
        merge_duplicates=True,
        station_radius=options.station_radius,
    )
