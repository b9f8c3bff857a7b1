"""Which tables are measured, and that their prices add up to epsilon exactly."""

from fractions import Fraction

import pytest

from dpcore.errors import PrivacyError
from dpcore.kinds.roy import workload
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.privacy import ContributionBound
from tests.synthesis.small import domain, plan

EVERYTHING = [
    "start+end", "start+hour+day_type", "date", "band+duration", "start+zip", "zip+gender", "start+month",
]  # fmt: skip


def test_with_everything_the_flows_get_two_fifths_and_the_hours_a_quarter():
    found = plan()
    assert [group.name for group in found.groups] == EVERYTHING
    shares = [found.share(group) for group in found.groups]
    assert [str(share) for share in shares] == ["2/5", "1/4", "1/10", "1/20", "1/10", "1/20", "1/20"]


@pytest.mark.parametrize(
    ("has", "missing"),
    [
        ({"area": False}, {"start+zip", "zip+gender"}),
        ({"person": False}, {"zip+gender"}),
        ({"by_month": False}, {"start+month"}),
        ({"area": False, "person": False, "by_month": False}, {"start+zip", "zip+gender", "start+month"}),
    ],
)
def test_what_the_data_lack_is_not_measured_and_its_share_goes_to_the_others(has, missing):
    found = plan(domain(**has))
    names = {group.name for group in found.groups}
    assert names - {"start+gender"} == set(EVERYTHING) - missing
    assert ("start+gender" in names) == (has.get("area") is False and "person" not in has)
    assert sum(found.share(group) for group in found.groups) == 1


@pytest.mark.parametrize("bound", [ContributionBound.per_trip(), ContributionBound.per_user(7)])
def test_rates_times_sensitivity_add_up_to_epsilon_exactly(bound):
    found = plan(epsilon="0.9", bound=bound)
    assert sum(found.rho(group) * bound.trips for group in found.groups) == Fraction(9, 10)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1), Fraction(21), 0.5, 1])
def test_an_epsilon_out_of_range_or_not_exact_is_refused(epsilon):
    with pytest.raises(PrivacyError, match="epsilon"):
        SynthesisPlan(domain(), ContributionBound.per_trip(), epsilon)


def test_a_table_too_large_to_draw_is_refused(monkeypatch):
    monkeypatch.setattr(workload, "MAX_TABLE_CELLS", 100)
    with pytest.raises(PrivacyError, match=r"144 cells: start\+hour"):
        plan()
