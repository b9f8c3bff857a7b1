"""A comparison in words and as a table: what each number says, and which direction is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.comparison import METRICS, Score
from dpcore.measures import MEASURES
from dpcore.views.plain import plain

NO_ANSWER: Final = "\N{EM DASH}"
_BETTER: Final = {"lower": "lower is better", "higher": "higher is better"}


def title(measure: str) -> str:
    """What people call a measure."""
    return MEASURES[measure].title if measure in MEASURES else measure.replace("_", " ")


def score_table(scores: Sequence[Score]) -> dict[str, list[str]]:
    """The scores as columns of text, one row each."""
    return {
        "table": [title(score.measure) for score in scores],
        "what": [METRICS[score.metric].title for score in scores],
        "value": [amount(score.value, score.unit) for score in scores],
        "better": [_BETTER[METRICS[score.metric].better] for score in scores],
        "perfect": [f"{METRICS[score.metric].best:g}" for score in scores],
        "note": [score.note for score in scores],
    }


def amount(value: float | None, unit: str = "") -> str:
    """A value with its unit, as many digits as say something.

    >>> amount(0.012345), amount(1234.5, "metres"), amount(3, "hours")
    ('0.0123', '1,234 metres', '3 hours')
    """
    if value is None:
        return NO_ANSWER
    text = f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def explanations() -> str:
    """What each metric says, as a list (Markdown)."""
    return "\n".join(
        f"- **{plain(metric.title)}** ({plain(metric.reach)}, {_BETTER[metric.better]}). {plain(metric.explanation)}"
        for metric in METRICS.values()
    )


def headline(scores: Sequence[Score]) -> list[tuple[str, str, str]]:
    """Up to four scores that tell most, as label, value and what it means."""
    wanted = (
        ("visits_per_tile", "emd"),
        ("visits_per_tile", "kendall_tau"),
        ("visits_per_tile", "ssim"),
        ("od_flows", "top_100_overlap"),
    )
    by_name = {(score.measure, score.metric): score for score in scores}
    found = [by_name[key] for key in wanted if key in by_name and by_name[key].value is not None]
    return [
        (
            f"{METRICS[score.metric].title}",
            amount(score.value, score.unit),
            f"{title(score.measure)}; {_BETTER[METRICS[score.metric].better]}",
        )
        for score in found
    ]
