"""What surrounds the texts of a report file: folds, and the two sides of its switch."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

SEE_RELEASED: Final = "see-released"
"""The id of the button of the switch that shows the released counts; the style asks whether it is chosen."""


def folded(title: str, body: str) -> str:
    """What stands one click away, and on paper always."""
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def either(estimate: str, released: str) -> str:
    """What is seen on the one or the other side of the switch."""
    return f'<div class="if-estimate">{estimate}</div><div class="if-released">{released}</div>'


def on_sides(texts: Sequence[str]) -> str:
    """The same of one text for each side, or of a single one for both."""
    return either(*texts) if len(texts) > 1 else "".join(texts)
