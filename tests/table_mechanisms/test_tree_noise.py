"""The draws of a tree can be made, whatever the data: bounds from public numbers, tried before anything is charged."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.kinds.tree.allocation import threshold, unit_rate
from dpcore.kinds.tree.levels import Levels
from dpcore.kinds.tree.plan import MAX_HEIGHT, TreePlan
from dpcore.kinds.tree.private.drawing import most_visits, must_be_growable
from dpcore.noise.sparse import MAX_FALSE_POSITIVES, _jump_rate
from tests.synthesis.tree.growing import levels_of, planned

RATES = [unit_rate(number) for number in (1, 7, 300, 5_000, 65_536, 1_000_000)]
ETAS = [Fraction(1, 1000), Fraction(3, 10), Fraction(9, 10)]


@pytest.mark.parametrize("eta", ETAS)
@pytest.mark.parametrize("locations", [1, 2, 50, 60_001])
def test_the_visits_of_empty_cells_are_never_more_than_the_bound_at_any_rate(locations, eta):
    plan = planned(Levels.of(tuple(map(str, range(locations))), {}), false_children=eta)
    for rate in RATES:
        one_node = locations * _jump_rate(rate, threshold(rate, locations, eta))
        assert one_node <= most_visits(plan, 1), rate


def test_every_plan_within_the_limits_can_be_grown_to_the_largest_table():
    every = Levels.of(tuple(map(str, range(limits.MAX_TILES + 1))), {})
    for height in (1, MAX_HEIGHT):
        must_be_growable(TreePlan(every, Fraction(20), height))


@pytest.mark.parametrize("nodes", [limits.MAX_SPARSE_CELLS // 2 + 1, 4 * MAX_FALSE_POSITIVES])
def test_what_could_be_refused_while_it_is_drawn_is_refused_before(nodes):
    plan = planned(levels_of(1, 2))
    with pytest.raises(PrivacyError, match="could not be drawn"):
        must_be_growable(plan, nodes)
