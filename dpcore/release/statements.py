"""What a release promises and what it leaves out, in sentences that its manifest and its README share.

A reader compares a README of its own version byte by byte (``manifest.must_be_the_readme``), so other words need a new version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from dpcore.estimates import Estimates, why_as_drawn, words
from dpcore.estimates.draws import MEASURES
from dpcore.estimates.estimate import GAPS
from dpcore.measures import measure_named
from dpcore.measures.bought import BoughtQuantiles
from dpcore.measures.choices import USUAL_MOST_TRIPS, WINDOWS, KeyChoices
from dpcore.measures.keys import Step
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import USUAL_FALSE_FLOWS
from dpcore.noise.expected_estimates import TOTAL
from dpcore.privacy import EXAMPLE_TRIPS, ContributionBound, Loss, PrivacyUnit, Promise, decimal_text
from dpcore.release.estimates import FLOWS
from dpcore.release.release import Chosen, Release

RELATION: Final = "add/remove one privacy unit"
"""The neighbouring relation: two data sets are neighbours if one has one privacy unit more."""

NEGATIVE: Final = (
    "Values may be negative: noise lowers a count as often as it raises it, even the count of a place that nobody visited. "
    "Negative values are kept, because setting them to zero would raise every total. Read a negative value as about "
    "zero, and add values up as they stand."
)
HALF_WIDTH: Final = (
    "half_width_95 is the 95 % half width of the noise of one cell: in at least 95 of 100 cells that are named beforehand, the "
    "count lies between value - half_width_95 and value + half_width_95. A cell that is picked because its value is large, "
    "such as the top of a ranking, was raised by noise more often than lowered. The half width is about noise alone: it does "
    "not cover the trips that the contribution bound leaves out."
)
MECHANISM: Final = (
    "Every value of a table of counts is a count plus integer noise V with P(V = v) = (1 - q) / (1 + q) * q^|v| and "
    "q = exp(-epsilon / sensitivity): the discrete Laplace law, with the epsilon of the measure at that rung. The "
    "noise is drawn with exact integer arithmetic from the random numbers of the operating system. The rungs of one "
    "value form a ladder: a coarser rung is the finer one plus further, independent noise. So all rungs together cost the "
    "epsilon of the highest one. The measures share the total epsilon by their weights, and their costs add up (sequential "
    "composition). There is no delta: the guarantee is pure differential privacy."
)

QUANTILES: Final = (
    "is bought by the exponential mechanism (permute-and-flip). The score of a point of a public grid is minus the number of "
    "ranks by which it misses the quantile. Exponential noise of mean 2 x (most that one privacy unit changes a score) / epsilon "
    "is added to each score, and the point with the largest sum wins. OpenDP draws this noise. Its mean is a floating-point "
    "number that is rounded up, so the noise is never too small. Candidates are never values of the data. Numbers that came "
    "out in the wrong order were sorted, never drawn again. They were drawn once, when the release was first published, and "
    "belong to its epsilon then. They have no rungs. Raising the release does not draw them again, although its price counts "
    "their share."
)

PARAMETERS: Final = ("Epsilon", "the contribution bound", "the tiles")
"""What an owner chooses for every release."""
_CHOSEN: Final[Mapping[Chosen, tuple[str, str]]] = MappingProxyType(
    {
        "before_data": ("and", "were chosen before anyone looked at the data."),
        "after_preview": (
            "or",
            (
                "were chosen after the owner had looked at a preview of the data. That choice may itself tell something "
                "about the data, and no accounting covers it."
            ),
        ),
        "paid": (
            "or",
            "were chosen with the help of a noisy answer that was paid for from the same account.",
        ),
    }
)


def mechanism(release: Release) -> str:
    """How each number of a release of tables was made."""
    said = [MECHANISM]
    if release.five_numbers is not None:
        said.append(
            f"Five-number summaries of {_list(release.five_numbers)}: each number (5, 25, 50, 75 or 95 % of all values lie below "
            f"it) {QUANTILES} Each cost epsilon {decimal_text(release.five_numbers.epsilon_of_one)}."
        )
    if release.ranges is not None:
        said.append(
            f"The bins of {_list(release.ranges)} follow from a range that was bought: each end of the range (95 % of all "
            f"values lie below the upper end, 5 % below a lower end) {QUANTILES} Each cost epsilon "
            f"{decimal_text(release.ranges.epsilon_of_one)}. The bins are round numbers, computed from these ends alone."
        )
    return " ".join(said)


def _list(bought: BoughtQuantiles) -> str:
    return ", ".join(measure_named(name).title for name in sorted(bought.values))


def protects(bound: ContributionBound) -> str:
    """What the privacy unit is, and how much of one unit counts."""
    if bound.unit is PrivacyUnit.TRIP:
        return (
            "The privacy unit is one trip: whether any single trip is in the data is hidden. All trips count. A person "
            "with several trips is protected less."
        )
    trips = "one trip" if bound.max_trips == 1 else f"{bound.max_trips} trips"
    return (
        f"The privacy unit is a person: everything that one person did is hidden. Where trips are counted, at most {trips} "
        "of each person count, chosen by a keyed hash from that person's own trips. Where people are counted, each "
        "person counts once."
    )


def promise(promised: Promise) -> str:
    """The guarantee as a bound on what can be learned: about presence, and about what somebody did."""
    about = "one trip" if promised.by_trip else "one person"
    return (
        f"Anyone who sees all of this release, whatever else they know, can learn only so much about {about}. "
        f"{promised.words} In exact terms: {promised.exact}"
    )


def choice_sentence(parameters_chosen: Chosen, parameters: Sequence[str] = PARAMETERS) -> str:
    """When the parameters were chosen, and what follows from that; ``parameters`` names two or more of them."""
    joined, rest = _CHOSEN[parameters_chosen]
    return f"{', '.join(parameters[:-1])} {joined} {parameters[-1]} {rest}"


def chosen_for(release: Release) -> str:
    """The same of a release of tables. Nobody chose a raised epsilon before an earlier release was published."""
    if release.raised_from is None or release.parameters_chosen != "before_data":
        return choice_sentence(release.parameters_chosen)
    said = choice_sentence(release.parameters_chosen, ("The first epsilon", *PARAMETERS[1:]))
    return f"{said} Epsilon was raised later, when an earlier release had been published."


def _lists_all_flows(release: Release) -> bool:
    """Whether the table of flows lists every pair of tiles. The release says so itself, whatever limit holds today."""
    flows = release.measurements.get(FLOWS)
    return flows is not None and flows.cells is None


def on_estimates(release: Release, estimates: Estimates) -> tuple[str, ...]:
    """Which share of the trips counts, what the estimates are, and what their ranges mean; the doubt first where there is one."""
    stated = release.drawn.stated
    if stated is not None and not stated.computed:
        return (words.NOT_COMPUTED,)
    plan, share, said = release.plan, estimates.share, []
    if share is None:
        why = words.NO_SHARE if TOTAL in plan.weights else words.NO_TOTAL
        said.append(words.NO_SHARE_OF_PARTS if plan.choices.splits else why)
    else:
        said += words.assumption(share)
        if plan.bound.unit is PrivacyUnit.USER:
            said.append(words.most_words(plan.choices.most_trips or USUAL_MOST_TRIPS))
    if {*estimates.tables} != {*estimates.as_drawn}:
        said += [words.HOW, words.LIKELY_MEANS]
    if FLOWS in estimates.tables and not _lists_all_flows(release):
        said.append(words.MODELLED)
    if GAPS in estimates.tables and share is not None and share.low < 1:
        said.append(words.GAPS)
    said += [f"{measure_named(name).title}: {why_as_drawn(plan, name)}" for name in estimates.as_drawn]
    if stated is not None and stated.draws is not None:
        held, why = stated.draws.tables, stated.draws.why_none
        said.append(words.WHY_NOT_DRAWN[why] if why else words.DRAWN)
        lacking = [name for name in MEASURES if held and name in plan.weights and name not in held]
        said += [f"{measure_named(name).title}: {words.NOT_DRAWN_TOO}" for name in lacking]
    return tuple(said)


def absent(measurement: Measurement) -> str:
    """What it means that a sparse table does not list a key."""
    if measurement.threshold is None or measurement.listed_at is None:
        raise ValueError("all keys of this measurement are listed")
    return (
        f"A key that is not listed had a noisy value below {measurement.threshold:,} at the total epsilon "
        f"{decimal_text(measurement.listed_at)}, at which the list was decided. That never means zero "
        f"{measurement.counts}. Of all {measurement.keys.size:,} keys of the table, {_by_chance(measurement)}."
    )


def _by_chance(measurement: Measurement) -> str:
    """How many listed keys are expected to be false positives."""
    if measurement.expected_false == USUAL_FALSE_FLOWS:
        return "about one whose count is zero is listed by chance"
    return (
        f"at most about {Decimal(decimal_text(measurement.expected_false)):,f} whose count is zero are listed by chance: the owner "
        "chose this number beforehand, and the threshold follows from it"
    )


def not_protected(release: Release) -> tuple[str, ...]:
    """What the promise of a release of tables leaves out, an entry each."""
    return left_out(
        "measures, weights, tiles, period, bound, epsilon",
        release.plan.bound,
        Loss(release.plan.epsilon),
        release.parameters_chosen,
    )


def left_out(
    facts: str,
    bound: ContributionBound,
    loss: Loss,
    parameters_chosen: Chosen,
    parameters: Sequence[str] = PARAMETERS,
) -> tuple[str, ...]:
    """What a promise leaves out, an entry each. ``loss`` is that of one unit added or removed.

    ``facts`` lists public facts of the plan; ``parameters`` as in ``chosen``.
    """
    said = [
        (
            "That this data set exists, what its owner says about it, and everything this manifest says about the plan: "
            f"{facts}."
        )
    ]
    if parameters_chosen == "after_preview":
        said.append("The choice of the parameters: " + choice_sentence(parameters_chosen, parameters))
    if bound.unit is PrivacyUnit.TRIP:
        said.append(
            "A person with many trips: the protection weakens with every trip of that person. "
            + (
                f"With {EXAMPLE_TRIPS} trips it is that of {loss.times(EXAMPLE_TRIPS).text}."
                if loss.void_from is None
                else f"From {loss.void_from} trips on, nothing is promised to that person, because delta has grown to 1."
            )
        )
    said += [
        (
            "Facts about the population, which hold with or without your trips. For example, anyone can learn that a road is busy "
            "at eight, and that may concern you."
        ),
        "People who travel together: the trips of a family or a group may stand out where those of one person do not.",
        (
            "That a release was refused or failed. Whoever waits for the release can see a refusal because of the data, such as a "
            "bad record, and epsilon does not cover it."
        ),
        (
            "Other data sets and other releases. Each makes its own promise, and the epsilons of those that hold the same people "
            "add up."
        ),
    ]
    return tuple(said)


def own_keys(release: Release) -> tuple[str, ...]:
    """Keys of the tables that differ from the usual ones, a sentence each: the owner chose or bought them."""
    choices: KeyChoices = release.plan.choices
    bought = release.ranges.values if release.ranges is not None else {}
    found = []
    if choices.step is not Step.DAY:
        found.append(f"One count of the series over dates covers a {choices.step.value}.")
    if choices.windows != WINDOWS:
        found.append(f"Time windows begin at {', '.join(str(hour) for hour in choices.windows)} o'clock.")
    found += [
        f"The owner chose the bins of {name}: {', '.join(edges)}."
        for name, edges in choices.edges.items()
        if name not in bought
    ]
    if release.ranges is not None:
        found += [
            f"The bins of {name} follow from a range that was bought with epsilon "
            f"{decimal_text(len(ends) * release.ranges.epsilon_of_one)} ({_ends(ends)}): "
            f"{', '.join(choices.bins(name).edges)}."
            for name, ends in sorted(bought.items())
        ]
    if choices.visits_cap is not None:
        found.append(
            f"Visits count both ends of a trip and the tiles that it passes between them, at most {choices.visits_cap} visits of "
            "one trip."
        )
    return tuple(found)


def _ends(ends: Mapping[str, str]) -> str:
    """How many per cent of all values lie below each end of a range."""
    return ", ".join(f"{name.removeprefix('p')} % below {value}" for name, value in ends.items())
