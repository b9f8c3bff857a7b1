"""What an owner asks to publish, and the receipt. Public facts only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from dpcore import limits
from dpcore.context import Context
from dpcore.errors import InputError, LedgerError
from dpcore.exact_json import read_as
from dpcore.ledger import READ_AS, TRIP_RULE
from dpcore.measures.trip_rule import TripRule
from dpcore.privacy import decimal_text
from dpcore.release import AnyRelease, Chosen, kind_of
from dpcore.release.kinds import kind_of_terms
from dpcore.release.kinds.tables import TABLES
from dpcore.release.release import IsAsked


@dataclass(frozen=True)
class Request:
    """A request for one release."""

    dataset: str
    """Registered data set that pays."""
    plan: IsAsked
    """A plan of tables, or the choices of a synthesis. Its class determines the kind of release."""
    title: str
    note: str
    nonce: str
    """Name of this request: the same nonce gives the same release and is charged once."""
    parameters_chosen: Chosen
    part: str | None = None
    """Declared part of the data set that is counted; None: all of it."""
    context: Context | None = None
    """What lies under the tiles on maps, made to fit. It is no term of the charge, so it is not kept with it: whoever
    finishes a release that was charged and broke off gives it again (``finish``)."""
    publisher: str = ""
    """Who publishes, in the owner's words; public."""

    def __post_init__(self) -> None:
        """Refuse texts that are too long or not printable, an empty nonce, and a plan that no trips could answer."""
        for name, text, most in (
            ("title", self.title, limits.MAX_TITLE_CHARACTERS),
            ("note", self.note, limits.MAX_NOTE_CHARACTERS),
            ("publisher", self.publisher, limits.MAX_TITLE_CHARACTERS),
            ("nonce", self.nonce, limits.MAX_NONCE_CHARACTERS),
        ):
            if len(text) > most or (name != "note" and not text.isprintable()):
                raise InputError(
                    f"the {name} is too long or holds control characters",
                    name,
                    f"Give at most {most:,} printable characters.",
                )
        if not self.nonce.strip():
            raise InputError("a release needs a nonce", "nonce", "Give any text that names this request.")
        kind_of(self.plan).must_be_asked(self.plan)

    def terms(
        self,
        tiles_digest: str,
        timezone: str,
        installation: str,
        rule: TripRule | None = None,
        read_as: str = "",
    ) -> dict[str, object]:
        """The terms that the ledger stores. They suffice to finish the request after a crash.

        ``installation`` names the bounding key: with another key other trips would count, so no other computer may finish it.
        ``rule``: cut the trips that are counted; None if they stood in the files. ``read_as``: as ``PrivateTrips.read_as``.
        """
        return {
            **kind_of(self.plan).terms(self.plan),
            "title": self.title,
            "note": self.note,
            **({"publisher": self.publisher} if self.publisher else {}),
            "parameters_chosen": self.parameters_chosen,
            "tiles": tiles_digest,
            "timezone": timezone,
            "installation": installation,
            **({} if rule is None else {TRIP_RULE: rule.text}),
            **({READ_AS: read_as} if read_as else {}),
        }

    @classmethod
    def of_terms(cls, dataset: str, nonce: str, part: str | None, terms: Mapping[str, object]) -> Request:
        """The request from the terms of a reservation; LedgerError if this program did not write them."""
        kind = kind_of_terms(terms)
        try:
            if kind is not None:
                return cls(
                    dataset,
                    kind.plan_of_terms(terms),
                    read_as(str, terms["title"]),
                    read_as(str, terms["note"]),
                    nonce,
                    read_as(Chosen, terms["parameters_chosen"]),
                    part,
                    publisher=read_as(str, terms.get("publisher", "")),
                )
        except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError):
            pass
        raise LedgerError(
            "the terms of this entry are not those of a release",
            nonce,
            "Publish anew under another nonce.",
        )


def kind_of_entry(terms: Mapping[str, object]) -> str:
    """Name of the kind of release in the terms of a ledger entry; empty if this program does not know it."""
    if "raises" in terms:  # only tables can be raised
        return TABLES.name
    kind = kind_of_terms(terms)
    return kind.name if kind else ""


@dataclass(frozen=True, eq=False)
class Receipt:
    """What was published, where the bundle is, and what it cost."""

    release: AnyRelease
    folder: Path
    """Folder of the bundle."""
    digest: str
    """SHA-256 of its manifest, as committed in the ledger."""
    charged: Fraction
    """By how much the account's spent epsilon rose when it was reserved."""
    charged_delta: Fraction
    left: Fraction
    """What the account holds now."""
    repeated: bool
    """Whether this nonce was published before; then nothing was drawn or charged now."""
    notes: tuple[str, ...] = ()
    """Warnings for the owner, such as that this file was also counted under another name."""
    expected: str = ""
    """What was expected of it before the spend, in words; empty where nothing was declared. It is not kept with the release."""

    def __repr__(self) -> str:
        """One line: the release, its cost and what is left."""
        said = f"charged {decimal_text(self.charged)}, left {decimal_text(self.left)}"
        return f"<Receipt of {self.release.id}: {said}{', published before' if self.repeated else ''}>"
