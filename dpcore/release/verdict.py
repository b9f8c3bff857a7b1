"""Verdict: what was found about a bundle that holds together."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.errors import BundleError
from dpcore.release.files import shown
from dpcore.release.layout import MANIFEST
from dpcore.release.mending import AGAIN


@dataclass(frozen=True)
class Verdict:
    """What was found about a bundle that holds together."""

    release: str
    """Id of the release."""
    digest: str
    """SHA-256 of its manifest, 64 hexadecimal digits."""
    files: int
    """Files that were checked, the manifest included."""
    in_ledger: bool
    """Whether the digest was compared with the one in the ledger."""
    other_version: bool = False
    """Whether another version of this program wrote it, so that the wording of its README could not be compared."""

    def __str__(self) -> str:
        """As ``words``."""
        return self.words

    @property
    def words(self) -> str:
        """The verdict in plain words, with what it does not say."""
        found = (
            f"All {self.files:,} files of {self.release} are as they were written: sums, manifest, keys, half widths "
            "and tables agree."
        )
        if self.other_version:
            found += (
                " Another version of this program wrote it, so the wording of its README was not compared: what holds is what "
                "its manifest says."
            )
        if self.in_ledger:
            return f"{found} The digest is the one in the ledger, so this is the release that was paid for."
        return (
            f"{found} Someone who rewrites all files consistently, the manifest included, is found only through the "
            f"digest in the ledger. The digest here is {self.digest}: compare it with that of the ledger's entry."
        )


def must_be_known(digest: str, known: str | None) -> None:
    """Refuse a manifest with another digest than the one that the ledger holds, where that is given."""
    if known is not None and digest != known:
        raise BundleError(
            "this is not the bundle that the ledger knows",
            MANIFEST,
            f"Its digest is {digest}, the ledger says {shown(known)}. {AGAIN}",
        )
