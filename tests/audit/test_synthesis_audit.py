"""Synthetic trips and stability histograms at sizes that see small faults; figures of the paper over twenty runs."""

from fractions import Fraction

import numpy as np
import pytest

from dpcore.kinds.roy import hubway as demo
from dpcore.kinds.roy.domain import TripDomain
from dpcore.kinds.roy.figure import figure, top_rows
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.roy.private.station_trips import PrivateColumns, StationTrips, exact_tables
from dpcore.kinds.roy.sampling import synthetic_trips
from dpcore.kinds.roy.trip_model import fitted
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.kinds.stability.thresholds import delta_of_trip
from dpcore.privacy import ContributionBound
from dpcore.private.synthetic.drawing import noised
from tests.chance import at_most, must_be_noticed, must_fit, one_count
from tests.table_mechanisms.attacks import must_tell_at_most, must_tell_more_than
from tests.table_mechanisms.test_stability_noise import HIDDEN, shown

pytestmark = pytest.mark.audit

RUNS = 20


def figures(invented, domain, bound):
    """The original and ``RUNS`` synthetic figures at epsilon 0.9; bounding is not applied, noise is that of the bound."""
    plan = SynthesisPlan(domain, bound, Fraction(9, 10))
    trip_level = SynthesisPlan(domain, ContributionBound.per_trip(), Fraction(9, 10))
    exact = exact_tables(StationTrips(domain, PrivateColumns.of(invented.trips)), trip_level).counts
    found = [
        figure(synthetic_trips(fitted(noisy_tables(exact, plan, origin="preview")), seed), domain)
        for seed in range(RUNS)
    ]
    return figure(invented.trips, domain), found


@pytest.mark.parametrize(
    ("bound", "allowed"),
    [
        (ContributionBound.per_trip(), {"outgoing": 0.02, "incoming": 0.02, "days": 0.02, "routes": 0.01}),
        (ContributionBound.per_user(10), {"outgoing": 0.05, "incoming": 0.05, "days": 0.03, "routes": 0.02}),
    ],
)
def test_figure_1_is_met_over_twenty_runs(bound, allowed):
    invented = demo.hubway()
    original, found = figures(invented, invented.domain, bound)
    for table, most in allowed.items():
        rows = [top_rows(original, one, invented.domain)[table] for one in found]
        for several in zip(*rows, strict=True):
            mean, true = np.mean([row.synthetic for row in several]), several[0].original
            assert abs(mean - true) <= most, (table, several[0].label)
    counts = [one.trips for one in found]
    assert np.mean(counts) == pytest.approx(demo.TRIPS, abs=600 * bound.trips)


def test_months_bring_back_stations_that_open_late():
    invented = demo.hubway(interactions=True)
    plain = invented.domain
    monthly = TripDomain(
        plain.stations, plain.period, plain.holidays, plain.area, plain.person, by_month=True
    )
    late = [s for s in range(142) if invented.trips.date[invented.trips.start == s].min() > 500]
    early = {}
    for domain in (plain, monthly):
        plan = SynthesisPlan(domain, ContributionBound.per_trip(), Fraction(9, 10))
        exact = exact_tables(StationTrips(domain, PrivateColumns.of(invented.trips)), plan).counts
        trips = synthetic_trips(fitted(noisy_tables(exact, plan, origin="preview")), 0)
        early[domain.by_month] = (trips.date[np.isin(trips.start, late)] < 300).mean()
        shown_days = figure(trips, domain).days
        top = np.argsort(-figure(invented.trips, domain).days)[:5]
        assert np.abs(shown_days[top] - figure(invented.trips, domain).days[top]).max() < 0.06
    assert early[True] < 0.02
    assert early[False] > 0.1


@pytest.mark.parametrize(("factor", "must"), [(1, must_tell_at_most), (Fraction(6, 5), must_tell_more_than)])
def test_a_fifth_too_little_noise_on_one_table_is_proven(factor, must):
    runs, rho = 10**6, Fraction(1)
    more = noised(np.ones(runs, np.int64), factor * rho)
    less = noised(np.zeros(runs, np.int64), factor * rho)
    must(float(rho), (more, less), (-less, -more))


@pytest.mark.parametrize("threshold", [6, 8])
def test_a_delta_of_a_thousandth_is_kept_and_one_a_tenth_smaller_would_not_be(threshold):
    rho, runs, times = Fraction(1), 20_000_000, 5
    delta = float(delta_of_trip(rho, threshold))
    often = sum(int((shown(1, rho, threshold, runs) != HIDDEN).sum()) for _ in range(times))
    right = one_count(often, times * runs, delta)
    must_fit(right)
    must_be_noticed(at_most(often, times * runs, 0.9 * delta), drawn_from=right)


@pytest.mark.parametrize(("here", "there"), [((5, 5), (4, 6)), ((1, 0), (0, 1))])
def test_a_replaced_trip_proves_at_most_twice_the_rate_over_millions_of_keys(here, there):
    rho, threshold, runs = Fraction(1), 5, 4_000_000
    delta = float(delta_of_trip(rho, threshold))

    def scores(counts):
        first, second = (np.maximum(shown(c, rho, threshold, runs), threshold - 1) for c in counts)
        return first - second

    one, other = scores(here), scores(there)
    must_tell_at_most(2 * float(rho), (one, other), (-other, -one), delta=delta)
