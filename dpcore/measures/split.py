"""Measures of trips split by declared categories: how far, where, for each mode, purpose or type of member apart.

``split`` puts the columns of the attributes in front of the key of each term of a measure, and their labels in front of its
key set. Nothing else changes, so there is no code for each measure. A split table begins with a column for each attribute,
whose labels are the public list, then ``other`` and ``missing``.

**Sensitivity.** A trip has one value of each attribute, read off its own record (``measures/attribute.py``), and adds
to cells of that part alone what it adds to the unsplit table. So what a trip changes is moved to other cells, and its L1
norm stays. Let a neighbour add or remove some trips and change no other. The L1 change is at most the sum of what these trips
add, which is how the sensitivity of each measure of trips was proved: it did not use that two trips share a cell. Hence:

* *unit user*: at most M trips count, and which of them do is a function of this user's rows (``private/bounding.py``): as unsplit.
* *unit trip*: as unsplit. The gap before a trip belongs to that trip and lies in its part. A trip that goes takes its gap with it
  (1), and the gap before the user's next trip moves from one bin to another of that trip's part (2): 3, as unsplit.
* *one trip under a bound on users*: it may displace another one. Unsplit, some cells cannot tell the two apart: with one cell, a trip
  in the place of another changes it by one at most. Split, the two may lie in different parts, so the change is that of two
  trips: 2 x ``cells_per_trip``, unless the measure states more (``user_time_delta``: 1 + 1 + 2 = 4). This decides what a
  user-level release costs an account of trips.

Each is reached by brute force in ``tests/test_neighbours_of_splits.py``.

Tables of people are not split: a person has many trips, so not one category. Nor is ``ds_statistics``, which counts people too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Final

import numpy as np

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.measures.attribute import Attribute, Categories, attributes_of
from dpcore.measures.keys import KeySet, plain_axis
from dpcore.measures.measure import Measure

MOST_SPLITS: Final = 2


def split(measure: Measure, splits: Sequence[Categories]) -> Measure:
    """The measure for each combination of categories apart. A measure that is not of trips alone is returned as it is."""
    by = tuple(splits)
    if not by or not measure.terms:
        return measure
    axes = tuple(plain_axis(one.name, one.labels) for one in by)
    columns = tuple((one.column, one.column) for one in by)
    terms = tuple(replace(term, key=(*columns, *term.key)) for term in measure.terms)
    names, moved = tuple(one.name for one in by), measure.cells_moved_under_bound
    found = replace(
        measure,
        terms=terms,
        sql="",
        fine_sql="",
        keys=lambda tile_ids: KeySet((*axes, *measure.keys(tile_ids).axes)),
        layout=replace(
            measure.layout,
            columns=(*names, *measure.layout.columns),
            groups=(*names, *measure.layout.groups),
            group_title=", ".join(f"{{{number}}}" for number in range(len(by) + len(measure.layout.groups))),
        ),
        attributes=(*by, *measure.attributes),
        splits=by,
        cells_moved_under_bound=None if moved is None else max(moved, 2 * measure.cells_per_trip),
    )
    rule = measure.compiled_rule
    parts = tuple(one.column for one in by)
    return replace(found, rule=None if rule is None else replace(rule, sql=found.sql, parts=parts))


def drawable_keys(measure: Measure, tile_ids: tuple[str, ...]) -> KeySet:
    """The keys of a measure over some tiles; PrivacyError if they are more than can be drawn.

    A split table is listed whole, so that each part reads like a table that was never split. Flows are the exception: their
    readers know lists.
    """
    keys = measure.keys(tile_ids)
    whole = bool(measure.splits) and not measure.sparse
    most = limits.MAX_DENSE_CELLS if whole else limits.MAX_SPARSE_CELLS
    if keys.size > most:
        raise PrivacyError(
            f"the split table would have {keys.size:,} cells, the limit is {most:,}",
            measure.name,
            "List fewer categories: all others are counted as other. Or leave the table out.",
        )
    return keys


def checked_splits(splits: Sequence[Attribute] | Mapping[str, str | Sequence[str]]) -> tuple[Categories, ...]:
    """The attributes by which tables are split, also as ``attributes_of`` takes them: ``{"mode": ["bus", "rail"]}``.

    Raises InputError if they are no lists of categories, too many, or have too many parts.
    """
    given = attributes_of(splits) if isinstance(splits, Mapping) else tuple(splits)
    by = tuple(one for one in given if isinstance(one, Categories))
    where = f"--split {', '.join(one.name for one in given)}"
    if len(by) < len(given):
        raise InputError(
            "tables are split by categories",
            where,
            "Give public lists, such as mode=bus,rail,bike. Numbers have no categories.",
        )
    if len(by) > MOST_SPLITS or len({one.name for one in by}) < len(by):
        raise InputError(
            f"tables are split by at most {MOST_SPLITS} different attributes", where, "Leave the others out."
        )
    parts = prod(len(one.labels) for one in by)
    if parts > limits.MAX_PARTS_OF_TABLES:
        raise InputError(
            f"the tables would have {parts:,} parts, the limit is {limits.MAX_PARTS_OF_TABLES:,}",
            where,
            "List fewer categories: all others are counted as other.",
        )
    return by


def parts_of(splits: Sequence[Categories]) -> list[dict[str, str]]:
    """Every combination of labels, in the order of the cells; one without labels where nothing is split."""
    sizes = [len(one.labels) for one in splits]
    if not sizes:
        return [{}]
    return [
        {one.name: one.labels[number] for one, number in zip(splits, numbers, strict=True)}
        for numbers in np.ndindex(*sizes)
    ]


def part_number(splits: Sequence[Categories], part: Mapping[str, str]) -> int:
    """The place in ``parts_of`` of one combination, which names a label for each split. Raises InputError for any other."""
    if {*part} != {one.name for one in splits}:
        names = ", ".join(one.name for one in splits)
        raise InputError(
            "this names no part of these tables",
            ", ".join(part) or "no attribute",
            f"Give a category of each of {names}." if names else "These tables are not split: leave it out.",
        )
    number = 0
    for one in splits:
        if part[one.name] not in one.labels:
            raise InputError.unknown(f"category of {one.name}", part[one.name], list(one.labels))
        number = number * len(one.labels) + one.labels.index(part[one.name])
    return number


def not_split(measure: str) -> PrivacyError:
    """The refusal to split a table that is not of trips alone."""
    return PrivacyError(
        f"{measure} is not split: it counts people, and a person has trips of many categories",
        "--split",
        "Leave the split out, or choose a table of trips.",
    )
