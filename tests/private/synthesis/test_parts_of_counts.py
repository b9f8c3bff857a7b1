"""Parts of large counts (modes, dates) cost nothing more: neighbours by brute force from the rows of a file on, and what is shown.

One trip lies in one part. A replaced trip may leave one part and enter another. A person may be in every part, so the bound
holds over all of them together.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.curator import price
from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.stability.choices import StabilityChoices, listed_texts
from dpcore.kinds.stability.plan import UNKNOWN, Variant
from dpcore.kinds.stability.private.large_counts import stability_histogram
from dpcore.kinds.stability.private.trip_ends import CodedColumn, TripEnds, key_shape, occupied, trip_ends_of
from dpcore.kinds.stability.thresholds import reaches
from dpcore.kinds.stability.totals import DELTA, parts_words
from dpcore.measures.attribute import Categories
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound, PrivacyUnit
from tests.chance import must_be_noticed, must_fit, one_count
from tests.cities import four_tiles

MODES = ("bus", "train")
PERIOD = Period(date(2024, 4, 1), date(2024, 4, 9))
GAP = Period(date(2024, 4, 2), date(2024, 4, 8))
TRIP, PERSON = ContributionBound.per_trip(), ContributionBound.per_user(2)
OTHERS = [("o1", "bus", "01", "A", "B"), ("o2", "train", "09", "A", "B"), ("o3", "bus", "01", "C", "D")]
OF_TRIPS = [Variant.ADD_REMOVE, Variant.TIGHT, Variant.OPAL]


def choices(variant, **more):
    """Four parts: two modes on two days with a week between them."""
    bound = PERSON if variant is Variant.USER else TRIP
    usual = {
        "combinations": (("on_loc",), ("off_time", "off_loc")),
        "period": PERIOD,
        "minutes": 60,
        "divisions": (Categories("mode", MODES),),
        "skipped": GAP,
    }
    return StabilityChoices(bound, Fraction(2), Fraction(1, 10**6), variant, **(usual | more))


def loaded(rows, kept=(*MODES, "tram")):
    """Trips of rows (user, mode, day of April, origin, destination), read as those of a file are."""
    users, modes, days, origins, destinations = zip(*rows, strict=True)
    frame = pd.DataFrame(
        {
            "user_id": users,
            "mode": modes,
            "started_at": [f"2024-04-{day} 08:00" for day in days],
            "ended_at": [f"2024-04-{day} 08:30" for day in days],
            "start_tile": origins,
            "end_tile": destinations,
        }
    )
    return dpcore.load_trips(frame, four_tiles(), timezone="UTC", attributes={"mode": kept})


def counts(rows, plan):
    """All parts of each combination as one table: key -> exact count."""
    found = trip_ends_of(loaded(rows), four_tiles(), plan)
    return [
        dict(zip(*map(np.ndarray.tolist, occupied(found, one)), strict=True)) for one in plan.combinations
    ]


def change(one, other):
    """For each combination the L1 distance of two data sets, over all parts."""
    return [
        sum(abs(here.get(key, 0) - there.get(key, 0)) for key in {*here, *there})
        for here, there in zip(one, other, strict=True)
    ]


def loss(plan, changes):
    """The most that a result can move the odds: over all parts the rate of the noise for each count that changes."""
    return sum(plan.rho(one) * many for one, many in zip(plan.combinations, changes, strict=True))


@pytest.fixture(scope="module")
def with_one_more():
    """The tables without one trip (None) and with it: in every part, in the gap, of an unlisted mode and of none."""
    plan = choices(Variant.ADD_REMOVE).plan()
    trips = [
        ("me", mode, day, origin, "B")
        for mode in (*MODES, "tram", "")
        for day in ("01", "05", "09")
        for origin in (("A", "C") if day != "05" else "A")
    ]
    return {None: counts(OTHERS, plan)} | {one: counts([*OTHERS, one], plan) for one in trips}


def test_one_trip_is_in_one_part_at_most_so_its_loss_is_that_of_one_part(with_one_more):
    without = with_one_more[None]
    reached = {one: change(found, without) for one, found in with_one_more.items() if one}
    assert {tuple(changes) for changes in reached.values()} == {(0, 0), (1, 1)}
    counting = {(mode, day) for (_, mode, day, *_), changes in reached.items() if any(changes)}
    assert counting == {*itertools.product(MODES, ("01", "09"))}  # neither the gap nor an unlisted mode
    for variant in OF_TRIPS:
        plan, cost = choices(variant).plan(), price(choices(variant), PrivacyUnit.TRIP)
        assert max(loss(plan, changes) for changes in reached.values()) == cost.epsilon
        one_part = choices(variant, divisions=(), period=None, skipped=None)
        assert cost.epsilon == price(one_part, PrivacyUnit.TRIP).epsilon
        assert any("4 parts (mode x date) are counted side by side" in step for step in cost.steps)


def test_a_replaced_trip_that_changes_its_part_costs_what_replacing_is_said_to_cost(with_one_more):
    found = [table for one, table in with_one_more.items() if one]
    pairs = [change(one, other) for one, other in itertools.combinations(found, 2)]
    assert max(map(max, pairs)) == 2  # one count less in the part that it leaves, one more in the other
    for variant in (Variant.TIGHT, Variant.OPAL):
        plan = choices(variant).plan()
        assert max(loss(plan, changes) for changes in pairs) == plan.epsilon == 2
    twice = choices(Variant.ADD_REMOVE).plan()  # half the noise: replacing costs twice what one part costs
    assert max(loss(twice, changes) for changes in pairs) == 2 * twice.epsilon


def test_a_person_in_every_part_changes_all_parts_together_by_m_counts_and_not_by_m_in_each():
    chosen = choices(Variant.USER)
    plan, unbounded = chosen.plan(), choices(Variant.ADD_REMOVE).plan()
    trips = [("me", mode, day, "C", "B") for mode, day in itertools.product(MODES, ("01", "09"))]
    left_out = [("me", "tram", "01", "A", "A"), ("me", "bus", "05", "A", "A")]
    subsets = [some for size in range(5) for some in itertools.combinations(trips, size)]
    tables = {some: counts([*OTHERS, *some, *left_out], plan) for some in subsets}
    away = counts(OTHERS, plan)
    here = {some: change(found, away) for some, found in tables.items()}
    # trips in no part never take the place of one that counts
    assert all(changes == [min(len(some), 2)] * 2 for some, changes in here.items())
    cost = price(chosen, PrivacyUnit.USER)
    assert max(loss(plan, changes) for changes in here.values()) == cost.epsilon == 2
    assert cost.delta == chosen.delta
    assert "over all parts together" in parts_words(plan)
    # one trip more of such a person, in the currency of trips: one count may give way to another
    steps = [
        change(tables[more], tables[some])
        for some, more in itertools.product(subsets, subsets)
        if {*some} < {*more} and len(more) == len(some) + 1
    ]
    assert max(loss(plan, changes) for changes in steps) == price(chosen, PrivacyUnit.TRIP).epsilon
    # parts do not divide people: as if each part were bounded alone, the person would be in all four
    everywhere = change(counts([*OTHERS, *trips], unbounded), counts(OTHERS, unbounded))
    assert everywhere == [4, 4]
    with pytest.raises(PrivacyError, match="cannot be paid from an account of users"):
        price(choices(Variant.ADD_REMOVE), PrivacyUnit.USER)


def opal(**more):
    """Four modes on the fourteen days of the Opal cards, with some columns."""
    weeks = Period(date(2016, 7, 25), date(2016, 8, 14))
    between = Period(date(2016, 8, 1), date(2016, 8, 7))
    modes = Categories("mode", ("bus", "train", "ferry", "lightrail"))
    usual = StabilityChoices(
        TRIP, Fraction(8), 6 * DELTA, Variant.OPAL, period=weeks, divisions=(modes,), skipped=between
    )
    return replace(usual, **more)


TILES = tuple(f"{number:04d}" for number in range(400))


def ends(plan, each):
    """In every part each of the tiles as often as ``each`` says."""
    number = np.repeat(np.arange(len(plan.partitions) * len(TILES)), each)
    part, tile = np.divmod(number, len(TILES))
    listed = listed_texts("on_loc", plan, TILES)
    place = CodedColumn(np.array([listed.index(one) for one in TILES], np.int32)[tile], listed)
    clock = CodedColumn(np.full(len(part), 30, np.int32), listed_texts("on_time", plan, TILES))
    return TripEnds(plan, part, {"on_loc": place, "on_time": clock, "off_loc": place, "off_time": clock})


@pytest.mark.parametrize("below", [3, 1, 0])
@pytest.mark.parametrize(
    ("columns", "epsilon", "smallest"), [(("on_loc",), 1, 34), (("on_time", "on_loc"), 2, 18)]
)
def test_in_all_56_parts_a_key_is_shown_as_often_as_its_threshold_says(columns, epsilon, smallest, below):
    chosen = opal(combinations=(columns,), epsilon=Fraction(epsilon), delta=DELTA)
    plan = chosen.plan()
    (one,) = plan.combinations
    assert (len(plan.partitions), plan.threshold(one)) == (56, smallest)
    found = ends(plan, smallest - below)
    keys = len(plan.partitions) * len(TILES)
    large = stability_histogram(found, origin="preview").large[one.name]
    shown, law = len(large.counts), float(reaches(plan.rho(one), below))
    assert large.counts.min() == smallest
    right = one_count(shown, keys, law)
    must_fit(right)
    for planted in (below - 1, below + 1):  # a threshold that is off by one
        must_be_noticed(one_count(shown, keys, float(reaches(plan.rho(one), planted))), drawn_from=right)


def test_the_opal_preset_has_its_thresholds_in_every_table_of_its_56_parts():
    plan = opal().plan()
    assert [part for part in plan.partitions if part[0] == "bus"][6:8] == [
        ("bus", "2016-07-31"),
        ("bus", "2016-08-08"),
    ]
    found = stability_histogram(ends(plan, 24), origin="preview")
    for one in plan.combinations:
        smallest = 34 if len(one.columns) == 1 and "loc" in one.name else 18
        if one.name in {"on_time", "off_time"}:
            continue  # one bin, far above
        assert found.large[one.name].counts.min() == smallest


def test_zones_merge_tiles_and_what_has_no_zone_is_an_unknown_place():
    chosen = choices(Variant.ADD_REMOVE, zones=(("A", "north"), ("C", "north"), ("B", "south")))
    found = trip_ends_of(loaded(OTHERS), four_tiles(), chosen.plan())
    assert found.columns["on_loc"].texts == (UNKNOWN, "north", "south")
    assert sorted(found.columns["on_loc"].codes.tolist()) == [1, 1, 1]
    assert sorted(found.columns["off_loc"].codes.tolist()) == [0, 2, 2]
    assert key_shape(found, chosen.plan().combinations[0]) == (4, 3)
    with pytest.raises(InputError, match="not those of these tiles"):
        trip_ends_of(loaded(OTHERS), four_tiles(), replace(chosen, zones=(("Z", "north"),)).plan())


def test_trips_without_the_attribute_or_a_category_are_refused_before_any_is_counted():
    plan = choices(Variant.ADD_REMOVE).plan()
    with pytest.raises(
        InputError, match="without this attribute or without one of its categories: attribute mode"
    ):
        trip_ends_of(loaded(OTHERS, kept=("bus", "tram")), four_tiles(), plan)
    with pytest.raises(InputError, match="attribute sort"):
        trip_ends_of(
            loaded(OTHERS),
            four_tiles(),
            choices(Variant.TIGHT, divisions=(Categories("sort", ("a",)),)).plan(),
        )


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"divisions": (Categories("mode", ("a",)), Categories("mode", ("b",)))},
            "two parts have one name: mode",
        ),
        ({"skipped": PERIOD}, "between the first and the last date"),
        ({"skipped": Period(date(2024, 4, 1), date(2024, 4, 3))}, "between the first and the last date"),
        ({"period": None}, "between the first and the last date"),
    ],
)
def test_parts_that_cannot_be_are_refused(changes, says):
    with pytest.raises(PrivacyError, match=says):
        choices(Variant.ADD_REMOVE, **changes)


def test_too_many_parts_are_refused_without_being_listed():
    many = tuple(Categories(name, tuple(f"c{i}" for i in range(1_000))) for name in "abcdefgh")
    with pytest.raises(PrivacyError, match="the list of parts cannot be used"):
        choices(Variant.ADD_REMOVE, divisions=many).plan()


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"divisions": (), "skipped": None},
        {"divisions": (Categories("mode", ("a, (b)", "d")), Categories("sort", ("x",)))},
        {"zones": (("A", "north"), ("B", "north"), ("C", "C"))},
    ],
)
def test_choices_come_back_from_their_terms_and_older_ones_have_none_of_the_new(more):
    chosen = choices(Variant.USER, **more)
    terms = chosen.terms()
    assert StabilityChoices.of_terms(terms) == chosen
    plain = choices(Variant.USER, divisions=(), skipped=None)
    assert {"divisions", "skipped", "zones"}.isdisjoint(plain.terms())
