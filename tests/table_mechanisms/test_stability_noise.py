"""Keys of a single unit are shown as rarely as delta says, and common keys tell no more than epsilon.

Keys are noised one by one, so a table of many equal keys is as good as many tables of one key.
"""

from fractions import Fraction

import numpy as np
import pytest

from dpcore.kinds.stability.private.drawing import large_counts, large_counts_of_domain
from dpcore.kinds.stability.thresholds import delta_of_trip, delta_of_user, lowest
from tests.chance import at_most, must_be_noticed, must_fit, one_count
from tests.table_mechanisms.attacks import must_tell_at_most, must_tell_more_than

RUNS = 200_000
RHO = Fraction(1)
THRESHOLD = 4  # delta is about 0.036: it can be seen
HIDDEN = -(10**6)


def shown(count, rho=RHO, threshold=THRESHOLD, runs=RUNS):
    """The published values of many keys that have the same count; ``HIDDEN`` where there is none."""
    values = np.full(runs, HIDDEN)
    if count:
        keys, found = large_counts(np.arange(runs), np.full(runs, count), rho, threshold)
        values[keys] = found
    return values


def test_a_key_of_one_trip_is_shown_as_often_as_delta_says():
    delta = float(delta_of_trip(RHO, THRESHOLD))
    often = int((shown(1) != HIDDEN).sum())
    must_fit(one_count(often, RUNS, delta))  # and not more rarely either: delta is no idle bound


@pytest.mark.parametrize(
    ("rho", "threshold"),
    [(RHO, THRESHOLD - 1), (2 * RHO / 3, THRESHOLD)],
    ids=["threshold - 1", "noise * 1.5"],
)
def test_a_threshold_too_low_by_one_or_too_much_noise_for_it_is_noticed(rho, threshold):
    often = int((shown(1, rho, threshold) != HIDDEN).sum())
    delta = float(delta_of_trip(RHO, THRESHOLD))
    assert often > RUNS * delta
    must_be_noticed(one_count(often, RUNS, delta))


@pytest.mark.parametrize(
    ("count", "factor", "must"),
    [(count, 1, must_tell_at_most) for count in (1, 2, 4, 9)]
    + [(count, 2, must_tell_more_than) for count in (4, 9)],
)
def test_one_trip_more_or_less_on_a_common_key_proves_at_most_epsilon(count, factor, must):
    less, more = shown(count, factor * RHO), shown(count + 1, factor * RHO)
    must(float(RHO), (more, less), (-less, -more))


def test_one_trip_on_a_key_of_its_own_proves_at_most_epsilon_and_delta():
    nothing, one = shown(0), shown(1)
    delta = float(delta_of_trip(RHO, THRESHOLD))
    must_tell_at_most(0.0, (one, nothing), delta=delta)
    must_tell_more_than(float(RHO), (one, nothing), delta=delta / 2)  # half of delta would not do
    must_tell_at_most(float(RHO), (-nothing, -one), delta=delta)


@pytest.mark.parametrize(
    ("here", "there"),
    [((5, 5), (4, 6)), ((1, 5), (0, 6)), ((1, 0), (0, 1)), ((5, 1), (6, 0))],
    ids=["both common", "one vanishes", "one vanishes and one appears", "the other way"],
)
def test_a_replaced_trip_proves_at_most_twice_the_rate_and_the_same_delta(here, there):
    """Two keys change: the promise is epsilon = 2 rho with the delta of one key."""
    delta = float(delta_of_trip(RHO, THRESHOLD))

    def scores(counts):
        # larger where the first key looks large and the second small
        first, second = (np.maximum(shown(count), THRESHOLD - 1) for count in counts)
        return first - second

    one, other = scores(here), scores(there)
    must_tell_at_most(2 * float(RHO), (one, other), (-other, -one), delta=delta)
    if here == (5, 5):
        must_tell_more_than(1.2 * float(RHO), (one, other))  # one key alone does not tell all


@pytest.mark.parametrize("most", [2, 5])
@pytest.mark.parametrize("spread", ["one key", "many keys"])
def test_a_person_on_keys_of_their_own_is_shown_as_rarely_as_delta_says(most, spread):
    rho, threshold, runs = Fraction(1) / most, 4 * most, 40_000
    delta = float(delta_of_user(rho, threshold, most))
    counts = [most] if spread == "one key" else [1] * most

    def seen(from_on):
        shown_ = np.any([shown(count, rho, from_on, runs) != HIDDEN for count in counts], axis=0)
        return int(shown_.sum())

    often = seen(threshold)
    must_fit(at_most(often, runs, delta))
    if spread == "many keys":  # the worse of the two at this epsilon: the bound is reached
        must_fit(one_count(often, runs, delta))
        # planted: a threshold that forgets that a person may have several keys
        forgot = seen(lowest(lambda t: delta_of_trip(rho, t), Fraction(delta)))
        must_be_noticed(at_most(forgot, runs, delta))


def test_values_below_the_threshold_never_appear_and_keys_stay_in_order():
    keys, values = large_counts(np.arange(0, 3_000, 3), np.full(1_000, 4), Fraction(1, 4), 6)
    assert values.min() >= 6
    assert (np.diff(keys) > 0).all()
    assert set(keys) <= set(range(0, 3_000, 3))
    nothing = large_counts(np.zeros(0, np.int64), np.zeros(0, np.int64), RHO, 5)
    assert [len(array) for array in nothing] == [0, 0]


@pytest.mark.parametrize(
    ("keys", "counts", "rho"),
    [
        ([2, 1], [5, 5], RHO),
        ([1, 1], [5, 5], RHO),
        ([1, 2], [5, 0], RHO),
        ([1], [5, 5], RHO),
        ([1], [5], 0.5),
    ],
)
def test_keys_out_of_order_and_noise_that_is_not_exact_are_refused(keys, counts, rho):
    with pytest.raises(ValueError, match=r"ascend|Fraction"):
        large_counts(np.array(keys), np.array(counts), rho, 5)


def test_over_a_public_domain_empty_keys_pass_as_often_as_the_threshold_says():
    empty, size = np.zeros(0, np.int64), 5_000
    numbers = [len(large_counts_of_domain(empty, empty, size, RHO)[0]) for _ in range(300)]
    threshold = large_counts_of_domain(empty, empty, size, RHO)[2]
    expected = size * float(delta_of_trip(RHO, threshold + 1))
    assert expected <= 1 < size * float(delta_of_trip(RHO, threshold))
    must_fit(one_count(sum(numbers), 300 * size, expected / size))
