"""Before a spend: what would be known, and what would help most, from public facts alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcore.demo import DEMO_PERIOD
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import flows_forecast, visits_forecast
from dpcore.noise.forecast import Facts
from dpcore.privacy import ContributionBound
from dpcore.views.planning import advice
from dpcore.views.planning.advice import worth

SMALL_TOWN = Facts(trips=20_000, users=5_000, tiles=260)
CITY = Facts(trips=300_000, users=33_000, tiles=150)


def plan(max_trips: int | None = 10, epsilon: str = "1", weights=None) -> Plan:
    """All usual tables of a unit."""
    bound = ContributionBound.per_trip() if max_trips is None else ContributionBound.per_user(max_trips)
    usual = {name: one.weight_at(bound.unit) for name, one in MEASURES.items() if bound.unit in one.usual_at}
    choices = KeyChoices(DEMO_PERIOD, districts=Districts(("1", "2"), (0, 1)))
    return Plan.up_to(bound, weights or usual, Fraction(epsilon), choices)


def told(found: advice.Worth) -> dict[str, str]:
    return {one.change.partition(" instead")[0].partition(",")[0]: one.gives for one in found.helps}


def test_a_release_of_which_little_could_be_read_is_told_with_what_would_help():
    found = worth(plan(), SMALL_TOWN)
    assert visits_forecast(plan(), SMALL_TOWN).readable < 65
    assert found.little.startswith("Little of this could be read: ")
    assert "of 260 tiles" in found.little
    assert {"ε = ", "Larger tiles"} & {name[:4] if name.startswith("ε") else name for name in told(found)}


def test_what_is_said_to_help_is_what_the_forecast_of_the_changed_plan_says():
    now = visits_forecast(plan(50), CITY)
    found = {one.change.partition(" = ")[0]: one for one in worth(plan(50), CITY).helps}
    bound = found["M"]
    then = visits_forecast(bound.plan, CITY)
    assert bound.change == f"M = {bound.plan.bound.max_trips} instead of 50"
    assert bound.gives == f"about {round(then.readable) - round(now.readable)} tiles more"
    assert bound.gives.startswith("about ")
    assert bound.words == f"{bound.change}: {bound.gives}"
    assert bound.plan.weights == plan(50).weights


def test_a_table_that_takes_much_is_named_to_be_left_out():
    greedy = plan(4, weights={"visits_per_tile": 1, "trips_per_hour": 20, "total_trips": 1})
    (left,) = [one for one in worth(greedy, CITY).helps if one.change.startswith("Leave out")]
    assert measure_named("trips_per_hour").title.lower() in left.change
    assert "trips_per_hour" not in left.plan.weights
    assert visits_forecast(left.plan, CITY).readable > visits_forecast(greedy, CITY).readable


def test_the_tables_that_estimates_rest_on_are_never_named():
    for bound in (4, None):
        for epsilon in ("0.1", "1", "5"):
            for one in worth(plan(bound, epsilon), CITY).helps:
                if one.plan is not None:
                    assert {"visits_per_tile", "visits_per_time_tile", "od_districts"} <= {*one.plan.weights}


@pytest.mark.parametrize("tiles", [1, 4, 260, 5_000])
@pytest.mark.parametrize("trips", [20, 500, 20_000])
@pytest.mark.parametrize("max_trips", [None, 1, 10])
def test_nothing_is_said_to_help_that_gives_no_more(tiles, trips, max_trips):
    facts = Facts(trips=trips, users=max(1, trips // 4), tiles=tiles)
    now = visits_forecast(plan(max_trips), facts)
    for one in worth(plan(max_trips), facts).helps:
        if one.plan is not None:
            then = visits_forecast(one.plan, facts)
            assert then.readable > now.readable or then.error < now.error
            assert one.gives.endswith("more") or "off by" in one.gives


def test_nothing_is_said_where_enough_can_be_read():
    large = Facts(trips=30_000_000, users=3_000_000, tiles=150)
    assert worth(plan(), large) == advice.Worth("", ())
    assert worth(plan(weights={"trips_per_hour": 1}), SMALL_TOWN) == advice.Worth("", ())
    assert advice.cards(plan(weights={"trips_per_hour": 1}), SMALL_TOWN) == ()


def test_where_nothing_was_declared_nobody_is_told_that_it_is_fine():
    for facts, missing in ((Facts(None, None, 260), "trips"), (Facts(20_000, None, 260), "people")):
        assert f"Declare about how many {missing}" in worth(plan(), facts).little
        assert worth(plan(), facts).helps == ()
        (card,) = advice.cards(plan(), facts)
        assert card.value == "unknown"
        assert missing in card.note
        assert "Expected" not in advice.last_words(plan(), facts)


def test_cards_and_last_words_say_noise_share_and_estimate_together():
    cards = {card.label: card for card in advice.cards(plan(), CITY)}
    assert cards["Trips that count"].value == "≈ 63 %"
    found = visits_forecast(plan(), CITY)
    first = cards["Known tiles"]
    assert first.value == f"{found.known_tiles} of 150"
    assert "Estimates of all trips" in first.help
    assert f"Of 100 visits, {found.known_visits} lie in them." in first.note
    assert f"In a typical city, where all tiles have trips, about {round(found.readable)}." in first.note
    said = advice.last_words(plan(), CITY)
    assert said["Noise of a released count"].startswith("± ")
    assert said["Trips that count"] == "about 63 %, expected"
    assert said["Expected"] == f"{found.words}; estimates of all trips"
    by_trip = advice.last_words(plan(None), CITY)
    assert by_trip["Trips that count"] == "all"


def test_without_a_paid_total_nothing_is_promised_for_all_trips():
    weights = {name: weight for name, weight in plan().weights.items() if name != "total_trips"}
    assert "Estimates of the trips that count" in advice.cards(plan(weights=weights), CITY)[0].help
    assert advice.last_words(plan(weights=weights), CITY)["Expected"].endswith("of the trips that count")


def test_a_plan_with_flows_says_how_many_will_be_known_before_it_is_paid():
    weights = {**plan().weights, "od_flows": plan().weights["visits_per_tile"]}
    found = flows_forecast(plan(None, weights=weights), CITY)
    card = advice.cards(plan(None, weights=weights), CITY)[-1]
    assert card.label == "Flows between tiles known"
    assert card.value == f"about {round(found.known):,}"
    assert f"Of the 20 strongest about {found.first}." in card.note
    assert advice.last_words(plan(None, weights=weights), CITY)["Flows"] == found.words
    alone = advice.cards(plan(None, weights={"od_flows": 1}), CITY)
    assert [one.label for one in alone] == [card.label]
    assert advice.cards(plan(1, weights=weights), SMALL_TOWN)[-1].value == "hardly one"
    assert "Flows" not in advice.last_words(plan(), CITY)
