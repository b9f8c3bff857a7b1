"""Whether the charge that a manifest names is the one that its promise costs, as far as the bundle alone can tell."""

from __future__ import annotations

from dpcore.errors import BundleError
from dpcore.privacy import PrivacyUnit
from dpcore.release.layout import MANIFEST
from dpcore.synthetic_release.release import SyntheticRelease


def must_be_the_charge(release: SyntheticRelease) -> None:
    """Refuse a bundle whose ledger entry charged something else than epsilon and delta; raises BundleError.

    A synthetic release continues no chain, so in the currency of its own unit it costs exactly what one unit can lose. Two
    things make the charge another: of a declared part of the data set only what exceeds the other parts is charged, so it may
    be less; and an account of trips pays for a person what one trip can lose, which the pricing knows and not the bundle.
    """
    anchor, unit = release.anchor, release.choices.bound.unit
    if anchor.currency is PrivacyUnit.TRIP and unit is PrivacyUnit.USER:
        return
    charged, price = (anchor.charged, release.charged_delta), release.loss
    own = anchor.currency is unit  # an account of users never pays for trips
    if own and charged == price:
        return
    if (
        own
        and anchor.part is not None
        and all(0 <= one <= most for one, most in zip(charged, price, strict=True))
    ):
        return
    raise BundleError(
        "the charge is not what the promise costs",
        f"{MANIFEST}, ledger_entry",
        "The bundle was changed after it was written. Get it again from where it was published.",
    )
