"""Bundles changed as someone would who knows how they are made: sums and seal fit again afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from dpcore.release import kind_of, read_bundle
from dpcore.release.canonical import canonical, sealed
from dpcore.release.layout import FOR_MAPS, MAP, MAPPED
from dpcore.release.tile_files import geopackage_bytes, geoparquet_bytes


def manifest(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def as_of(folder: Path, version: int) -> None:
    """Make the bundle of a release of tables what an earlier program would have written with a version of the schema, 1 or 2."""

    def earlier(document: dict) -> None:
        document["schema_version"] = version
        document["software"]["epsilon-atlas"] = "0.2.0"
        del document["estimates"], document["statements"]["estimates"]
        gone = [name for name in document["files"] if name.startswith(("estimates/", "draws/"))]
        for name in (*gone, *(FOR_MAPS if version == 1 else ())):
            del document["files"][name]
            (folder / name).unlink()
        for name in ("estimates", "draws"):
            (folder / name).rmdir()

    release = read_bundle(folder)
    plain = replace(release, drawn=replace(release.drawn, stated=None))
    told = kind_of(release.plan).on_tiles(plain)
    maps = {}
    if MAPPED in release.measurements:
        maps["maps__visits_per_tile__geojson"] = dict(
            kind_of(release.plan).contents(plain, release.tessellation)
        )[MAP]
    rewrite(
        folder,
        earlier,
        **maps,
        tiles__parquet=geoparquet_bytes(release.tessellation, told),
        tiles__gpkg=geopackage_bytes(release.tessellation, told, release.created),
    )


def rewrite(folder: Path, change: Callable[[dict], object] = lambda _: None, **files: bytes) -> None:
    """Change the manifest and the files (``tables__x__csv`` is tables/x.csv), then make sums and seal fit."""
    document = manifest(folder)
    for key, data in files.items():
        name = "/".join(key.rsplit("__", 1)[0].split("__")) + "." + key.rsplit("__", 1)[1]
        (folder / name).write_bytes(data)
        document["files"][name] = {"sha256": sha256(data).hexdigest()}
    change(document)
    (folder / "manifest.json").write_bytes(canonical(sealed(document)))
