"""What a plan will give: against simulation, against the mechanism itself, and against real places."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore import demo, limits
from dpcore.api import owner
from dpcore.errors import PrivacyError
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts
from dpcore.measures.plan import EXPLORED_WEIGHTS, Plan
from dpcore.noise.accuracy import half_width
from dpcore.noise.forecast import (
    Facts,
    accuracy_first,
    forecast,
    share_counted,
    share_reaching,
    trips_counted,
)
from dpcore.noise.mechanisms import measured
from dpcore.noise.samplers import discrete_laplace
from dpcore.privacy import RUNGS, ContributionBound
from dpcore.tiles import read_tessellation
from dpcore.views.ground.reading import trusted_from
from dpcore.views.planning import forecasts as words

CHOICES = KeyChoices(demo.DEMO_PERIOD)
TEN = ContributionBound.per_user(10)
FACTS = Facts(trips=300_000, users=33_000, tiles=150)


def plan(epsilon: str = "1", bound: ContributionBound = TEN) -> Plan:
    return Plan.up_to(bound, EXPLORED_WEIGHTS, Fraction(epsilon), CHOICES)


def by_name(plan_: Plan, facts: Facts = FACTS):
    return {one.measure: one for one in forecast(plan_, facts)}


def counts_of(mean: float, spread: float, places: int) -> np.ndarray:
    """Counts of places under the assumed law, one for each quantile."""
    from scipy.stats import norm

    return np.rint(mean * np.exp(spread * norm.ppf((np.arange(places) + 0.5) / places) - spread**2 / 2))


@pytest.mark.parametrize("bound", [TEN, ContributionBound.per_user(1), ContributionBound.per_trip()])
def test_noise_and_rule_are_those_of_the_mechanism(bound):
    """The same numbers as a measurement of that plan has, dense and sparse."""
    tiles = tuple(str(number) for number in range(600))  # 601 * 601 pairs are drawn sparsely
    nothing = np.zeros(0, np.int64)
    spoken = Plan.up_to(bound, {"visits_per_tile": 8, "od_flows": 6}, Fraction(1))
    for name, one in by_name(spoken, replace(FACTS, tiles=600)).items():
        measure = MEASURES[name]
        drawn = measured(measure, measure.keys(tiles), nothing, nothing, spoken, origin="preview")
        assert one.half_width == drawn.half_widths[-1]
        assert one.sensitivity == drawn.sensitivity
        assert one.epsilon == drawn.epsilon(-1)
        assert one.cells == drawn.keys.size
        assert one.sparse == (drawn.threshold is not None)
        assert one.stands_out_from == trusted_from(drawn, -1) >= (drawn.threshold or 0)


@pytest.mark.parametrize(("measure", "epsilon"), [("visits_per_tile", "0.2"), ("od_flows", "3")])
def test_the_expected_share_is_what_real_noise_gives_on_such_a_city(measure, epsilon):
    one = by_name(plan(epsilon))[measure]
    counts = counts_of(one.average, MEASURES[measure].spread, 100_000)
    noisy = counts + discrete_laplace(one.epsilon / one.sensitivity, len(counts))
    seen = (noisy >= one.stands_out_from).mean()
    spread = 6 * np.sqrt(seen * (1 - seen) / len(counts))
    assert 0.002 < seen < 0.9
    assert one.readable_share == pytest.approx(seen, abs=spread + 0.002)


def test_an_empty_city_shows_about_one_place_by_chance():
    for one in forecast(plan(), replace(FACTS, trips=0, users=None)):
        assert one.average in {None, 0.0}
    assert share_reaching(5, Fraction(1), 0.0, 1.3) == pytest.approx(np.exp(-5) / (1 + np.exp(-1)))
    assert share_reaching(-5, Fraction(1), 0.0, 1.3) == pytest.approx(1 - np.exp(-6) / (1 + np.exp(-1)))


def test_more_epsilon_never_makes_less_readable():
    for measure in (name for name in EXPLORED_WEIGHTS if MEASURES[name].readable):
        shares = [by_name(plan(str(float(rung))))[measure].readable_share for rung in RUNGS]
        assert shares == sorted(shares)


def test_the_bound_lets_fewer_trips_count_and_more_noise_come_with_more_of_them():
    counted = [trips_counted(ContributionBound.per_user(m), FACTS) for m in (1, 5, 20, 500)]
    assert counted == sorted(counted)
    assert counted[0] == pytest.approx(FACTS.users)
    assert 0.99 * FACTS.trips < counted[-1] <= FACTS.trips
    assert trips_counted(ContributionBound.per_trip(), FACTS) == FACTS.trips
    assert trips_counted(TEN, replace(FACTS, users=None)) is None
    widths = [by_name(plan(bound=ContributionBound.per_user(m)))["od_flows"].half_width for m in (1, 5, 20)]
    assert widths == sorted(set(widths))


def test_what_was_not_declared_stays_unknown():
    found = by_name(plan(), replace(FACTS, users=None))
    assert all(one.average is None and one.readable_share is None for one in found.values())
    assert found["visits_per_tile"].half_width > 0
    assert set(words.table([*found.values()])["average count"]) == {"unknown"}
    with pytest.raises(PrivacyError, match="period"):
        forecast(Plan.up_to(TEN, EXPLORED_WEIGHTS, Fraction(1)), FACTS)


@pytest.mark.parametrize(("trips", "users"), [(-1, None), (10, 11), (10, 0)])
def test_facts_that_cannot_be_are_refused(trips, users):
    with pytest.raises(PrivacyError):
        Facts(trips, users, 10)


def test_people_are_counted_where_a_measure_counts_people():
    people = [name for name, measure in MEASURES.items() if measure.adds_to == "users"]
    assert people
    one = by_name(Plan.up_to(TEN, {people[0]: 1}, Fraction(1)))[people[0]]
    assert one.average == pytest.approx(FACTS.users / one.cells)


def test_every_measure_has_a_forecast_and_an_average_where_one_means_anything():
    choices = replace(CHOICES, districts=Districts(("east", "west"), (0, 1) * (FACTS.tiles // 2)))
    found = by_name(
        Plan.up_to(ContributionBound.per_trip(), dict.fromkeys(MEASURES, 1), Fraction(1), choices)
    )
    unknown = {name for name, one in found.items() if one.average is None}
    assert unknown == {"ds_statistics", "missing_values", "total_trips", "incomplete_trips"}
    assert found["travel_time"].average == pytest.approx(FACTS.trips / found["travel_time"].cells)
    gaps = found["user_time_delta"]  # the first trip of a person has none before it
    assert gaps.average * gaps.cells == pytest.approx(FACTS.trips - FACTS.users)
    nobody = by_name(
        Plan.up_to(ContributionBound.per_trip(), {"user_time_delta": 1}, Fraction(1)),
        replace(FACTS, users=None),
    )
    assert nobody["user_time_delta"].average is None


@pytest.mark.parametrize("bound", [TEN, ContributionBound.per_trip()])
@pytest.mark.parametrize("measure", ["visits_per_tile", "trips_per_weekday"])
def test_accuracy_first_suffices_and_asks_little_more(bound, measure):
    asked = [5, 8, 20, 50, 300, 1000] if bound.max_trips is None else [200, 300, 500, 2000]
    given = [accuracy_first(bound, EXPLORED_WEIGHTS, measure, width) for width in asked]
    assert given == sorted(given, reverse=True)
    share = plan().share(measure)
    for width, epsilon in zip(asked, given, strict=True):
        rho = share * epsilon / MEASURES[measure].sensitivity(bound)
        assert half_width(rho) <= width
        if epsilon > Fraction(limits.MIN_EPSILON):
            assert half_width(rho * Fraction(9, 10)) > width - 1
        # the answer is a price that a plan takes and the ledger can write down
        assert epsilon * 10**limits.MAX_EPSILON_DECIMALS % 1 == 0
        assert by_name(Plan.up_to(bound, EXPLORED_WEIGHTS, epsilon, CHOICES))[measure].half_width <= width


def test_accuracy_beyond_the_limits_is_refused_with_what_to_do():
    with pytest.raises(PrivacyError, match="smaller M"):
        accuracy_first(ContributionBound.per_user(500), EXPLORED_WEIGHTS, "visits_per_tile", 1)
    with pytest.raises(PrivacyError, match="1 or more"):
        accuracy_first(TEN, EXPLORED_WEIGHTS, "visits_per_tile", 0)
    with pytest.raises(PrivacyError, match="of the plan"):
        accuracy_first(TEN, {"od_flows": 1}, "visits_per_tile", 10)
    assert accuracy_first(ContributionBound.per_trip(), {"od_flows": 1}, "od_flows", 10**7) == Fraction(
        limits.MIN_EPSILON
    )


def test_words_pretend_to_no_more_than_they_know():
    assert words.table(forecast(plan(), FACTS))["average count"][0].startswith("about ")
    assert trips_counted(ContributionBound.per_trip(), replace(FACTS, trips=None)) is None
    columns = words.table(forecast(plan(), FACTS))
    assert {len(column) for column in columns.values()} == {len(EXPLORED_WEIGHTS)}


def test_the_noise_of_sums_and_means_is_told_in_minutes_and_a_mean_errs_by_no_more():
    choices = KeyChoices(sums={"duration": "0:120:0.5"})
    one, both = choices.sums[0], {"sum_duration": 1, "mean_duration": 1}
    asked = Plan.up_to(TEN, both, Fraction(1), choices)
    found = dict(zip(both, forecast(asked, FACTS), strict=True))
    columns = words.table([*found.values()], choices.sums)
    assert columns["sensitivity"] == ["1,200.0 minutes"] * 2
    half = found["mean_duration"].half_width / 2  # minutes
    assert columns["noise of one count (95 %)"] == [
        f"± {half:,.1f} minutes",
        f"± {half:,.1f} minutes / count",
    ]
    values, share = 10_000, 0.1  # of the way from the lower to the upper bound
    above = np.full(4_000, round(share * values * one.width))
    rho = found["mean_duration"].epsilon / found["mean_duration"].sensitivity
    noise = np.random.default_rng(1).laplace(scale=float(1 / rho), size=(2, 4_000))
    up, down = above + noise[0], values * one.width - above + noise[1]
    off = np.abs(up / (up + down) - share) * 120
    assert 0.8 * half / values < np.quantile(off, 0.95) < half / values


REAL = {
    "taxi": ("real/nyc_taxi/raw_taxis.csv", "real/nyc_taxi/taxi_zones.geojson", "LocationID"),
    "places": ("real/foursquare_nyc/trips.csv.gz", "real/nyc_taxi/taxi_zones.geojson", "LocationID"),
}


def real_counts(shared, name: str, measure: str) -> np.ndarray:
    """Exact counts inside the tiles of real trips, zeros included."""
    path, tiles, column = REAL[name]
    tessellation = read_tessellation(shared(tiles), "tiles.geojson", tile_id=column, merge_ids=True)
    file = owner.TripsFile.on_disk(shared(path))
    trips = owner.load(
        file,
        owner.inspect(file),
        tessellation,
        timezone="America/New_York",
        bad_records=owner.BadRecords.DROP,
    )
    table = owner.exact_table(trips, measure, None)
    names = [column for column in table if column != "value"]
    inside = ["outside" not in labels for labels in zip(*(table[n] for n in names), strict=True)]
    counts = np.array(table["value"])[inside]
    wanted = len(tessellation.tile_ids) ** len(names)
    return np.concatenate([counts, np.zeros(wanted - len(counts), counts.dtype)])


@pytest.mark.parametrize("name", REAL)
def test_real_places_are_readable_within_a_factor_of_two(shared, name):
    counts = real_counts(shared, name, "visits_per_tile")
    for epsilon in ("0.5", "2", "10"):
        for bound in (ContributionBound.per_trip(), TEN):
            one = by_name(plan(epsilon, bound), replace(FACTS, tiles=len(counts)))["visits_per_tile"]
            rho = one.epsilon / one.sensitivity
            expected = share_reaching(
                one.stands_out_from, rho, counts.mean(), MEASURES["visits_per_tile"].spread
            )
            real = share_of(counts, one.stands_out_from, rho)
            assert expected / 2 < real < expected * 2 or abs(expected - real) < 0.05


@pytest.mark.parametrize("name", REAL)
def test_real_flows_are_readable_within_a_factor_of_four(shared, name):
    counts = real_counts(shared, name, "od_flows")
    tiles = round(len(counts) ** 0.5)
    for epsilon in ("0.5", "2", "10"):
        for bound in (ContributionBound.per_trip(), TEN):
            one = by_name(plan(epsilon, bound), replace(FACTS, tiles=tiles))["od_flows"]
            rho = one.epsilon / one.sensitivity
            expected = (
                share_reaching(one.stands_out_from, rho, counts.mean(), MEASURES["od_flows"].spread)
                * one.cells
            )
            real = share_of(counts, one.stands_out_from, rho) * one.cells
            assert expected / 4 < real < expected * 4


def share_of(counts: np.ndarray, threshold: int, rho: Fraction) -> float:
    """The expected share of given counts that reach a threshold, exactly."""
    values, times = np.unique(counts, return_counts=True)
    reach = [share_reaching(threshold, rho, float(value), 0.0) for value in values]
    return float(np.average(reach, weights=times))


def test_the_real_share_of_trips_under_a_bound_is_near_the_expected_one(shared):
    import gzip

    with gzip.open(shared("real/foursquare_nyc/trips.csv.gz"), "rt") as text:
        trips = {(row["uid"], row["tid"]) for row in csv.DictReader(text)}
    _, mine = np.unique([user for user, _ in trips], return_counts=True)
    for bound in (1, 5, 10, 20, 50, 100):
        real = np.minimum(mine, bound).sum() / mine.sum()
        assert share_counted(mine.mean(), bound) == pytest.approx(real, rel=0.1)
