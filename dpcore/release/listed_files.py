"""The files of a bundle as its manifest lists them."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.release.files import Files, shown
from dpcore.release.layout import MANIFEST
from dpcore.release.mending import CHANGED


class ListedFiles:
    """Files whose bytes must have the sums that a manifest lists; no other file may lie beside them."""

    def __init__(self, files: Files, sums: Mapping[str, str], kept: dict[str, bytes] | None = None) -> None:
        """Refuse a bundle that holds other files; ``kept`` takes up whatever is read, if it is given."""
        self._files, self._sums, self._kept = files, sums, kept
        beyond = sorted(files.names - {MANIFEST, *sums})
        if beyond:
            raise BundleError("a file does not belong to the bundle", shown(beyond[0]), "Remove it.")

    def content(self, name: str) -> bytes:
        """The bytes of a listed file; raises BundleError where their SHA-256 is another."""
        data = self._files.read(name, limits.MAX_BUNDLE_UNPACKED_BYTES)
        if sha256(data).hexdigest() != self._sums.get(name):
            raise BundleError(
                "the file was changed: its SHA-256 is not the one in the manifest", name, CHANGED
            )
        if self._kept is not None:
            self._kept[name] = data
        return data
