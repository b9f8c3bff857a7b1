from fractions import Fraction

import pytest

from dpcore.errors import PrivacyError
from dpcore.measures.plan import EXPLORED_WEIGHTS, Plan
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit, decimal_text, exact_epsilon, noise_rate


def test_an_epsilon_is_the_fraction_its_text_names():
    assert exact_epsilon("0.1") == Fraction(1, 10)
    assert exact_epsilon("10") == 10
    assert exact_epsilon("0.75") == Fraction(3, 4)


@pytest.mark.parametrize(
    "text",
    ["0", "-1", "nan", "inf", "1e-300", "1e9", "", "one", "0.1234567", "1_0", "٣", "21", True, 1.0, None],
)
def test_anything_but_plain_decimal_text_within_limits_is_refused(text):
    with pytest.raises(PrivacyError, match="epsilon"):
        exact_epsilon(text)


@pytest.mark.parametrize("epsilon", RUNGS)
def test_the_text_of_a_rung_names_that_rung(epsilon):
    assert exact_epsilon(decimal_text(epsilon)) == epsilon


@pytest.mark.parametrize("bound", [0, -1, 2.5, "max", True, None, 10_001])
def test_a_bound_is_a_whole_number_that_someone_chose(bound):
    with pytest.raises(PrivacyError, match="bound"):
        ContributionBound.per_user(bound)


def test_trip_level_takes_no_bound():
    assert ContributionBound.per_trip().trips == 1
    with pytest.raises(PrivacyError, match="trip level"):
        ContributionBound(PrivacyUnit.TRIP, 5)


def test_an_unknown_unit_names_the_two_there_are():
    with pytest.raises(PrivacyError, match="user or trip"):
        PrivacyUnit.parse("person")


def test_shares_are_exact_and_add_up_to_one():
    plan = Plan(ContributionBound.per_user(8), EXPLORED_WEIGHTS, RUNGS)
    assert sum(plan.share(name) for name in plan.weights) == 1
    assert plan.share("visits_per_tile") == Fraction(
        EXPLORED_WEIGHTS["visits_per_tile"], sum(EXPLORED_WEIGHTS.values())
    )


@pytest.mark.parametrize("weights", [{}, {"visits_per_tile": 0}, {"visits_per_tile": True}])
def test_a_plan_without_sense_is_refused(weights):
    with pytest.raises(PrivacyError):
        Plan(ContributionBound.per_trip(), weights, RUNGS)


@pytest.mark.parametrize("rungs", [(), (Fraction(2), Fraction(1)), (Fraction(0), Fraction(1))])
def test_rungs_must_rise(rungs):
    with pytest.raises(PrivacyError, match="rise"):
        Plan(ContributionBound.per_trip(), {"od_flows": 1}, rungs)


def test_noise_of_its_rate_costs_a_measure_its_share_of_epsilon_and_a_plan_all_of_it():
    plan = Plan(ContributionBound.per_user(3), {"visits_per_tile": 4, "od_flows": 1}, (Fraction(2),))
    assert noise_rate(Fraction(4, 5), Fraction(2), 6) == Fraction(4, 15)
    each = [
        plan.rho(name, plan.epsilon) * plan.measure(name).sensitivity(plan.bound) for name in plan.weights
    ]
    assert each == [Fraction(8, 5), Fraction(2, 5)]
    assert sum(each) == plan.epsilon
