"""Estimates in words, the same on every page, in every report and in the files of a bundle."""

from __future__ import annotations

from typing import Final

from dpcore.estimates.result import Share

ASSUMPTION: Final = "The estimate for all trips assumes that people who travel a lot go where others go."
"""What must hold for an estimate of all trips."""
LIKELY: Final = "likely range"
"""What the range of an estimate is called: right for 95 % of tiles on average. It is never the guarantee."""


def share_words(share: Share) -> str:
    """Which share of the trips counts, as a sentence.

    >>> share_words(Share(0.62, 0.6, 0.64)), share_words(Share(1.0, 1.0, 1.0))
    ('About 62 % of the trips count (60 to 64 %).', 'All trips count.')
    """
    if share.low == 1:
        return "All trips count."
    return f"About {100 * share.value:.0f} % of the trips count ({100 * share.low:.0f} to {100 * share.high:.0f} %)."
