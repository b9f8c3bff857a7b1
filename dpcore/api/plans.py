"""The default plan of tables, from decimal text and words, and what plans of every kind are read with.

``dpcore.Plan`` is a plan of tables with shares of one's own. Plans of other kinds are made in ``plans`` of their wing.
Only public facts are used, and nothing is counted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from dpcore import limits
from dpcore.api.offered import offered
from dpcore.errors import InputError, PrivacyError
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.data_form import ALL_RECORDED, DataForm
from dpcore.measures.keys import Period
from dpcore.measures.plan import Plan
from dpcore.noise.forecast import Facts
from dpcore.planning import default_plan as rules
from dpcore.privacy import ContributionBound, exact_epsilon
from dpcore.release import AnyKind, all_kinds, kind_of
from dpcore.release.kinds.tables import TABLES
from dpcore.release.release import IsAsked
from dpcore.tiles import Tessellation

_Word = TypeVar("_Word", bound=Enum)


@offered
def default_plan(
    bound: ContributionBound | None,
    epsilon: Fraction | str,
    tiles: Tessellation,
    *,
    about_trips: int | None = None,
    about_users: int | None = None,
    choices: KeyChoices = USUAL,
    measures: Sequence[str] | None = None,
    form: DataForm = ALL_RECORDED,
) -> Plan:
    """The plan of tables that commands and pages take: default measures and shares, districts, and the cap of the total.

    It follows from public facts alone. Declare about how many trips and people there are: more then follows from the size of
    the data.

    Args:
        bound: privacy unit and contribution bound. None: hide a person, with the M for which the estimates are expected to be
            best with the declared numbers, or 4 without them.
        epsilon: total of all measures, a fraction or decimal text.
        tiles: the public tiles.
        about_trips: approximate number of trips.
        about_users: approximate number of people.
        choices: dates, windows, bins; districts and the cap of the total where you choose them.
        measures: names of measures; None for the default ones.
        form: what of each trip is recorded, as ``form`` of loaded trips says.

    Raises:
        InputError: an unknown measure.
        PrivacyError: an epsilon, or declared numbers, that cannot be.
        TessellationError: the tiles cannot be divided into districts.

    """
    facts, total = Facts(about_trips, about_users, len(tiles.tile_ids)), exact(epsilon)
    return rules.default_plan(
        bound or ContributionBound.per_user(rules.default_bound(total, facts, choices)),
        total,
        tiles,
        facts,
        choices,
        form=form,
        measures=measures,
    )


def public_file(place: Path, what: str) -> bytes:
    """The bytes of a public table, one more than it may have at most."""
    try:
        with place.open("rb") as file:
            return file.read(limits.MAX_TESSELLATION_BYTES + 1)
    except OSError:
        raise InputError(
            f"the {what} cannot be read", str(place), "Check the name and the rights of the file."
        ) from None


def nonce_of(plan: IsAsked, *facts: str) -> str:
    """A nonce that follows from a plan and from what else makes a request: the same request is charged once.

    In a notebook a changed plan gets another nonce, so it is another request and not the old one with other terms.
    """
    text = json.dumps([kind_asked(plan).python(plan), *facts])
    return sha256(text.encode()).hexdigest()[:24]


def kind_asked(plan: IsAsked) -> AnyKind:
    """The kind of release that a plan asks for; InputError for what is no plan."""
    if not any(type(plan) is kind.asked for kind in all_kinds().values()):
        raise InputError(
            "this is no plan of a release",
            type(plan).__name__,
            "Give a Plan, or what model_plan, stability_plan or tree_plan made.",
        )
    return kind_of(plan)


def must_be_of_tables(plan: IsAsked) -> None:
    """Refuse a plan of another kind than tables; raises InputError."""
    if kind_asked(plan) is not TABLES:
        raise InputError(
            "only a plan of tables is previewed here",
            type(plan).__name__,
            "Give a Plan. The pages Synthesize and Trajectories preview the other kinds.",
        )


def exact(epsilon: Fraction | str) -> Fraction:
    """An exact epsilon; raises PrivacyError for a float, or decimal text beyond the limits."""
    return epsilon if isinstance(epsilon, Fraction) else exact_epsilon(epsilon)


def rung_asked(epsilon: Fraction | str | None) -> Fraction | None:
    """The epsilon of the rung that is asked for, read as ``exact`` does; None for the finest."""
    return None if epsilon is None else exact(epsilon)


def must_be_period(period: object, *, may_lack: bool = False) -> None:
    """Refuse what is no period, such as text; raises PrivacyError."""
    if not isinstance(period, Period) and not (may_lack and period is None):
        raise PrivacyError(
            "this is no period",
            "period",
            "Give Period(date(2024, 3, 4), date(2024, 3, 31)), with date from datetime.",
        )


def word_of(kind: type[_Word], word: str, what: str) -> _Word:
    """The member of an enumeration that a word names."""
    known = {str(one.value): one for one in kind}
    if word not in known:
        raise InputError.unknown(what, word, [*known])
    return known[word]
