"""What a released tree of trajectories promises and what it leaves out, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dpcore import limits
from dpcore.kinds.tree.choices import Outside, Source, TreeChoices
from dpcore.kinds.tree.noisy_tree import NoisyTree
from dpcore.kinds.tree.plan import Definition, Strategy, implied_losses, price_of_levels
from dpcore.kinds.tree.tree import Consistency
from dpcore.measures.keys import OUTSIDE
from dpcore.privacy import Loss, PrivacyUnit, epsilon_text
from dpcore.release import statements
from dpcore.release.kinds.synthetic import Synthetic
from dpcore.release.layout import LEVELS, TRAJECTORIES, TREE
from dpcore.release.release import Release

TreeRelease = Release[TreeChoices, Synthetic[NoisyTree]]

EXCLUSION: Final = (
    "The exclusion attack: precise counts of places with a low level also say who was not at a delicate place. If nine of ten "
    "people who left the station are seen in the park, hardly anybody went to the clinic. Every promise that protects some "
    "places less has this weakness. So the levels must come from what the places are, never from data, and the epsilon of each "
    "low level must be defensible by itself. With all places Critical, this is plain differential privacy."
)
"""Bundles and pages both show this."""
MECHANISM: Final = (
    "Trajectories are cut to the height. The tree has a node for each prefix that was kept. Its value is the number of "
    "trajectories that begin with this prefix, plus integer noise V with P(V = v) = (1 - q) / (1 + q) * q^|v| and q = exp(-rate), "
    "the discrete Laplace law. The noise is drawn with exact integer arithmetic from the random numbers of the operating system. "
    "Below a kept node every place is a candidate, visited or not. It is kept if its noisy count reaches a public threshold. $ "
    "counts the trajectories that ended at a node, + those that were cut there. Rates follow from the public levels along the "
    "path alone, never from a count. After Deldar and Abadi (2018, PLDP-TD); definitions, rates and proofs are our own."
)
_STRATEGY: Final = {
    Strategy.UNIFORM: "The budget of Critical is spread evenly along every path, whatever the levels.",
    Strategy.NON_ADAPTIVE: "Each node gets an even share, by position, of the budget of the highest level on its path.",
    Strategy.ADAPTIVE: "Each node gets an even share of what the levels on its path leave for the rest of the path.",
    Strategy.RECORD: "Half of the budget of Critical is spread evenly along the path. The end of the path gets what its level leaves.",
}
_CONSISTENCY: Final = {
    Consistency.NONE: "Estimates are the noisy counts as they are.",
    Consistency.EQUAL: (
        "Estimates make every node the sum of its children (weighted least squares, post-processing). Children that were too "
        "rare to be kept are missing from the sum."
    ),
    Consistency.SLACK: (
        "Estimates are corrected only where the children of a node were more than the node (weighted least squares, "
        "post-processing)."
    ),
}


PARAMETERS: Final = (*statements.PARAMETERS[:-1], "the height", statements.PARAMETERS[-1], "their levels")
"""What an owner chooses for a tree."""


def making(choices: TreeChoices) -> str:
    """What a trajectory is."""
    of = choices.making
    what = (
        "A trajectory is one trip: the tiles from its start to its end"
        if of.source is Source.TRIP
        else "A trajectory is one local day of a person or vehicle: the tiles in order of time"
    )
    noted = (
        "each move to another tile is one visit"
        if of.minutes is None
        else f"the tile is noted every {of.minutes} minutes from the beginning on, so staying in a tile shows"
    )
    outside = {
        Outside.LEAVE_OUT: "Visits outside the tiles are left out.",
        Outside.PLACE: f"Everything outside the tiles is one place, {OUTSIDE}.",
        Outside.END: "A trajectory ends where it leaves the tiles.",
    }[of.outside]
    also = "" if choices.bound.max_trips is None else ", but count towards the bound of their person"
    return (
        f"{what}; {noted}. At most {choices.height} visits of each trajectory count. {outside} Trajectories without a visit are "
        f"left out{also}."
    )


def protects(choices: TreeChoices) -> str:
    """What the privacy unit is, and how much of one unit counts."""
    bound = choices.bound
    if bound.unit is PrivacyUnit.TRIP or choices.making.source is Source.TRIP:
        return statements.protects(bound)
    days = "one day" if bound.trips == 1 else f"{bound.trips} days"
    return (
        f"The privacy unit is a person or vehicle. At most {days} of each count, chosen by a keyed hash from that unit's "
        "own days. A day is one trajectory."
    )


def definition(choices: TreeChoices) -> str:
    """The personalised promise in words."""
    most = choices.bound.trips
    one = "one trajectory" if most == 1 else f"all trajectories of one person (at most {most})"
    if choices.definition is Definition.LOCATION:
        return (
            "Location-PLDP: whether somebody ever went on to a place is hidden to the degree that the public level of that "
            f"place requires. Suppose that {one} ended just before the first visit to the place{_stays(choices)}. Then the probability of "
            f"every result would change by a factor of at most e to the power of the epsilon of its level.{_displaced(choices)}"
        )
    return (
        "Record-PLDP: a trajectory is hidden to the degree that the highest public level on it requires. Had it not been in the data, the "
        "probability of every result would change by a factor of at most e to the power of the epsilon of that level. The "
        f"epsilons below are for {one}.{_displaced(choices)}"
    )


def _stays(choices: TreeChoices) -> str:
    return "" if choices.bound.max_trips is None else " and stayed in the data, even without a visit"


def _displaced(choices: TreeChoices) -> str:
    """For whom the epsilon of a level holds if, under a bound, one trajectory can take the place of another."""
    most = choices.bound.max_trips
    if most is None:
        return ""
    ends = (
        "and for trajectories that end earlier but stay in the data"
        if choices.definition is Definition.LOCATION
        else "and for trajectories that stay in the data without a visit"
    )
    return (
        f" The epsilon of a level holds for the trajectories of people with at most {most} of them, {ends} (over the secret key "
        "that chooses which ones count). If a person has more and a whole trajectory is missing, another one takes its place. That "
        "may show up to the sum of the epsilons of its level and of the lowest level. The epsilon of everything together holds for "
        "everyone."
    )


def by_descriptor(release: TreeRelease) -> tuple[str, ...]:
    """Epsilon of one privacy unit for each level that some place has, then for everything together; a sentence each."""
    choices = release.plan
    levels = price_of_levels(choices.plan(release.tessellation), choices.bound)
    unit = "person" if choices.bound.unit is PrivacyUnit.USER else "trip"
    return (
        *(f"{name}: epsilon {epsilon_text(epsilon)}." for name, epsilon in levels),
        (
            f"Everything that one {unit} adds, at whatever places: epsilon {epsilon_text(choices.loss[0])}. "
            "This is what the ledger charged. The levels do not protect presence in the data any better."
        ),
    )


def implied(release: TreeRelease) -> tuple[str, ...]:
    """How much other changes may show at most, a sentence each."""
    choices = release.plan
    lines = implied_losses(choices.plan(release.tessellation), choices.bound)
    return tuple(f"If {line.change}: epsilon {epsilon_text(line.epsilon)} for {line.whom}." for line in lines)


def mechanism(release: TreeRelease) -> str:
    """How each number of a tree was made."""
    choices = release.plan
    full = release.drawn.tables.places >= limits.MAX_TREE_PLACES
    limit = (
        f"At most {limits.MAX_TREE_PLACES:,} places are kept, and this tree has reached that number. At each depth the largest noisy "
        "counts stay, so a place may be missing although it reached its threshold. "
        if full
        else ""
    )
    return f"{MECHANISM} {_STRATEGY[choices.strategy]} {_CONSISTENCY[choices.consistency]} {limit}There is no delta."


def trajectories(release: TreeRelease) -> str:
    """What the files of trajectories and trips are."""
    extent = release.drawn.tables.writer.extent
    many = (
        ""
        if extent.one_in == 1
        else f" Only one in {extent.one_in:,} is written, so each stands for {extent.one_in:,}."
    )
    said = (
        f"{TRAJECTORIES} holds {extent.trajectories:,} synthetic trajectories, one row a visit. Each path occurs as often as its "
        f"estimate in {TREE} says, rounded, and never where the estimate is negative (this shifts sums upwards). Nothing is drawn. "
        "The column ending says whether a trajectory is complete, was cut at the height, or has an unknown rest, because the rest "
        f"was too rare to be kept. No rest is invented. No trajectory is that of a real person, and there are no times.{many}"
    )
    if release.plan.making.source is Source.DAY:
        return said
    return (
        f"{said} The trips go from the first to the last place of each trajectory, if the last one is known. They all have the "
        "same date, and midnight as their time."
    )


def not_protected(release: TreeRelease) -> Iterator[str]:
    """What the promise leaves out."""
    choices = release.plan
    yield from statements.left_out(
        f"method, tiles, their levels ({LEVELS}), height, dates, bound, epsilon",
        choices.bound,
        Loss(release.plan.loss[0]),
        release.parameters_chosen,
        PARAMETERS,
    )
    most = choices.bound.max_trips
    if most is not None:
        yield (
            f"Hiding a whole trajectory of a person with more than {most} of them to the degree that its level requires. If it is "
            "missing, another one takes its place, which may show up to the sum of the epsilons of its level and of the lowest level."
        )
    yield EXCLUSION
