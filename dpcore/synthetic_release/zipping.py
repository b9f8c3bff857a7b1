"""A synthetic bundle as one file to hand on."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Final

from dpcore.release import MANIFEST
from dpcore.synthetic_release.layout import TRIPS, listed_files
from dpcore.synthetic_release.reading import read_bundle
from dpcore.synthetic_release.tables import parts_of

_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""Of every member, so that the same bundle is the same archive."""


def zipped(folder: Path) -> bytes:
    """The bundle in a folder as one zip archive, under one top folder named by the release; the same bytes each time.

    Raises BundleError for a folder that does not verify.
    """
    release = read_bundle(folder)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in (*listed_files(parts_of(release.tables.plan)), MANIFEST):
            member = zipfile.ZipInfo(f"{release.id}/{name}", _DATE)
            member.compress_type = zipfile.ZIP_STORED if name == TRIPS else zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, (folder / name).read_bytes())
    return packed.getvalue()
