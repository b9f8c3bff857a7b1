"""Where files are on this computer: those of the project, and the owner's configured folder of large files.

This module returns paths and neither opens nor makes anything. The app opens files only from the data folder
``EPSILON_ATLAS_DATA``, so that a visitor of a served app cannot name other files of the server. Links that lead out of
that folder are not followed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import platformdirs

from dpcore.errors import InputError

TRIPS_ENDINGS: Final = (
    *(".csv", ".txt", ".tsv", ".tab", ".gz", ".gzip", ".bz2", ".zip"),
    *(".parquet", ".pq", ".plt"),
)
TILES_ENDINGS: Final = (
    *(".geojson", ".json", ".geojsonl", ".geojsons", ".ndjson", ".topojson", ".gpkg", ".zip", ".shp"),
    *(".fgb", ".parquet", ".geoparquet", ".kml", ".gml", ".csv", ".tsv", ".txt"),
)
_MOST_LISTED: Final = 500


def home() -> Path:
    """The project's data folder: ``EPSILON_ATLAS_HOME``, else the user's data folder."""
    chosen = os.environ.get("EPSILON_ATLAS_HOME")
    return Path(chosen) if chosen else platformdirs.user_data_path("epsilon-atlas", appauthor=False)


def published() -> Path:
    """The public folder, which holds the bundles that this computer published: ``releases`` in the project's data folder."""
    return home() / "releases"


def releases() -> Path:
    """Where the bundles are that everybody may look at: ``EPSILON_ATLAS_BUNDLES``, else what this computer published.

    It may be a folder of bundles, the folder of one bundle, or one .zip.
    """
    chosen = os.environ.get("EPSILON_ATLAS_BUNDLES")
    return Path(chosen) if chosen else published()


def data_folder() -> Path | None:
    """The configured data folder; None if none is configured. Raises InputError if it does not exist."""
    configured = os.environ.get("EPSILON_ATLAS_DATA")
    if not configured:
        return None
    folder = Path(configured).resolve()
    if not folder.is_dir():
        raise InputError(
            "the data folder does not exist", "EPSILON_ATLAS_DATA", "Name a folder that you can read."
        )
    return folder


def data_paths(endings: tuple[str, ...]) -> list[str]:
    """Files in the data folder, at any depth, with one of the endings: relative paths, sorted, at most 500."""
    return _all_paths(endings)[:_MOST_LISTED]


def _all_paths(endings: tuple[str, ...]) -> list[str]:
    folder = data_folder()
    if folder is None:
        return []
    files = (path for path in folder.rglob("*") if path.name.lower().endswith(endings) and path.is_file())
    inside = (path for path in files if path.resolve().is_relative_to(folder))
    return sorted(str(path.relative_to(folder)) for path in inside)


def folders(endings: tuple[str, ...]) -> list[str]:
    """Folders that hold such files, at any depth, each with a slash at its end: sorted, at most 500."""
    above = {parent for name in _all_paths(endings) for parent in Path(name).parents if parent.name}
    return sorted(f"{parent}/" for parent in above)[:_MOST_LISTED]


def data_path(name: str, *, folder: bool = False) -> Path:
    """The path of a listed file or folder. Raises InputError for anything outside the data folder."""
    home = data_folder()
    path = (home / name).resolve() if home else None
    fits = path is not None and (path.is_dir() if folder else path.is_file())
    if home is None or path is None or not path.is_relative_to(home) or not fits:
        raise InputError("no such file in the data folder", repr(name), "Choose one from the list.")
    return path
