"""One definition of what is known, on every page."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpcore.api import studies
from dpcore.estimates import Known, Ranged, known_tiles, known_words, reach
from dpcore.measures import MEASURES
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width
from dpcore.noise.expected_estimates import CERTAIN, FIRST_FLOWS, flows_forecast, visits_forecast
from dpcore.noise.forecast import Facts
from dpcore.privacy import ContributionBound
from dpcore.views.ground.reading import drawn_is_nearer
from tests.cities import synthetic_city
from tests.views.made import measurement

# value, low and high: known to both sides, wider above, wider below, holds 0, rounds to 0, without a range
TILES = Ranged(
    np.array([1000.0, 100.0, 100.0, 8.0, 0.4, 50.0]),
    np.array([750.0, 90.0, 74.0, 0.0, 0.3, math.nan]),
    np.array([1250.0, 126.0, 110.0, 30.0, 0.5, math.nan]),
)


def test_a_tile_is_known_if_neither_side_reaches_beyond_a_quarter():
    assert reach(TILES)[:4] == pytest.approx([0.25, 0.26, 0.26, 2.75])
    assert np.isinf(reach(TILES)[4])
    assert np.isnan(reach(TILES)[5])
    found = known_tiles(TILES)
    assert (found.tiles, found.known, found.open) == (6, 1, 2)
    assert found.visits == pytest.approx(1000 / TILES.values.sum())


def test_what_is_known_is_one_sentence():
    assert known_words(known_tiles(TILES)) == (
        "Of 100 visits, 79 lie in tiles known within 25 %: 1 of 6 tiles; 3 are known less well, 2 nearly empty or hidden by noise."
    )
    nothing = known_tiles(Ranged(np.zeros(2), np.zeros(2), np.full(2, 9.0)))
    assert nothing.visits is None
    assert known_words(nothing) == "No tile of 2 is known within 25 %; 2 are nearly empty or hidden by noise."
    assert (
        known_words(Known(3, 3, 0, 1.0)) == "Of 100 visits, all lie in tiles known within 25 %: 3 of 3 tiles."
    )


@pytest.mark.parametrize("max_trips", [None, 4])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_a_forecast_is_a_range(max_trips, epsilon):
    bound = ContributionBound.per_trip() if max_trips is None else ContributionBound.per_user(max_trips)
    usual = {name: one.weight_at(bound.unit) for name, one in MEASURES.items() if bound.unit in one.usual_at}
    plan = Plan.up_to(
        bound,
        {name: usual[name] for name in ("visits_per_tile", "total_trips") if name in usual},
        Fraction(epsilon),
    )
    found = visits_forecast(plan, Facts(100_000, 9_000, 208))
    assert 0 <= found.tiles[0] <= found.tiles[1] <= 208
    assert 0 <= found.visits[0] <= found.visits[1] <= 1
    if max_trips is None and epsilon == "1":
        assert found.tiles[0] <= 208 / 8 < found.tiles[1], (
            "most tiles may be empty, and the visits are known all the same"
        )
        assert found.visits[0] > 0.8


def test_pages_open_on_drawn_values_where_noise_is_small_against_them():
    by_trip = measurement("visits_per_tile", [900, 300, 0, 2], bound=ContributionBound.per_trip())
    assert by_trip.half_widths == (300, 30, 3)
    assert [drawn_is_nearer(by_trip, rung) for rung in range(3)] == [False, True, True]
    by_person = measurement("visits_per_tile", [900, 300, 0, 2])
    assert not drawn_is_nearer(by_person, -1), "a person's bound leaves trips out"


def flows_of_trips(epsilon: str, bound: ContributionBound | None = None) -> Plan:
    return Plan.up_to(
        bound or ContributionBound.per_trip(), {"visits_per_tile": 4, "od_flows": 1}, Fraction(epsilon)
    )


@pytest.fixture(scope="module", params=[40, 150], ids=lambda tiles: f"{tiles} tiles")
def flows_of_city(request, tmp_path_factory):
    """Facts of a built-in city, and its true flows between two tiles, the largest first."""
    trips, tiles = synthetic_city(tmp_path_factory.mktemp("city"), 40_000, request.param, 7)
    seen = studies.preview(trips, flows_of_trips("1"))
    flows, truth = seen.measurements["od_flows"], seen.truth["od_flows"]
    origin, destination = np.unravel_index(flows.cell_numbers, flows.keys.shape)
    outside = len(tiles.tile_ids)
    between = (origin != destination) & (origin < outside) & (destination < outside)
    return Facts(40_000, 4_000, outside), np.sort(truth[between])[::-1]


@pytest.mark.parametrize("epsilon", ["2", "8"])
def test_the_forecast_of_known_flows_is_right_within_a_factor_of_two(flows_of_city, epsilon):
    facts, truth = flows_of_city
    plan = flows_of_trips(epsilon)
    found, wide = flows_forecast(plan, facts), half_width(plan.rho("od_flows", plan.epsilon))
    known = wide <= CERTAIN * truth
    assert known.sum() / 2 <= found.known <= 2 * known.sum()
    first = known[:FIRST_FLOWS].sum()
    assert first / 2 <= found.first <= 2 * first
    assert str(round(found.known)) in found.words.replace(",", "")


def test_a_forecast_of_flows_rises_with_epsilon_and_with_trips_and_needs_what_is_declared():
    facts = Facts(100_000, 9_000, 208)
    rising = [flows_forecast(flows_of_trips(epsilon), facts).known for epsilon in ("0.1", "1", "5", "20")]
    assert rising == sorted(rising)
    assert rising[0] < 0.5
    assert flows_forecast(flows_of_trips("0.1"), facts).words == "hardly a flow between tiles known"
    more = flows_forecast(flows_of_trips("1"), Facts(1_000_000, 9_000, 208))
    assert more.known > rising[1]
    assert more.first == FIRST_FLOWS
    by_user = flows_of_trips("1", ContributionBound.per_user(4))
    assert flows_forecast(by_user, Facts(100_000, None, 208)) is None
    assert flows_forecast(by_user, facts).known < rising[1]
    assert flows_forecast(flows_of_trips("1"), Facts(None, None, 208)) is None
    assert flows_forecast(flows_of_trips("1"), Facts(100, None, 1)).known == 0
    only = Plan.up_to(ContributionBound.per_trip(), {"visits_per_tile": 1}, Fraction(1))
    assert flows_forecast(only, facts) is None


def test_a_flow_below_the_threshold_of_a_list_is_not_expected():
    """Of 2,000 tiles not all pairs are listed: a flow may be known by its noise and yet be left out."""
    facts = Facts(10**8, None, 2_000)
    few, many = (
        flows_forecast(
            Plan.up_to(
                ContributionBound.per_trip(), {"od_flows": 1}, Fraction(1), false_flows=Fraction(false)
            ),
            facts,
        )
        for false in ("0.001", "1000")
    )
    assert few.known < many.known
