"""Histograms with different bins, compared on the edges that both have."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dpcore.comparison import CountTable, Side, compared, left_out, matched, scores
from dpcore.errors import InputError


def histogram(edges, counts, measure="travel_time") -> CountTable:
    bins = list(pairwise(("-inf", *map(str, edges), "inf")))
    columns = {"bin_start": [low for low, _ in bins], "bin_end": [high for _, high in bins]}
    return CountTable.of(measure, columns, counts)


def test_bins_are_joined_between_common_edges_and_no_count_is_lost():
    one = histogram([5, 10, 20, 40], [1, 2, 3, 4, 5])
    other = histogram(["10.0", 15, 40, 60], [10, 20, 30, 40, 50])
    pair = matched(one, other)
    laid = {
        (low, high): counts
        for low, high, *counts in zip(
            pair.columns["bin_start"].astype(float),
            pair.columns["bin_end"].astype(float),
            pair.one,
            pair.other,
            strict=True,
        )
    }
    inf = float("inf")
    assert laid == {(-inf, 10): [3, 10], (10, 40): [7, 50], (40, inf): [5, 90]}
    assert pair.notes == ("the bins differ; both were joined to the 2 edges that they share: 10, 40",)
    assert all("joined to the 2 edges" in score.note for score in scores(pair))


def test_equal_bins_are_compared_as_they_are():
    one = histogram([5, 10], [1, 2, 3])
    pair = matched(one, histogram([5, 10], [1, 2, 3]))
    assert (len(pair.one), pair.notes) == (3, ())


@pytest.mark.parametrize("edges", [[7, 20], [7, 10]])
def test_a_pair_with_fewer_than_two_common_edges_is_refused(edges):
    with pytest.raises(InputError, match="bins are not the same"):
        matched(histogram([5, 10], [1, 2, 3]), histogram(edges, [1, 2, 3]))


def test_what_cannot_be_compared_is_left_out_with_its_reason_and_the_rest_is_compared():
    weekdays = CountTable.of("trips_per_weekday", {"weekday": list("0123456")}, [1] * 7)
    one = Side("a", {"travel_time": histogram([5, 10], [1, 2, 3]), "trips_per_weekday": weekdays})
    other = Side("b", {"travel_time": histogram([7, 9], [1, 2, 3]), "trips_per_weekday": weekdays})
    assert {score.measure for score in compared(one, other)} == {"trips_per_weekday"}
    assert {name: reason.what for name, reason in left_out(one, other).items()} == {
        "travel_time": "the bins are not the same"
    }
    alone = [Side(side.name, {"travel_time": side.tables["travel_time"]}) for side in (one, other)]
    with pytest.raises(InputError, match="bins are not the same"):
        compared(*alone)
