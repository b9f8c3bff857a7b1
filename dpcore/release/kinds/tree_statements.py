"""What a released tree of trajectories promises and what it does not, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dpcore import limits
from dpcore.measures.keys import OUTSIDE
from dpcore.privacy import PrivacyUnit
from dpcore.release import statements
from dpcore.release.kinds.synthetic import Synthetic
from dpcore.release.layout import LEVELS, TRAJECTORIES, TREE
from dpcore.release.release import Release
from dpcore.synthesis.tree.choices import Outside, Source, TreeChoices
from dpcore.synthesis.tree.noisy_tree import NoisyTree
from dpcore.synthesis.tree.plan import Definition, Strategy, epsilon_text, implied_losses, price_of_levels
from dpcore.synthesis.tree.tree import Consistency

TreeRelease = Release[TreeChoices, Synthetic[NoisyTree]]

EXCLUSION: Final = (
    "The exclusion attack: sharp counts of places of a low level also say who was not at a delicate one. If nine of ten "
    "people who left the station are seen in the park, hardly anybody went to the clinic. Every promise that protects some "
    "places less has this weakness. So the levels must come from what places are, never from data, and the epsilon of each "
    "low level must be one that can be defended alone. With all places Critical it is plain differential privacy."
)
"""Of a bundle and of the pages alike."""
MECHANISM: Final = (
    "Trajectories are cut to the height. The tree has a node for each way to begin that was kept: its value is the number of "
    "trajectories that begin so plus integer noise V with P(V = v) = (1 - q) / (1 + q) * q^|v| and q = exp(-rate), the "
    "discrete Laplace law, drawn with exact integer arithmetic from the random numbers of the operating system. Every place, "
    "visited or not, is a candidate below a kept node; it is kept if its noisy count reaches a public threshold. $ counts "
    "the trajectories that ended at a node, + those that were cut there. Rates follow from the public levels along the path "
    "alone, never from a count. After Deldar and Abadi (2018, PLDP-TD); definitions, rates and proofs are our own."
)
_STRATEGY: Final = {
    Strategy.UNIFORM: "The budget of Critical is laid evenly along every path, whatever the levels.",
    Strategy.NON_ADAPTIVE: "Each node has the budget of the highest level on its path, evenly by position.",
    Strategy.ADAPTIVE: "Each node has an even share of what the levels on its path leave for the rest of it.",
    Strategy.RECORD: "Half of the budget of Critical is laid evenly along the path; its end gets the rest that its level allows.",
}
_CONSISTENCY: Final = {
    Consistency.NONE: "Estimates are the noisy counts as they are.",
    Consistency.EQUAL: (
        "Estimates make every node the sum of its children (weighted least squares): post-processing. Children that "
        "were too rare to be kept are missing from such a sum."
    ),
    Consistency.SLACK: (
        "Estimates are mended only where children were more than their node (weighted least squares): post-processing."
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
        else f"the tile is noted every {of.minutes} minutes from its beginning on, so staying shows"
    )
    outside = {
        Outside.LEAVE_OUT: "What lies in no tile is left out.",
        Outside.PLACE: f"What lies in no tile is a place of its own, {OUTSIDE}.",
        Outside.END: "It ends where it leaves the tiles.",
    }[of.outside]
    also = (
        "" if choices.bound.max_trips is None else ", but take their place among those of a person that count"
    )
    return f"{what}; {noted}. At most {choices.height} visits of each count. {outside} Those without a visit are left out{also}."


def protects(choices: TreeChoices) -> str:
    """What is hidden, and how much of one unit counts."""
    bound = choices.bound
    if bound.unit is PrivacyUnit.TRIP or choices.making.source is Source.TRIP:
        return statements.protects(bound)
    days = "one day" if bound.trips == 1 else f"{bound.trips} days"
    return (
        f"The privacy unit is a person or vehicle. At most {days} of each count, chosen by a keyed hash from that unit's "
        "own days; a day is one trajectory."
    )


def definition(choices: TreeChoices) -> str:
    """The personalised promise in words."""
    most = choices.bound.trips
    one = "one trajectory" if most == 1 else f"all trajectories of one person (at most {most})"
    if choices.definition is Definition.LOCATION:
        return (
            "Location-PLDP: whether somebody ever went on to a place is hidden as well as the public level of that place "
            f"asks. If {one} ended just before the first visit to it instead{_stays(choices)}, the probability of every "
            f"result would change by a factor of at most e to the power of the epsilon of its level.{_displaced(choices)}"
        )
    return (
        "Record-PLDP: a trajectory is hidden as well as the highest public level on it asks. If it had not been in the data, "
        "the probability of every result would change by a factor of at most e to the power of the epsilon of that level. The "
        f"epsilons below are for {one}.{_displaced(choices)}"
    )


def _stays(choices: TreeChoices) -> str:
    return "" if choices.bound.max_trips is None else " and stayed in the data, be it without a visit"


def _displaced(choices: TreeChoices) -> str:
    """For whom the epsilon of a level holds, where a bound lets one trajectory take the place of another."""
    most = choices.bound.max_trips
    if most is None:
        return ""
    ends = (
        "or one that ends earlier but stays in the data"
        if choices.definition is Definition.LOCATION
        else "or one that stays in the data without a visit"
    )
    return (
        f" The epsilon of a level holds for the trajectories of people with at most {most} of them, {ends} (over the secret "
        "key that chooses which count). Where a whole trajectory is missing from the data of a person with more, another one "
        "takes its place: that may show up to the epsilon of the level and that of the lowest level together. The epsilon of "
        "everything holds for everyone."
    )


def by_descriptor(release: TreeRelease) -> tuple[str, ...]:
    """Epsilon of each level that a place has, for one privacy unit, a sentence each; then that of everything together."""
    choices = release.plan
    levels = price_of_levels(choices.plan(release.tessellation), choices.bound)
    unit = "person" if choices.bound.unit is PrivacyUnit.USER else "trip"
    return (
        *(f"{name}: epsilon {epsilon_text(epsilon)}." for name, epsilon in levels),
        (
            f"Everything that one {unit} adds, wherever it was: epsilon {epsilon_text(choices.loss[0])}. "
            "This is what the ledger was charged for; the levels do not protect the presence itself better."
        ),
    )


def implied(release: TreeRelease) -> tuple[str, ...]:
    """What other changes may show at most, one sentence each."""
    choices = release.plan
    lines = implied_losses(choices.plan(release.tessellation), choices.bound)
    return tuple(f"If {line.change}: epsilon {epsilon_text(line.epsilon)} for {line.whom}." for line in lines)


def mechanism(release: TreeRelease) -> str:
    """How every number came about."""
    choices = release.plan
    full = release.drawn.tables.places >= limits.MAX_TREE_PLACES
    limit = (
        f"At most {limits.MAX_TREE_PLACES:,} places are kept, and this tree has reached that: of those at one depth the "
        "largest noisy counts live on, so a place may be missing that passed. "
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
        else f" Only one in {extent.one_in:,} is written, so each stands for so many."
    )
    said = (
        f"{TRAJECTORIES} holds {extent.trajectories:,} synthetic trajectories, one row a visit: as many of each path as its "
        f"estimate in {TREE} says, rounded, with negative ones as 0 (which shifts sums upwards). Nothing is drawn. ending says "
        "whether a trajectory is complete, was cut at the height, or has an unknown rest, because that was too rare to be "
        f"kept; no rest is invented. No trajectory is one of anybody, and there are no times.{many}"
    )
    if release.plan.making.source is Source.DAY:
        return said
    return (
        f"{said} The trips have the first and the last place of each, the last one where it is known; they all stand on "
        "the same day at midnight."
    )


def not_protected(release: TreeRelease) -> Iterator[str]:
    """What the promise leaves out."""
    choices = release.plan
    yield from statements.left_out(
        f"method, tiles, their levels ({LEVELS}), height, dates, bound, epsilon",
        choices.bound,
        release.plan.loss[0],
        release.parameters_chosen,
        PARAMETERS,
    )
    most = choices.bound.max_trips
    if most is not None:
        yield (
            f"A whole trajectory of a person with more than {most} of them as well as its level asks: where it is missing, "
            "another one takes its place, which may show up to the epsilon of its level and that of the lowest level together."
        )
    yield EXCLUSION
