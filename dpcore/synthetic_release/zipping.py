"""A synthetic bundle as one file to hand on."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Final

from dpcore.release import MANIFEST
from dpcore.synthetic_release.contents import files_of
from dpcore.synthetic_release.layout import TRAJECTORIES, TREE, TRIPS
from dpcore.synthetic_release.reading import read_bundle

_PACKED: Final = frozenset({TRIPS, TREE, TRAJECTORIES})
"""Files that are packed already, and may be large."""
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""Of every member, so that the same bundle is the same archive."""


def zipped(folder: Path) -> bytes:
    """The bundle in a folder as one zip archive, under one top folder named by the release; the same bytes each time.

    Raises BundleError for a folder that does not verify.
    """
    release = read_bundle(folder)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in (*files_of(release.choices, release.tessellation), MANIFEST):
            member = zipfile.ZipInfo(f"{release.id}/{name}", _DATE)
            member.compress_type = zipfile.ZIP_STORED if name in _PACKED else zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, (folder / name).read_bytes())
    return packed.getvalue()
