"""Which files of trips their owner was told something of on this computer: afterwards no release may say that nobody had looked.

A look is remembered by the keyed fingerprint of the file, before anything is told, and never forgotten. Exact counts, previews
and a refusal that counts bad records are looks. The built-in city is public. The pages of the app remember theirs in the project.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dpcore.errors import AtlasError, PrivacyError
from dpcore.private import store


def remember(files: Iterable[str]) -> None:
    """Remember that these files were looked at."""
    for one in files:
        store.write_once(_place(one), b"")


def call_public(files: Iterable[str]) -> None:
    """Say of files of invented trips that everybody may look at them."""
    for one in files:
        store.write_once(_place(one, "public"), b"")


def must_be_unseen(files: Iterable[str]) -> None:
    """Refuse to say that everything was chosen before anyone looked; raises PrivacyError if one of these files was looked at."""
    if any(_place(one).exists() and not _place(one, "public").exists() for one in files):
        raise PrivacyError(
            "these trips were looked at on this computer, so nobody can say that all was chosen before",
            "--parameters-chosen before_data",
            "Leave it out: the release then says that its parameters were chosen after a look. Nothing was charged.",
        )


def counts_bad_records(error: AtlasError) -> bool:
    """Whether a refusal tells how many records are bad, and where."""
    return bool(getattr(error, "__notes__", ()))


def _place(fingerprint: str, *parts: str) -> Path:
    return store.folder("looks", *parts) / fingerprint
