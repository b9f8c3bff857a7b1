"""The default plan: its shares, its districts, the cap of the total and M, and the forecast of what estimates will give."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import dpcore
from dpcore import demo, limits
from dpcore.api import owner, studies
from dpcore.errors import InputError, PrivacyError, TessellationError
from dpcore.estimates import estimate
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.data_form import DataForm
from dpcore.measures.keys import Period, Step
from dpcore.measures.overview import weekdays_follow
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width
from dpcore.noise.expected_estimates import TOTAL, VISITS, expected_share, visits_forecast
from dpcore.noise.forecast import Facts, share_counted
from dpcore.noise.sparse import threshold_for
from dpcore.planning.default_plan import (
    BOUNDS,
    DISTRICTS,
    FLOWS,
    USUAL_BOUND,
    WIDEST_TOTAL,
    cap_of_total,
    default_bound,
    default_plan,
    districts_that_pay,
    flows_pay_from,
    share_of_flows,
    unbought_flows,
    usual_districts,
    usual_measures,
    with_public_keys,
)
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit, decimal_text
from dpcore.release.estimates import estimates_of
from dpcore.tiles import Box, halved, square_grid
from tests.cities import four_tiles, synthetic_city
from tests.command_line.conftest import ran
from tests.release.made_releases import WEEK, made_release

DATES = KeyChoices(Period(date(2024, 3, 4), date(2024, 3, 31)))
FACTS = Facts(300_000, 34_000, 100)
FIVE, TRIP = ContributionBound.per_user(5), ContributionBound.per_trip()
ONE = Fraction(1)


@pytest.fixture(scope="module")
def tiles():
    """A hundred squares."""
    found = square_grid(Box(0.0, 0.0, 0.0895, 0.0895), 1000)
    assert len(found.tile_ids) == FACTS.tiles
    return found


def planned(tiles, bound=FIVE, epsilon=ONE, facts=FACTS, choices=DATES, **more) -> Plan:
    return default_plan(bound, epsilon, tiles, facts, choices, **more)


@pytest.mark.parametrize("unit", PrivacyUnit)
def test_default_weights_are_thousandths_of_epsilon(unit):
    assert sum(one.weight_at(unit) for one in MEASURES.values() if unit in one.usual_at) == 1000


def test_a_release_holds_by_default_what_estimates_need_and_pays_for_nothing_that_follows():
    by_user, by_trip = (set(usual_measures(unit, DATES)) for unit in (PrivacyUnit.USER, PrivacyUnit.TRIP))
    derived = {"trips_per_weekday", "ds_statistics"}
    assert by_user == {*MEASURES} - derived - {"missing_values", "od_flows", "od_flows_per_window"}
    assert by_trip == {*MEASURES} - derived - {"missing_values", "total_trips", "od_flows_per_window"}
    without_people = usual_measures(PrivacyUnit.TRIP, DATES, DataForm(users=False, points=False))
    assert not any(MEASURES[name].needs_users or MEASURES[name].needs_points for name in without_people)


@pytest.mark.parametrize(
    ("choices", "follows"),
    [
        (KeyChoices(), False),
        (DATES, True),
        (KeyChoices(Period(date(2024, 3, 4), date(2024, 3, 9))), False),  # a day of the week is missing
        (KeyChoices(Period(date(2024, 1, 1), date(2024, 3, 10))), True),  # ten dates each
        (KeyChoices(Period(date(2024, 1, 1), date(2024, 3, 11))), False),
        (replace(DATES, step=Step.WEEK), False),
    ],
)
def test_weekdays_are_paid_for_only_where_they_do_not_follow_from_dates(choices, follows):
    assert weekdays_follow(choices) is follows
    held = usual_measures(PrivacyUnit.USER, choices)
    assert ("trips_per_weekday" in held) is not follows
    assert ("trips_over_time" in held) is (choices.period is not None)


def test_an_average_flow_between_districts_is_twice_its_noise_or_more(tiles):
    for trips in (500, 2_000, 10_000, 10**6):
        facts = replace(FACTS, trips=trips, users=trips // 9)
        plan = Plan.up_to(FIVE, {DISTRICTS: 1}, ONE, DATES)
        found = districts_that_pay(plan, facts)
        assert found <= FACTS.tiles // 20
        assert found <= sqrt(trips * 1 / (2 * 5)) < max(found + 1, FACTS.tiles // 20 + 1) or found == 5
        held = planned(tiles, facts=facts)
        if DISTRICTS in held.weights:
            assert 2 <= len(held.choices.districts.names) <= 5
        else:
            rule = sqrt(trips * MEASURES[DISTRICTS].weight / 1000 / 10)
            assert rule < 2.1
    assert districts_that_pay(plan, replace(FACTS, trips=None, users=None)) == 5
    assert districts_that_pay(plan, replace(FACTS, tiles=10**6)) <= limits.MAX_DISTRICTS


def test_more_epsilon_never_means_fewer_districts_and_a_larger_bound_never_more():
    facts = Facts(20_000, 3_000, 2_000)
    numbers = [districts_that_pay(Plan.up_to(FIVE, {DISTRICTS: 1}, rung, DATES), facts) for rung in RUNGS]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[-1]
    plans = [Plan.up_to(ContributionBound.per_user(most), {DISTRICTS: 1}, ONE, DATES) for most in (1, 5, 50)]
    numbers = [districts_that_pay(plan, facts) for plan in plans]
    assert numbers == sorted(numbers, reverse=True)


def test_few_tiles_or_trips_have_no_flows_between_districts_unless_they_are_named(tiles):
    few = Facts(300_000, 34_000, 4)
    four = four_tiles()
    assert DISTRICTS not in planned(four, facts=few).weights
    assert DISTRICTS not in planned(tiles, facts=replace(FACTS, trips=100, users=50)).weights
    named = planned(four, facts=few, measures=["visits_per_tile", DISTRICTS])
    assert len(named.choices.districts.names) == 2
    assert len(usual_districts(four).names) == 2


def test_own_districts_of_the_tiles_come_first_and_chosen_ones_before_them(tiles):
    own = replace(tiles, districts=tuple("west" if n < 50 else "east" for n in range(100)))
    assert planned(own).choices.districts.names == ("east", "west")
    chosen = replace(DATES, districts=halved(tiles, 3))
    assert planned(own, choices=chosen).choices.districts == halved(tiles, 3)
    torn = replace(tiles, districts=("west", *[""] * 99))
    with pytest.raises(TessellationError, match="district"):
        planned(torn)


def test_the_cap_of_the_total_has_the_least_expected_cut_and_noise(tiles):
    plan = planned(tiles)
    found, share = plan.choices.most_trips, float(plan.share(TOTAL))
    assert found == cap_of_total(plan, FACTS)

    def off(cap: int) -> float:
        cut = FACTS.trips * (1 - share_counted(FACTS.trips / FACTS.users, cap))
        return cut + cap / share

    assert off(found) <= 1.001 * min(off(cap) for cap in range(1, 1000))
    assert found >= plan.bound.trips


def test_an_undeclared_cap_follows_from_the_bound_alone(tiles):
    for facts in (Facts(None, None, 100), Facts(10**6, None, 100)):
        assert planned(tiles, facts=facts).choices.most_trips == 20 * 5
    assert planned(tiles, ContributionBound.per_user(900)).choices.most_trips >= 900
    nothing = Facts(None, None, 100)
    assert (
        planned(tiles, ContributionBound.per_user(900), facts=nothing).choices.most_trips
        == limits.MAX_TRIPS_PER_USER
    )
    assert planned(tiles, choices=replace(DATES, most_trips=77)).choices.most_trips == 77


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "10"])
def test_the_total_costs_no_more_than_its_usual_share_and_no_more_than_it_needs(tiles, epsilon):
    plan = planned(tiles, epsilon=Fraction(epsilon))

    def wide(weight: int) -> float:
        tried = replace(plan, weights={**plan.weights, TOTAL: weight})
        cap = cap_of_total(tried, FACTS)
        counted = FACTS.trips * share_counted(FACTS.trips / FACTS.users, cap)
        return half_width(tried.share(TOTAL) * tried.epsilon / cap) / counted

    weight, usual = plan.weights[TOTAL], MEASURES[TOTAL].weight
    assert 1 <= weight <= usual
    assert wide(weight) <= WIDEST_TOTAL or weight == usual
    assert weight == 1 or wide(weight - 1) > WIDEST_TOTAL


def test_m_is_the_bound_with_the_least_expected_error_unless_too_few_trips_would_count():
    for epsilon in ("0.1", "1", "10"):
        most = default_bound(Fraction(epsilon), FACTS)
        assert most in BOUNDS
        assert expected_share(ContributionBound.per_user(most), FACTS) >= 0.3
    bounds = [default_bound(rung, FACTS) for rung in RUNGS]
    assert bounds == sorted(bounds)  # more noise, smaller bound
    assert 3 <= bounds[0] <= 5
    busy = Facts(3_000_000, 34_000, 100)  # 88 trips each: no small bound keeps three in ten
    assert default_bound(ONE, busy) >= default_bound(ONE, FACTS)
    assert default_bound(ONE, Facts(1000, 1000, 100)) == 1


@pytest.mark.parametrize(
    "facts", [Facts(None, None, 9), Facts(10**6, None, 9), Facts(None, 10, 9), Facts(0, None, 9)]
)
def test_m_is_fixed_where_people_or_trips_are_not_declared(facts):
    assert default_bound(ONE, facts) == USUAL_BOUND == 4


def test_commands_library_and_function_make_the_same_plan(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demo.write_city(tmp_path / "city", 3_000, 60, 3)
    tiles = dpcore.load_tiles("city/tiles.geojson")
    trips = dpcore.load_trips("city/trips.parquet", tiles, timezone="Europe/Berlin")
    code, _, err = ran(
        capsys,
        *(
            "release",
            "--trips",
            "city/trips.parquet",
            "--tiles",
            "city/tiles.geojson",
            "--timezone",
            "Europe/Berlin",
        ),
        *("--privacy-unit", "user", "--epsilon", "1", "--dates", "2024-03-04/2024-03-31", "--out", "bundle"),
        *("--about-trips", "3000", "--about-users", "340", "--ledger", "books.db", "--dataset", "x", "--yes"),
    )
    assert code == 0, err
    plan = dpcore.default_plan(None, "1", tiles, about_trips=3000, about_users=340, choices=DATES)
    assert dpcore.read_bundle("bundle").plan == plan
    assert f"--max-trips {plan.bound.max_trips}, " in err
    facts = Facts(3000, 340, len(tiles.tile_ids))
    assert plan == default_plan(plan.bound, "1", tiles, facts, DATES, form=trips.form)
    told = json.loads((tmp_path / "bundle" / "manifest.json").read_text(encoding="utf-8"))
    assert f"--most-trips {plan.choices.most_trips}" in told["command"]


def test_what_cannot_be_planned_is_refused(tiles):
    with pytest.raises(InputError, match="unknown measure"):
        planned(tiles, measures=["steps"])
    with pytest.raises(PrivacyError):
        planned(tiles, epsilon="0")
    alone = square_grid(Box(0.0, 0.0, 0.008, 0.008), 1000)
    with pytest.raises(TessellationError):
        planned(alone, facts=replace(FACTS, tiles=1), measures=[DISTRICTS])


def test_a_plan_of_ones_own_gets_the_keys_that_it_lacks(tiles):
    own = Plan.up_to(FIVE, {VISITS: 3, TOTAL: 1, DISTRICTS: 2}, ONE, DATES)
    found = with_public_keys(own, tiles, FACTS)
    assert found.weights == own.weights
    assert found.choices.most_trips == cap_of_total(own, FACTS)
    assert len(found.choices.districts.names) == 5
    assert with_public_keys(found, tiles, FACTS) == found
    plain = Plan.up_to(FIVE, {VISITS: 3}, ONE, DATES)
    assert with_public_keys(plain, tiles, FACTS) == plain


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    """A synthetic city: trips, tiles, true visits of all trips, and what its owner could declare."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(tmp_path_factory.mktemp("home")))
        trips, tiles = synthetic_city(tmp_path_factory.mktemp("city"), 60_000, 120, 8)
        truth = np.array(owner.exact_table(trips, VISITS, None)["value"][:-1], float)
        people = sum(owner.exact_table(trips, "trips_per_user", None)["value"])
        yield trips, tiles, truth, Facts(60_000, people, len(tiles.tile_ids))


@pytest.mark.parametrize(
    ("max_trips", "epsilon"), [(2, "1"), (5, "1"), (12, "1"), (4, "0.3"), (5, "10"), (None, "1")]
)
def test_the_forecast_of_estimates_is_what_a_city_shows(city, max_trips, epsilon):
    """The error within a half, the share within two hundredths; hardly more tiles are promised than can be read."""
    trips, tiles, truth, facts = city
    bound = TRIP if max_trips is None else ContributionBound.per_user(max_trips)
    plan = planned(tiles, bound, Fraction(epsilon), facts, KeyChoices(demo.DEMO_PERIOD))
    plan = replace(plan, rungs=(plan.epsilon,))
    counted = sum(owner.exact_table(trips, VISITS, bound)["value"]) / truth.sum()
    errors, readable = [], []
    for _ in range(4):
        found = estimate(plan, studies.preview(trips, plan).measurements, tiles)
        seen = found.tables[VISITS].all_trips
        values, low, high = (column[:-1] for column in (seen.values, seen.low, seen.high))
        errors.append(np.abs(values - truth).sum() / truth.sum())
        readable.append((np.maximum(high - values, values - low) <= 0.25 * values).sum())
    told = visits_forecast(plan, facts)
    assert told.of_all
    assert 0.67 * np.mean(errors) <= told.error <= 1.5 * np.mean(errors)
    assert told.share == pytest.approx(counted, abs=0.02)
    assert -0.1 * facts.tiles < np.mean(readable) - told.readable < 0.35 * facts.tiles
    least, most = told.tiles
    assert least - 0.05 * facts.tiles <= np.mean(readable) <= most + 0.05 * facts.tiles
    assert told.readable <= told.regions <= facts.tiles


@pytest.mark.parametrize("other", [name for name in MEASURES if name not in {VISITS, TOTAL}])
def test_the_forecast_knows_which_tables_tell_the_share_that_counts(other):
    lying = halved(four_tiles(), 2) if other == "od_districts" else None
    choices = KeyChoices(WEEK, visits_cap=5, districts=lying)
    made = made_release(weights={VISITS: 3, TOTAL: 1, other: 1}, choices=choices)
    told = visits_forecast(made.plan, Facts(300_000, 34_000, 4))
    if other in {
        "od_flows",
        "od_flows_per_window",
    }:  # of a large city they are sparse, which a plan does not know
        assert not told.of_all
    else:
        assert told.of_all == (estimates_of(made).share is not None)


def test_forecasts_of_estimates_say_what_is_missing():
    plan = Plan.up_to(FIVE, {VISITS: 1}, ONE)
    assert visits_forecast(plan, Facts(300_000, None, 100)) is None
    assert visits_forecast(plan, Facts(None, 3_000, 100)) is None
    assert visits_forecast(Plan.up_to(FIVE, {"trips_per_hour": 1}, ONE), FACTS) is None
    counted = visits_forecast(plan, FACTS)
    assert not counted.of_all  # without a total nobody can say how many trips there are
    assert counted.share == pytest.approx(share_counted(300_000 / 34_000, 5))
    assert visits_forecast(Plan.up_to(TRIP, {VISITS: 1}, ONE), Facts(300_000, None, 100)).share == 1


def test_more_epsilon_never_makes_fewer_tiles_readable():
    names = {VISITS: 10, TOTAL: 1}
    shown = [visits_forecast(Plan.up_to(FIVE, names, rung), FACTS) for rung in RUNGS]
    assert [one.readable for one in shown] == sorted(one.readable for one in shown)
    assert [one.error for one in shown] == sorted((one.error for one in shown), reverse=True)
    assert [one.regions for one in shown] == sorted(one.regions for one in shown)
    nobody = visits_forecast(Plan.up_to(TRIP, names, ONE), Facts(0, None, 100))
    assert nobody is None
    assert measure_named(VISITS).spread > 0


def asked_flows(tiles, epsilon, facts=FACTS, bound=FIVE, choices=DATES):
    """Whether the default plan of people buys flows, and the share that they get."""
    plan = default_plan(bound, epsilon, tiles, facts, choices)
    return plan.share(FLOWS) if FLOWS in plan.weights else None


def test_a_person_s_flows_are_bought_from_the_epsilon_on_at_which_the_strongest_stand_out(tiles):
    plan = default_plan(FIVE, ONE, tiles, FACTS, DATES)
    least = flows_pay_from(plan, FACTS)
    assert least is not None
    assert least < 1
    assert asked_flows(tiles, least - Fraction(1, 100)) is None
    for epsilon in (least, ONE):
        assert asked_flows(tiles, epsilon) == pytest.approx(float(share_of_flows(FACTS.tiles)), abs=0.02)
    counted = FACTS.trips * share_counted(FACTS.trips / FACTS.users, FIVE.trips)
    strong = counted * max(1 / 400, 1 / 800)
    for epsilon, enough in ((least, True), (least - Fraction(1, 100), False)):
        assert (half_width(share_of_flows(FACTS.tiles) * epsilon / FIVE.trips) <= strong) is enough


def test_flows_are_not_bought_where_nothing_is_declared_or_where_they_would_show_nothing(tiles):
    assert asked_flows(tiles, "1", Facts(None, None, 100)) is None
    assert asked_flows(tiles, "20", Facts(90, 40, 100)) is None
    assert asked_flows(tiles, "1", replace(FACTS, users=None)) is None
    assert flows_pay_from(default_plan(TRIP, ONE, tiles, FACTS, DATES), replace(FACTS, users=None)) is None


def test_the_share_of_flows_falls_with_the_tiles_and_stays_between_its_ends():
    shares = [share_of_flows(tiles) for tiles in (1, 160, 300, 547, 2_000, 60_000)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == shares[1] == Fraction(1, 4)
    assert shares[-1] == Fraction(12, 100)


def test_very_many_pairs_are_bought_by_their_threshold():
    many = Facts(10_000_000, 1_000_000, 2_000)
    plan = Plan.up_to(FIVE, {VISITS: 1}, ONE)
    least = flows_pay_from(plan, many)
    rho = share_of_flows(2_000) * least / FIVE.trips
    strong = many.trips * share_counted(10, FIVE.trips) / 800
    assert (
        threshold_for(2_001**2, rho, plan.false_flows)
        <= strong
        < threshold_for(
            2_001**2, share_of_flows(2_000) * (least - Fraction(1, 100)) / FIVE.trips, plan.false_flows
        )
    )


@pytest.mark.parametrize(
    ("bound", "facts", "said"),
    [
        (
            FIVE,
            Facts(20_000, 4_000, 150),
            "would be bought from ε {} on, with these declared numbers and M = 5.",
        ),
        (
            FIVE,
            Facts(90, 40, 150),
            "would be bought at no ε up to 20, with these declared numbers and M = 5.",
        ),
        (FIVE, Facts(90, None, 150), "Declare about how many trips and people there are."),
        (FIVE, Facts(None, None, 150), "are not bought without declared numbers."),
        (TRIP, Facts(90, None, 150), ""),
    ],
)
def test_a_plan_without_flows_says_from_which_epsilon_on_it_would_buy_them(bound, facts, said):
    plan = Plan.up_to(bound, {VISITS: 1}, ONE)
    least = flows_pay_from(plan, facts)
    found = unbought_flows(plan, facts)
    assert said.format("" if least is None else decimal_text(least)) in found
    assert bool(found) is bool(said)
    bought = replace(plan, weights={VISITS: 1, FLOWS: 1})
    assert unbought_flows(bought, facts) == ""
    below = unbought_flows(bought, facts, Fraction(1, 100))
    if least is None or bound.unit is PrivacyUnit.TRIP:
        assert below == ""
    else:
        assert f"bought from ε {decimal_text(least)} on" in below
        assert unbought_flows(bought, facts, least) == ""
