"""What an owner asks to be published, and what comes back. Public facts only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

from dpcore import limits
from dpcore.errors import InputError, LedgerError, PrivacyError
from dpcore.measures.choices import KeyChoices
from dpcore.measures.plan import USUAL_FALSE_FLOWS, Plan, exact_false_flows
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text
from dpcore.release import Chosen, Release

Terms = Mapping[str, object]


def must_be_texts(title: str, note: str, nonce: str) -> None:
    """Refuse texts too long to print, and a nonce that names nothing; raises InputError."""
    for name, text, most in (
        ("title", title, limits.MAX_TITLE_CHARACTERS),
        ("note", note, limits.MAX_NOTE_CHARACTERS),
        ("nonce", nonce, limits.MAX_NONCE_CHARACTERS),
    ):
        if len(text) > most or (name != "note" and not text.isprintable()):
            raise InputError(
                f"the {name} is too long or holds control characters",
                name,
                f"Give at most {most:,} printable characters.",
            )
    if not nonce.strip():
        raise InputError("a release needs a nonce", "nonce", "Give any text that names this request.")


@dataclass(frozen=True)
class Request:
    """One release as its owner wants it."""

    dataset: str
    """Registered data set that pays."""
    plan: Plan
    title: str
    note: str
    nonce: str
    """Name of this very request: the same nonce gives the same release and is charged once."""
    parameters_chosen: Chosen
    part: str | None = None
    """Declared part of the data set that is counted; None: all of it."""

    def __post_init__(self) -> None:
        """Refuse texts too long to print, and a nonce that names nothing."""
        must_be_texts(self.title, self.note, self.nonce)
        if self.plan.choices.period is None and any(measure.needs_period for measure in self.plan.measures):
            raise PrivacyError(
                "a series over dates needs a public period",
                "trips_over_time",
                "Give its first and last day; they are never read off the data.",
            )

        twice = [name for name in self.plan.ranged or () if name in self.plan.choices.edges]
        if twice:
            raise PrivacyError(
                "these bins are chosen, and their range is to be bought",
                ", ".join(twice),
                "Choose the bins or buy them: what is bought would replace what was chosen.",
            )

    def terms(self, tiles_digest: str, timezone: str, installation: str) -> dict[str, object]:
        """The terms as the ledger writes them down: with them the request can be finished after a crash.

        ``installation`` names the bounding key, so that no other computer finishes a release with other kept trips.
        """
        bound = self.plan.bound
        bought: dict[str, object] = {}  # and chosen, only where something is: most terms are written without
        if self.plan.five_numbers:
            bought["five_numbers"] = self.plan.five_numbers
        if self.plan.ranges:
            bought["ranges"] = str(self.plan.ranges)
            if self.plan.ranged is not None:
                bought["ranged"] = list(self.plan.ranged)
        if self.plan.false_flows != USUAL_FALSE_FLOWS:
            bought["false_flows"] = decimal_text(self.plan.false_flows)
        return {
            "kind": "release",
            "unit": bound.unit.value,
            "max_trips": bound.max_trips,
            "weights": [[name, weight] for name, weight in self.plan.weights.items()],
            "rungs": [str(rung) for rung in self.plan.rungs],
            "keys": self.plan.choices.terms(),
            **bought,
            "title": self.title,
            "note": self.note,
            "parameters_chosen": self.parameters_chosen,
            "tiles": tiles_digest,
            "timezone": timezone,
            "installation": installation,
        }

    @classmethod
    def of_terms(cls, dataset: str, nonce: str, part: str | None, terms: Terms) -> Request:
        """The request that was written down with a reservation; LedgerError where it is none of ours."""
        try:
            max_trips = terms["max_trips"]
            bound = ContributionBound(
                PrivacyUnit.parse(str(terms["unit"])), None if max_trips is None else int(str(max_trips))
            )
            weights = {str(name): int(weight) for name, weight in cast("list[list[str]]", terms["weights"])}
            rungs = tuple(Fraction(rung) for rung in cast("list[str]", terms["rungs"]))
            plan = Plan(
                bound,
                weights,
                rungs,
                KeyChoices.of_terms(cast("Terms", terms["keys"])),
                int(str(terms.get("five_numbers", 0))),
                Fraction(str(terms.get("ranges", 0))),
                tuple(str(name) for name in cast("list[str]", terms["ranged"]))
                if "ranged" in terms
                else None,
                exact_false_flows(str(terms["false_flows"])) if "false_flows" in terms else USUAL_FALSE_FLOWS,
            )
            return cls(
                dataset,
                plan,
                str(terms["title"]),
                str(terms["note"]),
                nonce,
                cast("Chosen", terms["parameters_chosen"]),
                part,
            )
        except (KeyError, TypeError, ValueError, IndexError):
            raise LedgerError(
                "the terms of this entry are not those of a release",
                nonce,
                "Publish anew under another nonce.",
            ) from None


@dataclass(frozen=True, eq=False)
class Receipt:
    """What was published, where it lies, and what it cost."""

    release: Release
    folder: Path
    """The bundle."""
    digest: str
    """SHA-256 of its manifest, as committed in the ledger."""
    charged: Fraction
    """By how much the account's spent epsilon rose when it was reserved."""
    left: Fraction
    """What the account holds now."""
    repeated: bool
    """Whether this nonce had been published before: then nothing was drawn and nothing charged."""
    notes: tuple[str, ...] = ()
    """What the owner should know about the account, such as that this file was counted under another name."""

    def __repr__(self) -> str:
        """One line: the release, its cost and what is left."""
        said = f"charged {decimal_text(self.charged)}, left {decimal_text(self.left)}"
        return f"<Receipt of {self.release.id}: {said}{', published before' if self.repeated else ''}>"
