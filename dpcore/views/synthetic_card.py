"""What tells two releases of synthetic trips apart, for their cards."""

from __future__ import annotations

from dpcore.summaries import SyntheticSummary
from dpcore.synthesis.stability.plan import Variant
from dpcore.views.stability import VARIANTS, column_words


def particulars(release: SyntheticSummary) -> tuple[str, ...]:
    """Sentences about attributes, or about variant, combinations and bins."""
    if release.variant:
        bins = f", in bins of {release.minutes} minutes" if release.minutes else ""
        counted = ", ".join(column_words(one) for one in release.told)
        return (f"Noise and promise: {VARIANTS[Variant(release.variant)]}.", f"Counted: {counted}{bins}.")
    attributes = ", ".join(name.replace("_", " ") for name in release.told)
    return (f"With attributes: {attributes}." if attributes else "Without attributes of riders.",)
