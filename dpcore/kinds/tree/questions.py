"""Questions that anyone may ask of a released tree. No answer comes without its range.

Answers are functions of what was released: they cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import pyarrow as pa

from dpcore.kinds.tree.answers import Answer, AskableTree
from dpcore.kinds.tree.noisy_tree import NoisyTree
from dpcore.kinds.tree.paths import frequent_patterns, paths_of
from dpcore.kinds.tree.question import Kind, Question, typed_questions
from dpcore.kinds.tree.statements import TreeRelease
from dpcore.kinds.tree.tree import Consistency, integer_weights

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


def of_tree(release: TreeRelease, text: str) -> pa.Table:
    """The answer to a typed question, or to one for each place that the tree kept there, most frequent first.

    Columns: ``question``, ``count``, ``at_least``, ``at_most``, ``noise_low_95``, ``noise_high_95``. Where the tree kept no node that
    answers, the interval of the noise is missing; so is the count, unless nothing can match.
    """
    levels, tessellation = release.drawn.tables.plan.levels, release.tessellation
    names = dict(zip(tessellation.tile_ids, tessellation.called, strict=True))
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
