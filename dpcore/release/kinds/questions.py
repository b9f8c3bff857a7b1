"""Questions that anyone may ask of a release of a tree or of large counts. No answer comes without its range.

Answers are functions of what was released: they cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from dpcore.errors import InputError
from dpcore.release.kinds.tree_statements import TreeRelease
from dpcore.synthesis.stability.choices import DATE, listed_texts
from dpcore.synthesis.tree.answers import Answer, AskableTree
from dpcore.synthesis.tree.noisy_tree import NoisyTree
from dpcore.synthesis.tree.paths import frequent_patterns, paths_of
from dpcore.synthesis.tree.question import Kind, Question, typed_questions
from dpcore.synthesis.tree.tree import Consistency, integer_weights

if TYPE_CHECKING:
    from dpcore.release.release import Release

WAYS: Final = 12
"""Rows of the table of frequent ways."""
_TREES: Final = 2  # that are kept ready for further questions

_NUMBERS: Final[Mapping[str, pa.DataType]] = {
    "count": pa.float64(),
    "at_least": pa.int64(),
    "at_most": pa.int64(),
    "noise_low_95": pa.int64(),
    "noise_high_95": pa.int64(),
}

_PAIR: Final = re.compile(r'\s*([^\s=,"]+)\s*=\s*(?:"([^"]*)"|([^,"]*[^\s,"]))\s*(?:,|$)')


def of_tree(release: TreeRelease, text: str) -> pa.Table:
    """The answer to a typed question, or to one for each place that the tree kept there, most frequent first.

    Columns: ``question``, ``count``, ``at_least``, ``at_most``, ``noise_low_95``, ``noise_high_95``. Where the tree kept no node that
    answers, the interval of the noise is missing; so is the count, unless nothing can match.
    """
    levels, tessellation = release.drawn.tables.plan.levels, release.tessellation
    names = dict(zip(tessellation.tile_ids, tessellation.tile_names, strict=True))
    questions = typed_questions(text, levels.tiles, names)
    tree = _askable(release.drawn.tables, release.plan.consistency)
    several = len(questions) > 1
    if several:
        there = tree.kept_at_the_end(questions[0])
        questions = tuple(one for one in questions if one.places[-1] in there)
    found = [(one, tree.answer(one)) for one in questions]
    if several:
        seen = [(one, answer) for one, answer in found if answer.is_kept]
        found = sorted(seen, key=lambda pair: -pair[1].count)
    return _table({"question": [one.text for one, _ in found]}, [answer for _, answer in found])


def frequent_ways(release: TreeRelease) -> pa.Table:
    """The places that most trajectories visit one after the other, others between them or not, most frequent first."""
    noisy = release.drawn.tables
    tree, tiles = _askable(noisy, release.plan.consistency), noisy.plan.levels.tiles
    paths = paths_of(noisy.tree, integer_weights(noisy.tree))
    patterns = frequent_patterns(paths, WAYS, least_length=min(2, noisy.plan.height))
    questions = [Question(Kind.ORDER, tuple(tiles[at] for at in one.tiles)) for one in patterns]
    return _table({"way": [one.text for one in questions]}, [tree.answer(one) for one in questions])


@lru_cache(_TREES)
def _askable(noisy: NoisyTree, how: Consistency) -> AskableTree:
    """The tree made ready. Released trees never change and are public, so the last ones may be kept."""
    return AskableTree.of(noisy.tree, noisy.plan.levels.tiles, how)


def _table(first: dict[str, list[str]], answers: list[Answer]) -> pa.Table:
    numbers = {
        "count": [None if one.is_unknown else one.count for one in answers],
        "at_least": [one.at_least for one in answers],
        "at_most": [one.at_most for one in answers],
        "noise_low_95": [one.low if one.is_kept else None for one in answers],
        "noise_high_95": [one.high if one.is_kept else None for one in answers],
    }
    return pa.table(
        {
            **{name: pa.array(texts, pa.string()) for name, texts in first.items()},
            **{name: pa.array(values, _NUMBERS[name]) for name, values in numbers.items()},
        }
    )


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
