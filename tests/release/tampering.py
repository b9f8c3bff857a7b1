"""Bundles changed as someone would who knows how they are made: sums and seal fit again afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from dpcore.release.canonical import canonical, sealed


def manifest(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def rewrite(folder: Path, change: Callable[[dict], object] = lambda _: None, **files: bytes) -> None:
    """Change the manifest and the files (``tables__x__csv`` is tables/x.csv), then make sums and seal fit."""
    document = manifest(folder)
    for key, data in files.items():
        name = "/".join(key.rsplit("__", 1)[0].split("__")) + "." + key.rsplit("__", 1)[1]
        (folder / name).write_bytes(data)
        document["files"][name] = {"sha256": sha256(data).hexdigest()}
    change(document)
    (folder / "manifest.json").write_bytes(canonical(sealed(document)))
