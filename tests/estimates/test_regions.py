"""Regions keep their promise: their relative error stays within the bound, on the built-in city and on a real set."""

from fractions import Fraction
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

from dpcore import demo
from dpcore.estimates.regions import KEEPS, regions
from dpcore.estimates.result import Share
from dpcore.measures import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width
from dpcore.privacy import RUNGS, ContributionBound
from dpcore.tiles import Box, Tessellation, read_tessellation, square_grid
from dpcore.views.maps.address import MERGED

BOUNDS = tuple(percent / 100 for percent in MERGED)  # what a reader may choose
SHARE = Fraction(1, 4)
DRAWS = 300


def visits_of(tiles, truth, rungs, bound=None, seed=0, noise=True):
    """Noisy visits of tiles, with nothing outside."""
    bound = bound or ContributionBound.per_user(8)
    measure = measure_named("visits_per_tile")
    sensitivity = measure.sensitivity(bound)
    rng = np.random.default_rng(seed)
    rows = []
    for rung in rungs:
        stop = 1 - np.exp(-float(SHARE * rung / sensitivity))
        noisy = [*truth, 0] + noise * (
            rng.geometric(stop, len(truth) + 1) - rng.geometric(stop, len(truth) + 1)
        )
        rows.append(noisy.astype(np.int64))
    wide = tuple(half_width(SHARE * rung / sensitivity) for rung in rungs)
    return Measurement(
        "release",
        measure.name,
        measure.counts,
        measure.keys(tiles.tile_ids),
        bound,
        sensitivity,
        tuple(rungs),
        SHARE,
        wide,
        np.array(rows),
    )


@pytest.fixture(scope="module")
def whole():
    """500 tiles of the invented city; visits of 4 trips of each person, of 8, and of all."""
    tiles, names, shapes = demo.city_tiles(500, 3)
    tessellation = Tessellation.of(tiles, names, list(shapes), "city")
    rows = demo.city_trips(150_000, 3).sort_by("user_id")
    person = np.unique(np.asarray(rows["user_id"]), return_inverse=True)[1]
    order = np.lexsort((np.random.default_rng(3).random(len(person)), person))
    place = np.empty(len(person), np.int64)
    place[order] = np.arange(len(person)) - np.searchsorted(person, person)
    kept = [rows.filter(pa.array(place < most)) for most in (4, 8, 1000)]
    names = [f"{end}_{at}" for end in ("start", "end") for at in ("lng", "lat")]
    return tessellation, *(visits(tessellation, *(trips[name] for name in names)) for trips in kept)


@pytest.fixture(scope="module")
def city(whole):
    return whole[0], whole[2]


@pytest.fixture(scope="module")
def bikes(shared):
    """Trips of shared bikes: most squares of the grid have no station."""
    tiles = read_tessellation(shared("real/citibike_jersey_city/grid500m.geojson"), "grid500m.geojson")
    table = pacsv.read_csv(shared("real/citibike_jersey_city/JC-201704-citibike-tripdata.csv"))
    columns = [f"{end} station {at}" for end in ("start", "end") for at in ("longitude", "latitude")]
    return tiles, visits(tiles, *(table[name] for name in columns))


def visits(tiles, start_lng, start_lat, end_lng, end_lat):
    at = [
        tiles.index.assign(np.asarray(lng), np.asarray(lat))
        for lng, lat in ((start_lng, start_lat), (end_lng, end_lat))
    ]
    found = np.concatenate(at).astype(np.int64)
    return np.bincount(found[found >= 0], minlength=len(tiles.tile_ids))


def judged(tiles, truth, epsilon, bound, unit):
    """Readable regions, shares that keep the promise and whose ranges hold, and what is left beside them of all visits."""
    rungs = [epsilon] * DRAWS
    drawn = visits_of(tiles, truth, rungs, unit)
    many, kept, held, left = 0, 0, 0, 0.0
    for rung in range(DRAWS):
        found = regions(tiles, drawn, rung, bound)
        true = np.bincount(found.of_tiles, truth)
        shown, fine = found.counted, found.readable
        many += int(fine.sum())
        kept += int((np.abs(shown.values - true) <= bound * true)[fine].sum())
        held += int(((shown.low <= true) & (true <= shown.high))[fine].sum())
        left += float(true[~fine].sum()) / truth.sum() / DRAWS if fine.any() else 0
    return many / DRAWS, kept / max(many, 1), held / max(many, 1), left


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("epsilon", [Fraction(3, 10), Fraction(1), Fraction(3)])
def test_regions_of_the_city_keep_the_promise(city, epsilon, bound):
    many, kept, held, left = judged(*city, epsilon, bound, ContributionBound.per_user(8))
    assert kept >= KEEPS
    assert held >= 0.95
    assert left < 0.05
    assert many > 0


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1)])
def test_regions_of_real_trips_keep_the_promise_beside_empty_land(bikes, epsilon, bound):
    _, kept, held, left = judged(*bikes, epsilon, bound, ContributionBound.per_trip())
    assert kept >= KEEPS
    assert held >= 0.95
    assert left < 0.1


def test_empty_land_keeps_no_busy_tile_from_being_shown(bikes):
    tiles, truth = bikes
    assert (truth == 0).mean() > 0.7
    many, *_ = judged(tiles, truth, Fraction(1), 0.2, ContributionBound.per_trip())
    assert many > 0.5 * (truth > 0).sum()


@pytest.mark.parametrize("bound", BOUNDS)
def test_regions_scaled_to_all_trips_have_ranges_that_hold(whole, bound):
    tiles, counted, _, everything = whole
    share = Share(
        counted.sum() / everything.sum(),
        0.99 * counted.sum() / everything.sum(),
        1.01 * counted.sum() / everything.sum(),
    )
    drawn = visits_of(tiles, counted, [Fraction(1)] * 50, ContributionBound.per_user(4))
    held = []
    for rung in range(50):
        found = regions(tiles, drawn, rung, bound)
        shown, true = found.of_all(share), np.bincount(found.of_tiles, everything)
        held += ((shown.low <= true) & (true <= shown.high))[found.readable].tolist()
        assert (shown.high - shown.low >= (found.counted.high - found.counted.low) / share.value).all()
    assert np.mean(held) >= 0.95


def test_the_map_gets_coarser_as_epsilon_falls(city):
    tiles, truth = city
    many = np.mean(
        [
            [
                regions(tiles, visits_of(tiles, truth, RUNGS, seed=seed), rung, 0.2).readable.sum()
                for rung in range(len(RUNGS))
            ]
            for seed in range(5)
        ],
        axis=0,
    )
    assert (np.diff(many) >= 0).all()
    assert many[0] <= 4
    assert many[-1] > 250


def test_a_reader_who_accepts_more_error_sees_more_regions(city):
    drawn = visits_of(*city, [Fraction(1)])
    many = [len(regions(city[0], drawn, 0, bound).readable) for bound in BOUNDS]
    assert many == sorted(many)
    assert many[0] < many[-1]


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(10)])
def test_every_tile_lies_in_one_region_and_the_values_add_up(city, epsilon):
    tiles, truth = city
    drawn = visits_of(tiles, truth, [epsilon])
    found = regions(tiles, drawn, 0, 0.2)
    numbers, first = np.unique(found.of_tiles, return_index=True)
    assert numbers.tolist() == list(range(len(found.readable)))
    assert (np.diff(first) > 0).all()
    added = np.bincount(found.of_tiles, drawn.values[0][:-1])
    assert found.counted.values.tolist() == np.maximum(added, 0).tolist()
    assert (found.counted.low <= found.counted.values).all()
    assert (found.counted.values <= found.counted.high).all()
    assert found.counted.low.min() >= 0


def test_every_region_is_a_part_of_the_public_tree(city):
    tiles, truth = city
    tree = set()
    todo = [(0, len(truth))]
    while todo:
        first, last = todo.pop()
        tree.add(frozenset(tiles.halving[first:last].tolist()))
        if last - first > 1:
            todo += [(first, (first + last) // 2), ((first + last) // 2, last)]
    found = regions(tiles, visits_of(tiles, truth, [Fraction(1)]), 0, 0.2).of_tiles
    assert {frozenset(np.flatnonzero(found == number).tolist()) for number in set(found)} <= tree


def test_what_is_not_readable_is_one_region_that_says_so(city):
    tiles, truth = city
    found = regions(tiles, visits_of(tiles, np.zeros_like(truth), [Fraction(1)]), -1, 0.2)
    assert found.readable.tolist() == [False]
    assert found.counted.high[0] >= 0


def test_without_noise_to_speak_of_every_tile_is_its_own_region():
    tiles = square_grid(Box(11.0, 48.0, 11.1, 48.05), 1000)
    truth = np.arange(len(tiles.tile_ids))
    found = regions(tiles, visits_of(tiles, truth, [Fraction(10_000)]), 0, 0.1)
    assert found.of_tiles.tolist() == truth.tolist()
    assert found.counted.values.tolist() == truth.tolist()
    assert found.readable.all()


def test_one_tile_is_one_region():
    tiles = square_grid(Box(11.0, 48.0, 11.001, 48.001), 1000)
    found = regions(tiles, visits_of(tiles, np.array([10_000]), [Fraction(1)]), 0, 0.1)
    assert found.of_tiles.tolist() == [0]
    assert found.readable.tolist() == [True]


@pytest.mark.parametrize("bound", [0, 1, -0.1, float("nan")])
def test_a_bound_beyond_0_and_1_is_refused(city, bound):
    with pytest.raises(ValueError, match="between 0 and 1"):
        regions(city[0], visits_of(*city, [Fraction(1)]), 0, bound)


def test_visits_of_other_tiles_are_refused(city):
    tiles = square_grid(Box(11.0, 48.0, 11.1, 48.05), 1000)
    with pytest.raises(ValueError, match="these tiles"):
        regions(tiles, visits_of(*city, [Fraction(1)]), 0, 0.2)


def test_two_thousand_tiles_take_a_moment():
    _, _, shapes = demo.city_tiles(2000, 3)
    names = [str(number) for number in range(2000)]
    tiles = Tessellation.of(names, names, list(shapes), "city")
    truth = np.random.default_rng(5).lognormal(5, 1, 2000).astype(np.int64)
    drawn = visits_of(tiles, truth, RUNGS)
    before = process_time()  # not seconds of the clock: other work would count among them
    regions(tiles, drawn, -1, 0.2)
    first = process_time()
    for rung in range(len(RUNGS)):
        regions(tiles, drawn, rung, 0.2)
    assert first - before < 0.4
    assert process_time() - first < 4
