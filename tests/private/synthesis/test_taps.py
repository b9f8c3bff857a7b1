"""Texts become keys: binned, mapped, missing ones counted, bounded by nothing but a person's own rows."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dpcore.errors import InputError, PrivacyError
from dpcore.privacy import ContributionBound
from dpcore.private.synthesis.density import MINUTES, Density, keys_above, shown_shares
from dpcore.private.synthesis.large_counts import (
    histogram_of_domain,
    must_fit_a_bundle,
    stability_histogram,
)
from dpcore.private.synthesis.taps import occupied, taps
from dpcore.synthesis.stability.plan import UNKNOWN, Combination, StabilityPlan, Variant

KEY = b"sixteen bytes ok"
TIME = Combination(("time",), Fraction(1), Fraction(1, 10**6))
STOP = Combination(("stop",), Fraction(1), Fraction(1, 10**6))
BOTH = Combination(("time", "stop"), Fraction(2), Fraction(1, 10**6))


def plan(variant=Variant.ADD_REMOVE, most=None):
    return StabilityPlan(
        ("mode",),
        (("bus",), ("ferry",), ("train",)),
        (TIME, STOP, BOTH),
        variant,
        ContributionBound.per_user(most) if most else ContributionBound.per_trip(),
        minutes={"time": 15},
        places={"stop": {"s1": "2000", "s2": "2000"}},
        dropped=("card",),
    )


def columns(n=3_000, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "mode": rng.choice(["bus", "train", "bus", "tram"], n).tolist(),
        "time": [
            f"{h:02d}:{m:02d}" for h, m in zip(rng.integers(7, 10, n), rng.integers(0, 60, n), strict=True)
        ],
        "stop": [None if s == 4 else f"s{s}" for s in rng.integers(0, 5, n)],
        "card": [f"canary{i}" for i in range(n)],
    }


def counted(rows):
    """Exact counts of the stops in a small plan, by mode and place."""
    found = taps(plan(), rows, KEY)
    keys, counts = occupied(found, STOP)
    names = found.columns["stop"].texts
    return {
        (int(k) // len(names), names[int(k) % len(names)]): int(c) for k, c in zip(keys, counts, strict=True)
    }


def test_rows_are_counted_by_part_with_places_mapped_and_missing_ones_as_a_category():
    rows = {
        "mode": ["bus", "bus", "train", "tram", None, "bus"],
        "time": ["08:00"] * 6,
        "stop": ["s1", "s2", "s3", "s1", "s1", None],
    }
    assert counted(rows) == {(0, "2000"): 2, (2, "s3"): 1, (0, UNKNOWN): 1}


def test_times_are_cut_to_their_bin_and_what_is_no_time_is_unknown():
    times = ["00:00", "00:14:59", "7:29", "07:30", "23:59", "24:00", "7:60", "", None, "seven"]
    rows = {"mode": ["bus"] * 10, "time": times, "stop": ["s3"] * 10}
    found = taps(plan(), rows, KEY)
    shown = [found.columns["time"].texts[code] for code in found.columns["time"].codes]
    assert shown == ["00:00", "00:00", "07:15", "07:30", "23:45", *[UNKNOWN] * 5]


def test_counting_directly_and_by_sorting_agree(monkeypatch):
    found = taps(plan(), columns(), KEY)
    direct = [occupied(found, one) for one in found.plan.combinations]
    monkeypatch.setattr("dpcore.private.synthesis.taps._DENSE", -1_000)
    for (keys, counts), one in zip(direct, found.plan.combinations, strict=True):
        again = occupied(found, one)
        assert (keys == again[0]).all()
        assert (counts == again[1]).all()
        assert counts.sum() == len(found.part)


@pytest.mark.parametrize("form", ["list", "arrow", "chunks", "dictionary"])
def test_every_form_of_text_gives_the_same_rows(form):
    rows = columns(200)
    made = {
        "list": lambda texts: texts,
        "arrow": pa.array,
        "chunks": lambda texts: pa.chunked_array([texts[:50], texts[50:]], pa.string()),
        "dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    }[form]
    assert counted({name: made(texts) for name, texts in rows.items()}) == counted(rows)


def test_columns_that_the_plan_does_not_count_are_never_read():
    rows = columns(100)
    found = taps(plan(), rows | {"card": object()}, KEY)
    assert set(found.columns) == {"time", "stop"}
    assert "canary" not in repr(found)
    with pytest.raises(InputError, match="missing: time"):
        taps(plan(), {name: rows[name] for name in ("mode", "stop")}, KEY)


def test_a_release_lists_large_counts_in_the_order_of_their_keys_whatever_the_order_of_the_rows():
    rows = columns(6_000)
    order = np.random.default_rng(3).permutation(6_000)
    shuffled = {name: [texts[i] for i in order] for name, texts in rows.items()}
    for data in (rows, shuffled):
        found = stability_histogram(taps(plan(), data, KEY), origin="preview")
        for one in found.plan.combinations:
            large = found.large[one.name]
            listed = list(zip(large.part.tolist(), *large.keys, strict=True))
            assert listed == sorted(listed)
            assert large.counts.min() >= large.threshold == found.plan.threshold(one)
    # the counts of one column are far from the threshold here, so both show the same keys
    one, other = (stability_histogram(taps(plan(), data, KEY), origin="preview") for data in (rows, shuffled))
    assert one.large["stop"].keys == other.large["stop"].keys
    assert set(one.columns("stop")) == {"mode", "stop", "count"}


def test_each_published_count_is_near_the_exact_count_of_its_own_key():
    rows = columns(6_000)
    exact = counted(rows)
    large = stability_histogram(taps(plan(), rows, KEY), origin="preview").large["stop"]
    found = dict(zip(zip(large.part.tolist(), *large.keys, strict=True), large.counts.tolist(), strict=True))
    assert set(found) == set(exact)
    assert len(set(exact.values())) > 5
    assert all(abs(found[key] - exact[key]) < 35 for key in exact)  # scale 1: beyond once in 10^15


def test_the_list_of_parts_is_printed_whole():
    found = stability_histogram(taps(plan(), columns(6_000), KEY), origin="preview")
    assert len(found.plan.partitions) == 3
    parts = np.bincount(found.large["stop"].part, minlength=3)
    assert parts[1] == 0  # no ferries in the data
    assert parts[0] > 0


@pytest.mark.parametrize("n", [0, 1, 2])
def test_no_rows_and_fewer_rows_than_parts_give_an_empty_release(n):
    wide = replace(plan(), partitions=(*((f"m{i}",) for i in range(99)), ("bus",)))
    rows = {"mode": ["bus"] * n, "time": ["08:00"] * n, "stop": ["s1"] * n}
    for found in (
        stability_histogram(taps(wide, rows, KEY), origin="preview"),
        stability_histogram(
            taps(wide, {name: pa.array(t, pa.string()) for name, t in rows.items()}, KEY), origin="preview"
        ),
    ):
        assert all(len(large.counts) == 0 for large in found.large.values())
        assert found.columns("time") == {"mode": [], "time": [], "count": []}


def test_people_are_bounded_over_the_whole_release_by_their_own_texts_alone():
    rows = columns(2_000, seed=5)
    rows["stop"] = [f"stop {i % 97:02d}" for i in range(2_000)]
    users = [f"u{i % 40}" for i in range(2_000)]
    user_plan = plan(Variant.USER, 3)

    def kept(keep):
        some = {name: [texts[i] for i in keep] for name, texts in rows.items()}
        found = taps(user_plan, some, KEY, [users[i] for i in keep])
        return sorted(
            zip(
                found.part.tolist(),
                [found.columns["time"].texts[c] for c in found.columns["time"].codes],
                [found.columns["stop"].texts[c] for c in found.columns["stop"].codes],
                strict=True,
            )
        )

    everybody = list(range(2_000))
    whole = kept(everybody)
    assert len(whole) == 40 * 3
    for one in ("u0", "u17"):  # their absence shifts the codes of everybody's stops
        rest, mine = (
            kept([i for i in everybody if users[i] != one]),
            kept([i for i in everybody if users[i] == one]),
        )
        assert sorted(rest + mine) == whole
        assert len(mine) == 3


def test_people_cannot_be_protected_without_user_ids():
    rows = columns(10)
    with pytest.raises(PrivacyError, match="user column"):
        taps(plan(Variant.USER, 3), rows, KEY)
    with pytest.raises(InputError, match="user id is missing"):
        taps(plan(Variant.USER, 3), rows, KEY, ["u"] * 9 + [None])


def test_a_public_domain_needs_no_delta_and_hides_which_keys_occur():
    rows = columns(6_000)
    domain = {
        "time": tuple(f"{h:02d}:{m:02d}" for h in range(24) for m in (0, 15, 30, 45)),
        "stop": ("2000", "s3"),
    }
    found = histogram_of_domain(taps(plan(), rows, KEY), domain, origin="preview")
    stops = found.columns("stop")
    assert set(stops["stop"]) == {"2000", "s3", UNKNOWN}  # what is not listed counts as unknown
    bus = [int(c) for m, s, c in zip(*stops.values(), strict=True) if (m, s) == ("bus", "2000")]
    exact = counted(rows)[0, "2000"]
    assert abs(bus[0] - exact) < 40
    nothing = {name: [] for name in rows}
    specks = sum(
        len(histogram_of_domain(taps(plan(), nothing, KEY), domain, origin="preview").large["time"].counts)
        for _ in range(60)
    )
    assert 15 < specks < 130  # about one for each draw, though nothing occurs
    with pytest.raises(PrivacyError, match="no public list"):
        histogram_of_domain(taps(plan(), rows, KEY), {"time": ()}, origin="preview")


def test_the_density_report_tells_the_share_of_rows_that_would_be_shown_and_stays_sealed():
    rows = columns(6_000)
    shares = [
        shown_shares(taps(replace(plan(), minutes={"time": length}), rows, KEY))["time+stop"]
        for length in MINUTES
    ]
    assert repr(Density({})) == "<Density>"
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1
    coded = taps(plan(), rows, KEY)
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
    assert shown_shares(taps(plan(), {name: [] for name in rows}, KEY))["time"] == 0


def test_more_keys_than_a_table_may_have_are_refused_before_anything_is_drawn(monkeypatch):
    found = taps(plan(), columns(1_000), KEY)
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
