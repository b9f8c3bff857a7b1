"""What an owner asks to be published as a synthetic release, and what comes back. Public facts only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, cast, get_args

from dpcore.curator.request import must_be_texts
from dpcore.errors import AtlasError, LedgerError
from dpcore.privacy import must_be_decimal
from dpcore.release import Chosen
from dpcore.synthesis.choices import SynthesisChoices, choices_of_terms
from dpcore.synthetic_release import SyntheticRelease

Terms = Mapping[str, object]

KIND: Final = "synthesis"
"""How the ledger's terms name a synthetic release."""


_CHOSEN: Final[Mapping[str, Chosen]] = {word: word for word in get_args(Chosen)}


@dataclass(frozen=True)
class SyntheticRequest:
    """One synthetic release as its owner wants it."""

    dataset: str
    """Registered data set that pays."""
    choices: SynthesisChoices
    title: str
    note: str
    nonce: str
    """Name of this very request: the same nonce gives the same release and is charged once."""
    parameters_chosen: Chosen
    part: str | None = None
    """Declared part of the data set that is counted; None: all of it."""

    def __post_init__(self) -> None:
        """Refuse texts too long to print, a nonce that names nothing, and an epsilon that no command could repeat."""
        must_be_texts(self.title, self.note, self.nonce)
        must_be_decimal(self.choices.epsilon)

    def terms(self, tiles_digest: str, timezone: str, installation: str) -> dict[str, object]:
        """The terms as the ledger writes them down: with them the request can be finished after a crash.

        ``installation`` names the bounding key, so that no other computer finishes a release with other kept trips.
        """
        return {
            "kind": KIND,
            "choices": self.choices.terms(),
            "title": self.title,
            "note": self.note,
            "parameters_chosen": self.parameters_chosen,
            "tiles": tiles_digest,
            "timezone": timezone,
            "installation": installation,
        }

    @classmethod
    def of_terms(cls, dataset: str, nonce: str, part: str | None, terms: Terms) -> SyntheticRequest:
        """The request that was written down with a reservation; LedgerError where it is none of ours."""
        try:
            return cls(
                dataset,
                choices_of_terms(cast("Terms", terms["choices"])),
                str(terms["title"]),
                str(terms["note"]),
                nonce,
                _CHOSEN[str(terms["parameters_chosen"])],
                part,
            )
        except (AtlasError, KeyError, TypeError, ValueError, ZeroDivisionError):
            raise LedgerError(
                "the terms of this entry are not those of a synthetic release",
                nonce,
                "Publish anew under another nonce.",
            ) from None


@dataclass(frozen=True, eq=False)
class SyntheticReceipt:
    """What was published, where it lies, and what it cost."""

    release: SyntheticRelease
    folder: Path
    """The bundle; ``trips.parquet`` in it can be loaded like any trips file."""
    digest: str
    """SHA-256 of its manifest, as committed in the ledger."""
    charged: Fraction
    """By how much the account's spent epsilon rose when it was reserved."""
    charged_delta: Fraction
    left: Fraction
    """What the account holds now."""
    repeated: bool
    """Whether this nonce had been published before: then nothing was drawn and nothing charged."""
    notes: tuple[str, ...] = ()
    """What the owner should know about the account, such as that this file was counted under another name."""
