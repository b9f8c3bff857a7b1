"""Exact JSON: equal values have equal texts, and a reader takes no text that could mean two things.

Two forms are written. On one line, ASCII, without spaces: entries of the ledger. One member a line, UTF-8: manifests and stories,
which people read too. What is parsed has each key once, no NaN, no number of endless digits, and is not nested deeply enough to
exhaust the machine. Whether it may hold decimal numbers is said by whoever reads it.

What was parsed is read as a type: ``read_as`` takes exactly what the annotations of a dataclass say, and tells all faults at once.
"""

from __future__ import annotations

import json
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum, EnumType
from fractions import Fraction
from functools import cache
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

import numpy as np

from dpcore import limits
from dpcore.errors import AtlasError

_TEXTS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_DEEPEST: Final = 20
"""Lists within lists of JSON that is taken as it is. All code that walks through it stays far from Python's limit."""


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
            parse_float=_decimal if rules.decimals else _refuse,
            parse_constant=_refuse,
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


def _refuse(number: str) -> NoReturn:
    raise ValueError(number)


Json: TypeAlias = Any
"""What JSON holds, a type by which it is read, or what was read: no type says which."""


def plain(value: object) -> Json:
    """A value as JSON: numbers, texts, lists, dicts. TypeError for what has no such form."""
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Fraction | date):
        return str(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        named = asdict(value) if "__slots__" in vars(type(value)) else vars(value)
        return {one.name: plain(named[one.name]) for one in fields(value)}
    raise TypeError(type(value).__name__)


class Fault(NamedTuple):
    """One thing that is wrong with a value. It quotes nothing of the value."""

    what: str
    where: str

    @classmethod
    def other_than(cls, expected: str, where: str) -> Fault:
        """The fault of what is not as expected."""
        return cls(f"this should be {expected}", where)


class Part:
    """Base of a dataclass that reads some members of an object and leaves the others to another reader."""


@dataclass(frozen=True)
class Check:
    """What a piece of JSON must be before its type is read: ``Annotated[str, Check(is_short, "a short text")]``."""

    holds: Callable[[Json], bool]
    expected: str


def matching(pattern: str, expected: str) -> Check:
    """The check of a text that matches a regular expression; ``expected`` says in words what it should be."""
    found = re.compile(pattern)
    return Check(lambda value: isinstance(value, str) and found.fullmatch(value) is not None, expected)


def at_most(most: int) -> Check:
    """The check of a list or an object of 1 to ``most`` entries."""
    return Check(
        lambda value: isinstance(value, list | dict) and 1 <= len(value) <= most,
        f"a list of 1 to {most:,} entries",
    )


def whole(most: int) -> Check:
    """The check of a whole number from 0 to ``most``."""
    return Check(
        lambda value: type(value) is int and 0 <= value <= most, f"a whole number of at most {most:,}"
    )


def read_as(hint: Json, value: Json, where: str = "value", faults: list[Fault] | None = None) -> Json:
    """The value of a type that ``plain`` wrote: exactly that type, whatever the JSON says.

    Args:
        hint: a type as annotations write it: a plain type, an Enum, a dataclass, tuple, list, dict or Mapping of such, or a
            union of them. ``object`` takes any JSON, and ``Annotated`` adds checks.
        value: the JSON, as ``parsed`` gives it.
        where: its place, for messages.
        faults: gets every fault; then None stands where something is faulty. Without it, JsonError tells the first one.

    """
    found: list[Fault] = []
    read = _typed(hint, value, where, found)
    if faults is not None:
        faults += found
    elif found:
        raise JsonError(f"not a value of this kind: {found[0].what}: {found[0].where}")
    return read


def members_as(kind: type, value: Json, where: str, faults: list[Fault]) -> dict[str, Json]:
    """The members of a dataclass by name, as ``read_as`` reads each of them; for whoever checks them against each other."""
    if not isinstance(value, dict):
        faults.append(Fault.other_than("an object", where))
        return {}
    known = _members(kind)
    if not issubclass(kind, Part) and not value.keys() <= known.keys():
        faults.append(Fault(f"a member is unknown, the known ones are {', '.join(known)}", where))
    missing = [name for name, (_, has_default) in known.items() if not has_default and name not in value]
    faults += [Fault("this is missing", f"{where}, {name}") for name in missing]
    there = {name: hint for name, (hint, _) in known.items() if name in value}
    return {name: _typed(hint, value[name], f"{where}, {name}", faults) for name, hint in there.items()}


def _typed(hint: Json, value: Json, where: str, faults: list[Fault]) -> Json:
    origin: Json = typing.get_origin(hint)
    inner = typing.get_args(hint)
    if origin is typing.Annotated:
        wrong = [check for check in inner[1:] if not check.holds(value)]
        faults += [Fault.other_than(check.expected, where) for check in wrong]
        return None if wrong else _typed(inner[0], value, where, faults)
    if origin in {typing.Union, types.UnionType}:
        return _first_of(inner, value, where, faults)
    if isinstance(value, list) and origin in {tuple, list}:
        each = inner if origin is tuple and inner[-1] is not ... else inner[:1] * len(value)
        if len(each) == len(value):
            pairs = enumerate(zip(each, value, strict=True), 1)
            return origin([_typed(kind, one, f"{where} {n}", faults) for n, (kind, one) in pairs])
    if isinstance(value, dict) and isinstance(origin, type) and issubclass(origin, Mapping):
        # a stranger may have written any name, so its number is told
        named = [(f"{where} {n}", *member) for n, member in enumerate(value.items(), 1)]
        read = [
            (_typed(inner[0], name, at, faults), _typed(inner[1], one, at, faults)) for at, name, one in named
        ]
        return dict(read)
    if isinstance(hint, type) and is_dataclass(hint):
        members = members_as(hint, value, where, own := list[Fault]())
        faults += own
        return (
            None if own else _constructed(lambda: hint(**members), "members that fit together", where, faults)
        )
    return _single(hint, value, where, faults)


def _single(hint: Json, value: Json, where: str, faults: list[Fault]) -> Json:
    """A value that holds no others, or any JSON."""
    if hint is float and type(value) in {int, float} and abs(value) <= sys.float_info.max:
        return float(value)
    if hint is object and _is_shallow(value):
        return value
    if (hint in _PLAIN and type(value) is hint) or (type(value) in {str, bool} and value in _names(hint)):
        return hint[value] if isinstance(hint, EnumType) else value
    if isinstance(value, str) and hint in _OF_TEXT and _OF_TEXT[hint][0].fullmatch(value):
        return _constructed(lambda: _OF_TEXT[hint][1](value), _type_name(hint), where, faults)
    faults.append(Fault.other_than(_type_name(hint), where))
    return None


def _first_of(kinds: tuple[Json, ...], value: Json, where: str, faults: list[Fault]) -> Json:
    others = [kind for kind in kinds if kind is not types.NoneType]
    if value is None and len(others) < len(kinds):
        return None
    for kind in others:
        read = _typed(kind, value, where, tried := list[Fault]())
        if not tried:
            return read
    faults += tried if len(others) == 1 else [Fault.other_than(" or ".join(map(_type_name, others)), where)]
    return None


@cache
def _members(kind: Json) -> Mapping[str, tuple[Json, bool]]:
    """Of each member of a dataclass its type, and whether it may be missing."""
    hints = typing.get_type_hints(kind, include_extras=True)
    free = {one.name for one in fields(kind) if (one.default, one.default_factory) != (MISSING, MISSING)}
    return {one.name: (hints[one.name], one.name in free) for one in fields(kind)}


def _constructed(make: Callable[[], Json], expected: str, where: str, faults: list[Fault]) -> Json:
    try:
        return make()
    except AtlasError as error:
        faults.append(Fault(error.what, where))
    except (TypeError, ValueError, KeyError, ArithmeticError):
        faults.append(Fault.other_than(expected, where))
    return None


def _names(hint: Json) -> Sequence[object]:
    """The names that a value can have, of an Enum or of literals."""
    origin: Json = typing.get_origin(hint)
    return typing.get_args(hint) if origin is typing.Literal else getattr(hint, "__members__", ())


def _type_name(hint: Json) -> str:
    names, kind = _names(hint), typing.get_origin(hint) or hint
    return f"one of {', '.join(map(str, names))}" if names else _WORDS.get(kind, "an object")


_PLAIN: Final = {bool, int, str, types.NoneType}
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_OF_TEXT: Final[Mapping[object, tuple[re.Pattern[str], Callable[[str], object]]]] = {
    # ``Fraction`` alone also reads exponents, and so a text of few letters as a number that fills the memory
    Fraction: (re.compile("-?[0-9]{1,40}(/[0-9]{1,40})?"), Fraction),
    date: (re.compile(_DAY), date.fromisoformat),
    datetime: (re.compile(f"{_DAY}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}Z"), datetime.fromisoformat),
}
_WORDS: Final[Mapping[object, str]] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    types.NoneType: "null",
    Fraction: "an exact fraction such as 1/10",
    date: "a date such as 2024-05-01",
    datetime: "a time such as 2024-05-01T12:00:00Z",
    tuple: "a list",
    list: "a list",
    object: f"nested at most {_DEEPEST} levels deep",
}


def _is_shallow(value: Json, depth: int = 0) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth <= _DEEPEST and all(_is_shallow(one, depth + 1) for one in inner)
