"""A slide as a picture to take along. What draws it is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dpcore.errors import InputError
from dpcore.views.pictures.slide import Slide

PICTURES: Final = (".png", ".svg")
"""Endings of the files of one view."""
_MISSING: Final = "pip install 'epsilon-atlas[app]' brings them."


def picture_of(slide: Slide, form: str) -> bytes:
    """One slide as a picture; ``form``: one of ``PICTURES``.

    Raises:
        InputError: another form, or the packages that draw are not installed.

    """
    if form not in PICTURES:
        raise InputError.unknown("form of a picture", form, PICTURES)
    with packages(form):
        from dpcore.views.pictures.files import png, svg  # noqa: PLC0415 - half a second, for those who ask

        return png(slide) if form == ".png" else svg(slide).encode()


@contextmanager
def packages(form: str) -> Iterator[None]:
    """Refuse with an InputError where a package that draws is missing."""
    try:
        yield
    except ImportError:
        raise InputError("pictures need matplotlib and python-pptx", form, _MISSING) from None
