"""A story as a file to take along: PDF, PowerPoint or one HTML page.

What draws and writes it is imported only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.errors import InputError
from dpcore.views.pictures.slide import Slide
from dpcore.views.pictures.taken import packages

FORMS: Final = (".pdf", ".pptx", ".html")
"""Endings of the files that a story is written to."""


def slides_file(slides: Sequence[Slide], title: str, form: str) -> bytes:
    """Slides as one file; ``form``: one of ``FORMS``.

    Raises:
        InputError: another form, or the packages that draw are not installed.

    """
    if form not in FORMS:
        raise InputError.unknown("form of a story", form, FORMS)
    with packages(form):
        if form == ".pdf":
            from dpcore.views.pictures.files import pdf  # noqa: PLC0415 - half a second, for those who ask

            return pdf(slides, title)
        if form == ".pptx":
            from dpcore.stories.powerpoint import powerpoint  # noqa: PLC0415 - as above

            return powerpoint(slides, title)
        from dpcore.views.pictures.html import html  # noqa: PLC0415 - as above

        return html(slides, title).encode()
