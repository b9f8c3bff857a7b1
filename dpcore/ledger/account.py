"""What a ledger speaks of: accounts, prices, reservations and entries. Values only; all of it is public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from dpcore import limits
from dpcore.errors import InputError
from dpcore.privacy import PrivacyUnit

State = Literal["reserved", "committed", "void"]
EntryKind = Literal["genesis", "register", "reserve", "commit", "void"]


@dataclass(frozen=True)
class Account:
    """A registered data set with its budget, in one currency.

    Whose people they are is the owner's declaration: two accounts over the same people are two budgets, and no
    program can see that from the files.
    """

    dataset: str
    """Name under which all releases of these people are charged."""
    population: str
    """The owner's declaration of who is in the data, in words."""
    unit: PrivacyUnit
    """Currency: whose epsilon is counted. A user account takes user-level releases only."""
    total: Fraction
    """The whole budget. Stored at registration; nobody can raise it later."""
    parts: tuple[str, ...] = ()
    """Declared parts that share no unit; spends on different parts are charged in parallel."""
    parts_of: PrivacyUnit | None = None
    """What was divided into the parts: users (for either currency) or trips (for a trip account only)."""
    total_delta: Fraction = Fraction(limits.MAX_TOTAL_DELTA)
    """Most delta that all releases together may take."""

    def must_have(self, part: str | None) -> None:
        """Refuse a part that was not declared; raises InputError."""
        if part is not None and part not in self.parts:
            raise InputError(
                "this data set has no such part",
                repr(part),
                f"Declared parts: {', '.join(self.parts) or 'none'}.",
            )


@dataclass(frozen=True)
class Price:
    """What a release costs in the currency of an account, with the reason for every step of the sum."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    steps: tuple[str, ...] = ()
    """How the number came about, one sentence a step."""


@dataclass(frozen=True)
class Reservation:
    """Budget that is taken for one release, known by its nonce."""

    ledger: str
    """Identity of the ledger: what its first entry is named by."""
    number: int
    """Number of the entry that reserved it."""
    dataset: str
    nonce: str
    charged: Fraction
    """By how much the account's spent epsilon rose."""
    entry_hash: str
    """Hash of the entry that reserved it: the anchor that the release carries."""
    state: State
    digest: str | None
    """Digest of the bundle, once committed."""
    terms: Mapping[str, object]
    """The public terms under which it was reserved, as given."""
    fresh: bool
    """Whether this very call reserved it; False where the nonce was known before."""
    group: str = ""
    """The chain that it belongs to; whoever continues its ladder reserves in the same one."""
    part: str | None = None
    """The declared part that is counted; None for the whole data set."""
    follows: int | None = None
    """The reservation whose release this one continues: the end of the chain until now. None begins a chain."""
    price: Price = Price(Fraction(0))
    """What the whole chain costs up to here; charged is what that adds to the earlier charges."""
    charged_delta: Fraction = Fraction(0)
    """By how much the account's spent delta rose."""


@dataclass(frozen=True)
class Entry:
    """One line of the ledger; lines are only ever added."""

    number: int
    time: str
    """UTC, ISO 8601, seconds."""
    kind: EntryKind
    dataset: str
    body: Mapping[str, object]
    """What the line says, as written into the hash."""
    previous: str
    hash: str


@dataclass(frozen=True)
class Sighting:
    """What the ledger knows of files when a data set is about to be counted from them. For the owner's eyes only."""

    other_datasets: tuple[str, ...]
    """Names of others that were counted from one of these files: maybe the same people under two budgets."""
    changed: bool
    """Whether this data set was last counted from another file, or another set of files."""


@dataclass(frozen=True)
class Statement:
    """An account as a bank would print it."""

    account: Account
    spent: Fraction
    left: Fraction
    spent_delta: Fraction
    lines: tuple[str, ...] = field(default=())
    """Every charge step by step, in plain words."""
    open_reservations: tuple[Reservation, ...] = ()
    """Reserved but not committed: releases under way, or cut short."""
    committed: tuple[Reservation, ...] = ()
    """Those that became a release, in the order of their entries."""
