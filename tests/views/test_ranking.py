"""Orders and chances: against the whole law, written out, and against counting."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore.api import studies
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound
from dpcore.views.ground.shown import released_numbers
from dpcore.views.numbers.ranking import (
    assumption,
    chance_above,
    chances_of_top,
    counted_trips,
    expected_larger,
    first_of,
    noise_tail,
    rank_range,
    ranked,
    ranking_chart,
    speaks_of,
)
from dpcore.views.numbers.tile_facts import tile_facts
from dpcore.views.report import report_html
from pages.released.parts import words
from tests.cities import Trip, private
from tests.release.made_releases import made_release
from tests.views.made import measurement

SPAN = 3_000


def law(rate: float):
    """P(V = v) for v from -SPAN to SPAN."""
    q = np.exp(-rate)
    return (1 - q) / (1 + q) * q ** np.abs(np.arange(-SPAN, SPAN + 1))


@pytest.mark.parametrize("rate", [0.02, 0.3, 2.5])
def test_the_chance_of_an_order_is_that_of_the_difference_of_two_noises(rate):
    both = np.convolve(law(rate), law(rate))
    at = np.arange(-2 * SPAN, 2 * SPAN + 1)
    for ahead in (-40, -3, -1, 0, 1, 2, 7, 90):
        wanted = both[at < ahead].sum() + both[at == ahead].sum() / 2
        assert chance_above(ahead, rate) == pytest.approx(wanted, abs=1e-9)


def test_equal_counts_are_a_coin_flip_and_orders_are_opposite():
    assert chance_above(0, Fraction(1, 3)) == pytest.approx(0.5)
    assert chance_above(9, Fraction(1, 3)) + chance_above(-9, Fraction(1, 3)) == pytest.approx(1)


@pytest.mark.parametrize("rate", [0.001, 0.3, 9.0])
def test_many_rivals_are_summed_up_as_one_by_one(rate):
    rng = np.random.default_rng(3)
    rivals = np.round(rng.pareto(1.2, 700) * 50).astype(np.int64) - 20
    truth = np.concatenate([rng.integers(-200, 900, (3, 40)), [[rivals.min(), rivals.max()] * 20]])
    noise, cdf = np.arange(-SPAN, SPAN + 1), np.cumsum(law(rate))
    if rate > 0.01:
        wanted = [
            [cdf[np.clip(rivals - one - 1, noise[0], SPAN) + SPAN].sum() for one in row] for row in truth
        ]
        assert expected_larger(rivals, truth, rate) == pytest.approx(np.array(wanted), abs=1e-6)
    alone = sum(expected_larger(rivals[i : i + 1], truth, rate) for i in range(len(rivals)))
    assert expected_larger(rivals, truth, rate) == pytest.approx(alone, abs=1e-9)
    assert expected_larger(rivals[:0], truth, rate).tolist() == np.zeros(truth.shape).tolist()


def test_the_chance_of_the_top_is_that_of_all_truths_together():
    values, rate, top = np.array([6, 4, 4, 1]), 1.0, 2
    near = law(rate)[SPAN - 14 : SPAN + 15]
    noise = np.stack(np.meshgrid(*[np.arange(29)] * 4), axis=-1).reshape(-1, 4)
    truth = values - (noise - 14)
    larger = (truth[:, None, :] > truth[:, :, None]).sum(axis=2)
    wanted = (near[noise].prod(axis=1)[:, None] * (larger < top)).sum(axis=0)
    found = chances_of_top(values, np.arange(4), Fraction(1), top)
    assert found == pytest.approx(wanted, abs=1 / 800 + 1e-3)


def test_many_weak_rivals_count_as_much_as_one_by_one(monkeypatch):
    values = np.concatenate([np.arange(60, 40, -2), np.arange(500) % 9])
    order, rho = np.arange(10), Fraction(1, 6)
    summed = chances_of_top(values, order, rho, 10)
    monkeypatch.setattr("dpcore.views.numbers.ranking._EXACT", 5)
    fewer = chances_of_top(values, order, rho, 10)
    monkeypatch.setattr("dpcore.views.numbers.ranking._EXACT", 10_000)
    exact = chances_of_top(values, order, rho, 10)
    assert summed == pytest.approx(exact, abs=0.01)
    assert fewer == pytest.approx(exact, abs=0.15)
    assert list(exact) == sorted(exact, reverse=True)


def test_with_no_more_than_ten_all_are_in_the_top():
    assert list(chances_of_top(np.arange(7), np.arange(7), Fraction(1), 10)) == [1.0] * 7


def test_the_tail_of_the_noise_is_met_and_not_one_earlier():
    rate = 0.4
    q = np.exp(-rate)
    for chance in (0.5, 0.2, 0.01, 1e-4):
        t = int(noise_tail(np.array([chance]), rate)[0])
        assert q ** (t + 1) / (1 + q) <= chance + 1e-12
        assert t == 0 or q**t / (1 + q) > chance


def test_a_ranking_is_largest_first_and_its_last_place_may_have_no_next():
    visits = measurement("visits_per_tile", [40, 90, 41, 7])
    first, second, third = ranked(released_numbers(visits, 2), np.arange(3))
    assert [first.value, second.value, third.value] == [90, 41, 40]
    assert first.cell == 1
    assert first.before_next > second.before_next > 0.5
    assert third.before_next is None


def test_the_open_ranks_hold_the_rank_and_close_as_noise_falls():
    values = np.array([10, 50, 51, 52, 90])
    wide, narrow = rank_range(values, 2, Fraction(1, 10)), rank_range(values, 2, Fraction(20))
    assert wide[0] == narrow[0] == 3
    assert wide[1] < 3 < wide[2]
    assert narrow == (3, 3, 3)


def test_rankings_of_a_release_have_names_and_an_axis_that_holds_their_intervals():
    release = made_release(sparse=True)
    rungs = range(len(release.plan.rungs))
    tiles = [first_of(release, "visits_per_tile", rung) for rung in rungs]
    flows = [first_of(release, "od_flows", rung) for rung in rungs]
    for found in (*tiles, *flows):
        assert found.limits[0] == 0
        assert 0 < found.shown.numbers.high[0] <= found.limits[1]
    assert all(" → " in name for name in flows[-1].names)
    od = release.measurements["od_flows"]
    assert len(flows[-1].names) == len(flows[-1].shown.cells) > 1
    for cell, value in zip(flows[-1].shown.cells, flows[-1].shown.numbers.values, strict=True):
        origin, destination = np.unravel_index(cell, od.keys.shape)
        assert origin != destination
        assert value == od.values[-1][np.searchsorted(od.cell_numbers, cell)]
    chart = ranking_chart(flows[0])
    assert (chart.table["bottom"] >= 0).all()
    assert chart.table["low"].tolist() == (flows[0].shown.numbers.values - od.half_widths[0]).tolist()


def test_where_the_bound_turns_an_order_round_the_words_say_which_trips_the_chance_is_about():
    """One busy person makes tile C the first over all trips; at most one trip of each person puts it behind D."""
    busy = [Trip("busy", "C", "C", end=f"2024-04-{day:02} 09:00") for day in range(1, 29)]
    trips = private([*busy, *(Trip(f"u{i}", "D", "D") for i in range(12))])

    def first_tile(bound: ContributionBound) -> tuple[int, float | None]:
        seen = studies.preview(trips, Plan(bound, {"visits_per_tile": 1}, (Fraction(20),)))
        visits = seen.measurements["visits_per_tile"]
        first = ranked(released_numbers(visits, 0), np.arange(4, dtype=np.int64))[0]
        return first.cell, first.before_next

    one, every = ContributionBound.per_user(1), ContributionBound.per_trip()
    assert first_tile(one)[0] == 3  # tile D, over 99 % sure
    assert first_tile(every)[0] == 2  # tile C, over 99 % sure
    assert min(first_tile(one)[1], first_tile(every)[1]) > 0.99
    assert counted_trips(one) == "the trips that count (at most 1 of each person)"
    assert counted_trips(every) == "all trips"
    for bound in (one, every):
        assert counted_trips(bound) in assumption(bound)
        assert "truly" not in words.RANKINGS.format(counted=counted_trips(bound)) + assumption(bound)
    assert ("another one" in speaks_of(one), "another one" in speaks_of(every)) == (True, False)


def test_every_place_with_an_order_says_which_trips_it_is_about():
    for unit, about in (("user", "at most 3 of each person"), ("trip", "all trips")):
        release = made_release(unit=unit)
        assert about in report_html(release)
        assert about in tile_facts(release, 0, 1).rank
