"""Values as plain JSON and back. What comes back has exactly the type that is asked for, whatever the JSON says."""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, is_dataclass
from datetime import date
from enum import Enum
from fractions import Fraction
from typing import Any, Final

_NOT_THAT: Final = "not a value of this kind"
_FRACTION: Final = re.compile(r"-?[0-9]{1,40}(/[0-9]{1,40})?")
"""As ``plain`` writes it. ``Fraction`` also reads exponents, and so a text of few letters as a number that fills the memory."""
_DEEPEST: Final = 20
"""Lists within lists of JSON that is taken as it is. All code that walks through it stays far from Python's limit."""


def _fraction(text: str) -> Fraction:
    if _FRACTION.fullmatch(text) is None:
        raise ValueError(_NOT_THAT)
    return Fraction(text)


_OF_TEXT: Final[Mapping[Any, Callable[[str], Any]]] = {Fraction: _fraction, date: date.fromisoformat}


def plain(value: object) -> Any:  # noqa: ANN401 - JSON has no type of its own
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


def read_as(hint: Any, value: Any) -> Any:  # noqa: ANN401 - as plain
    """The value of a type that ``plain`` wrote. ValueError for anything that is not exactly one.

    ``hint`` is a type as annotations write it: a plain type, an Enum, a dataclass, tuple, list, dict or Mapping of such, or a
    union of them. ``object`` takes any JSON.
    """
    try:
        return _read(hint, value)
    except (TypeError, ValueError, KeyError, ArithmeticError) as error:
        raise ValueError(_NOT_THAT) from error


def _read(hint: Any, value: Any) -> Any:  # noqa: ANN401, PLR0911 - as plain; one line for each kind of type
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        return _first_of(inner, value)
    if origin is typing.Literal and value in inner:
        return value
    if origin is not None:
        return _many(origin, inner, value)
    if hint is object:
        return _json(value)
    if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, dict):
        named = typing.get_type_hints(hint)
        return hint(**{name: _read(named[name], one) for name, one in value.items()})
    if isinstance(hint, type) and issubclass(hint, Enum) and isinstance(value, str):
        return hint[value]
    if hint in _OF_TEXT and isinstance(value, str):
        return _OF_TEXT[hint](value)
    if hint is float and type(value) in {int, float} and math.isfinite(value):
        return float(value)
    if hint in {bool, int, str, types.NoneType} and type(value) is hint:
        return value
    raise ValueError(_NOT_THAT)


def _json(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - as plain
    """Any JSON that is not nested too deep."""
    if depth > _DEEPEST:
        raise ValueError(_NOT_THAT)
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _json(one, depth + 1)
    return value


def _many(origin: Any, inner: tuple[Any, ...], value: Any) -> Any:  # noqa: ANN401 - as plain
    if origin is tuple and isinstance(value, list):
        each = inner[:1] * len(value) if inner[-1] is ... else inner
        return tuple(_read(kind, one) for kind, one in zip(each, value, strict=True))
    if origin is list and isinstance(value, list):
        return [_read(inner[0], one) for one in value]
    if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, dict):
        return {_read(inner[0], key): _read(inner[1], one) for key, one in value.items()}
    raise ValueError(_NOT_THAT)


def _first_of(kinds: tuple[Any, ...], value: Any) -> Any:  # noqa: ANN401 - as plain
    for kind in kinds:
        try:
            return _read(kind, value)
        except (TypeError, ValueError, KeyError, ArithmeticError):
            continue
    raise ValueError(_NOT_THAT)
