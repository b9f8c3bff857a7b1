"""Both promises, by brute force: every database of a tiny world, every neighbour, the worst of all outputs.

For one tree shape the probability of an output is a product over the candidates of its kept nodes. So the largest
log ratio of two databases over **all** outputs is a sum of largest ratios, found from the leaves up: a candidate is
dropped, or kept with its worst value and the worst of its subtree. Laws are those of the discrete Laplace noise;
that ``grow`` follows them is tested in tests/private/trajectories/test_growth.py.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache

import numpy as np
import pytest

from dpcore.kinds.tree import allocation
from dpcore.kinds.tree.allocation import threshold, unit_rate, units
from dpcore.kinds.tree.plan import Definition, Strategy, implied_losses, price_of_tree
from dpcore.privacy import ContributionBound
from tests.synthesis.tree.growing import PROMISES, levels_of, planned

REACH = 60  # values so far from every count have the ratio of their neighbours


def counts(database, height):
    """How many trajectories begin with each prefix; end markers are part of it as "$" and "+"."""
    found = Counter()
    for one in database:
        if one:
            path = (*one[:height], "$" if len(one) <= height else "+")
            found.update(path[:size] for size in range(1, len(path) + 1))
    return found


@cache
def ratios(number, count, other, least):
    """Largest log ratio of a kept value, and the log ratio of being dropped (None if it never is)."""
    q = np.exp(-float(unit_rate(number)))
    first = min(count, other) - REACH if least is None else least
    y = np.arange(first, max(count, other, first) + REACH)
    kept = (np.abs(y - other) - np.abs(y - count)).max() * -np.log(q)
    if least is None:
        return kept, None

    def below(c):  # P(c + V < least)
        t = least - c
        return np.log(1 - q**t / (1 + q) if t >= 0 else q ** (1 - t) / (1 + q))

    return kept, below(count) - below(other)


def loss(plan, database, other):
    """The largest log of P(output | database) over P(output | other), over all outputs."""
    mine, theirs = counts(database, plan.height), counts(other, plan.height)
    changed = {path for path in {*mine, *theirs} if mine[path] != theirs[path]}

    def worst(path, budget):
        total, depth = 0.0, len(path) + 1
        ends = [] if not path else ["$"] if depth <= plan.height else ["$", "+"]
        for end in ends:
            if (*path, end) in changed:
                rate = allocation.marker_rate(plan, budget, cut=end == "+")
                total += ratios(units(rate), mine[*path, end], theirs[*path, end], None)[0]
        for tile in range(plan.locations) if depth <= plan.height else ():
            below = (*path, tile)
            if any(one[: len(below)] == below for one in changed):
                level = int(plan.levels.level[tile])
                child = allocation.location_child(plan, budget, depth, level)
                number = units(child.rate)
                least = threshold(unit_rate(number), plan.locations, plan.false_children)
                kept, dropped = ratios(number, mine[below], theirs[below], least)
                total += max(kept + worst(below, child), dropped)
        return total

    return worst((), allocation.root(plan))


def world(height):
    """All trajectories over two tiles of up to one tile more than the height, and small databases of them."""
    one = [path for size in range(1, height + 2) for path in itertools.product((0, 1), repeat=size)]
    return one, [(), *((path,) for path in one[::3]), *itertools.combinations_with_replacement(one[::4], 2)]


def worst_share(plan):
    """The largest loss over what the promise allows, over all databases and neighbours, both ways."""
    trajectories, databases = world(plan.height)
    level = plan.levels.level
    largest = 0.0
    for rest, added in itertools.product(databases, trajectories):
        whole = (*rest, added)
        if plan.definition is Definition.RECORD:
            neighbours = [(rest, max(level[tile] for tile in added))]
        else:
            neighbours = [((*rest, added[: added.index(tile)]), level[tile]) for tile in set(added)]
        for other, highest in neighbours:
            allowed = float(plan.budget(int(highest)))
            largest = max(largest, loss(plan, whole, other) / allowed, loss(plan, other, whole) / allowed)
    return largest


# One level alone is the uniform allocation of another epsilon, which height 2 shows.
WORLDS = [
    (1, (1, 1)),
    (1, (1, 2)),
    (1, (2, 2)),
    (2, (1, 1)),
    (2, (1, 2)),
    (2, (2, 2)),
    (3, (1, 2)),
    (3, (2, 2)),
]


@pytest.mark.parametrize(("height", "numbers"), WORLDS)
@pytest.mark.parametrize(("definition", "strategy"), PROMISES)
def test_no_output_tells_more_than_the_level_allows(definition, strategy, numbers, height):
    share = worst_share(planned(levels_of(*numbers), "1", height, definition, strategy))
    assert share <= 1
    if strategy in {Strategy.ADAPTIVE, Strategy.RECORD} or 2 in numbers:
        assert share > 0.95  # nothing of the budget lies idle either


@pytest.mark.parametrize("height", [2, 3])
def test_a_whole_record_loses_at_most_the_budget_of_its_first_tile(height):
    plan = planned(levels_of(1, 2), "1", height)
    trajectories, databases = world(height)
    shares = [
        loss(plan, (*rest, added), rest) / float(plan.budget(int(plan.levels.level[added[0]])))
        for rest, added in itertools.product(databases[:6], trajectories)
    ]
    assert max(shares) <= 1


def planted_own_level(plan, parent, depth, level):  # noqa: ARG001
    """Budget by the level of the tile alone, as the open text of the paper can be read."""
    rate = plan.budget(level) / plan.positions
    return allocation.NodeBudget(max(parent.level, level), rate, parent.allowance, parent.spent + rate)


def planted_without_the_extra_marker(plan, parent, depth, level):
    """Adaptive, but the `$` of the record that was cut is not paid for."""
    allowance = min(parent.allowance - parent.rate, plan.budget(level))
    rate = (allowance - plan.epsilon / plan.positions) / (plan.height - depth + 1)
    return allocation.NodeBudget(max(parent.level, level), rate, allowance, parent.spent)


def planted_no_room_for_the_marker(plan, parent, depth, level):
    """Adaptive as if trajectories had no end."""
    allowance = min(parent.allowance - parent.rate, plan.budget(level))
    rate = allowance / (plan.height - depth + 1)
    return allocation.NodeBudget(max(parent.level, level), rate, allowance, parent.spent)


@pytest.mark.parametrize(
    ("definition", "strategy", "planted"),
    [
        (Definition.RECORD, Strategy.RECORD, planted_own_level),
        (Definition.LOCATION, Strategy.ADAPTIVE, planted_without_the_extra_marker),
        (Definition.LOCATION, Strategy.ADAPTIVE, planted_no_room_for_the_marker),
    ],
)
def test_planted_allocations_are_caught(monkeypatch, definition, strategy, planted):
    monkeypatch.setattr(allocation, "location_child", planted)
    assert worst_share(planned(levels_of(1, 2), "1", 2, definition, strategy)) > 1.05


def test_markers_as_precise_as_their_prefix_are_caught(monkeypatch):
    monkeypatch.setattr(
        allocation, "marker_rate", lambda plan, parent, **_: plan.budget(parent.level) / plan.positions
    )
    assert worst_share(planned(levels_of(1, 2), "1", 2, strategy=Strategy.NON_ADAPTIVE)) > 1.05


@pytest.mark.parametrize("height", [2, 3])
def test_another_record_in_its_place_loses_up_to_twice_the_epsilon_of_the_whole_record(height):
    plan = planned(levels_of(1, 1, 2), "1", height)
    record = float(price_of_tree(plan, ContributionBound.per_trip()).record)
    lines = {line.change: line.epsilon for line in implied_losses(plan, ContributionBound.per_trip())}
    known = "everything about a person or trip"
    assert float(lines[f"{known} is added or removed"]) == record
    assert float(lines[f"{known} becomes something else (clinic or square?)"]) == 2 * record
    records = [path for path in world(height)[0] if len(path) <= 2] + [
        (2,),
        (2, 0),
        (2, 1),
        (0,) * height,
        (1,) * height,
    ]
    databases = [(), ((0,),), ((0, 1), (2,))]
    there = max(loss(plan, (*rest, one), rest) for rest in databases for one in records)
    did = max(
        loss(plan, (*rest, one), (*rest, other))
        for rest, one, other in itertools.product(databases, records, records)
    )
    assert 0.7 * record < there <= record
    assert record < did <= 2 * record  # so the epsilon of the record alone does not bound what it did


@pytest.mark.parametrize("height", [2, 3])
def test_of_two_places_to_which_one_went_on_both_epsilons_add_up(height):
    """Tile 0 is the station, of the lowest level; 1 is the square, of that level too; 2 is the clinic, Critical."""
    plan = planned(levels_of(1, 1, 2), "1", height)
    critical, low = float(plan.budget(2)), float(plan.budget(1))
    line = (
        "a visit to a {} place is removed from one trajectory or moved to another place, and the rest is kept"
    )
    stated = {one.change: float(one.epsilon) for one in implied_losses(plan, ContributionBound.per_trip())}
    assert stated[line.format("Critical")] == critical + low
    for rest in ([], [(0,)], [(0, 2), (1,)]):
        ended, clinic, square = (*rest, (0,)), (*rest, (0, 2)), (*rest, (0, 1))
        assert max(loss(plan, clinic, ended), loss(plan, ended, clinic)) <= critical
        told = max(loss(plan, clinic, square), loss(plan, square, clinic))
        assert critical < told <= critical + low
