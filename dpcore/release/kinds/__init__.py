"""The kinds of release: tables, and those of the wings that are there (``dpcore.wings``).

A kind is found by the class of a plan, by a manifest, or by the terms of a ledger entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from dpcore import wings
from dpcore.errors import BundleError, InternalError
from dpcore.release.fields import wrong
from dpcore.release.kind import AnyKind
from dpcore.release.kinds.tables import TABLES
from dpcore.release.layout import MANIFEST
from dpcore.release.release import AnyRelease, IsAsked, Release


def all_kinds() -> dict[str, AnyKind]:
    """Every kind by its name, tables first."""
    return {TABLES.name: TABLES, **_of_wings()}


def _each_kind() -> Iterator[AnyKind]:
    """Every kind, tables first: who finds what it wants there loads no wing."""
    yield TABLES
    yield from _of_wings().values()


@cache
def _of_wings() -> dict[str, AnyKind]:
    found: tuple[AnyKind, ...] = wings.kinds()
    return {kind.name: kind for kind in found}


def kind_of(plan: IsAsked) -> AnyKind:
    """The kind of release for a plan; InternalError if there is none."""
    for kind in _each_kind():
        if type(plan) is kind.asked:
            return kind
    raise InternalError.at(f"kind of {type(plan).__name__}")


def must_be_a_release(document: Mapping[str, object]) -> None:
    """Refuse a document that is not the manifest of a release; raises BundleError."""
    if not any(document.get("format") == kind.format for kind in _each_kind()):
        raise BundleError("this is not the manifest of a release", MANIFEST, "Name the folder of a release.")


def kind_of_manifest(document: Mapping[str, object]) -> AnyKind:
    """The kind of a release by its manifest; raises BundleError if this program does not know it."""
    for kind in _each_kind():
        if kind.wrote_manifest(document):
            return kind
    raise wrong("method", "choices that this program knows")


def kind_of_terms(terms: Mapping[str, object]) -> AnyKind | None:
    """The kind that wrote the terms of a ledger entry; None if none did."""
    return next((kind for kind in _each_kind() if kind.wrote_terms(terms)), None)


def must_be_tables(release: AnyRelease) -> Release:
    """The release if it is one of tables; else raises a BundleError that says how to use the other kind."""
    if type(release.plan) is not TABLES.asked:
        raise not_tables(kind_of(release.plan))
    return release


def not_tables(kind: AnyKind) -> BundleError:
    """The error for another kind of release where tables are needed."""
    return BundleError(
        f"this is a release of the kind {kind.words or kind.name}, not of tables",
        MANIFEST,
        "Load its trips.parquet, if it has one, as you load any trips; verify checks it.",
    )
