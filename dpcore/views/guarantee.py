"""What a release promises, what it does not, where it was charged and how to check it: facts and plain sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpcore.accuracy import posterior
from dpcore.keys import Period
from dpcore.measures import measure_named
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release import statements
from dpcore.release.release import Release
from dpcore.views.plain import day, minute

_PRIORS: Final = (0.01, 0.1, 0.5)

HOW_TO_READ: Final = (
    "'about 1,240 (1,190 to 1,290)' means: noise was added to the count. In 95 of 100 places that you choose "
    "before looking, the count lies between the two numbers. Grey means that noise alone could have made "
    "the number: merge tiles or hours there."
)
"""How to read an interval."""


@dataclass(frozen=True)
class Guarantee:
    """Plain texts, not Markdown: what comes from the owner is in them as it was written."""

    promise: tuple[str, ...]
    """Whose presence is hidden, and the odds."""
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
        promise=(
            statements.protects(release.plan.bound),
            statements.promise(release.plan.bound, release.plan.epsilon),
            in_a_hundred(release),
        ),
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


def in_a_hundred(release: Release) -> str:
    """The odds as natural frequencies: how often the best observer is right at most."""
    what = "one trip" if release.plan.bound.unit is PrivacyUnit.TRIP else "a person"
    right = math.ceil(100 * posterior(release.plan.epsilon, 0.5))
    return (
        f"In other words: suppose {what} is in or out by the toss of a coin, a hundred times over. Whoever guesses "
        f"without this release is right 50 times; with it, at most {right} times."
    )


def belief_table(epsilons: Mapping[str, Fraction]) -> dict[str, list[str]]:
    """What a belief can become at most, for some epsilons by their title; columns of a table."""
    table = {"believed before": [f"{100 * prior:.0f} %" for prior in _PRIORS]}
    for title, epsilon in epsilons.items():
        table[title] = [_at_most(posterior(epsilon, prior)) for prior in _PRIORS]
    return table


def _at_most(belief: float) -> str:
    """A belief as an upper bound: rounded up, never down.

    >>> _at_most(0.0694), _at_most(0.99999)
    ('at most 7 %', 'practically certain')
    """
    rounded = math.ceil(1000 * belief) / 10
    return "practically certain" if rounded >= 100 else f"at most {rounded:g} %"


def facts(release: Release) -> tuple[tuple[str, str], ...]:
    """The parameters of a release, by their names for people."""
    bound = release.plan.bound
    found = [
        ("Release", release.id),
        ("Data set", release.dataset),
        ("Who is in it", release.population),
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
        ("Measures", ", ".join(measure_named(name).title for name in release.measurements)),
        ("Tiles", f"{len(release.tessellation.tile_ids):,}"),
        ("Days of the series", period_text(release.plan.choices.period)),
        ("Clock", release.timezone),
        ("Created", minute(release.created)),
        ("Parameters", statements.chosen(release.parameters_chosen)),
    ]
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
