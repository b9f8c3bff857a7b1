"""Exact JSON: equal values have equal texts, and a reader takes no text that could mean two things.

Two forms are written. On one line, ASCII, without spaces: entries of the ledger. One member a line, UTF-8: manifests and stories,
which people read too. What is parsed has each key once, no NaN, no number of endless digits, and is not nested deeply enough to
exhaust the machine. Whether it may hold decimal numbers is said by whoever reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Final, NoReturn

import numpy as np

from dpcore import limits

_TEXTS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


class JsonError(ValueError):
    """A text is not exact JSON; its words quote nothing of it. Readers of a format say it as an error of their own."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        """Line of the fault, from 1, where it is known."""

    def place(self, where: str) -> str:
        """Where the fault is, in a text of this name."""
        return where if self.line is None else f"{where}, line {self.line:,}"


@dataclass(frozen=True)
class Rules:
    """What a text may hold."""

    decimals: bool = False
    """Whether numbers may have decimals or exponents. Machines may read these differently, so exact values are texts."""
    bytes: int | None = None
    """Most bytes; None where the caller has limited them."""
    digits: int = 4_000
    """Most digits of a whole number."""


WHOLE: Final = Rules()
"""Whole numbers alone."""
WITH_DECIMALS: Final = Rules(decimals=True)
"""Decimal numbers too."""


def canonical(value: object, indent: int | None = None) -> str:
    """The one text of a value, with sorted keys: on one line, or with so many spaces for each level.

    Raises TypeError or ValueError for what has no exact text: NaN, names that are no texts, and on one line also decimal numbers.
    """
    if indent is None:
        return one_line(_without_decimals(value))
    return _lines(value, "\n", " " * indent)


def one_line(value: object) -> str:
    """``canonical`` on one line of a value that was written and read before, so that nothing of it needs to be checked."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def parsed(data: bytes, rules: Rules = WHOLE) -> object:
    """The value of which these are the bytes. Raises JsonError."""
    if rules.bytes is not None and len(data) > rules.bytes:
        raise JsonError(f"the JSON has more than {rules.bytes:,} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise JsonError("the text is not UTF-8") from None
    if depth(data) > limits.MAX_JSON_DEPTH:
        raise JsonError(f"the JSON is nested deeper than {limits.MAX_JSON_DEPTH} levels")
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=lambda digits: _whole(digits, rules.digits),
            parse_float=_decimal if rules.decimals else _refused,
            parse_constant=_refused,
        )
    except json.JSONDecodeError as error:
        raise JsonError("this is not JSON", error.lineno) from None
    except (ValueError, RecursionError):
        number = "NaN, infinite or too long" if rules.decimals else "not whole"
        raise JsonError(f"a number is {number} or a key stands twice") from None
    return value


def depth(data: bytes) -> int:
    """How deeply brackets outside texts are nested, counted before the parser's stack could grow with them."""
    deepest = _deepest(data)
    # Brackets inside texts do not count. Finding the texts is slow, so it is done only if the limit seems exceeded.
    return deepest if deepest <= limits.MAX_JSON_DEPTH else _deepest(_TEXTS.sub(b"", data))


def _deepest(data: bytes) -> int:
    brackets = np.frombuffer(data.translate(None, _NO_BRACKETS), np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
    return int(np.cumsum(steps).max(initial=0))


def _without_decimals(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _without_decimals(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_without_decimals(inner) for inner in value]
    raise ValueError(
        "exact JSON holds only text, whole numbers, truth values, null, lists and tables of these"
    )


def _lines(value: object, line: str, step: str) -> str:
    """What ``json.dumps`` writes of a value, several times as fast; ``line`` begins each line at its level.

    Each reading of a bundle writes its manifest three times to compare it.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    inner = f"{line}{step}"
    if isinstance(value, dict) and value:
        members = (f"{encode_basestring(name)}: {_lines(value[name], inner, step)}" for name in sorted(value))
        return f"{{{inner}{f',{inner}'.join(members)}{line}}}"
    if isinstance(value, list | tuple) and value:
        return f"[{inner}{f',{inner}'.join([_lines(one, inner, step) for one in value])}{line}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=step)


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("a key stands twice")
    return found


def _whole(digits: str, most: int) -> int:
    if len(digits) > most:
        raise ValueError("a number of many digits")
    return int(digits)


def _decimal(digits: str) -> float:
    found = float(digits)
    if abs(found) == float("inf"):
        raise ValueError("a number beyond all that fit")
    return found


def _refused(number: str) -> NoReturn:
    raise ValueError(number)
