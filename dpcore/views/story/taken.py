"""A story as a file to take along: PDF, PowerPoint, or one HTML page. What writes it is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.errors import InputError
from dpcore.views.pictures.slide import Slide

FORMS: Final = (".pdf", ".pptx", ".html")
"""Endings of the files that a story is written to."""
MISSING: Final = "pip install 'epsilon-atlas[app]' brings them."


def taken(slides: Sequence[Slide], title: str, form: str) -> bytes:
    """Slides as one file; ``form``: one of ``FORMS``.

    Raises:
        InputError: another form, or the packages that draw are not installed.

    """
    if form not in FORMS:
        raise InputError.unknown("form of a story", form, FORMS)
    try:
        if form == ".pdf":
            from dpcore.views.pictures.files import pdf  # noqa: PLC0415 - half a second, for those who ask

            return pdf(slides, title)
        if form == ".pptx":
            from dpcore.views.story.powerpoint import powerpoint  # noqa: PLC0415 - as above

            return powerpoint(slides, title)
        from dpcore.views.story.html import html  # noqa: PLC0415 - as above

        return html(slides, title).encode()
    except ImportError:
        raise InputError("pictures need matplotlib and python-pptx", form, MISSING) from None
