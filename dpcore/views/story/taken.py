"""Slides as files to take along: a story as PDF, PowerPoint or one HTML page, a view as PNG or SVG.

What draws and writes them is imported only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from dpcore.errors import InputError
from dpcore.views.pictures.slide import Slide

FORMS: Final = (".pdf", ".pptx", ".html")
"""Endings of the files that a story is written to."""
PICTURES: Final = (".png", ".svg")
"""Endings of the files of one view."""
_MISSING: Final = "pip install 'epsilon-atlas[app]' brings them."


def taken(slides: Sequence[Slide], title: str, form: str) -> bytes:
    """Slides as one file; ``form``: one of ``FORMS``.

    Raises:
        InputError: another form, or the packages that draw are not installed.

    """
    if form not in FORMS:
        raise InputError.unknown("form of a story", form, FORMS)
    with _packages(form):
        if form == ".pdf":
            from dpcore.views.pictures.files import pdf  # noqa: PLC0415 - half a second, for those who ask

            return pdf(slides, title)
        if form == ".pptx":
            from dpcore.views.story.powerpoint import powerpoint  # noqa: PLC0415 - as above

            return powerpoint(slides, title)
        from dpcore.views.story.html import html  # noqa: PLC0415 - as above

        return html(slides, title).encode()


def picture_of(slide: Slide, form: str) -> bytes:
    """One slide as a picture; ``form``: one of ``PICTURES``.

    Raises:
        InputError: another form, or the packages that draw are not installed.

    """
    if form not in PICTURES:
        raise InputError.unknown("form of a picture", form, PICTURES)
    with _packages(form):
        from dpcore.views.pictures.files import png, svg  # noqa: PLC0415 - as above

        return png(slide) if form == ".png" else svg(slide).encode()


@contextmanager
def _packages(form: str) -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise InputError("pictures need matplotlib and python-pptx", form, _MISSING) from None
