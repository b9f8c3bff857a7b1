"""Large counts are in the order of their keys; what is not is refused, at the price of a few numbers a row."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from dpcore.kinds.stability.plan import LargeCounts


def large(rows, counts=None, threshold=5):
    """Large counts of rows of a part and two texts."""
    part, first, second = zip(*rows, strict=True) if rows else ((), (), ())
    counts = np.full(len(rows), 9) if counts is None else np.array(counts)
    return LargeCounts(np.array(part, np.int64), (first, second), counts, threshold)


ROWS = ((0, "B", "a"), (0, "a", "Z"), (0, "a", "\u00e9"), (1, "", "z"), (1, "B", "A"))


def test_only_rows_in_the_order_of_part_and_texts_are_taken():
    rng = np.random.default_rng(2)
    for _ in range(300):
        rows = [ROWS[i] for i in rng.integers(0, len(ROWS), rng.integers(0, 5))]
        if rows == sorted(set(rows)):
            assert large(rows).part.tolist() == [row[0] for row in rows]
        else:
            with pytest.raises(ValueError, match="order"):
                large(rows)
    assert len(large(ROWS).counts) == len(ROWS)


def test_a_small_count_and_columns_of_other_lengths_are_refused():
    for counts in ([9, 9, 9, 9, 4], [9] * 4, [9] * 6):
        with pytest.raises(ValueError, match="order"):
            large(ROWS, counts)
    with pytest.raises(ValueError, match="order"):
        LargeCounts(np.zeros(2, np.int64), (("a", "b"), ("a",)), np.array([9, 9]), 5)


def test_many_rows_are_checked_without_a_python_object_for_each():
    tiles, code = [f"tile {number:03d}" for number in range(400)], np.arange(160_000)
    keys = tuple(tuple(tiles[i] for i in column.tolist()) for column in np.divmod(code, 400))
    part, counts = np.zeros(len(code), np.int64), np.full(len(code), 9)
    tracemalloc.start()
    try:
        LargeCounts(part, keys, counts, 5)
        assert tracemalloc.get_traced_memory()[1] < 64 * len(code)  # bytes
    finally:
        tracemalloc.stop()
