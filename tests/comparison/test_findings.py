"""Findings: told only where they hold, in words, and false in at most one of twenty releases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.comparison.findings import Finding, _worst_of, findings
from dpcore.views.numbers.findings import said_of
from tests.comparison.made_pairs import Trips, city, finest, plan_of, released
from tests.release.made_releases import made_release

SEED = 30


def is_true(found: Finding, trips: Trips, lying) -> bool:
    """Whether a finding holds of all trips."""
    visits, hours = trips.visits()[:-1], np.roll(np.bincount(trips.hour, minlength=24), -4)
    if found.kind == "most uneven":
        share = np.sort(visits)[-int(np.ceil(len(visits) / 10)) :].sum() / visits.sum()
        return found.low <= share <= found.high
    if found.kind == "peak":
        hours = np.bincount(trips.hour, minlength=24)
        return int(np.argmax(hours)) in found.cells and found.low <= hours.max() <= found.high
    if found.kind in {"earliest", "latest"}:
        busy = np.flatnonzero(hours > hours.mean())
        return found.low <= busy[0 if found.kind == "earliest" else -1] <= found.high
    if found.measure == "visits_per_tile":
        counts = visits
    else:
        of, many = np.append(lying.of_tiles, len(lying.names)), len(lying.names) + 1
        counts = np.bincount(of[trips.start] * many + of[trips.end], minlength=many**2).reshape(many, many)
        counts[np.diag_indices(many)] = counts[-1] = counts[:, -1] = 0
        counts = counts.ravel()
    return bool(counts[[*found.cells]].max() == counts.max() and found.low <= counts.max() <= found.high)


def even(trips: Trips) -> Trips:
    """The same people, with ends and hours where all places and hours are alike."""
    random, many = np.random.default_rng(SEED), len(trips.tiles.tile_ids)
    start, end = random.integers(0, many, (2, len(trips)))
    return Trips(trips.tiles, trips.person, start, end, random.integers(0, 24, len(trips)))


def told(trips: Trips, epsilon: str, most: int | None, draws: int) -> tuple[float, dict[str, float]]:
    """The share of releases that tell something false, and how often each kind is told."""
    plan, random = finest(plan_of(trips, epsilon, most)), np.random.default_rng(SEED)
    false, kinds = 0, {}
    for _ in range(draws):
        found = findings(released(trips, plan, random))
        false += not all(is_true(one, trips, plan.choices.districts) for one in found)
        for one in found:
            kinds[f"{one.kind} of {one.measure}"] = kinds.get(f"{one.kind} of {one.measure}", 0) + 1 / draws
    return false / draws, kinds


@pytest.mark.parametrize(("epsilon", "most"), [("2", 5), ("5", None)])
def test_what_is_told_of_a_city_holds(epsilon, most):
    false, kinds = told(city(8_000, 40), epsilon, most, 6)
    assert false <= 1 / 3, "more hardly ever; the audit has 200"
    if most is None:
        assert kinds, "of trips something is told"


def test_where_all_places_and_hours_are_alike_nothing_false_is_told():
    assert told(even(city(8_000, 40)), "1", None, 6)[0] <= 1 / 3


def test_the_largest_tile_is_named_and_has_a_range():
    release = made_release(unit="trip", epsilon="10", weights={"visits_per_tile": 1}, title="A city")
    visits = release.measurements["visits_per_tile"]
    drawn = replace(
        visits, values=np.broadcast_to(np.array([90_000, 500, 400, 300, 950_000]), visits.values.shape)
    )
    release = replace(release, drawn=replace(release.drawn, measurements={"visits_per_tile": drawn}))
    (found,) = findings(release)
    assert found.cells == (0,), "what lies outside is no tile"
    assert said_of(release, found) == "The busiest tile is surely A."
    assert 80_000 < found.low < 90_000 < found.high
    two = replace(drawn, values=np.broadcast_to(np.array([90_000, 90_001, 400, 300, 0]), visits.values.shape))
    (found,) = findings(replace(release, drawn=replace(release.drawn, measurements={"visits_per_tile": two})))
    assert found.cells == (1, 0), "noise may have made the second one first"
    assert said_of(release, found) == "The busiest tile is B or A: noise hides which."
    assert found.low < 90_000
    assert found.high > 90_001
    equal = replace(drawn, values=np.broadcast_to(np.array([500, 500, 500, 500, 0]), visits.values.shape))
    assert (
        findings(replace(release, drawn=replace(release.drawn, measurements={"visits_per_tile": equal})))
        == ()
    )


def test_the_day_is_told_between_two_hours():
    release = made_release(unit="trip", epsilon="10", weights={"trips_per_hour": 1})
    hours = release.measurements["trips_per_hour"]
    counts = np.zeros((2, 2, 24))
    counts[0, 0, 7:20] = 50_000
    drawn = replace(hours, values=np.broadcast_to(counts.ravel().astype(np.int64), hours.values.shape))
    found = findings(replace(release, drawn=replace(release.drawn, measurements={"trips_per_hour": drawn})))
    assert [one.kind for one in found] == ["earliest", "latest"], (
        "all hours are alike, so none is the busiest"
    )
    assert "surely begins at 7:00, " in said_of(release, found[0])
    assert "surely begins at 19:00, " in said_of(release, found[1])
    counts[0, 0, [8, 17]] = 90_000
    two = replace(hours, values=np.broadcast_to(counts.ravel().astype(np.int64), hours.values.shape))
    peak, *_ = findings(replace(release, drawn=replace(release.drawn, measurements={"trips_per_hour": two})))
    assert peak.kind == "peak"
    assert (
        said_of(release, peak) == "On weekdays the busiest hour begins at 8:00 or 17:00: noise hides which."
    )


def test_noise_that_hides_everything_tells_nothing():
    assert findings(made_release(epsilon="0.1")) == ()


def test_the_worst_sum_of_noise_is_seldom_worse():
    random, rate = np.random.default_rng(SEED), 0.1
    both = random.geometric(-np.expm1(-rate), (2, 4_000, 40))
    noise = np.sort(both[0] - both[1], axis=1)[:, -4:].sum(axis=1)
    far = _worst_of(4, 40, rate, 0.0, 0.05)
    assert (noise > far).mean() <= 0.05
    assert far <= 3 * np.quantile(noise, 0.95), "and no bound without meaning"


@pytest.mark.audit
@pytest.mark.parametrize("like", [city, lambda *how: even(city(*how))], ids=["city", "even"])
@pytest.mark.parametrize(("epsilon", "most"), [("0.5", 10), ("2", 10), ("0.5", None), ("5", None)])
def test_of_200_releases_at_most_one_in_twenty_tells_something_false(epsilon, most, like, capsys):
    false, kinds = told(like(60_000, 145), epsilon, most, 200)
    with capsys.disabled():
        listed = ", ".join(f"{kind} {often:.2f}" for kind, often in kinds.items())
        print(f"\nM = {most}, epsilon {epsilon}: false {false:.3f}; told: {listed}")
    assert false <= 0.05 + 0.03


def test_of_one_part_nothing_is_told_because_the_level_holds_over_one_table():
    trips = city(200_000)
    plan = finest(plan_of(trips, "5", None))
    whole = released(trips, plan, np.random.default_rng(SEED))
    assert findings(whole)
    assert findings(replace(whole, part={"mode": "bus"})) == ()
