"""Rows of trip ends become large counts: each key its own, in the order of keys, with and without a delta."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import InputError
from dpcore.kinds.stability.plan import UNKNOWN, Combination, StabilityPlan, Variant
from dpcore.kinds.stability.private.large_counts import (
    MINUTES,
    Density,
    histogram_of_domain,
    keys_above,
    must_fit_a_bundle,
    shown_shares,
    stability_histogram,
)
from dpcore.kinds.stability.private.trip_ends import CodedColumn, TripEnds, occupied
from dpcore.privacy import ContributionBound

TIME = Combination(("time",), Fraction(1), Fraction(1, 10**6))
STOP = Combination(("stop",), Fraction(1), Fraction(1, 10**6))
BOTH = Combination(("time", "stop"), Fraction(2), Fraction(1, 10**6))
STOPS = (UNKNOWN, "s0", "s1", "s2", "s3")  # sorted, as public lists are


def plan():
    return StabilityPlan(
        ("mode",),
        (("bus",), ("ferry",), ("train",)),
        (TIME, STOP, BOTH),
        Variant.ADD_REMOVE,
        ContributionBound.per_trip(),
        minutes={"time": 15},
    )


def rows(n=3_000, seed=0):
    """Mode, minute of the day and stop of each row."""
    rng = np.random.default_rng(seed)
    modes = rng.choice(["bus", "train", "bus", "tram"], n).tolist()
    stops = [UNKNOWN if s == 4 else f"s{s}" for s in rng.integers(0, 5, n)]
    return list(zip(modes, rng.integers(7 * 60, 10 * 60, n).tolist(), stops, strict=True))


def ends(given, of=None):
    """The rows in listed parts, as columns on public lists."""
    of = of or plan()
    length = of.minutes["time"]
    times = (*(f"{m // 60:02d}:{m % 60:02d}" for m in range(0, 1_440, length)), UNKNOWN)
    number = {part[0]: place for place, part in enumerate(of.partitions)}
    kept = [row for row in given if row[0] in number]
    return TripEnds(
        of,
        np.array([number[mode] for mode, _, _ in kept], np.int64),
        {
            "time": CodedColumn(np.array([minute // length for _, minute, _ in kept], np.int32), times),
            "stop": CodedColumn(np.array([STOPS.index(stop) for _, _, stop in kept], np.int32), STOPS),
        },
    )


def exact_stops(given):
    """Exact counts of the stops, by part and stop."""
    parts = {"bus": 0, "train": 2}
    return Counter((parts[mode], stop) for mode, _, stop in given if mode in parts)


def test_counting_directly_and_by_sorting_agree_with_a_loop(monkeypatch):
    found = ends(rows())
    direct = [occupied(found, one) for one in found.plan.combinations]
    keys, counts = direct[1]
    by_stop = {(int(k) // 5, STOPS[int(k) % 5]): int(c) for k, c in zip(keys, counts, strict=True)}
    assert by_stop == exact_stops(rows())
    monkeypatch.setattr("dpcore.kinds.stability.private.trip_ends._DENSE", -1_000)
    for (keys, counts), one in zip(direct, found.plan.combinations, strict=True):
        again = occupied(found, one)
        assert (keys == again[0]).all()
        assert (counts == again[1]).all()
        assert counts.sum() == len(found.part)


def test_a_release_lists_large_counts_in_the_order_of_their_keys_whatever_the_order_of_the_rows():
    given = rows(6_000)
    shuffled = [given[i] for i in np.random.default_rng(3).permutation(6_000)]
    for data in (given, shuffled):
        found = stability_histogram(ends(data), origin="preview")
        for one in found.plan.combinations:
            large = found.large[one.name]
            listed = list(zip(large.part.tolist(), *large.keys, strict=True))
            assert listed == sorted(listed)
            assert large.counts.min() >= large.threshold == found.plan.threshold(one)
    # the counts of one column are far from the threshold here, so both show the same keys
    one, other = (stability_histogram(ends(data), origin="preview") for data in (given, shuffled))
    assert one.large["stop"].keys == other.large["stop"].keys
    assert set(one.columns("stop")) == {"mode", "stop", "count"}


def test_each_published_count_is_near_the_exact_count_of_its_own_key():
    exact = exact_stops(rows(6_000))
    large = stability_histogram(ends(rows(6_000)), origin="preview").large["stop"]
    found = dict(zip(zip(large.part.tolist(), *large.keys, strict=True), large.counts.tolist(), strict=True))
    assert set(found) == set(exact)
    assert len(set(exact.values())) > 5
    assert all(abs(found[key] - exact[key]) < 35 for key in exact)  # scale 1: beyond once in 10^15


def test_the_list_of_parts_is_printed_whole():
    found = stability_histogram(ends(rows(6_000)), origin="preview")
    assert len(found.plan.partitions) == 3
    parts = np.bincount(found.large["stop"].part, minlength=3)
    assert parts[1] == 0  # no ferries in the data
    assert parts[0] > 0


@pytest.mark.parametrize("n", [0, 1, 2])
def test_no_rows_and_fewer_rows_than_parts_give_an_empty_release(n):
    wide = replace(plan(), partitions=(*((f"m{i}",) for i in range(99)), ("bus",)))
    found = stability_histogram(ends([("bus", 480, "s1")] * n, wide), origin="preview")
    assert all(len(large.counts) == 0 for large in found.large.values())
    assert found.columns("time") == {"mode": [], "time": [], "count": []}


def test_all_listed_keys_need_no_delta_and_hide_which_keys_occur():
    stops = histogram_of_domain(ends(rows(6_000)), origin="preview").columns("stop")
    assert set(stops["stop"]) == set(STOPS)
    bus = [int(c) for m, s, c in zip(*stops.values(), strict=True) if (m, s) == ("bus", "s1")]
    assert abs(bus[0] - exact_stops(rows(6_000))[0, "s1"]) < 40
    nothing = ends([])
    false_positives = sum(
        len(histogram_of_domain(nothing, origin="preview").large["time"].counts) for _ in range(60)
    )
    assert 15 < false_positives < 130  # about one for each draw, though nothing occurs


def test_the_density_report_tells_the_share_of_rows_that_would_be_shown_and_stays_sealed():
    shares = [
        shown_shares(ends(rows(6_000), replace(plan(), minutes={"time": length})))["time+stop"]
        for length in MINUTES
    ]
    assert repr(Density({})) == "<Density>"
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1
    coded = ends(rows(6_000))
    expected = shown_shares(coded)["time+stop"]
    exact = dict(zip(*(array.tolist() for array in occupied(coded, BOTH)), strict=True))
    real = []
    for _ in range(30):
        large = stability_histogram(coded, origin="preview").large["time+stop"]
        sizes = (len(coded.columns["time"].texts), len(coded.columns["stop"].texts))
        where = [coded.columns[name].texts.index for name in ("time", "stop")]
        keys = [
            (int(p) * sizes[0] + where[0](t)) * sizes[1] + where[1](s)
            for p, t, s in zip(large.part, *large.keys, strict=True)
        ]
        real.append(sum(exact[key] for key in keys) / len(coded.part))
    assert np.mean(real) == pytest.approx(expected, abs=0.02)
    assert shown_shares(ends([]))["time"] == 0


def test_more_keys_than_a_table_may_have_are_refused_before_anything_is_drawn(monkeypatch):
    found = ends(rows(1_000))
    must_fit_a_bundle(found)
    expected = max(keys_above(found, one, found.plan.threshold(one)) for one in found.plan.combinations)
    drawn = stability_histogram(found, origin="preview").large["time+stop"]
    assert expected == pytest.approx(len(drawn.counts), abs=25)
    monkeypatch.setattr("dpcore.limits.MAX_BUNDLE_ROWS", 2 * round(expected) + 2)
    assert len(occupied(found, BOTH)[0]) > 2 * expected + 4
    must_fit_a_bundle(found)  # more keys occur than may be shown, but few of them will be
    monkeypatch.setattr("dpcore.limits.MAX_BUNDLE_ROWS", 2 * round(expected) - 2)
    with pytest.raises(InputError, match="more keys would be shown"):
        must_fit_a_bundle(found)
