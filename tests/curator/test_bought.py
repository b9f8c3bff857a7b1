"""Bought quantiles on their way into a release: what is drawn, what it costs, and that it is drawn once."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore import curator
from dpcore.curator import makers, price, publishing
from dpcore.errors import InternalError, PrivacyError, UnfinishedError
from dpcore.measures import BINS, GRIDS, measure_named
from dpcore.measures.bins import LEVELS
from dpcore.measures.bought import (
    BoughtQuantiles,
    change_of_one_trip,
    draws_of_five_numbers,
    draws_of_ranges,
    requested_plan,
    sensitivity,
    with_ranges,
)
from dpcore.measures.choices import KeyChoices
from dpcore.measures.plan import Plan
from dpcore.noise.five_numbers import BOUGHT, FREE
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.bounding import bounded
from dpcore.release import read_bundle, verify_bundle
from dpcore.release.five_numbers import five_numbers
from tests.cities import four_tiles, private
from tests.curator.asking import account, request, spent, trips

WEIGHTS = {"travel_time": 2, "user_time_delta": 3, "mobility_entropy": 1, "visits_per_tile": 4}
USERS = ContributionBound.per_user(3)


def plan(epsilon: str = "1", bound: ContributionBound = USERS, **changes) -> Plan:
    both = {"five_numbers": 5, "ranges": Fraction(1, 10), **changes}
    return Plan.up_to(bound, WEIGHTS, Fraction(epsilon), **both)


def published(ledger, asked_for, people=None):
    return curator.publish(people or trips(), four_tiles(), asked_for, ledger)


def test_all_shares_of_a_plan_add_up_to_one():
    one = plan()
    parts = [one.share(name) for name in WEIGHTS] + [one.five_numbers_share, one.ranges]
    assert sum(parts) == 1
    assert one.five_numbers_share == Fraction(9, 10) * Fraction(5, 15)
    assert one.share("travel_time") == Fraction(9, 10) * Fraction(2, 15)


def test_what_is_drawn_costs_its_share_exactly_and_protects_the_unit(monkeypatch):
    drawn = []

    def recorded(counts, level, *, sensitivity, epsilon):
        drawn.append((len(counts), int(counts.sum()), level, sensitivity, epsilon))
        return 7

    monkeypatch.setattr(makers, "winner", recorded)
    one, people = plan(), trips()
    values = makers.values_of(bounded(people, one.bound), one)
    assert makers.bought_ranges(one, values).values == {
        "travel_time": {"p95": "3.5"},
        "user_time_delta": {"p5": "-17", "p95": "-17"},
    }
    assert [(level, change) for _, _, level, change, _ in drawn] == [(19, 57), (1, 57), (19, 57)]
    assert sum(epsilon for *_, epsilon in drawn) == Fraction(1, 10)
    drawn.clear()
    found = makers.bought_five_numbers(one, values)
    assert list(found.values) == ["travel_time", "user_time_delta", "mobility_entropy"]
    assert len(drawn) == found.draws == 15
    assert sum(epsilon for *_, epsilon in drawn) == one.five_numbers_share == 15 * found.epsilon_of_one
    assert {change for *_, level, change, _ in drawn[10:] if level == 10} == {
        10
    }  # each user once, whatever M
    assert [size for size, *_ in drawn[::5]] == [GRIDS[name].size for name in found.values]
    assert drawn[0][1] == 40 * 3  # at most M trips of each
    assert drawn[10][1] == 40


def test_crossed_answers_are_put_in_order_and_not_drawn_again(monkeypatch):
    answers = iter([9, 3, 5, 8, 1])
    monkeypatch.setattr(makers, "winner", lambda *_, **__: next(answers))
    one = Plan.up_to(USERS, {"travel_time": 1}, Fraction(1), five_numbers=1)
    found = makers.bought_five_numbers(one, makers.values_of(bounded(trips(), one.bound), one))
    assert found.values["travel_time"] == {"p5": "0.5", "p25": "1.5", "p50": "2.5", "p75": "4", "p95": "4.5"}
    assert next(answers, None) is None


def test_a_release_holds_what_it_bought_and_is_charged_its_epsilon():
    ledger = account()
    receipt = published(ledger, request(plan=plan()))
    assert receipt.charged == spent(ledger) == 1
    release = read_bundle(receipt.folder)
    assert release.five_numbers == receipt.release.five_numbers
    assert {name: tuple(numbers) for name, numbers in release.five_numbers.values.items()} == dict.fromkeys(
        ("travel_time", "user_time_delta", "mobility_entropy"), tuple(LEVELS)
    )
    assert release.plan.ranged == ("travel_time", "user_time_delta")
    assert with_ranges(release.plan, release.ranges) == release.plan
    assert requested_plan(release.plan) == plan()
    for name in release.plan.ranged:
        axis = release.measurements[name].keys.axes[0]
        assert axis.ends[:-1] == release.plan.choices.edges[name]
        assert len(axis.labels) >= 10
    assert {one.method for one in five_numbers(release)} <= {BOUGHT, FREE}  # whichever is better
    assert "--buy-ranges 0.1" in release.command
    assert "visits_per_tile,five_numbers" in release.command
    assert "five_numbers=5" in release.command
    told = json.loads((receipt.folder / "manifest.json").read_text(encoding="utf-8"))
    assert told["five_numbers"]["weight"] == 5
    assert told["five_numbers"]["at_total_epsilon"]["exact"] == "1/1"
    assert told["ranges"]["share"]["exact"] == "1/10"
    assert "exponential mechanism" in told["privacy"]["mechanism"]
    assert "never values of the data" in told["statements"]["mechanism"]


def test_the_same_nonce_gives_the_same_numbers_and_charges_once():
    ledger = account()
    first, again = (published(ledger, request(plan=plan())) for _ in range(2))
    assert again.repeated
    assert again.release.five_numbers == first.release.five_numbers
    assert again.release.ranges == first.release.ranges
    assert spent(ledger) == 1


def test_a_run_cut_short_after_the_draws_finishes_with_the_same_nonce_at_no_further_charge(monkeypatch):
    ledger, people = account(), trips()
    for module, place in ((publishing, "write_bundle"), (makers, "exact_answers")):
        with monkeypatch.context() as patch:
            calls = []
            real = makers.exact_answers

            def failing(*given, calls=calls, real=real, place=place):
                calls.append(given)
                if place == "exact_answers" and len(calls) == 1:  # before the reservation
                    return real(*given)
                raise InternalError.at("here")

            patch.setattr(module, place, failing)
            with pytest.raises(UnfinishedError, match="nonce first"):
                published(ledger, request(plan=plan()), people)
    (reservation,) = ledger.statement("town").open_reservations
    receipt = curator.finish(people, four_tiles(), reservation, ledger)
    assert spent(ledger) == receipt.charged == 1
    verify_bundle(receipt.folder, digest=receipt.digest)
    assert receipt.release.ranges is not None


def test_the_terms_of_a_reservation_give_the_request_back():
    wanted = replace(request(plan=plan("0.3", ranges=Fraction("0.123456"))), publisher="City council")
    terms = json.loads(json.dumps(wanted.terms("tiles", "UTC", "here")))
    assert curator.Request.of_terms("town", "first", None, terms) == wanted
    plain = request().terms("tiles", "UTC", "here")
    assert "five_numbers" not in plain
    assert "ranges" not in plain
    assert curator.Request.of_terms("town", "first", None, plain).plan == request().plan


def test_a_top_up_keeps_what_was_bought():
    ledger = account()
    first = published(ledger, request(plan=plan()))
    raised = curator.top_up(ledger, first.release.id, Fraction(2), nonce="more")
    assert raised.charged == 1
    assert raised.release.five_numbers == first.release.five_numbers
    assert raised.release.ranges == first.release.ranges
    assert raised.release.five_numbers.at == 1
    assert len(five_numbers(raised.release)) == 15
    assert read_bundle(raised.folder).plan.ranged == first.release.plan.ranged


def test_ranges_are_bought_for_histograms_without_bins_of_their_own_alone():
    chosen = KeyChoices(edges={"travel_time": ("10", "20", "30")})
    one = replace(plan(), choices=chosen)
    assert {draw.measure for draw in draws_of_ranges(one)} == {"user_time_delta"}
    receipt = published(account(), request(plan=one))
    assert receipt.release.plan.choices.edges["travel_time"] == ("10", "20", "30")
    assert receipt.release.plan.ranged == ("user_time_delta",)
    assert requested_plan(receipt.release.plan) == one


def test_usual_bins_that_were_asked_for_are_neither_paid_for_nor_replaced():
    one = plan(ranged=("user_time_delta",))
    assert {draw.measure for draw in draws_of_ranges(one)} == {"user_time_delta"}
    wanted = request(plan=one)
    terms = json.loads(json.dumps(wanted.terms("tiles", "UTC", "here")))
    assert curator.Request.of_terms("town", "first", None, terms) == wanted
    receipt = published(account(), wanted)
    release = read_bundle(receipt.folder)
    assert release.plan.ranged == tuple(release.ranges.values) == ("user_time_delta",)
    assert release.measurements["travel_time"].keys.axes[0].ends[:-1] == BINS["travel_time"].edges
    assert requested_plan(release.plan) == one
    assert f"--bins travel_time={','.join(BINS['travel_time'].edges)}" in release.command
    assert "--bins user_time_delta" not in release.command


def test_bins_are_chosen_or_bought_and_never_both():
    chosen = KeyChoices(edges={"travel_time": ("10", "20")})
    with pytest.raises(PrivacyError, match="chosen, and their range"):
        request(plan=plan(choices=chosen, ranged=("travel_time",)))
    for wrong in (("visits_per_tile",), ("mobility_entropy",), ("travel_time", "travel_time")):
        with pytest.raises(PrivacyError, match="cannot be bought"):
            plan(ranged=wrong)
    with pytest.raises(PrivacyError, match="cannot be bought"):
        plan(ranges=Fraction(0), ranged=("travel_time",))


@pytest.mark.parametrize("weights", [{"visits_per_tile": 1}, {"mobility_entropy": 1}])
def test_where_there_is_no_range_to_buy_nothing_is_spent(weights):
    ledger = account()
    nothing = Plan.up_to(USERS, weights, Fraction(1), ranges=Fraction(1, 10))
    with pytest.raises(PrivacyError, match="no range"):
        published(ledger, request(plan=nothing))
    assert spent(ledger) == 0


def test_a_plan_refuses_shares_that_cannot_be():
    for wrong in (Fraction(1), Fraction(-1, 10), 0.1):
        with pytest.raises(PrivacyError, match="share of epsilon"):
            plan(ranges=wrong)
    for wrong in (Fraction(1, 3), Fraction(1, 10**7)):  # no decimal text repeats them
        with pytest.raises(PrivacyError, match="decimals"):
            plan(ranges=wrong)
    for wrong in (-1, True, 10**7):
        with pytest.raises(PrivacyError, match="whole number"):
            plan(five_numbers=wrong)
    with pytest.raises(PrivacyError, match="need a histogram"):
        Plan.up_to(USERS, {"od_flows": 1}, Fraction(1), five_numbers=1)


@pytest.mark.parametrize("people", [[], None])
def test_what_can_be_bought_does_not_depend_on_the_data(people):
    city = trips() if people is None else private(people)
    release = published(account(), request(plan=plan()), city).release
    assert release.five_numbers.draws == 15
    assert release.ranges.draws == 3


def test_in_an_account_of_trips_every_quantile_costs_what_one_trip_can_lose_by_it():
    one = plan()
    cost = price(one, PrivacyUnit.TRIP)
    bare = sum(
        one.share(name)
        * Fraction(one.measure(name).change_of_one_trip(USERS), one.measure(name).sensitivity(USERS))
        for name in WEIGHTS
    )
    quantiles = sum(
        draw.epsilon
        * Fraction(
            change_of_one_trip(measure_named(draw.measure), USERS, draw.level),
            sensitivity(measure_named(draw.measure), USERS, draw.level),
        )
        for draw in (*draws_of_five_numbers(one), *draws_of_ranges(one))
    )
    assert cost.epsilon == bare + quantiles
    assert any(
        step.startswith("travel_time, five-number summary: bought with epsilon") for step in cost.steps
    )
    assert any(step.startswith("user_time_delta, range of bins: bought with epsilon") for step in cost.steps)
    ledger = account("10", PrivacyUnit.TRIP)
    receipt = published(ledger, request(plan=one))
    assert receipt.charged == cost.epsilon
    assert (
        price(receipt.release.plan, PrivacyUnit.TRIP).epsilon == cost.epsilon
    )  # the same once ranges are bought
    raised = curator.top_up(ledger, receipt.release.id, Fraction(2), nonce="more")
    assert raised.charged == cost.epsilon


def test_bought_numbers_are_points_of_their_grid_in_rising_order():
    for values in (
        {"travel_time": {"p5": "0.25"}},
        {"travel_time": {"p5": "1.0"}},
        {"travel_time": {"p5": "4", "p25": "3"}},
        {"travel_time": {"p25": "4", "p5": "5"}},
        {"travel_time": {"p7": "4"}},
        {"travel_time": {}},
        {"od_flows": {"p5": "4"}},
    ):
        with pytest.raises(ValueError, match=r"bought quantiles|not a point"):
            BoughtQuantiles(Fraction(1), Fraction(1), values)
