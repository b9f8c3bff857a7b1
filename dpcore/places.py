"""Where the project keeps its files on this computer. Names only: nothing here opens or makes anything."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def home() -> Path:
    """The project's data folder: ``EPSILON_ATLAS_HOME``, else the user's data folder."""
    chosen = os.environ.get("EPSILON_ATLAS_HOME")
    return Path(chosen) if chosen else platformdirs.user_data_path("epsilon-atlas", appauthor=False)


def releases() -> Path:
    """Where bundles of releases are: ``EPSILON_ATLAS_BUNDLES``, else ``releases`` in the data folder.

    A folder that holds bundles, one bundle's folder, or one .zip.
    """
    chosen = os.environ.get("EPSILON_ATLAS_BUNDLES")
    return Path(chosen) if chosen else home() / "releases"
