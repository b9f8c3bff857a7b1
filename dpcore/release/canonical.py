"""Canonical JSON: equal values have equal bytes, and a reader refuses any other form.

It is exact JSON with one member a line. Numbers are whole, so epsilons are texts. A manifest is such an object with a seal.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from typing import Final

from dpcore import exact_json
from dpcore.errors import BundleError
from dpcore.privacy import decimal_text
from dpcore.release.layout import MANIFEST

AGAIN: Final = "Get the bundle again from where it was published."
"""How to mend most refusals of a bundle."""
CHANGED: Final = f"The bundle was changed after it was written. {AGAIN}"
_RULES: Final = exact_json.Rules(digits=18)  # 64 bits hold them
SEAL: Final = "seal"
"""The member of a sealed object that holds the SHA-256 of the rest."""


def canonical(value: object) -> bytes:
    """The canonical bytes of a value: sorted keys, one space of indent a level, UTF-8, a newline at the end."""
    return (exact_json.canonical(value, indent=1) + "\n").encode("utf-8")


def epsilon_of(value: Fraction) -> dict[str, object]:
    """An epsilon as decimal text (six decimals) and as exact fraction."""
    return {"decimal": decimal_text(value), "exact": f"{value.numerator}/{value.denominator}"}


def sealed(value: Mapping[str, object]) -> dict[str, object]:
    """The object with its seal: SHA-256 of the canonical form of the rest, 64 hexadecimal digits."""
    rest = {name: member for name, member in value.items() if name != SEAL}
    return {**rest, SEAL: sha256(canonical(rest)).hexdigest()}


def delta_of(value: Fraction) -> dict[str, object]:
    """A delta as decimal text (three digits) and as exact fraction."""
    return {"about": f"{float(value):.3g}", "exact": f"{value.numerator}/{value.denominator}"}


def utc_text(moment: datetime) -> str:
    """A moment as ISO 8601 in UTC, whole seconds; ValueError without a zone."""
    if moment.tzinfo is None:
        raise ValueError("the time of a release needs its zone")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parsed(data: bytes, where: str) -> dict[str, object]:
    """The JSON object in some bytes; raises BundleError, naming ``where``, for anything that this program never writes."""
    try:
        value = exact_json.parsed(data, _RULES)
    except exact_json.JsonError as error:
        raise BundleError(error.what, error.place(where), AGAIN) from None
    if not isinstance(value, dict):
        raise BundleError("this is not a JSON object", where, AGAIN)
    return value


def must_be_sealed(document: Mapping[str, object], data: bytes) -> None:
    """Refuse a manifest that is not canonical, or whose seal does not fit its content; ``data`` are its bytes."""
    if _canonical(document) != data:
        raise BundleError("the manifest is not in canonical form", MANIFEST, CHANGED)
    if sealed(document) != document:
        raise BundleError("the seal of the manifest does not fit its content", MANIFEST, CHANGED)


def _canonical(document: Mapping[str, object]) -> bytes:
    try:
        return canonical(document)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can write and UTF-8 cannot
        return b""
