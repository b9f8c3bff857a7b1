"""The kinds of release there are: ``tables``, ``roy``, ``stability`` and ``trajectory-tree``. A further one is a module here.

It is found by the class of what is asked, by what a manifest says it is, and by what the terms of a ledger's entry say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from dpcore.errors import BundleError, InternalError
from dpcore.release.fields import wrong
from dpcore.release.kind import AnyKind
from dpcore.release.kinds.model import MODEL
from dpcore.release.kinds.stability import STABILITY
from dpcore.release.kinds.tables import TABLES
from dpcore.release.kinds.tree import TREE_OF_TRAJECTORIES
from dpcore.release.layout import MANIFEST
from dpcore.release.release import IsAsked

KINDS: Final[dict[str, AnyKind]] = {
    kind.name: kind for kind in (TABLES, MODEL, STABILITY, TREE_OF_TRAJECTORIES)
}


def kind_of(plan: IsAsked) -> AnyKind:
    """The kind of release that answers what is asked; InternalError for what no kind knows."""
    for kind in KINDS.values():
        if type(plan) is kind.asked:
            return kind
    raise InternalError.at(f"kind of {type(plan).__name__}")


def must_be_a_release(document: Mapping[str, object]) -> None:
    """Refuse what is no manifest of a release of any kind; raises BundleError."""
    if not any(document.get("format") == kind.format for kind in KINDS.values()):
        raise BundleError("this is no manifest of a release", MANIFEST, "Name the folder of a release.")


def kind_of_manifest(document: Mapping[str, object]) -> AnyKind:
    """The kind that the manifest of a release is one of; raises BundleError where it is none of ours."""
    for kind in KINDS.values():
        if kind.wrote_manifest(document):
            return kind
    raise wrong(f"{MANIFEST}, method", "choices that this program knows")


def kind_of_terms(terms: Mapping[str, object]) -> AnyKind | None:
    """The kind that wrote the terms of a ledger's entry; None where none of them did."""
    return next((kind for kind in KINDS.values() if kind.wrote_terms(terms)), None)


@contextmanager
def registered(kind: AnyKind) -> Iterator[None]:
    """A further kind, as long as the block lasts."""
    KINDS[kind.name] = kind
    try:
        yield
    finally:
        del KINDS[kind.name]
