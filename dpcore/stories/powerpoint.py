"""A story as a PowerPoint file: a slide for each step, whose words can be edited. python-pptx is imported only here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pptx import Presentation
from pptx.util import Emu, Pt

from dpcore.views.ground.plain import xml_text
from dpcore.views.pictures.files import HIGH, LETTERS, WIDE, drawn_png, layout_of
from dpcore.views.pictures.sheet import POINTS, Box
from dpcore.views.pictures.slide import Slide

_PIXEL: Final = 9_525  # English metric units
_TITLE_ONLY: Final = 5  # of the layouts of an empty presentation
_ROOM: Final = 1.12  # letters of other fonts may be higher


def powerpoint(slides: Sequence[Slide], title: str) -> bytes:
    """Slides of 16:9 as a .pptx file: title, sentence, range and source as text, the drawing as a picture with words for it.

    Equal slides give equal bytes: the file carries the date of the newest release.
    """
    deck: Any = Presentation()
    deck.slide_width, deck.slide_height = Emu(WIDE * _PIXEL), Emu(HIGH * _PIXEL)
    created = max(one.created for one in slides)
    facts = deck.core_properties
    facts.title, facts.author, facts.last_modified_by = xml_text(title), "Epsilon Atlas", "Epsilon Atlas"
    facts.created = facts.modified = created.replace(tzinfo=None)
    facts.revision = 1
    for one in slides:
        _add(deck, one)
    out = BytesIO()
    deck.save(out)
    return _dated(out.getvalue(), created)


def _add(deck: Any, one: Slide) -> None:  # noqa: ANN401 - python-pptx has no types
    made, place = deck.slides.add_slide(deck.slide_layouts[_TITLE_ONLY]), layout_of(one)
    heading = made.shapes.title
    heading.left, heading.top, heading.width, heading.height = _placement(place.title)
    _write(heading.text_frame, one.title, "title", bold=True)
    for name, box, text in (
        ("Sentence", place.sentence, one.sentence),
        ("Range", place.told, one.told),
        ("Source", place.source, one.source),
    ):
        frame = made.shapes.add_textbox(*_placement(box))
        frame.name = name
        _write(frame.text_frame, text, {"Range": "told"}.get(name, name.lower()))
    if one.drawn is not None:
        picture = made.shapes.add_picture(BytesIO(drawn_png(one)), *_placement(place.drawn))
        picture.name = "Picture of the view"
        picture._element.nvPicPr.cNvPr.set("descr", xml_text(one.alt))  # noqa: SLF001 - there is no other way to say it


def _placement(box: Box) -> tuple[Emu, Emu, Emu, Emu]:
    left, top, wide, high = (Emu(round(part * _PIXEL)) for part in box)
    return left, top, wide, high


def _write(frame: Any, text: str, of: str, *, bold: bool = False) -> None:  # noqa: ANN401 - as above
    """Words as they are: nothing in them is read as a link or a field."""
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    frame.text = " ".join(xml_text(text).split())
    for paragraph in frame.paragraphs:
        paragraph.alignment = 1  # left
        for run in paragraph.runs:
            run.font.size = Pt(round(LETTERS[of][0] * POINTS / _ROOM, 1))
            run.font.bold = bold


_FIRST_DATE: Final = (1980, 1, 1, 0, 0, 0)
_LAST_DATE: Final = (2107, 12, 31, 23, 59, 58)


def _dated(content: bytes, created: datetime) -> bytes:
    """A .pptx file whose parts all carry the date of the release, or the nearest that a zip can hold.

    Else they would carry the time of writing, and equal slides would not be equal bytes.
    """
    date = min(max(created.timetuple()[:6], _FIRST_DATE), _LAST_DATE)
    out = BytesIO()
    with ZipFile(BytesIO(content)) as source, ZipFile(out, "w", ZIP_DEFLATED) as target:
        for entry in source.infolist():
            dated = ZipInfo(entry.filename, date)
            dated.compress_type = ZIP_DEFLATED
            target.writestr(dated, source.read(entry))
    return out.getvalue()
