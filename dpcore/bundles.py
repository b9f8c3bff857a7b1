"""Any bundle of this program, of tables or of synthetic trips: its manifest says which. Public."""

from __future__ import annotations

from pathlib import Path

from dpcore import release, synthetic_release
from dpcore.release import Release, Verdict
from dpcore.synthetic_release import SyntheticRelease
from dpcore.synthetic_release.reading import says_synthetic


def read_any(place: Path | bytes) -> Release | SyntheticRelease:
    """The release in a bundle of either kind, checked in every respect; raises BundleError."""
    if says_synthetic(place):
        return synthetic_release.read_bundle(place)
    return release.read_bundle(place)


def verify_any(place: Path | bytes, *, digest: str | None = None) -> Verdict:
    """The verdict on a bundle of either kind; raises BundleError where anything in it was changed.

    Args:
        place: its folder, its .zip file, or the bytes of one.
        digest: SHA-256 of the manifest as the ledger holds it; compared if given.

    """
    if says_synthetic(place):
        return synthetic_release.verify_bundle(place, digest=digest)
    return release.verify_bundle(place, digest=digest)
