"""Pictures as files: a whole page with its words, or what is drawn alone. PNG, SVG and PDF.

In SVG letters are outlines, so that it looks the same everywhere; its words stand in a label and ``desc`` for those who cannot see it. In
PDF letters are letters. A page has 1,280 x 720 pixels of its own and is written as 2,560 x 1,440.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from dpcore.views.ground.style import QUIET
from dpcore.views.pictures.drawn import draw, height_of
from dpcore.views.pictures.sheet import Box, Sheet, drawing, fitted
from dpcore.views.pictures.sheet import pdf as pdf_of_sheets
from dpcore.views.pictures.slide import Slide

WIDE: Final = 1280
HIGH: Final = 720
SCALE: Final = 2
"""Points of a written picture to a pixel of its page."""
NARROW: Final = 380
"""Pixels of a narrow drawing, for telephones."""
LETTERS: Final = {"title": (24.0, 14.0), "sentence": (22.0, 12.5), "told": (14.0, 9.5), "source": (14.0, 8.5)}
"""Size of the words of a page, and the least that they are made smaller to."""
_LEFT: Final = 56
_TOP: Final = 34
_ACROSS: Final = WIDE - 2 * _LEFT
_BOTTOM: Final = HIGH - 24
_NUMBER: Final = 70  # pixels for the number of the page, beside the source
_MOST: Final = {"title": 40.0, "sentence": 128.0, "told": 75.0, "source": 56.0}
_GAP: Final = 12


class Layout(NamedTuple):
    """Where the parts of a page stand; the same in all files."""

    title: Box
    sentence: Box
    drawn: Box
    told: Box
    source: Box


def layout(slide: Slide) -> Layout:
    """Room for all words of a slide, and all that is left for what is drawn. Call it within ``drawing``."""

    def high(of: str, text: str, wide: float) -> float:
        size, least = LETTERS[of]
        return fitted(text, wide, _MOST[of], size, least=least, bold=of == "title").high

    title = Box(_LEFT, _TOP, _ACROSS, _MOST["title"])
    sentence = Box(_LEFT, _TOP + 42, _ACROSS, high("sentence", slide.sentence, _ACROSS))
    source_high = high("source", slide.source, _ACROSS - _NUMBER)
    source = Box(_LEFT, _BOTTOM - source_high, _ACROSS - _NUMBER, source_high)
    told_high = high("told", slide.told, _ACROSS)
    told = Box(_LEFT, source.top - _GAP / 2 - told_high, _ACROSS, told_high)
    top = sentence.top + sentence.high + _GAP
    return Layout(title, sentence, Box(_LEFT, top, _ACROSS, told.top - _GAP - top), told, source)


def layout_of(slide: Slide) -> Layout:
    """``layout`` for files whose words others draw."""
    with drawing():
        return layout(slide)


def page(slide: Slide, number: str = "") -> Sheet:
    """A whole page; call it within ``drawing``. ``number``: such as ``2 / 6``."""
    sheet, place = Sheet(WIDE, HIGH), layout(slide)

    def write(of: str, box: Box, text: str, colour: str = "") -> None:
        size, least = LETTERS[of]
        room = Box(box.left, box.top, box.wide, _MOST[of])
        sheet.words(room, text, size, least=least, bold=of == "title", colour=colour)

    write("title", place.title, slide.title)
    write("sentence", place.sentence, slide.sentence)
    write("told", place.told, slide.told, QUIET)
    write("source", place.source, slide.source, QUIET)
    if slide.drawn is not None:
        draw(sheet, place.drawn, slide.drawn)
    if number:
        sheet.line(_LEFT + _ACROSS, _BOTTOM - 4, number, 12, colour=QUIET, to="right")
    return sheet


def png(slide: Slide) -> bytes:
    """A view as a PNG of 2,560 x 1,440 pixels, with all its words."""
    with drawing():
        return page(slide).png(SCALE)


def svg(slide: Slide) -> str:
    """A view as an SVG file with all its words; equal slides give equal files."""
    with drawing():
        said = f"{slide.sentence} {slide.alt} {slide.told} {slide.source}"
        return f'<?xml version="1.0" encoding="utf-8"?>\n{page(slide).svg(slide.title, said)}\n'


def pdf(slides: Sequence[Slide], title: str) -> bytes:
    """Slides as a PDF, one page each, in vectors. It carries the date of the newest release."""
    many = len(slides)
    pages = (partial(page, one, f"{at} / {many}" if many > 1 else "") for at, one in enumerate(slides, 1))
    return pdf_of_sheets(pages, title, max(one.created for one in slides))


def drawn_png(slide: Slide) -> bytes:
    """What is drawn without the words of its page, more than 1,920 pixels wide. ValueError where nothing is drawn."""
    with drawing():
        place = layout(slide).drawn
        return _sheet(slide, place.wide, place.high).png(SCALE)


def drawn_svg(slide: Slide, prefix: str, *, narrow: bool = False) -> str:
    """What is drawn as an SVG element for a page, without the words and on no ground of its own. ValueError where nothing is drawn.

    ``narrow``: for telephones, parts below each other.
    """
    if slide.drawn is None:
        raise ValueError("there is nothing to draw")
    with drawing():
        place = layout(slide).drawn
        wide, high = (NARROW, height_of(slide.drawn)) if narrow else (place.wide, place.high)
        return _sheet(slide, wide, high, clear=True).svg(slide.title, slide.alt, prefix)


def _sheet(slide: Slide, wide: float, high: float, *, clear: bool = False) -> Sheet:
    if slide.drawn is None:
        raise ValueError("there is nothing to draw")
    sheet = Sheet(wide, high, clear=clear)
    draw(sheet, Box(0, 0, wide, high), slide.drawn)
    return sheet
