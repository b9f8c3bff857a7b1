"""Types of the members of a manifest, and how a manifest is read by them. Nothing is guessed or converted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, TypeAlias, TypeVar

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.exact_json import Check, Fault, Part, at_most, matching, read_as, whole
from dpcore.release.layout import MANIFEST
from dpcore.release.texts import is_visible

Asked = TypeVar("Asked")
_FILE: Final = matching("[A-Za-z0-9_.-]{1,120}(/[A-Za-z0-9_.-]{1,120})?", "the name of a file")
_NOT_OURS: Final = "The file was changed, or another program wrote it."


def text(most: int, between: str = "") -> Check:
    """The check of a text with at most ``most`` visible characters, and those of ``between``."""
    return Check(
        lambda one: isinstance(one, str) and len(one) <= most and is_visible(one.replace(between, "")),
        f"a text of at most {most:,} visible characters",
    )


def lines(most: int) -> Check:
    """The check of a text of several lines."""
    return text(most, "\n")


Name: TypeAlias = Annotated[str, text(200)]
Number: TypeAlias = Annotated[str, text(40)]
"""A number as text."""
Count: TypeAlias = Annotated[int, whole(10**15)]


@dataclass(frozen=True)
class Exact(Part):
    """An epsilon or delta, 0 or more."""

    exact: Annotated[Fraction, matching("[0-9]{1,40}/[0-9]{1,40}", "an exact fraction such as 1/10")]


def typed_part(kind: type[Asked], document: Mapping[str, object]) -> Asked:
    """What a dataclass says of a manifest; its ``Part``s leave the other members alone. Raises BundleError, which tells all faults."""
    faults: list[Fault] = []
    found: Asked = read_as(kind, document, MANIFEST, faults)
    if faults:
        raise BundleError.of_faults(faults, _NOT_OURS)
    return found


@dataclass(frozen=True)
class _Digest(Part):
    sha256: Annotated[str, matching("[0-9a-f]{64}", "a SHA-256")]


@dataclass(frozen=True)
class _Files(Part):
    files: Annotated[Mapping[Annotated[str, _FILE], _Digest], at_most(limits.MAX_BUNDLE_FILES)]


def sums_of(document: Mapping[str, object]) -> dict[str, str]:
    """SHA-256 of every file but the manifest, by name; whether these are the right files is not checked here."""
    return {name: one.sha256 for name, one in typed_part(_Files, document).files.items()}


def wrong(member: str, expected: str) -> BundleError:
    """The error for a member of a manifest that is missing or not as expected."""
    return BundleError(f"this should be {expected}", f"{MANIFEST}, {member}", _NOT_OURS)


def difference(found: object, expected: object, place: str) -> str | None:
    """The first place where two JSON values differ, in words; None where they are equal."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for name in sorted(found.keys() | expected.keys()):
            if name not in found or name not in expected:
                return f"{place}, {name} ({'missing' if name in expected else 'not expected'})"
            within = difference(found[name], expected[name], f"{place}, {name}")
            if within:
                return within
        return None
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = zip(found, expected, strict=True)
        withins = (difference(one, other, f"{place} {n}") for n, (one, other) in enumerate(pairs, 1))
        return next(filter(None, withins), None)
    return None if type(found) is type(expected) and found == expected else place
