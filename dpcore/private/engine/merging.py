"""Sums of exact answers. Whole people lie in one shard, so the answer for all of them is the sum, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed

Answer = NDArray[np.int64]
"""One row for each key column, then one row of counts."""

_MOST: Final = 2**62


def merged_answers(answers: Sequence[Answer]) -> Answer:
    """The sum of answers with cells in any order, one cell for each key that occurs, in rising order of the keys."""
    together = np.concatenate(answers, axis=1)
    packed = _packed_keys(together[:-1])
    order = np.lexsort(together[-2::-1]) if packed is None else np.argsort(packed, kind="stable")
    keys, counts = together[:-1, order], together[-1, order]
    first = np.ones(len(counts), np.bool_)
    first[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    begins = np.flatnonzero(first)
    return (
        np.concatenate([keys[:, begins], np.add.reduceat(counts, begins)[np.newaxis]])
        if len(counts)
        else together
    )


def _packed_keys(keys: Answer) -> NDArray[np.int64] | None:
    """One number for the keys of each cell, in their order. None if they do not fit into one number."""
    if not keys.size:
        return np.zeros(keys.shape[1], np.int64)
    lows = [int(low) for low in keys.min(axis=1)]
    spans = [int(high) - low + 1 for high, low in zip(keys.max(axis=1), lows, strict=True)]
    cells = 1
    for span in spans:
        cells *= span
    if cells > _MOST:
        return None
    packed = np.zeros(keys.shape[1], np.int64)
    for key, low, span in zip(keys, lows, spans, strict=True):
        packed *= span
        packed += key
        packed -= low
    return packed


def answer_sum(one: Answer, other: Answer) -> Answer:
    """The sum of two answers whose cells are in rising order of their keys, as engines give them; linear time."""
    from dpcore.private.engine.kernel import add_rising  # noqa: PLC0415 - numba takes long to load, and known answers need no sums

    total = np.empty((len(one), one.shape[1] + other.shape[1]), np.int64)
    found = add_rising(np.ascontiguousarray(one), np.ascontiguousarray(other), total)
    return total if found == total.shape[1] else total[:, :found].copy()


class Sums(Sealed):
    """Answers of shards, added up measure by measure.

    Answers of similar size are added first, like carrying in binary addition. So each cell is added only a few times,
    however many shards there are.
    """

    def __init__(self) -> None:
        self._answers: dict[str, list[Answer]] = {}

    def add(self, answers: Mapping[str, Answer]) -> None:
        """Add the answers of one shard; cells in rising order of their keys."""
        for name, answer in answers.items():
            waiting = self._answers.setdefault(name, [])
            waiting.append(answer)
            while len(waiting) > 1 and waiting[-2].shape[1] < 2 * waiting[-1].shape[1]:
                last = waiting.pop()
                waiting[-1] = answer_sum(waiting[-1], last)

    @property
    def totals(self) -> dict[str, Answer]:
        """The sum of all answers, by measure."""
        found = {}
        for name, waiting in self._answers.items():
            total = waiting[-1]
            for answer in waiting[-2::-1]:
                total = answer_sum(answer, total)
            found[name] = total
        return found
