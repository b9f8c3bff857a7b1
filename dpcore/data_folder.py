"""The folder of large files that the owner configured: ``EPSILON_ATLAS_DATA``.

The app opens files of this folder and no others, so that a visitor of a served app cannot name a file of
the server. Links that lead out of the folder are not followed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from dpcore.errors import InputError

TRIPS_ENDINGS: Final = (".csv", ".csv.gz", ".zip", ".parquet")
TILES_ENDINGS: Final = (".geojson", ".json", ".gpkg", ".csv")
_MOST_LISTED: Final = 500


def data_folder() -> Path | None:
    """The configured folder, or None; raises InputError if it is not there."""
    configured = os.environ.get("EPSILON_ATLAS_DATA")
    if not configured:
        return None
    folder = Path(configured).resolve()
    if not folder.is_dir():
        raise InputError(
            "the data folder is not there", "EPSILON_ATLAS_DATA", "Name a folder that this computer can read."
        )
    return folder


def listed(endings: tuple[str, ...]) -> list[str]:
    """Files below the folder with one of the endings, as paths relative to it, sorted; at most 500."""
    folder = data_folder()
    if folder is None:
        return []
    files = (path for path in folder.rglob("*") if path.name.lower().endswith(endings) and path.is_file())
    inside = (path for path in files if path.resolve().is_relative_to(folder))
    return sorted(str(path.relative_to(folder)) for path in inside)[:_MOST_LISTED]


def folders(endings: tuple[str, ...]) -> list[str]:
    """Folders that hold files with one of the endings, at any depth, with a slash behind; sorted, at most 500."""
    above = {parent for name in listed(endings) for parent in Path(name).parents if parent.name}
    return sorted(f"{parent}/" for parent in above)[:_MOST_LISTED]


def opened(name: str, *, folder: bool = False) -> Path:
    """The path of a listed file or folder; raises InputError for anything outside the data folder."""
    home = data_folder()
    path = (home / name).resolve() if home else None
    fits = path is not None and (path.is_dir() if folder else path.is_file())
    if home is None or path is None or not path.is_relative_to(home) or not fits:
        raise InputError("no such file in the data folder", repr(name), "Choose one of the list.")
    return path
