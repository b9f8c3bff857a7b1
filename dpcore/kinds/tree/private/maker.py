"""How trees of trajectories are priced, counted and drawn."""

from __future__ import annotations

from typing import Final

from dpcore.curator.makers import Made, Maker, form_of
from dpcore.curator.pricing import price_in_currency
from dpcore.kinds.tree.choices import Source, TreeChoices
from dpcore.kinds.tree.noisy_tree import NoisyTree
from dpcore.kinds.tree.plan import Strategy
from dpcore.kinds.tree.private.drawing import EXACT_NOISE, must_be_growable
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import TileSequences, sequences_of
from dpcore.kinds.tree.tree import consistent
from dpcore.ledger import Price
from dpcore.ledger.account import amount_text
from dpcore.privacy import PrivacyUnit
from dpcore.private.bounding import bounding_key, must_have_users
from dpcore.private.progress import Progress
from dpcore.private.trips import PrivateTrips
from dpcore.release.kinds.synthetic import Synthetic
from dpcore.tiles import Tessellation


def price_of_tree(choices: TreeChoices, currency: PrivacyUnit) -> Price:
    """The price of a tree; raises like ``must_be_payable``."""
    hides = (
        f"Its noise hides {choices.bound.trips} trajectories of a person, and one trip more or less takes at most one "
        "trajectory away and brings at most one"
    )
    return price_in_currency(choices.bound, currency, choices.loss[0], _steps_of_tree(choices), hides)


def _steps_of_tree(choices: TreeChoices) -> list[str]:
    """How the loss of a whole record follows from the budget of Critical, step by step."""
    bound, record = choices.bound, choices.loss[0]
    one = record / bound.trips
    last = choices.descriptors[-1].name
    steps = [
        f"Tree of trajectories: {last} places have epsilon {amount_text(choices.epsilon)} for one trajectory."
    ]
    if choices.strategy is Strategy.UNIFORM:
        steps.append(
            f"The uniform allocation spends the same on every level: {amount_text(one)} for a whole trajectory."
        )
    elif one == choices.epsilon:
        steps.append(
            f"No place has a lower level, so a whole trajectory loses no more than that: {amount_text(one)}."
        )
    else:
        named = {name for _, name in choices.named}
        lowest = next(descriptor for descriptor in choices.descriptors if descriptor.name in named)
        steps.append(
            f"A whole trajectory can lose the budget of the lowest level that a place has, {lowest.name} of weight "
            f"{lowest.weight}: {amount_text(choices.epsilon)} / ({lowest.weight}) = {amount_text(one)}."
        )
    if bound.max_trips is not None:
        what = "days" if choices.making.source is Source.DAY else "trips"
        steps.append(
            f"At most {bound.trips} {what} of a person count, each of them a trajectory: {amount_text(one)} x {bound.trips} = "
            f"{amount_text(record)} for each person."
        )
    return steps


def _check_tree(trips: PrivateTrips, tiles: Tessellation, choices: TreeChoices) -> None:
    must_have_users(trips, choices.bound)
    must_be_growable(choices.plan(tiles))


def _count_tree(
    trips: PrivateTrips, tiles: Tessellation, choices: TreeChoices, progress: Progress | None
) -> TileSequences:
    sequences = sequences_of(trips, tiles, choices, bounding_key())
    sequences.check(choices.plan(tiles).locations)
    return sequences


def _draw_tree(
    counted: TileSequences, choices: TreeChoices, trips: PrivateTrips, tiles: Tessellation
) -> Made:
    plan = choices.plan(tiles)
    tree = NoisyTree(plan, consistent(grow(counted, plan, EXACT_NOISE), choices.consistency), "release")
    return Made(choices, Synthetic(tree, 0, form_of(trips)))  # its trajectories need no seed


MAKER: Final = Maker(price_of_tree, _check_tree, _count_tree, _draw_tree)
