"""Estimates of whole releases: they are finite, never negative, agree with one another, and follow from the input alone."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpcore.estimates import estimate
from tests.estimates.made_measurements import OF_BEFORE, OF_NOW, city, grid, measured, plan

TILES = grid(5)


def estimated(asked, tiles, made, seed=0, **kept):
    return estimate(asked, measured(asked, tiles, made, seed), tiles, **kept)


def must_be_sound(found):
    """Every value is finite and not negative, and lies in its range. No step failed."""
    assert found.as_drawn == ()
    for name, table in found.tables.items():
        for ranged in filter(None, (table.counted, table.all_trips)):
            assert ranged.values.shape == ranged.low.shape == ranged.high.shape == table.cell_numbers.shape, (
                name
            )
            assert np.isfinite(ranged.values).all(), name
            assert (ranged.values >= 0).all(), name
            known = ~np.isnan(ranged.low)
            assert (ranged.low[known] >= 0).all(), name
            assert (ranged.low[known] <= ranged.values[known]).all(), name
            assert (ranged.high[known] >= ranged.values[known]).all(), name
            assert np.isfinite(ranged.high[known]).all(), name


def square(table, of="counted"):
    values = getattr(table, of).values
    side = round(table.keys.size**0.5)
    full = np.zeros(table.keys.size)
    full[table.cell_numbers] = values
    return full.reshape(side, side)


@example(1000, 0, None, "10", 0.0)  # one trip in all, and flows between districts that are nearly none
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    trips=st.sampled_from([0, 30, 3_000, 200_000]),
    bound=st.sampled_from([None, 1, 8]),
    epsilon=st.sampled_from(["0.001", "0.1", "1", "10"]),
    incomplete=st.sampled_from([0.0, 0.3]),
)
def test_tables_are_sound_and_add_up(seed, trips, bound, epsilon, incomplete):
    made = city(len(TILES.tile_ids) + 1, trips, seed, incomplete)
    asked = plan(OF_NOW, TILES, epsilon, bound)
    found = estimated(asked, TILES, made, seed)
    must_be_sound(found)
    for of in ("counted", "all_trips"):
        must_agree(found, asked.choices, of)


def must_agree(found, choices, of):
    """Tiles add up to districts and the city, windows to arrivals, and flows to both ends of the complete trips."""
    tables = {name: getattr(table, of).values for name, table in found.tables.items()}
    visits = tables["visits_per_tile"]
    arrivals = tables["visits_per_time_tile"].reshape(-1, len(visits)).sum(axis=0)
    district = np.append(choices.districts.of_tiles, len(choices.districts.names))
    between = tables["od_districts"].reshape(district.max() + 1, -1)
    incomplete = tables["incomplete_trips"].sum()
    close = {"rtol": 1e-6, "atol": 1e-6 * (1 + visits.sum())}
    # Each place: visits = starts + arrivals. Arrivals of complete trips are the same share of all arrivals everywhere.
    complete = between.sum() / arrivals.sum()
    starts = visits - arrivals
    assert (starts >= -1e-6 * (1 + visits.max())).all()
    assert arrivals.sum() == pytest.approx(between.sum() + incomplete, rel=1e-6)
    np.testing.assert_allclose(between.sum(axis=1), np.bincount(district, starts), **close)
    np.testing.assert_allclose(between.sum(axis=0), np.bincount(district, arrivals) * complete, **close)
    hours = tables["trips_per_hour"].reshape(2, 2, 24)
    windows = tables["visits_per_time_tile"].reshape(2, -1, len(visits)).sum(axis=2)
    np.testing.assert_allclose(hours[1, :, 2:6].sum(axis=1), windows[:, 0], **close)
    assert hours[0].sum() == pytest.approx(between.sum(), rel=1e-6)
    assert tables["trips_over_time"].sum() == pytest.approx(arrivals.sum(), rel=1e-6)
    assert tables["travel_time"].sum() == pytest.approx(between.sum(), rel=1e-6)


@pytest.mark.parametrize("bound", [None, 4])
def test_flows_of_tiles_that_were_paid_for_add_up_to_starts_and_arrivals(bound):
    """Flows below 0.5 are not listed, so that much is missing at most for each of them."""
    made = city(len(TILES.tile_ids) + 1, 400_000, 1)
    found = estimated(plan((*OF_NOW, "od_flows"), TILES, "2", bound), TILES, made)
    flows, visits = square(found.tables["od_flows"]), found.tables["visits_per_tile"].counted.values
    arrivals = found.tables["visits_per_time_tile"].counted.values.reshape(-1, len(visits)).sum(axis=0)
    for axis, wanted in ((0, arrivals), (1, visits - arrivals)):
        missing = wanted - flows.sum(axis=axis)
        assert (missing > -1e-6 * wanted.max()).all()
        assert (missing <= 0.5 * (flows == 0).sum(axis=axis) + 1e-6 * wanted.max()).all()


@pytest.mark.parametrize(
    "names", [(name,) for name in (*OF_NOW, "od_flows", "missing_values", *OF_BEFORE[:3])]
)
@pytest.mark.parametrize("bound", [None, 8])
def test_one_measure_alone_can_be_estimated(names, bound):
    must_be_sound(estimated(plan(names, TILES, "0.5", bound), TILES, city(len(TILES.tile_ids) + 1, 2_000, 3)))


@pytest.mark.parametrize("side", [1, 2, 5, 25])
@pytest.mark.parametrize("bound", [None, 8])
@pytest.mark.parametrize(
    "left_out", [(), ("od_flows",), ("visits_per_tile",), ("visits_per_time_tile", "jump_length")]
)
def test_plans_of_before_can_be_estimated(side, bound, left_out):
    """The tiles of a side of 25 have so many pairs that their flows are sparse."""
    tiles = grid(side)
    names = [name for name in OF_BEFORE if name not in left_out]
    made = city(len(tiles.tile_ids) + 1, 20_000, 4)
    found = estimated(plan(names, tiles, "1", bound), tiles, made)
    must_be_sound(found)
    assert ("od_flows" in found.tables) is ("visits_per_tile" in names or "od_flows" in names)


@pytest.mark.parametrize(
    "choices",
    [
        {"windows": (0,)},
        {"windows": (6, 20)},
        {"visits_cap": 5},
        {"step": "week"},
        {"step": "month"},
        {"users": False},
    ],
)
def test_other_choices_of_keys_can_be_estimated(choices):
    names = [name for name in OF_BEFORE if choices.get("users", True) or "user" not in name]
    must_be_sound(
        estimated(plan(names, TILES, "1", None, **choices), TILES, city(len(TILES.tile_ids) + 1, 9_000, 5))
    )


@pytest.mark.parametrize("epsilon", ["0.001", "10"])
def test_a_city_without_trips_has_few_of_them_as_far_as_the_noise_allows(epsilon):
    asked = plan(OF_NOW, TILES, epsilon, 8)
    found = estimated(asked, TILES, city(len(TILES.tile_ids) + 1, 0, 0))
    must_be_sound(found)
    visits = found.tables["visits_per_tile"].counted
    assert visits.values.sum() <= 4 * len(TILES.tile_ids) * 8 * len(asked.weights) / float(epsilon)
    assert (visits.low < 1).mean() > 0.9


def test_equal_input_gives_equal_output():
    asked, made = plan((*OF_NOW, "od_flows"), TILES), city(len(TILES.tile_ids) + 1, 9_000, 6)
    one, other = (estimated(asked, TILES, made) for _ in range(2))
    assert one.share == other.share
    for name, table in one.tables.items():
        np.testing.assert_array_equal(table.counted.values, other.tables[name].counted.values)
        np.testing.assert_array_equal(table.all_trips.high, other.tables[name].all_trips.high)


def test_what_is_wanted_alone_is_the_same_as_among_all():
    asked, made = plan(OF_NOW, TILES), city(len(TILES.tile_ids) + 1, 9_000, 7)
    done = []
    few = estimated(asked, TILES, made, of=("visits_per_tile",), progress=done.append)
    assert [*few.tables] == ["visits_per_tile"]
    assert done == [1.0]
    every = estimated(asked, TILES, made)
    np.testing.assert_array_equal(
        few.tables["visits_per_tile"].counted.values, every.tables["visits_per_tile"].counted.values
    )
    assert {*every.tables} == {*asked.weights, "od_flows"}


def test_at_trip_level_all_trips_count():
    found = estimated(plan(OF_BEFORE, TILES, trips=None), TILES, city(len(TILES.tile_ids) + 1, 9_000, 8))
    assert (found.share.value, found.share.low, found.why_not_all) == (1, 1, "")
    assert all(table.all_trips is table.counted for table in found.tables.values())


def test_the_share_that_counts_scales_what_counts_trips_and_no_more():
    found = estimated(plan(OF_NOW, TILES, "4"), TILES, city(len(TILES.tile_ids) + 1, 90_000, 9))
    assert found.share.low < 0.5 < found.share.high  # the city has twice as many trips as count
    for name in ("visits_per_tile", "od_districts", "trips_over_time"):
        table = found.tables[name]
        np.testing.assert_allclose(table.all_trips.values * found.share.value, table.counted.values)
        relative = (table.all_trips.high - table.all_trips.low).sum() / table.all_trips.values.sum()
        assert relative > (table.counted.high - table.counted.low).sum() / table.counted.values.sum()
    for name in ("trips_per_user", "mobility_entropy", "total_trips"):
        assert found.tables[name].all_trips is found.tables[name].counted


def test_times_between_all_trips_have_no_range_because_none_would_hold():
    """Frequent travellers have short gaps, and most of the trips that do not count are theirs."""
    made = city(len(TILES.tile_ids) + 1, 90_000, 9)
    for trips, known in ((8, False), (None, True)):
        gaps = estimated(
            plan(
                ("user_time_delta", *(("total_trips", "trips_per_weekday") if trips else ())),
                TILES,
                "4",
                trips,
            ),
            TILES,
            made,
        )
        table = gaps.tables["user_time_delta"]
        assert np.isfinite(table.counted.low).all()
        assert np.isfinite(table.all_trips.low).all() == np.isfinite(table.all_trips.high).all() == known
        assert np.isfinite(table.all_trips.values).all()


def test_without_a_paid_total_there_is_no_share_and_a_sentence_says_what_to_do():
    found = estimated(plan(OF_BEFORE, TILES), TILES, city(len(TILES.tile_ids) + 1, 9_000, 10))
    assert found.share is None
    assert "total_trips" in found.why_not_all
    assert found.tables["visits_per_tile"].all_trips is None
    assert found.tables["trips_per_user"].all_trips is not None  # people were counted by all of their trips
