from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from dpcore.api import studies
from dpcore.errors import PrivacyError
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import EXPLORED_WEIGHTS, Plan
from dpcore.noise.accuracy import standard_deviation
from dpcore.noise.bound_choice import common_bound
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.engine.compiled import counting
from dpcore.private.exact import exact_answers
from tests.cities import PLACES, Trip, private

CHOICES = KeyChoices(Period(date(2024, 4, 1), date(2024, 4, 9)))
WEIGHTS = {**EXPLORED_WEIGHTS, "trips_per_user": 2}
BOUNDS = (1, 2, 4, 8)
EPSILON = Fraction(1, 2)


def some_trips():
    """Ten people with one to ten trips, some of them incomplete or outside."""
    places = list(PLACES)
    trips = [
        Trip(
            f"u{user}",
            None if i % 5 == 4 else places[(user + i) % 5],
            places[(2 * user + i) % 5],
            f"2024-04-{1 + i % 9:02} {user:02}:10",
            f"2024-04-{1 + i % 9:02} {user + 1:02}:05",
        )
        for user in range(10)
        for i in range(user + 1)
    ]
    return private(trips)


def table(trips, name, bound):
    measure = measure_named(name, CHOICES)
    answers = exact_answers(bounded(trips, bound), [measure])
    return answers.dense(measure, measure.keys(trips.tile_ids))


def test_bias_noise_and_total_are_those_of_the_tables_counted_one_by_one():
    trips = some_trips()
    study = studies.bound_study(trips, CHOICES, EPSILON, WEIGHTS, BOUNDS)
    share = Plan(ContributionBound.per_user(1), WEIGHTS, (EPSILON,)).share
    assert list(study.errors) == list(EXPLORED_WEIGHTS)  # a histogram of users has no bound
    for name, row in study.errors.items():
        assert tuple(error.max_trips for error in row) == BOUNDS
        for error in row:
            bound = ContributionBound.per_user(error.max_trips)
            lost = table(trips, name, ContributionBound.per_trip()) - table(trips, name, bound)
            rho = share(name) * EPSILON / measure_named(name, CHOICES).sensitivity(bound)
            reach = np.arange(-100_000, 100_001)
            law = np.tanh(float(rho) / 2) * np.exp(-float(rho) * np.abs(reach))
            assert error.bias == pytest.approx(np.abs(lost).mean())
            assert error.noise == pytest.approx((law * np.abs(reach)).sum(), rel=1e-6)
            together = (lost.astype(float) ** 2).mean() + standard_deviation(rho) ** 2
            assert error.total == pytest.approx(np.sqrt(together))


def test_the_share_of_trips_kept_is_exact():
    study = studies.bound_study(some_trips(), CHOICES, EPSILON, WEIGHTS, BOUNDS)
    kept = [sum(min(user + 1, bound) for user in range(10)) for bound in BOUNDS]
    assert study.kept_share == tuple(trips / 55 for trips in kept)


def test_the_best_bound_is_the_least_wrong_one_and_grows_with_epsilon():
    trips = some_trips()
    found = {}
    for epsilon in (Fraction(1, 1000), Fraction(20)):
        study = studies.bound_study(trips, CHOICES, epsilon, {"trips_per_weekday": 1}, BOUNDS)
        row = study.errors["trips_per_weekday"]
        found[epsilon] = study.best("trips_per_weekday")
        assert found[epsilon] == min(row, key=lambda error: error.total).max_trips
        assert common_bound(study.errors) == (found[epsilon], 1.0)
    assert list(found.values()) == [1, 8]


def test_a_second_study_counts_nothing_and_progress_reaches_its_end(monkeypatch):
    trips, told = some_trips(), []
    studies.bound_study(trips, CHOICES, EPSILON, WEIGHTS, BOUNDS, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(set(told)) > len(BOUNDS)
    monkeypatch.setattr(counting, "count_rows", None)
    studies.bound_study(trips, CHOICES, Fraction(3), WEIGHTS, BOUNDS)


def test_a_city_without_trips_has_a_study():
    study = studies.bound_study(private([]), CHOICES, EPSILON, EXPLORED_WEIGHTS)
    assert set(study.kept_share) == {1.0}
    assert all(study.best(name) == 1 for name in EXPLORED_WEIGHTS)


def test_a_study_shows_and_hands_over_nothing():
    study = studies.bound_study(some_trips(), CHOICES, EPSILON, {"od_flows": 1}, BOUNDS)
    assert repr(study) == "<BoundStudy>"
    assert "bias=" not in repr(study.errors["od_flows"])
    with pytest.raises(PrivacyError, match="pickled"):
        study.__reduce_ex__(4)


@pytest.mark.parametrize(
    ("weights", "bounds", "has_users", "words"),
    [
        (EXPLORED_WEIGHTS, (), True, "bounds must rise"),
        (EXPLORED_WEIGHTS, (2, 1), True, "bounds must rise"),
        (EXPLORED_WEIGHTS, (0, 1), True, "contribution bound"),
        ({"trips_per_user": 1}, (1, 2), True, "no measure"),
        (EXPLORED_WEIGHTS, (1, 2), False, "no user column"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_words(weights, bounds, has_users, words):
    with pytest.raises(PrivacyError, match=words):
        studies.bound_study(private([], has_users=has_users), CHOICES, EPSILON, weights, bounds)


def test_users_are_not_counted_where_there_are_none():
    with pytest.raises(PrivacyError, match="no user column"):
        table(private([], has_users=False), "trips_per_user", ContributionBound.per_trip())
