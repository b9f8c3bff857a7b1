"""Questions that anyone may ask of released large counts. No answer comes without its range.

Answers are functions of what was released: they cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from dpcore.errors import InputError
from dpcore.kinds.stability.choices import DATE, listed_texts

if TYPE_CHECKING:
    from dpcore.release.release import Release

_PAIR: Final = re.compile(r'\s*([^\s=,"]+)\s*=\s*(?:"([^"]*)"|([^,"]*[^\s,"]))\s*(?:,|$)')


def of_large_counts(release: Release[Any, Any], text: str, width_of: Callable[[str], int]) -> pa.Table:
    """The count of one key, such as ``on_loc = A, on_time = 07:30``, a row for each part unless the question names it.

    Columns: those of the parts, such as ``date`` where days were counted apart, those of the key, ``count`` (missing where the key is not listed),
    ``at_least``, ``at_most``. A key that is not listed had a noisy count below the threshold, which never means zero.

    ``width_of``: the 95 % half width of the noise in the table of a combination, by its name.
    """
    tables = release.drawn.tables
    plan, key = tables.plan, _key(text)
    part = {column: key.pop(column) for column in plan.partition_by if column in key}
    combination = next((one for one in plan.combinations if {*one.columns} == {*key}), None)
    if combination is None:
        raise InputError(
            "these columns were not counted together",
            ", ".join(name[:40] for name in key) or "question",
            f"Ask for one of: {'; '.join(', '.join(one.columns) for one in plan.combinations)}; {_EXAMPLE}",
        )
    for column, value in key.items():
        if value not in listed_texts(column, plan, release.tessellation.tile_ids):
            raise InputError(
                "no such value is on the public list", column, f"Take a tile id or a time. {_EXAMPLE}"
            )
    parts = [
        one
        for one in plan.partitions
        if part.items() <= dict(zip(plan.partition_by, one, strict=True)).items()
    ]
    if not parts:
        raise InputError(
            "no such day was released" if part.keys() == {DATE} else "no such part was released",
            ", ".join(part),
            f"Choose {plan.partitions[0][0]} to {plan.partitions[-1][0]}."
            if part.keys() == {DATE}
            else f"There is one for each of: {'; '.join(', '.join(values[:20]) for values in plan.values)}.",
        )
    large, width = tables.large[combination.name], width_of(combination.name)
    wanted = tuple(key[column] for column in combination.columns)
    counts = {
        plan.partitions[number]: count
        for number, count, *texts in zip(large.part.tolist(), large.counts.tolist(), *large.keys, strict=True)
        if tuple(texts) == wanted
    }
    found = [counts.get(one) for one in parts]
    unlisted = large.threshold - 1 + width
    return pa.table(
        {
            **{column: [one[at] for one in parts] for at, column in enumerate(plan.partition_by)},
            **{column: [key[column]] * len(parts) for column in combination.columns},
            "count": pa.array(found, pa.int64()),
            # that a key is listed says that it occurs
            "at_least": pa.array([0 if one is None else max(1, one - width) for one in found], pa.int64()),
            "at_most": pa.array([unlisted if one is None else one + width for one in found], pa.int64()),
        }
    )


_EXAMPLE: Final = 'Write such as on_loc = A, on_time = 07:30; put an id with a comma in "quotes".'


def _key(text: str) -> dict[str, str]:
    """Columns with their values."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text.rstrip()):
        part = _PAIR.match(text, at)
        if part is None or part.group(1) in found:
            raise InputError("a question names a column and its value", "question", _EXAMPLE)
        column, quoted, bare = part.groups()
        found[column] = bare if quoted is None else quoted
        at = part.end()
    return found
