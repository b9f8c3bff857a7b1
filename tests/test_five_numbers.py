"""Five-number summaries: how often their intervals hold the truth, and how good the free ones are."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from dpcore.errors import PrivacyError
from dpcore.measures import GRIDS, measure_named
from dpcore.measures.bins import LEVELS
from dpcore.measures.bought import BoughtQuantiles, sensitivity
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise import accuracy
from dpcore.noise import five_numbers as reading
from dpcore.noise.accuracy import rank_half_width, rank_half_widths
from dpcore.noise.exponential import winner
from dpcore.noise.five_numbers import (
    BOUGHT,
    FREE,
    better,
    bought,
    columns,
    free,
    summaries,
)
from dpcore.noise.mechanisms import measured
from dpcore.privacy import ContributionBound
from dpcore.release.five_numbers import five_numbers
from tests.release.made_releases import made_release

TRIP, USER = ContributionBound.per_trip(), ContributionBound.per_user(4)
MINUTES = "travel_time"


def some_values(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.round(rng.lognormal(2.9, 0.8, n), 2)


def measurement(
    values: np.ndarray, epsilon: Fraction, bound: ContributionBound, name: str = MINUTES, choices=None
) -> Measurement:
    """A real draw on the histogram of some values."""
    plan = Plan(bound, {name: 1}, (epsilon,), choices or KeyChoices())
    measure = plan.measure(name)
    keys, counts = measure.keys(()), binned(values, name, choices)
    return measured(measure, keys, keys.all_cells, counts, plan, origin="release")


def binned(values: np.ndarray, name: str = MINUTES, choices=None) -> np.ndarray:
    keys = measure_named(name, choices or KeyChoices()).keys(())
    edges = [float(edge) for edge in keys.axes[0].ends[:-1]]
    return np.bincount(np.searchsorted(edges, values, side="right"), minlength=keys.size)


def on_grid(values: np.ndarray, name: str = MINUTES) -> np.ndarray:
    points = [float(point) for point in GRIDS[name].points]
    return np.bincount(
        np.maximum(np.searchsorted(points, values, side="right") - 1, 0), minlength=len(points)
    )


def buy(
    values: np.ndarray, epsilon: Fraction, bound: ContributionBound, name: str = MINUTES
) -> BoughtQuantiles:
    """Real draws of the five numbers; ``epsilon`` buys all of them."""
    counts, measure = on_grid(values, name), measure_named(name)
    found = sorted(
        winner(counts, level, sensitivity=sensitivity(measure, bound, level), epsilon=epsilon / 5)
        for level in LEVELS.values()
    )
    texts = {statistic: GRIDS[name].texts[n] for statistic, n in zip(LEVELS, found, strict=True)}
    return BoughtQuantiles(Fraction(2), epsilon / 2, {name: texts})


def truth(values: np.ndarray) -> list[float]:
    return [float(np.quantile(values, level / 20)) for level in LEVELS.values()]


@pytest.mark.parametrize(
    ("n", "epsilon"), [(300, Fraction(1, 2)), (5_000, Fraction(1, 5)), (40, Fraction(1, 10))]
)
def test_free_intervals_hold_the_true_number_in_95_of_100_cases(n, epsilon):
    rng, held, runs = np.random.default_rng(n), 0, 200
    for _ in range(runs):
        values = some_values(rng, n)
        found = free(measurement(values, epsilon, USER), 0)
        held += sum(one.low <= true <= one.high for one, true in zip(found, truth(values), strict=True))
    assert (
        held >= 0.95 * runs * 5 - 25
    )  # the five share their noise: more than three deviations below is no chance


@pytest.mark.parametrize(
    ("n", "whole", "spent"), [(400, Fraction(2), Fraction(1)), (5_000, Fraction(1, 5), Fraction(1, 5))]
)
def test_bought_intervals_hold_the_true_number_in_95_of_100_cases(n, whole, spent):
    rng, held, runs = np.random.default_rng(n), 0, 80
    for _ in range(runs):
        values = some_values(rng, n)
        found = bought(measurement(values, whole, USER), 0, buy(values, spent, USER))
        held += sum(one.low <= true <= one.high for one, true in zip(found, truth(values), strict=True))
    assert held >= 0.95 * runs * 5 - 18


@pytest.mark.parametrize(
    ("n", "whole", "spent"),
    [
        (60, Fraction(1, 2), Fraction(1, 2)),
        (400, Fraction(2), Fraction(1)),
        (3_000, Fraction(4), Fraction(2)),
    ],
)
def test_the_better_of_two_numbers_has_an_interval_that_holds_the_true_one_in_95_of_100_cases(
    n, whole, spent
):
    """The choice looks at noisy numbers, so a plain choice between two intervals of 95 % could hold less often."""
    rng, held, runs = np.random.default_rng(n + 1), 0, 60
    off = {FREE: [], "better": []}
    for _ in range(runs):
        values = some_values(rng, n)
        seen, quantiles, true = measurement(values, whole, USER), buy(values, spent, USER), truth(values)
        found = better(seen, 0, quantiles)
        assert [one.value for one in found] == sorted(one.value for one in found)
        held += sum(one.low <= x <= one.high for one, x in zip(found, true, strict=True))
        for name, numbers in ((FREE, free(seen, 0)), ("better", found)):
            off[name].append([abs(one.value - x) for one, x in zip(numbers, true, strict=True)])
    assert held >= 0.95 * runs * 5 - 15
    typical = {name: np.median(rows, axis=0) for name, rows in off.items()}
    assert (
        typical["better"] <= 2 * typical[FREE] + 0.5
    ).all()  # of 60 and 400, bought ones alone: 4 to 20 times


def test_a_number_that_was_bought_and_is_finer_than_its_bin_is_given():
    values = some_values(np.random.default_rng(4), 200_000)
    seen = measurement(values, Fraction(1), TRIP)
    found = better(seen, 0, buy(values, Fraction(1), TRIP))
    assert {one.method for one in found} == {BOUGHT}
    p95, true = found[-1], truth(values)[-1]
    assert abs(p95.value - true) <= 1 < abs(free(seen, 0)[-1].value - true)


def test_of_two_intervals_the_narrower_wins_and_a_closed_one_before_an_open_one():
    """A bought point far above what the counts say would stretch the interval to itself, or open it."""
    values = np.concatenate([np.full(2_000, 7.0), np.full(2_000, 12.0), np.full(2_000, 17.0)])
    seen = measurement(values, Fraction(2), TRIP)
    wrong = BoughtQuantiles(
        Fraction(2), Fraction(1, 2), {MINUTES: dict.fromkeys(LEVELS, "900") | {"p95": "1440"}}
    )
    found = better(seen, 0, wrong)
    assert {one.method for one in found} == {FREE}
    assert found[2].high <= 20


def test_an_interval_from_half_of_the_noise_is_caught(monkeypatch):
    """Planted: the test above would fail on intervals that forget half of the noise."""
    rng, held = np.random.default_rng(7), 0
    fine = KeyChoices(edges={MINUTES: tuple(str(edge) for edge in range(1, 120))})
    monkeypatch.setattr(
        "dpcore.noise.five_numbers.rank_half_widths",
        lambda *given: tuple(width // 4 - 40 for width in rank_half_widths(*given)),
    )
    for _ in range(60):
        values = some_values(rng, 2_000)
        found = free(measurement(values, Fraction(1, 5), USER, choices=fine), 0)
        held += sum(one.low <= true <= one.high for one, true in zip(found, truth(values), strict=True))
    assert held < 0.85 * 60 * 5


@pytest.mark.parametrize("level", LEVELS.values())
def test_an_edge_that_borrows_a_law_is_never_too_narrow_and_hardly_too_wide(level):
    rho, bins = Fraction(1, 3), 120
    for confidence in (0.95, 0.985):
        widths = rank_half_widths(rho, bins, level, confidence)
        own = [rank_half_width(rho, edge, bins - edge, level, confidence) for edge in range(1, bins)]
        assert len(widths) == bins - 1
        assert all(exact <= width <= 1.12 * exact + 20 for exact, width in zip(own, widths, strict=True))


@pytest.mark.parametrize("count", [0, 3, 100])
def test_however_many_bins_few_laws_are_tabulated(monkeypatch, count):
    """A bundle of anyone may have 500 bins: a law for each edge would take a minute."""
    tabulated = []
    laws = accuracy._rank_tabulated
    monkeypatch.setattr(accuracy, "_rank_tabulated", lambda *given: tabulated.append(given) or laws(*given))
    sums = reading.half_width_of_sum
    monkeypatch.setattr(reading, "half_width_of_sum", lambda *given: tabulated.append(given) or sums(*given))
    rho = Fraction(123 + count, 1000)  # asked for by no other test
    fine = KeyChoices(edges={MINUTES: tuple(str(edge) for edge in range(1, 501))})
    measure = measure_named(MINUTES, fine)
    keys = measure.keys(())
    plan = Plan(USER, {MINUTES: 1}, (rho,), fine)
    even = measured(measure, keys, keys.all_cells, np.full(keys.size, count), plan, origin="release")
    free(even, 0)
    assert 1 <= len(tabulated) <= 50
    points = {"p5": "5", "p25": "20", "p50": "60", "p75": "120", "p95": "480"}
    bought(even, 0, BoughtQuantiles(rho, Fraction(1, 2), {MINUTES: points}))
    assert len(tabulated) <= 150


def test_with_many_values_the_free_number_is_off_by_less_than_a_five_hundredth_of_all_ranks():
    rng = np.random.default_rng(5)
    fine = KeyChoices(edges={MINUTES: tuple(str(edge) for edge in range(1, 120))})
    values = np.sort(some_values(rng, 200_000))
    seen = measurement(values, Fraction(2), TRIP, choices=fine)
    for one, level in zip(free(seen, 0), LEVELS.values(), strict=True):
        assert abs(np.searchsorted(values, one.value) / len(values) - level / 20) < 0.002
        assert one.half_width <= 2


def test_where_no_value_is_left_numbers_lie_within_their_intervals():
    empty = measurement(np.array([]), Fraction(20), TRIP)
    found = free(empty, 0)
    assert all(one.low <= one.value <= one.high for one in found)
    counts = empty.values - 5
    lost = Measurement(**{**{f: getattr(empty, f) for f in empty.__dataclass_fields__}, "values": counts})
    assert all(one.low <= one.value <= one.high for one in free(lost, 0))


def test_open_bins_give_open_intervals_and_public_limits_close_them():
    late = free(measurement(np.full(5_000, 5_000.0), Fraction(5), TRIP), 0)
    assert {(one.value, one.high) for one in late} == {(1440.0, inf)}
    assert {one.half_width for one in late} == {inf}
    early = free(measurement(np.full(5_000, 0.5), Fraction(5), TRIP), 0)
    assert {(one.low, one.high) for one in early} == {(0.0, 5.0)}
    gaps = free(measurement(np.full(5_000, -3.0), Fraction(5), TRIP, "user_time_delta"), 0)
    assert {(one.value, one.low, one.high) for one in gaps} == {(0.0, -inf, 0.0)}
    even = free(measurement(np.full(5_000, 1.0), Fraction(5), TRIP, "mobility_entropy"), 0)
    assert {(one.low, one.high) for one in even} == {(0.9, 1.0)}


def test_of_whole_numbers_the_free_number_is_whole():
    trips = free(measurement(np.full(5_000, 2.0), Fraction(5), TRIP, "trips_per_user"), 0)
    assert {one.value for one in trips} == {2.0}


def test_below_the_rung_at_which_they_were_bought_the_numbers_come_from_the_histogram():
    values = some_values(np.random.default_rng(8), 60_000)
    plan = Plan(TRIP, {MINUTES: 1}, (Fraction(1), Fraction(2)), five_numbers=1)
    measure = plan.measure(MINUTES)
    keys = measure.keys(())
    seen = {MINUTES: measured(measure, keys, keys.all_cells, binned(values), plan, origin="release")}
    quantiles = buy(values, Fraction(1), TRIP)
    methods = [{one.method for one in summaries(seen, quantiles, rung)} for rung in plan.rungs]
    assert methods == [{FREE}, {BOUGHT}]


def test_with_few_values_a_summary_that_was_bought_shows_the_free_numbers():
    values = some_values(np.random.default_rng(9), 80)
    seen = {MINUTES: measurement(values, Fraction(2), USER)}
    found = summaries(seen, buy(values, Fraction(1), USER), Fraction(2))
    assert {one.method for one in found} == {FREE}


def test_a_release_prints_its_summaries_at_each_rung_it_revealed():
    release = made_release(weights={MINUTES: 3, "od_flows": 1}, epsilon="1")
    table = columns(five_numbers(release, Fraction(1, 2)))
    assert list(table) == [*("measure", "statistic", "value", "half_width_95", "low_95", "high_95", "method")]
    assert table["statistic"] == ["p5", "p25", "p50", "p75", "p95"]
    assert set(table["method"]) == {FREE}
    with pytest.raises(PrivacyError, match=r"Choose one of: 0\.1"):
        five_numbers(release, Fraction(4))


def test_other_tables_have_no_quantiles():
    release = made_release(weights={"trips_per_weekday": 1}, epsilon="1")
    assert five_numbers(release) == ()
    with pytest.raises(ValueError, match="histograms"):
        free(release.measurements["trips_per_weekday"], 0)


def test_the_law_of_rank_noise_is_that_of_weighted_sums():
    rng = np.random.default_rng(9)
    for rho, below, above, level in ((Fraction(1), 4, 9, 5), (Fraction(1, 50), 1, 12, 19)):
        q = float(np.exp(-float(rho)))
        noise = rng.geometric(1 - q, (200_000, 13)) - rng.geometric(1 - q, (200_000, 13))
        off = np.abs((20 - level) * noise[:, :below].sum(1) - level * noise[:, below:].sum(1))
        width = rank_half_width(rho, below, above, level)
        assert 0.95 - 0.003 < (off <= width).mean() < 0.965
