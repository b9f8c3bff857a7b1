"""Before a spend: whether anything could be read, and what would help, from public facts alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcore.demo import DEMO_PERIOD
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from dpcore.measures.plan import Plan
from dpcore.noise.forecast import Facts, forecast
from dpcore.privacy import ContributionBound
from dpcore.views.forecasts import worth

ALL = {
    name: measure.weight
    for name, measure in MEASURES.items()
    if name not in {"missing_values", "total_trips", "incomplete_trips", "od_districts"}
}
SMALL_TOWN = Facts(trips=20_000, users=5_000, tiles=260)


def plan(max_trips: int | None = 10, epsilon: str = "1", weights=None) -> Plan:
    bound = ContributionBound.per_trip() if max_trips is None else ContributionBound.per_user(max_trips)
    return Plan.up_to(bound, weights or ALL, Fraction(epsilon), KeyChoices(DEMO_PERIOD))


def test_a_release_of_which_little_could_be_read_is_told_with_what_would_help():
    found = worth(plan(), SMALL_TOWN)
    by_name = {one.measure: one for one in forecast(plan(), SMALL_TOWN)}
    assert by_name["visits_per_tile"].readable_share < 0.1
    assert found.little.startswith("Little of this could be read: about ")
    assert "of 260 tiles and about 1 flow" in found.little
    told = [change.partition(":")[0] for change in found.helps]
    assert [words.partition(",")[0] for words in told] == [
        "Publish fewer measures",
        "Count fewer trips of each person",
        "Take larger tiles or districts",
        "Spend more",
    ]


def test_what_is_said_to_help_is_what_the_forecast_of_the_changed_plan_says():
    found = worth(plan(), SMALL_TOWN)
    higher = next(change for change in found.helps if change.startswith("Spend more"))
    epsilon = higher.partition("ε = ")[2].partition(":")[0]
    (visits,) = (
        one for one in forecast(plan(epsilon=epsilon), SMALL_TOWN) if one.measure == "visits_per_tile"
    )
    assert f"about {round(visits.readable_share * 260, -1):.0f} of 260 tiles" in higher


@pytest.mark.parametrize("tiles", [1, 4, 260, 5_000])
@pytest.mark.parametrize("trips", [20, 500, 20_000])
@pytest.mark.parametrize("max_trips", [None, 1, 10])
def test_nothing_is_said_to_help_that_leaves_nothing_to_read(tiles, trips, max_trips):
    found = worth(plan(max_trips), Facts(trips=trips, users=max(1, trips // 4), tiles=tiles))
    assert all("about" in change.rpartition(": ")[2] for change in found.helps)


def test_nothing_is_said_where_enough_can_be_read():
    large = Facts(trips=3_000_000, users=300_000, tiles=150)
    assert worth(plan(), large).little == ""
    assert worth(plan(), large).helps == ()
    assert worth(plan(weights={"trips_per_hour": 1}), SMALL_TOWN).little == ""


def test_what_cannot_change_is_not_proposed():
    one = worth(plan(None, "10", {"visits_per_tile": 1, "od_flows": 1}), Facts(50, None, 260))
    assert [change.partition(",")[0] for change in one.helps] == ["Take larger tiles or districts"]


def test_where_nothing_was_declared_nobody_is_told_that_it_is_fine():
    for facts in (Facts(None, None, 260), Facts(20_000, None, 260)):
        assert "Declare" in worth(plan(), facts).little
        assert worth(plan(), facts).helps == ()
