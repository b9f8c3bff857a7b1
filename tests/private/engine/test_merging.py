import numpy as np
import pytest

from dpcore.private.engine.merging import Sums, answer_sum, merged_answers


def some(rng, keys, cells, most):
    """An answer of so many keys, its cells in rising order."""
    return merged_answers([np.stack([*rng.integers(-1, most, (keys, cells)), rng.integers(1, 9, cells)])])


def summed(answers):
    """Cells and counts by a plain dictionary."""
    found = {}
    for answer in answers:
        for *key, n in answer.T.tolist():
            found[tuple(key)] = found.get(tuple(key), 0) + n
    return sorted((*key, n) for key, n in found.items())


@pytest.mark.parametrize("keys", [1, 2, 3])
@pytest.mark.parametrize("most", [3, 2**20, 2**62])
def test_answers_are_added_cell_by_cell_and_stay_in_order(keys, most):
    rng = np.random.default_rng(keys)
    for sizes in ((0, 5), (5, 0), (1, 1), (200, 30), (300, 300)):
        one, other = (some(rng, keys, size, most) for size in sizes)
        assert answer_sum(one, other).T.tolist() == list(map(list, summed([one, other])))
        assert merged_answers([one, other]).tolist() == answer_sum(one, other).tolist()


def test_the_order_in_which_shards_are_added_means_nothing():
    rng = np.random.default_rng(1)
    answers = [some(rng, 2, int(rng.integers(0, 60)), 6) for _ in range(23)]
    for order in (range(23), rng.permutation(23)):
        sums = Sums()
        for number in order:
            sums.add({"flows": answers[number], "none": np.zeros((2, 0), np.int64)})
        assert sums.totals["flows"].T.tolist() == list(map(list, summed(answers)))
        assert sums.totals["none"].shape == (2, 0)
