"""Attributes of a trip besides times and places: zip, gender, type of user. Each has one public list of words.

A value that is not on its list is no fault of the record. It becomes ``unknown`` or null, and never appears in an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from dpcore import limits
from dpcore.measures.riders import PEOPLE, may_be_a_zip
from dpcore.private.source.batch import Mask
from dpcore.private.source.fields import mask_of, whole_numbers

EXTRAS: Final = ("zip", "gender", "user_type")
"""Names of the attributes."""
GENDERS: Final = PEOPLE["gender"].labels
"""Words of ``gender``. The last one stands for all other values, and for none."""

ROLE: Final = "extra_"
"""Prefix of an attribute in its role among the columns of a file and in its column among the trips."""

TEXT: Final = pa.dictionary(pa.int32(), pa.string())
"""Type of such a column of trips."""

_GENDERS: Final = {"1": "male", "m": "male", "male": "male", "2": "female", "f": "female", "female": "female"}
_SAID_TO_BE_UNKNOWN: Final = frozenset({"", "'", "0", "unknown"})
"""Texts by which a file itself says that a value is unknown."""
_USER_TYPES: Final = {
    "registered": "Registered",
    "subscriber": "Registered",
    "member": "Registered",
    "casual": "Casual",
    "customer": "Casual",
}


def extra_fields(names: tuple[str, ...]) -> list[pa.Field]:
    """The columns of trips for some attributes."""
    return [pa.field(ROLE + name, TEXT) for name in names]


def extra_values(name: str, column: pa.Array) -> pa.DictionaryArray:
    """The values of one attribute, one word for each trip, from text or numbers of a file.

    ``zip``: as written, without white space, without an apostrophe before it or ``.0`` after it; null if missing or longer
    than any postal code. ``gender``: of ``GENDERS``; 1 and 2 are male and female, as bike shares write it. ``user_type``:
    of ``PEOPLE``; subscribers and members are Registered, customers are Casual; null if it is neither.
    """
    codes, word = _coded(column), _WORDS[name]
    words = pa.array([word(text) for text in codes.dictionary.to_pylist()], pa.string())
    found = words.take(codes.indices)
    if name == "gender":
        found = pc.fill_null(found, GENDERS[-1])
    return found.dictionary_encode()


def unlisted(name: str, column: pa.Array) -> Mask:
    """Which values of an attribute are present but not on its list. They count as unknown.

    For ``zip``, whose list is given later, these are values that are a zip of no country. Arguments as in ``extra_values``.
    """
    codes, word = _coded(column), _WORDS[name]

    def strange(text: str) -> bool:
        if _plain(text).casefold() in _SAID_TO_BE_UNKNOWN:
            return False
        found = word(text)
        return found is None or (name == "zip" and not may_be_a_zip(found))

    wrong = pa.array([strange(text) for text in codes.dictionary.to_pylist()], pa.bool_())
    return mask_of(wrong.take(codes.indices))


def without_point_zero(ids: pa.Array) -> pa.Array:
    """Ids of stations as the station table writes them: ``23.0``, which spreadsheets make of 23, becomes 23."""
    if not pc.any(pc.ends_with(ids, ".0")).as_py():
        return ids
    return pc.replace_substring_regex(ids, r"^([0-9]+)\.0$", r"\1")


def _zip(text: str) -> str | None:
    plain = _plain(text).removeprefix("'").strip()
    return plain if 0 < len(plain) <= limits.MAX_ZIP_CHARACTERS else None


def _gender(text: str) -> str | None:
    return _GENDERS.get(_plain(text).casefold())


def _user_type(text: str) -> str | None:
    return _USER_TYPES.get(_plain(text).casefold())


_WORDS: Final[dict[str, Callable[[str], str | None]]] = {
    "zip": _zip,
    "gender": _gender,
    "user_type": _user_type,
}


def _coded(column: pa.Array) -> pa.DictionaryArray:
    """The texts of a column as a dictionary, each distinct text once."""
    if pa.types.is_floating(column.type):
        column, _ = whole_numbers(column)
    return (column if pa.types.is_string(column.type) else column.cast(pa.string())).dictionary_encode()


def _plain(text: str) -> str:
    short = text.strip()
    return short[:-2] if short.endswith(".0") and short[:-2].isdecimal() else short
