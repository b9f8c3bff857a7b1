"""Joint draws agree with the estimates that they are of, and sums over areas of the built-in city lie within their ranges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from time import process_time

import numpy as np
import pytest

from dpcore import demo
from dpcore.estimates import Estimates, draws, estimate
from dpcore.estimates.places import geography
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measurement import Measurement
from dpcore.noise.forecast import Facts
from dpcore.planning.default_plan import default_plan
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.release.draws import seed_of
from dpcore.release.estimates import rounded_estimates
from tests.cities import synthetic_city
from tests.estimates.made_measurements import OF_NOW, city, grid, measured, plan, with_noise
from tests.estimates.test_accuracy_of_estimates import table

AREAS = 200
VISITS, FLOWS = draws.MEASURES


@dataclass(frozen=True, eq=False)
class Case:
    """A plan on a city, with exact tables of the trips that count and of all trips."""

    plan: object
    tiles: object
    counted: dict[str, np.ndarray]
    everything: dict[str, np.ndarray]
    """At most C trips of each person, as ``total_trips`` counts them: what estimates of all trips are about."""

    def drawn(self, rng) -> tuple[Estimates, dict[str, np.ndarray], dict[str, Measurement]]:
        """Estimates and draws of one more release."""
        noisy = with_noise(self.plan, self.tiles, self.counted, rng)
        found = rounded_estimates(self.plan, estimate(self.plan, noisy, self.tiles, of=draws.MEASURES))
        return (
            found,
            draws.joint_draws(self.plan, noisy, self.tiles, found, seed_of(noisy)),
            noisy,
        )


def case_of(folder, monkeypatch, bound, epsilon="1", trips=60_000, tiles=150, seed=29) -> Case:
    """The default plan on a built-in city; the key of the sample has a seed."""
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(folder / "home"))
    store.write_once(store.folder("keys") / "bounding.key", bytes(16))
    held, places = synthetic_city(folder / "city", trips, tiles, seed)
    asked = default_plan(
        bound, epsilon, places, Facts(trips, trips // 9, tiles), KeyChoices(demo.DEMO_PERIOD)
    )
    asked = replace(asked, rungs=(Fraction(epsilon),))
    whole = bound
    if "total_trips" in asked.weights:
        whole = ContributionBound.per_user(asked.measure("total_trips").sensitivity(bound))
    exact = [exact_answers(bounded(held, side), asked.measures) for side in (bound, whole)]
    return Case(
        asked, places, *({one.name: table(told, one, places) for one in asked.measures} for told in exact)
    )


def areas(tiles, rng):
    """Tiles and their nearest neighbours: 2 to 30 of them."""
    xy = geography(tiles, None).xy
    for _ in range(AREAS):
        away = np.hypot(*(xy - xy[rng.integers(len(xy))]).T)
        yield np.argsort(away, kind="stable")[: rng.integers(2, 31)]


def held(made, truth, some) -> bool:
    low, high = np.quantile(made[some].sum(axis=0), [0.025, 0.975])
    return low <= truth[some].sum() <= high


def shares_held(case, releases, seed=0) -> tuple[float, float]:
    """Of the sums over areas, and of all visits together, how many lie within the middle 95 % of the draws."""
    rng, sums, totals = np.random.default_rng(seed), [], []
    truth = case.everything[VISITS]
    for _ in range(releases):
        made = case.drawn(rng)[1][VISITS]
        sums += [held(made, truth, area) for area in areas(case.tiles, rng)]
        totals.append(held(made, truth, slice(None)))
    return float(np.mean(sums)), float(np.mean(totals))


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as found:
        yield found


@pytest.fixture(scope="module")
def by_trip(tmp_path_factory, patch):
    return case_of(tmp_path_factory.mktemp("trip"), patch, ContributionBound.per_trip())


@pytest.fixture(scope="module")
def by_person(tmp_path_factory, patch):
    return case_of(tmp_path_factory.mktemp("user"), patch, ContributionBound.per_user(4))


def test_sums_over_areas_of_trips_lie_within_the_range_of_the_draws(by_trip):
    sums, totals = shares_held(by_trip, 10)
    assert sums >= 0.93
    assert totals >= 0.8


def test_sums_over_areas_of_all_trips_of_people_lie_within_the_range_of_the_draws(by_person):
    """The error of the share moves all areas of a release together, so more releases are drawn."""
    sums, totals = shares_held(by_person, 40)
    assert sums >= 0.93
    assert totals >= 0.88


@pytest.mark.audit
@pytest.mark.parametrize("epsilon", ["0.3", "1", "3"])
@pytest.mark.parametrize("trips", [None, 2, 4, 8])
def test_sums_over_areas_lie_within_the_range_of_the_draws_in_three_cities(
    trips, epsilon, tmp_path, monkeypatch, capsys
):
    bound = ContributionBound.per_trip() if trips is None else ContributionBound.per_user(trips)
    found = []
    for seed, size, tiles in ((29, 60_000, 150), (5, 60_000, 150), (3, 150_000, 500)):
        case = case_of(tmp_path / str(seed), monkeypatch, bound, epsilon, size, tiles, seed)
        found.append(shares_held(case, 40))
    sums, totals = np.mean(found, axis=0)
    with capsys.disabled():
        print(f"\nM {trips}, epsilon {epsilon}: {sums:.3f} of areas, {totals:.3f} of totals")
    assert sums >= 0.93
    assert totals >= 0.85


def test_sums_without_a_common_draw_of_the_share_would_be_too_sure(by_person):
    found, made, _ = by_person.drawn(np.random.default_rng(1))
    total, sums = found.tables[VISITS].of(all_trips=True), made[VISITS].sum(axis=0)
    apart = np.sqrt(np.sum(((total.high - total.low) / 3.92) ** 2))
    assert found.share.low < found.share.value
    assert np.ptp(np.quantile(sums, [0.025, 0.975])) == pytest.approx(
        sums.mean() * (found.share.high - found.share.low) / found.share.value, rel=0.25
    )
    assert sums.std() > 2 * apart


@pytest.mark.parametrize("which", ["by_trip", "by_person"])
@pytest.mark.parametrize("name", draws.MEASURES)
def test_the_draws_of_a_cell_have_the_mean_and_the_range_of_its_estimate(which, name, request):
    found, made, _ = request.getfixturevalue(which).drawn(np.random.default_rng(2))
    shown = found.tables[name].of(all_trips=True)
    assert made[name].min() >= 0
    assert np.abs(made[name].mean(axis=1) - shown.values).sum() < 0.02 * shown.values.sum()
    low, high = np.quantile(made[name], [0.025, 0.975], axis=1)
    wide = (high - low)[shown.high - shown.low > 10] / (shown.high - shown.low)[shown.high - shown.low > 10]
    assert np.median(wide) == pytest.approx(1, abs=0.05)
    assert np.quantile(wide, 0.1) > 0.8
    assert (high - low).sum() == pytest.approx((shown.high - shown.low).sum(), rel=0.1)


def test_equal_input_gives_equal_draws_and_another_seed_gives_others(by_person):
    found, made, noisy = by_person.drawn(np.random.default_rng(3))
    given = (by_person.plan, noisy, by_person.tiles, found)
    again, other = (draws.joint_draws(*given, seed) for seed in (seed_of(noisy), b"other"))
    for name in draws.MEASURES:
        np.testing.assert_array_equal(again[name], made[name])
        assert (other[name] != made[name]).any()


def test_the_chance_behind_the_draws_never_changes():
    """Bundles are made again by later versions: these orders must stay what they are."""
    found = np.argsort(np.argsort(draws.Chance(b"epsilon").normals(2), axis=1), axis=1)
    assert found[0, :6].tolist() == [85, 73, 32, 7, 54, 8]
    assert found[1, :6].tolist() == [19, 99, 61, 83, 60, 70]


@pytest.mark.parametrize("side", [22, 45])
def test_draws_take_less_than_a_second(side):
    tiles = grid(side)
    asked = plan(OF_NOW, tiles)
    noisy = measured(asked, tiles, city(len(tiles.tile_ids) + 1, 200_000, 0))
    found = rounded_estimates(asked, estimate(asked, noisy, tiles, of=draws.MEASURES))
    start = process_time()
    made = draws.joint_draws(asked, noisy, tiles, found, b"x")
    assert process_time() - start < 2
    assert made[VISITS].shape == (len(tiles.tile_ids) + 1, draws.DRAWS)
