"""Canonical JSON: equal values have equal bytes, and a reader refuses any other form.

Numbers are whole. Machines may read a decimal number differently, so epsilons are texts. No object has a key twice, and
nothing is nested deeply enough to exhaust the machine. A manifest is such an object with a seal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Final, NoReturn

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.privacy import decimal_text
from dpcore.release.layout import MANIFEST

AGAIN: Final = "Get the bundle again from where it was published."
"""How to mend most refusals of a bundle."""
CHANGED: Final = f"The bundle was changed after it was written. {AGAIN}"
SEAL: Final = "seal"
"""The member of a sealed object that holds the SHA-256 of the rest."""

_TEXTS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_MOST_DIGITS: Final = 18  # 64 bits hold them


def canonical(value: object) -> bytes:
    """The canonical bytes of a value: sorted keys, one space of indent a level, UTF-8, a newline at the end."""
    return (_text(value, "\n") + "\n").encode("utf-8")


def _text(value: object, line: str) -> str:
    """What ``json.dumps`` writes of a value, several times as fast; ``line`` begins each line at its level.

    Each reading of a bundle writes its manifest three times to compare it.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    inner = f"{line} "
    if isinstance(value, dict) and value:
        members = (f"{encode_basestring(name)}: {_text(value[name], inner)}" for name in sorted(value))
        return f"{{{inner}{f',{inner}'.join(members)}{line}}}"
    if isinstance(value, list | tuple) and value:
        return f"[{inner}{f',{inner}'.join([_text(one, inner) for one in value])}{line}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1)


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
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise BundleError("the text is not UTF-8", where, AGAIN) from None
    if _depth(data) > limits.MAX_JSON_DEPTH:
        raise BundleError(f"the JSON is nested deeper than {limits.MAX_JSON_DEPTH} levels", where, AGAIN)
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_refuse,
            parse_constant=_refuse,
        )
    except json.JSONDecodeError as error:
        place = f"{where}, line {error.lineno:,}"
        raise BundleError("this is not JSON", place, AGAIN) from None
    except (ValueError, RecursionError):
        raise BundleError(
            "a number is not whole or a key stands twice", where, "This program writes neither. " + AGAIN
        ) from None
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


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) < len(members):
        raise ValueError
    return found


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError
    return int(digits)


def _refuse(number: str) -> NoReturn:
    raise ValueError(number)


def _depth(data: bytes) -> int:
    """How deeply brackets outside texts are nested, counted before the parser's stack could grow with them."""
    deepest = now = 0
    for sign in re.findall(rb"[\[\]{}]", _TEXTS.sub(b"", data)):
        now += 1 if sign in b"[{" else -1
        deepest = max(deepest, now)
    return deepest
