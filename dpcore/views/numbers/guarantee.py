"""What a release promises, what it does not, where it was charged and how to check it: facts and plain sentences.

All rungs of a release are public, so its protection is that of the whole, at whichever rung somebody looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Final

from dpcore.comparison.all_trips import Scaled, says_all
from dpcore.estimates.words import LIKELY_MEANS
from dpcore.measures.keys import Period
from dpcore.privacy import EXAMPLE_TRIPS, Loss, PrivacyUnit, Promise, decimal_text
from dpcore.release import statements
from dpcore.release.release import Release
from dpcore.views.ground.plain import day, minute, number, rounded
from dpcore.views.numbers.sentences import protection
from dpcore.views.numbers.shares import NORMAL_95

HOW_TO_READ: Final = (
    "'about 1,240 (1,190 to 1,290)' means: noise was added to the count. In 95 of 100 places that you choose "
    "before looking, the count lies between the two numbers. Grey means that noise alone could have made "
    "the number: merge tiles or hours there."
)
"""How to read an interval."""
HOW_TO_READ_AN_ESTIMATE: Final = (
    f"'about 1,240 (likely range 1,100 to 1,380)' means: the number is an estimate. {LIKELY_MEANS} Grey means that half of the "
    "likely range is as wide as the number, or wider."
)
"""How to read a likely range."""
TERMS_TITLE: Final = "How to read this"
TERMS: Final = (
    "Release: the tables that were published together. Random noise is in each count.",
    "Tile: one area of the map. A visit is a start or an end of a trip in it.",
    "ε (epsilon): how much a person (or a trip, where single trips are hidden) may change what is published. A smaller ε hides more.",
    "Likely range: aims to hold the true number for 95 % of tiles on average. It is no part of the guarantee.",
    "Surely: more than chance. The chance that a release says anything false this way is at most 5 %.",
)
"""The terms of the small print, a line each; every printed document has them once."""
_OF_A_HUNDRED: Final = " of 100 times"
_UNSURE: Final = 0.1  # of a number: with more noise its range stands beside it
_NO_TRIP: Final = "The numbers are counts with noise, and no trip of anybody is listed."
_ANSWERS: Final = ((0.75, "hardly"), (0.9, "perhaps"))
"""Whether somebody can be found, by how often a guess is right at most: of presence and of doings the surer one."""
_OPEN: Final = "assume yes"
_FOUND: Final = MappingProxyType(
    {
        "hardly": "You can hardly be found",
        "perhaps": "You may be found",
        _OPEN: "Assume that you can be found",
    }
)
"""The same of somebody with many trips."""
HOW_HIDDEN: Final = (
    "How: random noise was added to every count before anything was published. Nobody can take it out again."
)
_NEARER: Final = "Estimates are nearer to the truth and tell no more about you: they are computed from the published counts alone."


@dataclass(frozen=True)
class Guarantee:
    """Plain texts, not Markdown: what comes from the owner is in them as it was written."""

    promise: tuple[str, ...]
    """What is hidden, and what can be found out about presence and about what somebody did."""
    facts: tuple[tuple[str, str], ...]
    """Name and value of each parameter."""
    not_protected: tuple[str, ...]
    ledger: tuple[tuple[str, str], ...]
    """Where it was charged."""
    digests: tuple[tuple[str, str], ...]
    """Long numbers to compare, by what they are."""
    command: str
    """Empty if the release names none."""
    verify: str
    """The command that checks the files."""


def guarantee(release: Release) -> Guarantee:
    """All of it for one release."""
    return Guarantee(
        promise=(statements.protects(release.plan.bound), statements.promise(promise_of(release))),
        facts=facts(release),
        not_protected=statements.not_protected(release),
        ledger=_ledger(release),
        digests=(
            ("Hash of the ledger's entry", release.anchor.hash),
            ("Identity of the ledger", release.anchor.ledger),
        ),
        command=release.command,
        verify="python -m dpcore verify FOLDER",
    )


def promise_of(release: Release) -> Promise:
    """What all of a release promises."""
    return Promise.of(release.plan.bound, release.plan.epsilon)


def facts(release: Release) -> tuple[tuple[str, str], ...]:
    """The parameters of a release, by their names for people."""
    bound = release.plan.bound
    found = [
        ("Release", release.id),
        ("Data set", release.dataset),
        ("Who is in it", release.population),
        *([("Published by", release.publisher)] if release.publisher else []),
        (
            "Hidden",
            "one trip"
            if bound.unit is PrivacyUnit.TRIP
            else f"a person (M: at most {bound.max_trips} trips count)",
        ),
        ("ε (epsilon) in all", decimal_text(release.plan.epsilon)),
        ("δ (delta)", "0"),
        ("Neighbouring relation", statements.RELATION),
        ("Mechanism", _mechanism(release)),
        ("Measures", ", ".join(release.plan.measure(name).title for name in release.measurements)),
        ("Tiles", f"{len(release.tessellation.tile_ids):,}"),
        ("Days of the series", period_text(release.plan.choices.period)),
        ("Clock", release.timezone),
        ("Created", minute(release.created)),
        ("Parameters", statements.chosen_for(release)),
    ]
    if release.trip_rule is not None:
        found.append(("Trips", release.trip_rule.words))
    if release.plan.choices.period is None:
        found.remove(("Days of the series", ""))
    found += [("Keys", sentence) for sentence in statements.own_keys(release)]
    if release.raised_from is not None:
        found.append(("Continues the ladder of", release.raised_from))
    found += [(f"Version of {package}", version) for package, version in release.software.items()]
    return tuple(found)


def _mechanism(release: Release) -> str:
    """What drew the numbers: of counts, and of what was bought."""
    bought = [
        name
        for name, found in (
            ("five-number summaries", release.five_numbers),
            ("ranges of bins", release.ranges),
        )
        if found is not None
    ]
    counts = "discrete Laplace noise on whole numbers, as a ladder of rungs"
    if not bought:
        return counts
    return f"{counts}; {' and '.join(bought)} by the exponential mechanism (permute-and-flip) on public grids"


def period_text(period: Period | None) -> str:
    """First and last day; empty without a period."""
    return "" if period is None else f"{day(period.first)} to {day(period.last)}"


def _ledger(release: Release) -> tuple[tuple[str, str], ...]:
    anchor = release.anchor
    found = [
        ("Charged", f"ε {decimal_text(anchor.charged)} of {decimal_text(anchor.total)}"),
        ("Account", f"counted per {anchor.currency.value}"),
        ("Entry", f"{anchor.number:,}"),
    ]
    return (*found, *([] if anchor.part is None else [("Part of the data set", anchor.part)]))


def protection_at(release: Release, rung: int) -> str:
    """Unit, bound and guarantee of the whole release, and what its numbers at a rung are (Markdown)."""
    return " ".join([protection(release.plan.bound, release.plan.epsilon), *_coarser(release, rung)])


def promise_shortly_at(release: Release, rung: int) -> str:
    """How often a guess about one's own trips is right, in one sentence, and what the numbers at a rung are (plain text)."""
    return " ".join([guessed(promise_of(release)), *_coarser(release, rung)])


def can_be_found(promise: Promise) -> str:
    """Whether a reader's own trips can be found in tables of counts, and how often a guess of it is right (plain text).

    Where single trips are hidden, the answer speaks of one trip and of many of one person: a reader means the trips of a person.
    """
    once, *often = _answers(promise)
    answer = (
        f"One trip alone: {once}. {EXAMPLE_TRIPS} trips of one person: {often[0]}."
        if often
        else f"{once.capitalize()}."
    )
    return f"Can my own trips be found here? {answer} {_NO_TRIP} {guessed(promise)}"


def losses_of_presence(promise: Promise) -> tuple[Loss, ...]:
    """The loss of presence; where single trips are hidden also that of the trips of the example person."""
    there = promise.presence
    return (there, there.times(EXAMPLE_TRIPS)) if promise.by_trip else (there,)


def _answers(promise: Promise) -> tuple[str, ...]:
    """Whether a reader can be found; where single trips are hidden, by one trip and by those of the example person.

    What somebody did is found more often than that they are there, so the milder number alone would say too little.
    """
    losses = (promise.doings, promise.doings.times(EXAMPLE_TRIPS)) if promise.by_trip else (promise.doings,)
    return tuple(next((words for most, words in _ANSWERS if loss.right <= most), _OPEN) for loss in losses)


def _luck(said: str) -> str:
    """How often a guess is right by luck, beside how often it is at most."""
    return "50" if said.endswith(_OF_A_HUNDRED) else "50 of 100 times"


def guessed(promise: Promise) -> str:
    """How often a guess is right whether somebody's trips are in the data; where single trips are hidden, one trip and many."""
    said = promise.presence.right_of
    what = "one trip of yours is" if promise.by_trip else "your trips are"
    luck = _luck(said)
    many = (
        f", and whether {EXAMPLE_TRIPS} trips of yours are, {losses_of_presence(promise)[-1].right_of}"
        if promise.by_trip
        else ""
    )
    return f"Whoever guesses whether {what} in this data is right {said} instead of {luck}{many}."


def you_in_this_data(promise: Promise, *, estimated: bool = False) -> tuple[str, ...]:
    """What a release of counts means for a reader whose trips may be in it: sentences that stand together, or not at all (plain text).

    ``can_you_be_found``, and how that is reached. ``estimated``: whether estimates are shown.
    """
    return (*can_you_be_found(promise), HOW_HIDDEN, *((_NEARER,) if estimated else ()))


def can_you_be_found(promise: Promise) -> tuple[str, ...]:
    """Whether a reader can be found, and how often a guess of it is right: of one trip and of many, or of all that a person did."""
    there, did = promise.presence.right_of, promise.doings.right_of
    luck, (once, *often) = _luck(there), _answers(promise)
    if there.endswith(_OF_A_HUNDRED) and did.endswith(_OF_A_HUNDRED):
        did = did.removesuffix(_OF_A_HUNDRED)  # as the number before it
    if not often:
        most = promise.bound.max_trips
        trips = "one" if most == 1 else f"at most {most:,}"
        return (
            f"Can you be found? {once.capitalize()}: a guess whether you are here is right {there} instead of {luck}, what you did (clinic or square?) {did}.",
            f"This holds for all your trips: {trips} of each person count{'s' * (most == 1)}.",
        )
    return (
        f"Can your trip be found? {once.capitalize()}: a guess whether it is here is right {there} instead of {luck}, which of two places it went to {did}.",
        f"You ride daily? {_FOUND[often[0]]}: a guess by {EXAMPLE_TRIPS} trips is right {losses_of_presence(promise)[-1].right_of}.",
    )


def epsilon_words(promise: Promise) -> str:
    """What epsilon is, in words of a reader (plain text)."""
    whose = "one trip" if promise.by_trip else "one person"
    return f"= {decimal_text(promise.presence.epsilon)}: how much these numbers may tell of {whose}. A smaller one hides more, behind more noise."


def trips_in_all(release: Release) -> tuple[int, int] | None:
    """How many trips there are, and the 95 % half width of the noise; of those that count where nothing says more, None without a table.

    ``trips_unit`` says which of them.
    """
    side = Scaled(release, of_all=says_all(release))
    if not side.has_total:
        return None
    wide = ceil(NORMAL_95 * side.off) if side.paid is None else side.paid.half_widths[-1]
    return round(side.all), wide


def trips_unit(release: Release) -> str:
    """Which trips ``trips_in_all`` counts."""
    return "trips" if release.plan.bound.max_trips is None or says_all(release) else "trips that count"


def whose_numbers(release: Release) -> str:
    """Who publishes a release, whose trips it counts, of which days, and about how many (plain text; names of others as written)."""
    about = [release.population.rstrip(". "), period_text(release.plan.choices.period), _many_trips(release)]
    told = "; ".join(part for part in about if part)
    said = f"Data set {release.dataset}{told and f': {told}'}."
    return f"Published by {release.publisher.rstrip('. ')}. {said}" if release.publisher else said


def not_exact(release: Release) -> str:
    """That no number is exact, and for whose sake (plain text)."""
    hidden = "each single trip" if promise_of(release).by_trip else "each person"
    return f"No number is exact: random noise hides {hidden} (ε = {decimal_text(release.plan.epsilon)})."


def _many_trips(release: Release) -> str:
    """About how many trips there are, and which of them count; empty where no table tells."""
    plan = release.plan
    found = None if plan.choices.splits else Scaled(release, of_all=says_all(release))
    if found is None or not found.has_total:
        return ""
    wide = found.off if found.paid is None else found.paid.half_widths[-1]
    of = "".join(f" of {name} {label}" for name, label in release.part.items())
    trips = f"about {number(max(rounded(round(found.all), ceil(2 * wide)), 0))} trips{of}"
    if wide > _UNSURE * found.all:  # such a number never stands alone
        ends = [max(rounded(round(end), ceil(wide)), 0) for end in (found.all - wide, found.all + wide)]
        trips += f" ({number(ends[0])} to {number(ends[1])})"
    most = plan.bound.max_trips
    if most is None:
        return f"{trips}, all counted"
    each = f"at most {most:,} of each person counted" if most > 1 else "one of each person counted"
    return (
        f"{trips}, {each}" if found.paid is not None else f"{trips} counted, {each.removesuffix(' counted')}"
    )


def protection_text_at(release: Release, rung: int) -> str:
    """``protection_at`` without Markdown, for screen readers and pictures."""
    return protection_at(release, rung).replace("**", "")


def _coarser(release: Release, rung: int) -> list[str]:
    """Says that a lower rung has coarser numbers of the same release, and from which rung on bought summaries show."""
    shown, highest = release.plan.rungs[rung], release.plan.epsilon
    if shown == highest:
        return []
    found = [
        (
            f"Shown at ε = {decimal_text(shown)}: coarser numbers, but no more privacy, because the finer ones of ε = "
            f"{decimal_text(highest)} are public too."
        )
    ]
    five = release.five_numbers
    if five is not None and shown < five.at:
        found.append(f"Bought five-number summaries show from ε = {decimal_text(five.at)} on.")
    return found
