"""A manifest must be in its one form, and say what follows from the plan and the tables; for releases of every kind."""

from __future__ import annotations

from collections.abc import Mapping

import dpcore
from dpcore.errors import BundleError
from dpcore.release import layout
from dpcore.release.canonical import SEAL, canonical, parsed, sealed
from dpcore.release.fields import difference
from dpcore.release.manifest import STATEMENTS
from dpcore.release.mending import CHANGED


def sealed_manifest(data: bytes) -> dict[str, object]:
    """The manifest that some bytes hold, in its one form and with its own seal; raises BundleError."""
    document = parsed(data, layout.MANIFEST)
    if _canonical(document) != data:
        raise BundleError("the manifest is not in its one form", layout.MANIFEST, CHANGED)
    if sealed(document) != document:
        raise BundleError("the seal of the manifest is not that of its content", layout.MANIFEST, CHANGED)
    return document


def must_agree(document: Mapping[str, object], expected: Mapping[str, object]) -> None:
    """Refuse a manifest that says something else than expected, but for the wording of its sentences.

    How many sentences there are, and the titles of measures, are part of it where this very version wrote them; another
    one may have said more or less, and may have called a measure otherwise.
    """
    software = document.get("software")
    ours = isinstance(software, dict) and is_ours(software)
    sentences = _shape(document.get(STATEMENTS), ours) == _shape(expected[STATEMENTS], ours)
    loose = {STATEMENTS, SEAL}
    found = {name: value for name, value in document.items() if name not in loose}
    wanted = {name: value for name, value in expected.items() if name not in loose}
    if not ours:
        found, wanted = _untitled(found), _untitled(wanted)
    place = difference(found, wanted, layout.MANIFEST)
    if place is not None or not sentences:
        raise BundleError(
            "the manifest says something else than the plan and the tables",
            place or f"{layout.MANIFEST}, {STATEMENTS}",
            CHANGED,
        )


def is_ours(software: Mapping[str, str]) -> bool:
    """Whether a release says that this very version wrote it."""
    return software.get("epsilon-atlas") == dpcore.__version__


def must_be_the_readme(found: bytes, expected: bytes, software: Mapping[str, str]) -> None:
    """Refuse a README other than the one that follows from the release; the words of another version are its own."""
    if is_ours(software) and found != expected:
        raise BundleError("the README says something else than the release", layout.README, CHANGED)


def _canonical(document: Mapping[str, object]) -> bytes:
    try:
        return canonical(document)
    except UnicodeEncodeError:  # half a character, which JSON can write and UTF-8 cannot
        return b""


def _untitled(document: Mapping[str, object]) -> dict[str, object]:
    measures = document.get("measures")
    if not isinstance(measures, list):
        return {**document}
    plain = [
        {name: value for name, value in one.items() if name != "title"} if isinstance(one, dict) else one
        for one in measures
    ]
    return {**document, "measures": plain}


def _shape(value: object, counted: bool) -> object:
    """The structure of sentences without their words; ``counted`` with how many there are in a list."""
    if isinstance(value, dict):
        return {name: _shape(member, counted) for name, member in value.items()}
    if isinstance(value, list):
        kinds = [type(item) for item in value]
        return kinds if counted else bool(kinds) and {str, *kinds}
    return type(value)
