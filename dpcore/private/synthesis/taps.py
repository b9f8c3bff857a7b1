"""Private rows of texts as columns of integers, and how often each key occurs in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.errors import InputError, PrivacyError
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.bounding import hashed_texts, smallest_hashes
from dpcore.synthesis.stability.plan import UNKNOWN, Combination, StabilityPlan, Variant

Counts = NDArray[np.int64]
Texts: TypeAlias = "pa.Array | pa.ChunkedArray | Sequence[str | None]"

_CLOCK: Final = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(:[0-5][0-9])?")
_WIDE: Final = 2**62
_DENSE: Final = 4
"""A table of at most so many cells for each row is counted directly, a larger one by sorting."""


@dataclass(frozen=True, repr=False, eq=False)
class CodedColumn(Sealed):
    """A column as positions in its sorted texts."""

    codes: NDArray[np.int32]
    texts: tuple[str, ...]
    """The texts that occur, sorted: so the order of the codes is the order of the texts."""


@dataclass(frozen=True, repr=False, eq=False)
class Taps(Sealed):
    """The rows that count: within the listed parts, and bounded as the plan says."""

    plan: StabilityPlan
    part: NDArray[np.int64]
    """Number of the listed part of each row."""
    columns: Mapping[str, CodedColumn]


def taps(plan: StabilityPlan, columns: Mapping[str, Texts], key: bytes, users: Texts | None = None) -> Taps:
    """Texts as they are read become codes: binned, mapped, missing ones as their own category.

    Args:
        plan: what is counted; columns it does not count are not looked at.
        columns: text columns by name, of equal length; null and the empty text are missing.
        key: 16 secret bytes for bounding.
        users: user id of each row, for the variant ``user``.

    Raises:
        InputError: a column of the plan is missing.
        PrivacyError: people are protected and there are no user ids.

    """
    wanted = list(dict.fromkeys(column for one in plan.combinations for column in one.columns))
    absent = [name for name in (*plan.partition_by, *wanted) if name not in columns]
    if absent:
        raise InputError(
            "a column is missing", ", ".join(absent), "Name the columns of the file as the plan does."
        )
    coded = {name: _coded(columns[name], _reading(plan, name)) for name in wanted}
    parts = {name: _coded(columns[name], lambda text: text) for name in plan.partition_by}
    part = _part_numbers(plan, parts, next(iter(coded.values())).codes.shape)
    keep = part >= 0
    if plan.variant is Variant.USER:
        keep &= _bounded(plan, part, coded, users, key)
    if keep.all():
        return Taps(plan, part, coded)
    rows = np.flatnonzero(keep)
    return Taps(
        plan,
        part[rows],
        {name: CodedColumn(column.codes[rows], column.texts) for name, column in coded.items()},
    )


def _reading(plan: StabilityPlan, name: str) -> Callable[[str], str]:
    """What a text of a column is shown as."""
    places, minutes = plan.places.get(name, {}), plan.minutes.get(name)

    def shown(text: str) -> str:
        if minutes is None:
            return places.get(text, text)
        clock = _CLOCK.fullmatch(text)
        if clock is None:
            return UNKNOWN
        start = (int(clock[1]) * 60 + int(clock[2])) // minutes * minutes
        return f"{start // 60:02d}:{start % 60:02d}"

    return shown


def _coded(texts: Texts, shown: Callable[[str], str]) -> CodedColumn:
    """Sorted texts and the code of each row; each different text is read once."""
    array = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    array = array if isinstance(array, pa.Array) else pa.array(array, pa.string())
    coded = array if pa.types.is_dictionary(array.type) else pc.dictionary_encode(array)
    indices = coded.indices
    if indices.null_count:
        indices = pc.fill_null(indices.cast(pa.int32()), len(coded.dictionary))
    codes = indices.to_numpy(zero_copy_only=not indices.null_count)
    names = [shown(text) if text else UNKNOWN for text in (*coded.dictionary.to_pylist(), None)]
    kinds, place = np.unique(np.array(names, np.str_), return_inverse=True)
    return CodedColumn(np.take(place.astype(np.int32), codes), tuple(kinds.tolist()))


def _part_numbers(plan: StabilityPlan, parts: Mapping[str, CodedColumn], shape: tuple[int, ...]) -> Counts:
    """The number of the listed part of each row, -1 for none."""
    if not parts:
        return np.zeros(shape, np.int64)
    sizes = tuple(len(column.texts) for column in parts.values())
    if prod(sizes) > _WIDE:
        raise InputError("the columns of the parts have too many values", ", ".join(parts), "Choose others.")
    codes = np.zeros(shape, np.int64)
    for column, size in zip(parts.values(), sizes, strict=True):
        codes = codes * size + column.codes
    listed = {part: number for number, part in enumerate(plan.partitions)}
    texts = [column.texts for column in parts.values()]

    def numbers(kinds: Counts) -> Counts:
        places = zip(*(place.tolist() for place in np.unravel_index(kinds, sizes)), strict=True)
        named = (tuple(t[i] for t, i in zip(texts, one, strict=True)) for one in places)
        return np.array([listed.get(name, -1) for name in named], np.int64)

    if prod(sizes) <= _DENSE * len(codes):
        return np.take(numbers(np.arange(prod(sizes))), codes)
    kinds, where = np.unique(codes, return_inverse=True)
    return np.take(numbers(kinds), where)


def _bounded(
    plan: StabilityPlan,
    part: Counts,
    coded: Mapping[str, CodedColumn],
    users: Texts | None,
    key: bytes,
) -> NDArray[np.bool_]:
    """Which rows count: of each user at most M within the listed parts, by a keyed hash of the texts."""
    if users is None:
        raise PrivacyError(
            "these rows have no user column",
            "variant user",
            "Choose a variant for one trip: without user ids a person's trips cannot be found.",
        )
    array = (
        users.combine_chunks() if isinstance(users, pa.ChunkedArray) else pa.array(users, pa.large_string())
    )
    if array.null_count:
        raise InputError("a user id is missing", f"{array.null_count:,} rows", "Take these rows out.")
    rows = np.flatnonzero(part >= 0)
    # Texts and not codes are hashed: a code counts the texts of other people.
    words = [
        hashed_texts(pa.array(column.texts, pa.large_string()), key)[column.codes[rows]]
        for column in coded.values()
    ]
    kept = smallest_hashes(
        array.take(pa.array(rows)), [part[rows].astype(np.uint64), *words], plan.bound.trips, key
    )
    keep = np.zeros(len(part), np.bool_)
    keep[rows[kept]] = True
    return keep


def occupied(found: Taps, combination: Combination) -> tuple[Counts, Counts]:
    """The keys of a combination that occur, as ascending numbers (part first), and how often.

    Raises InputError where there would be too many possible keys to number.
    """
    columns = [found.columns[name] for name in combination.columns]
    must_be_numbered(found, combination)
    shape = key_shape(found, combination)
    number = found.part
    for column in columns:
        number = number * len(column.texts) + column.codes
    if prod(shape) > _DENSE * len(number) + 1_000:
        return np.unique(number, return_counts=True)
    table = np.bincount(number, minlength=1)
    keys = np.flatnonzero(table)
    return keys, table[keys]


def must_be_numbered(found: Taps, combination: Combination) -> None:
    """Refuse a combination with more possible keys than numbers; raises InputError."""
    if prod(key_shape(found, combination)) > _WIDE:
        raise InputError(
            "the columns have too many different values together", combination.name, "Use coarser bins."
        )


def key_shape(found: Taps, combination: Combination) -> tuple[int, ...]:
    """How many parts there are, and how many different texts each column has."""
    return (len(found.plan.partitions), *(len(found.columns[name].texts) for name in combination.columns))
