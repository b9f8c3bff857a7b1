"""What is protected by a release, at whichever of its stops somebody looks: all of them are public, so it is the whole."""

from __future__ import annotations

from dpcore.privacy import decimal_text
from dpcore.release.release import Release
from dpcore.views.sentences import protection


def protection_at(release: Release, rung: int) -> str:
    """Unit, bound and guarantee of the whole release, and what its numbers at a stop are (Markdown)."""
    return " ".join([protection(release.plan.bound, release.plan.epsilon), *_coarser(release, rung)])


def protection_text_at(release: Release, rung: int) -> str:
    """``protection_at`` without Markdown, for screen readers and pictures."""
    return protection_at(release, rung).replace("**", "")


def _coarser(release: Release, rung: int) -> list[str]:
    """That a lower stop is the same release in coarser numbers, and when bought summaries come; nothing at the highest."""
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
