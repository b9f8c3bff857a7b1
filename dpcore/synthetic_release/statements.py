"""What a synthetic release promises and what it does not, in sentences that its manifest and its README share."""

from __future__ import annotations

from typing import Final

from dpcore import limits
from dpcore.privacy import Promise, at_most_text, delta_text
from dpcore.release import statements
from dpcore.synthesis.choices import SynthesisChoices
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthesis.stability.plan import Combination, Neighbours, StabilityHistogram
from dpcore.synthesis.stability.totals import person_table, totals
from dpcore.synthesis.workload import NoisyTables
from dpcore.synthetic_release import tree_statements
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.trips import NO_DATE, ends_of, sources_of_trips
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree

_NOISE: Final = (
    "a count plus integer noise V with P(V = v) = (1 - q) / (1 + q) * q^|v| and q = exp(-rate): the discrete Laplace law. "
    "The noise is drawn with exact integer arithmetic from the random numbers of the operating system."
)
_ROY: Final = (
    f"Every cell of every table, occupied or not, is {_NOISE} The rate is the share of epsilon over the most trips that one "
    "privacy unit has; the shares add up to epsilon (sequential composition). Trips are drawn from the law that the noisy "
    "tables tell, by a seeded generator whose seed is in the manifest: that looks at no data, costs nothing, and tells "
    "nothing beyond the tables (post-processing). After Roy, Kantarcioglu and Sweeney (2016), with public lists of "
    "everything and noise on all cells."
)
_STABILITY: Final = (
    f"Each value is {_NOISE} Only keys that occur get noise, and only noisy counts from a threshold on are shown "
    "(stability-based histogram). A key that is not listed was noisy below its threshold, which never means zero. That a key "
    "is listed says that it occurs; delta bounds the probability that this happens to a key of one privacy unit alone."
)
_LOST_ROY: Final = (
    "Trips follow the tables and nothing else: which trips one person makes, a station that is busy on one date only, "
    "routes that exist at certain hours only, and ways between start and end are not kept. No trip is a trip of anybody."
)


def mechanism(release: SyntheticRelease) -> str:
    """How every number came about."""
    if isinstance(release.tables, NoisyTree):
        return tree_statements.mechanism(release)
    return _ROY if isinstance(release.tables, NoisyTables) else _STABILITY


def protects(release: SyntheticRelease) -> str:
    """What is hidden, and how much of one unit counts."""
    if isinstance(release.choices, TreeChoices):
        return tree_statements.protects(release.choices)
    return statements.protects(release.choices.bound)


def promise(release: SyntheticRelease) -> str:
    """The guarantee, worded as a bound: of presence, and of what somebody did."""
    return statements.promise(promise_of(release.choices))


def promise_of(choices: SynthesisChoices) -> Promise:
    """What all of a synthetic release promises to one privacy unit; large counts in the relation that they name."""
    if isinstance(choices, StabilityChoices) and choices.variant.neighbours is Neighbours.REPLACE_ONE:
        return Promise.of_replacing(choices.bound, choices.epsilon, choices.delta)
    return Promise.of(choices.bound, *choices.loss)


def shown_rows(release: SyntheticRelease) -> tuple[str, ...]:
    """How much a release of large counts shows, in words; nothing for the other kinds."""
    if not isinstance(release.tables, StabilityHistogram):
        return ()
    large = release.tables.large
    rows = sum(len(one.counts) for one in large.values())
    tables = f"{len(large):,} {'tables' if len(large) > 1 else 'table'}"
    if rows:
        return (
            f"{rows:,} {'rows' if rows > 1 else 'row'} of {tables} reached the threshold, and all others are left out",
        )
    nothing = (
        f"0 rows of {tables} reached the threshold, so nothing is shown; it was charged all the same: look at a draw on the "
        "Synthesize page first, and choose longer bins, no dates or a higher epsilon"
    )
    return (nothing,)


def trips(release: SyntheticRelease) -> str:
    """What the file of trips is, and that of trajectories."""
    if isinstance(release.tables, NoisyTree):
        return tree_statements.trajectories(release)
    capped = f"At most {limits.MAX_SYNTHETIC_TRIPS:,} rows are written."
    where = (
        "Places are tiles; coordinates are those of a point inside the tile that is the same for all trips, so distances are "
        "no finer than the tiles."
        if release.form == "points"
        else "Places are tiles."
    )
    if isinstance(release.tables, NoisyTables):
        return f"Drawn from the noisy tables, about as many as they count. {_LOST_ROY} {where} {capped}"
    plan = release.tables.plan
    sources = sources_of_trips(plan)
    day = "" if plan.partition_by else f" No dates were released: all stand on {NO_DATE.isoformat()}."
    return (
        f"The rows of {' and of '.join(one.name for one in sources)}, each as often as its noisy count says: "
        f"{_ends(sources)}. {_clock(sources)}{day} Rows without any time stand in the tables alone. {where} {capped}"
    )


def _ends(sources: tuple[Combination, ...]) -> str:
    """What one row tells of a trip."""
    if len(sources) > 1:
        return (
            "starts and ends were counted apart, so a row tells one end, the other is empty, and no trip is generated. A trip "
            "may have a row in both, so there are about twice as many rows as trips: count visits of tiles with them, not trips"
        )
    told = ends_of(sources[0])
    if len(told) > 1:
        return "each row tells something of its start and of its end"
    side = "starts" if told == {"on"} else "ends"
    return f"only {side} were counted, so the other end is empty, and no trip is generated: it loads as a trip of which one end is known"


def _clock(sources: tuple[Combination, ...]) -> str:
    """What the times of the rows mean."""
    untimed = [one.name for one in sources if not any(column.endswith("_time") for column in one.columns)]
    said = (
        "Times are the beginnings of bins; an end in an earlier bin than the start is on the next day."
        if len(untimed) < len(sources)
        else ""
    )
    without = [one.name for one in sources if any(f"{end}_time" not in one.columns for end in ends_of(one))]
    if without:
        said += (
            f" Where {' or '.join(without)} does not tell the time of an end, that end stands at midnight, because a trips file "
            "cannot leave it out: its hour means nothing, and neither does the duration of the row (0 minutes where no time is "
            "told at all)."
        )
    return said.strip()


def chosen(release: SyntheticRelease) -> str:
    """When the parameters were chosen; those of a tree are more."""
    known = tree_statements.PARAMETERS if isinstance(release.choices, TreeChoices) else statements.PARAMETERS
    return statements.chosen(release.parameters_chosen, known)


def relations(release: SyntheticRelease) -> tuple[str, ...]:
    """The promise in other ways that it can be said, one sentence each: for large counts, and for trees by level."""
    if isinstance(release.choices, TreeChoices):
        return (
            tree_statements.making(release.choices),
            tree_statements.definition(release.choices),
            *tree_statements.by_descriptor(release),
            *tree_statements.implied(release),
        )
    if not isinstance(release.choices, StabilityChoices):
        return ()
    return tuple(
        f"If {'one ' + total.unit} {_CHANGED[total.neighbours]}: epsilon {at_most_text(total.epsilon)}, and a delta of at most "
        f"{delta_text(total.delta)} by the noise and the thresholds as they are."
        for total in totals(release.choices.plan())
    )


_CHANGED: Final = {
    Neighbours.ADD_REMOVE: "is added or removed",
    Neighbours.REPLACE_ONE: "is replaced by another",
}


def not_protected(release: SyntheticRelease) -> tuple[str, ...]:
    """What the promise leaves out, one sentence or two each."""
    if isinstance(release.choices, TreeChoices):
        return tuple(tree_statements.not_protected(release))
    facts = "method, tables, tiles, dates, lists of attributes, bound, epsilon"
    epsilon, delta = release.loss
    said = statements.left_out(facts, release.choices.bound, epsilon, release.parameters_chosen)
    if isinstance(release.choices, RoyChoices) or not delta:
        return said
    void = [row.trips for row in person_table(totals(release.choices.plan())[0]) if row.void]
    if not void:
        return said
    return (
        *said,
        f"Delta grows with the trips of a person: with {void[0]} trips nothing is promised to that person any more.",
    )
