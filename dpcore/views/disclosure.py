"""What is protected at one rung of a release, in words that count everything that shows there."""

from __future__ import annotations

from dpcore.measures import measure_named
from dpcore.privacy import decimal_text
from dpcore.release.disclosed import disclosed_at, listed_beyond
from dpcore.release.release import Release
from dpcore.views.sentences import protection


def protection_at(release: Release, rung: int) -> str:
    """Unit, bound, the epsilon of all that shows at a rung, and the odds (Markdown)."""
    said = protection(release.plan.bound, disclosed_at(release, rung))
    return " ".join([said, *counted(release, rung), *not_counted(release, rung)])


def protection_text_at(release: Release, rung: int) -> str:
    """``protection_at`` without Markdown, for screen readers and pictures."""
    return protection_at(release, rung).replace("**", "")


def counted(release: Release, rung: int) -> list[str]:
    """What bought quantiles are part of that epsilon, and which are not; nothing where nothing was bought."""
    total, ranges, five = release.plan.rungs[rung], release.ranges, release.five_numbers
    found = []
    if ranges is not None:
        names = ", ".join(measure_named(name).title for name in ranges.values)
        found.append(
            f"All that shows here costs ε = {decimal_text(disclosed_at(release, rung))}: the counts, and ε = "
            f"{decimal_text(ranges.epsilon)} for the bins of {names}, which were bought and show at every ε."
        )
    if five is not None and total < five.at:
        found.append(f"Bought five-number summaries show from ε = {decimal_text(five.at)} on.")
    at = {one.at for one in (ranges, five) if one is not None and one.at < total}
    if at:
        found.append(f"What was bought at ε = {decimal_text(max(at))} was not drawn anew for more.")
    return found


def not_counted(release: Release, rung: int) -> list[str]:
    """Which keys are listed, where finer counts decided it."""
    return [
        f"Not counted: which entries of {measure_named(name).title} are listed was decided at ε = {decimal_text(at)}."
        for name, at in listed_beyond(release, rung).items()
    ]
