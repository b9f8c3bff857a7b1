"""From noisy tables to trips: plausible, repeatable, as many as estimated, and near to the tables."""

import numpy as np
import pytest

from dpcore.kinds.roy import hubway as demo
from dpcore.kinds.roy.domain import DURATION_BINS, duration_bins, durations_counted
from dpcore.kinds.roy.figure import figure, top_rows
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.roy.private.station_trips import PrivateColumns, StationTrips, exact_tables
from dpcore.kinds.roy.sampling import generator, samples, seconds_in, synthetic_trips
from dpcore.kinds.roy.trip_model import conditional, fitted
from dpcore.kinds.roy.workload import NoisyTables
from dpcore.private.synthetic.drawing import fresh_seed
from tests.synthesis.small import domain, plan, private, some_trips

CHOICES = [{}, {"area": False}, {"by_month": False}, {"area": False, "person": False, "by_month": False}]


def without_noise(n=3_000, factor=1, **has):
    """Tables of some trips, exact, each counted ``factor`` times."""
    of = domain(**has)
    exact = exact_tables(private(some_trips(n, of), of), plan(of)).counts
    return NoisyTables(plan(of), {name: factor * table for name, table in exact.items()}, "preview")


@pytest.mark.parametrize("has", CHOICES)
def test_trips_are_plausible_whatever_the_noise(has):
    of = domain(**has)
    exact = exact_tables(private(some_trips(300, of), of), plan(of, "0.05")).counts
    for seed in range(20):
        tables = noisy_tables(exact, plan(of, "0.05"), origin="preview")
        model = fitted(tables)
        trips = synthetic_trips(model, seed)
        assert len(trips) == model.trips == max(0, round(tables.total))
        assert set(trips.extras) == {attribute.name for attribute in of.extras}
        for name, size in of.sizes.items():
            codes = trips.codes(of, name)
            assert ((codes >= 0) & (codes < size)).all()
        assert durations_counted(trips.seconds).all()
        assert (trips.second // 3_600 < 24).all()
        when = trips.date.astype(np.int64) * 86_400 + trips.second
        assert (np.diff(when) >= 0).all()


def test_without_noise_the_measured_tables_come_back():
    tables = without_noise(factor=300)  # 900,000 trips
    model = fitted(tables)
    trips = synthetic_trips(model, 1)
    of = tables.plan.domain
    assert len(trips) == 900_000
    for name in ("start+end", "start+zip", "start+month", "zip+gender", "date", "band+duration"):
        group = next(g for g in tables.plan.groups if g.name == name)
        shape = tables.plan.shape(group)
        cell = np.ravel_multi_index(tuple(trips.codes(of, axis) for axis in group.axes), shape)
        found = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
        # dates depend on the month and the day type alone, which the tree mixes once more
        allowed = 0.01 if name == "date" else 0.0015
        assert np.abs(found - tables.values[name]).max() < allowed * len(trips), name


def test_the_same_seed_gives_the_same_trips_and_another_one_others():
    model = fitted(without_noise())
    one, again, other = (synthetic_trips(model, seed) for seed in (5, 5, 6))
    assert (one.start == again.start).all()
    assert (one.seconds == again.seconds).all()
    assert (one.second != other.second).any()
    assert len({fresh_seed() for _ in range(100)}) == 100


def test_drawn_values_have_their_law_and_values_of_probability_zero_never_come():
    laws = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.1, 0.0, 0.9], [0.0, 0.0, 1.0, 0.0]])
    rows = np.repeat([0, 1, 2], 100_000)
    values = samples(laws, rows, generator(3))
    table = np.bincount(rows * 4 + values, minlength=12).reshape(3, 4) / 100_000
    assert np.abs(table - laws).max() < 0.01
    assert (table[laws == 0] == 0).all()


def test_an_empty_row_gets_the_law_of_all_rows_and_an_empty_table_the_even_one():
    assert conditional(np.array([[0.0, 0.0], [1.0, 3.0]])).tolist() == [[0.25, 0.75], [0.25, 0.75]]
    assert conditional(np.zeros((2, 4))).tolist() == [[0.25] * 4] * 2
    assert conditional(np.ones((2, 3, 5))).shape == (2, 3, 5)


@pytest.mark.parametrize("has", CHOICES)
def test_no_trips_and_less_than_none_give_an_empty_data_set(has):
    found = plan(domain(**has))
    for number in (0, -3):
        tables = {g.name: np.full(found.shape(g), number) for g in found.groups}
        trips = synthetic_trips(fitted(NoisyTables(found, tables, "preview")), 0)
        assert len(trips) == 0
        assert figure(trips, found.domain).trips == 0


def test_a_day_type_never_falls_on_a_date_of_the_other_kind():
    of = domain()
    for seed in range(5):
        tables = noisy_tables(
            exact_tables(private(some_trips(50, of), of), plan(of)).counts, plan(of), origin="preview"
        )
        model = fitted(tables)
        rows = of.month_of_date * 2 + of.day_type_of_date
        calendar = model.calendar.date.reshape(-1, of.sizes["date"])
        for number, date in enumerate(rows):
            assert (np.delete(calendar[:, number], date) == 0).all(), seed


def test_seconds_lie_in_their_bin():
    bins = np.repeat(np.arange(len(DURATION_BINS)), 2_000)
    seconds = seconds_in(bins, generator(0))
    assert (duration_bins(seconds) == bins).all()


RUNS = 5


@pytest.fixture(scope="module")
def like_figure_1():
    """The invented system at its full size, and several synthetic data sets at epsilon 0.9 for one trip."""
    invented = demo.hubway()
    found = plan(invented.domain, "0.9")
    exact = exact_tables(StationTrips(invented.domain, PrivateColumns.of(invented.trips)), found).counts
    figures = [
        figure(synthetic_trips(fitted(noisy_tables(exact, found, origin="preview")), seed), invented.domain)
        for seed in range(RUNS)
    ]
    return invented, figure(invented.trips, invented.domain), figures


@pytest.mark.parametrize("table", ["outgoing", "incoming", "days", "routes"])
def test_popular_stations_days_and_routes_are_those_of_figure_1(like_figure_1, table):
    """Per cent of trips, within eight standard errors of drawing so many trips so often; noise adds about as much to them."""
    invented, original, figures = like_figure_1
    rows = [top_rows(original, one, invented.domain)[table] for one in figures]
    for several in zip(*rows, strict=True):
        mean, share = np.mean([row.synthetic for row in several]), several[0].original / 100
        assert len({row.label for row in several}) == 1
        assert abs(mean - 100 * share) <= 800 * np.sqrt(share * (1 - share) / demo.TRIPS / RUNS)


def test_times_of_day_people_and_mean_duration_are_kept(like_figure_1):
    invented, original, figures = like_figure_1
    for name, share in original.times_of_day.items():
        assert abs(np.mean([one.times_of_day[name] for one in figures]) - share) < 0.15
    station = invented.domain.stations.ids.index("67")
    kinds = np.mean([one.people["user_type"][station] for one in figures], axis=0)
    assert np.abs(kinds - original.people["user_type"][station]).max() < 0.6
    assert original.people["user_type"][station][0] == pytest.approx(76.72, abs=0.6)
    assert np.mean([one.durations[1] for one in figures]) == pytest.approx(original.durations[1], rel=0.03)
    assert np.mean([one.trips for one in figures]) == pytest.approx(demo.TRIPS, rel=0.002)
