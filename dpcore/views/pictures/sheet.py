"""A sheet to draw on: places in pixels from its upper left corner, words that fit, and the sheet as PNG, SVG or PDF.

matplotlib draws it in this process, without a browser. Letters of texts are never read as formulas. Equal sheets give equal bytes.
Its settings belong to the whole process, so one sheet is drawn at a time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from html import escape
from io import BytesIO
from threading import Lock
from typing import Final, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.ft2font import FT2Font, LoadFlags

from dpcore.views.ground.plain import xml_text
from dpcore.views.ground.style import ground, ink

POINTS: Final = 0.75
"""Points of a pixel."""
_DOTS: Final = 96  # pixels of an inch
_FIRST: Final = "DejaVu Sans"  # comes with matplotlib, so that a picture is the same everywhere
_OTHERS: Final = (  # for letters that the first has not, where they are installed
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "WenQuanYi Zen Hei", "Noto Sans Thai", "Noto Sans Devanagari",
    "Noto Sans Bengali", "Noto Sans Ethiopic", "Arial Unicode MS",
)  # fmt: skip
_MEASURED: Final = 100.0  # points at which letters are measured
_NO_LETTER: Final = "\N{WHITE SQUARE}"
_MORE: Final = "\N{HORIZONTAL ELLIPSIS}"
_LINE: Final = 1.32  # heights of a letter from line to line
_LOCK: Final = Lock()
_PROLOG: Final = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_STYLE: Final = re.compile(r"<style [^>]*>.*?</style>", re.DOTALL)
_PATH: Final = re.compile(r' d="([^"]*)"')
_TENTH: Final = re.compile(r"(\.\d)\d+")
_AROUND: Final = re.compile(r"\s*([MLQCz])\s*")
_NAMES: Final = re.compile(r'(\bid="|href="#|url\(#)')


class Box(NamedTuple):
    """A rectangle in pixels from the upper left corner."""

    left: float
    top: float
    wide: float
    high: float

    def below(self, gap: float) -> Box:
        """What is left of it below its first ``gap`` pixels."""
        return Box(self.left, self.top + gap, self.wide, self.high - gap)


@contextmanager
def drawing() -> Iterator[None]:
    """Settings in which sheets are made, drawn and written; one thread at a time."""
    with (
        _LOCK,
        mpl.rc_context(
            {
                "text.parse_math": False,
                "axes.formatter.use_mathtext": False,
                "font.family": families(),
                "svg.fonttype": "path",
                "svg.hashsalt": "epsilon-atlas",
                "pdf.fonttype": 42,
                "figure.dpi": _DOTS,
                "text.color": ink(),
                "axes.edgecolor": "#b4bcc4",
                "axes.labelcolor": ink(),
                "xtick.color": ink(),
                "ytick.color": ink(),
            }
        ),
    ):
        yield


@cache
def families() -> list[str]:
    """The fonts that are used, the first one first."""
    installed = {font.name for font in fontManager.ttflist}
    return [_FIRST, *(name for name in _OTHERS if name in installed)]


@cache
def _font_of(letter: str, *, bold: bool = False) -> FT2Font | None:
    """The first font that has a letter; None if no font has it."""
    weight = "bold" if bold else "normal"
    fonts = (get_font(findfont(FontProperties(family=name, weight=weight))) for name in families())
    return next((font for font in fonts if font.get_char_index(ord(letter))), None)


@cache
def _advance(letter: str, *, bold: bool) -> float:
    """How far a letter reaches, as a share of its size."""
    font = _font_of(letter, bold=bold)
    if font is None:
        return 1.0
    font.set_size(_MEASURED, 72)
    return (
        float(font.load_char(ord(letter), flags=LoadFlags.NO_HINTING).linearHoriAdvance) / 65_536 / _MEASURED
    )


def drawable(text: str) -> str:
    """A text on one line, with a square for every letter that no font has, and without what nobody sees."""
    seen = " ".join(text.split())
    return "".join(
        letter if _font_of(letter) else _NO_LETTER
        for letter in seen
        if unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Pixels that a drawable text of a size takes."""
    return size * sum(_advance(letter, bold=bold) for letter in text)


def shortened(text: str, wide: float, size: float, *, bold: bool = False) -> str:
    """A drawable text cut to so many pixels, with an ellipsis where something is left out."""
    if width(text, size, bold=bold) <= wide:
        return text
    taken, kept = width(_MORE, size, bold=bold), 0
    for letter in text:
        taken += size * _advance(letter, bold=bold)
        if taken > wide:
            break
        kept += 1
    return text[:kept].rstrip() + _MORE


def wrapped(text: str, wide: float, size: float, most: int, *, bold: bool = False) -> list[str]:
    """A drawable text in lines of so many pixels; words that are longer are broken. After ``most`` lines the rest is one line."""
    lines: list[str] = []
    line, room = "", wide / size
    space = _advance(" ", bold=bold)
    taken = 0.0
    words = text.split()
    for at, word in enumerate(words):
        parts = _broken(word, room, bold=bold)
        for number, (part, needs) in enumerate(parts):
            if line and not number and taken + space + needs <= room:
                line, taken = f"{line} {part}", taken + space + needs
                continue
            if line:
                lines.append(line)
            if len(lines) == most:
                rest = "".join(one for one, _ in parts[number:])
                return [*lines, " ".join([rest, *words[at + 1 :]])]
            line, taken = part, needs
    return [*lines, line] if line else lines


def _broken(word: str, room: float, *, bold: bool) -> list[tuple[str, float]]:
    """A word in parts that fit into a line, each with its width; both as shares of the size."""
    found: list[tuple[str, float]] = []
    part, taken = "", 0.0
    for letter in word:
        needs = _advance(letter, bold=bold)
        if part and taken + needs > room:
            found.append((part, taken))
            part, taken = "", 0.0
        part, taken = part + letter, taken + needs
    return [*found, (part, taken)]


class Fitted(NamedTuple):
    """Words as they fit into a box."""

    lines: tuple[str, ...]
    size: float

    @property
    def high(self) -> float:
        """Pixels that they take."""
        return len(self.lines) * self.size * _LINE


def fitted(
    text: str, wide: float, high: float, size: float, *, least: float = 0, bold: bool = False
) -> Fitted:
    """A text in lines of a box, smaller where it needs it, down to ``least``, then cut with an ellipsis."""
    shown, least = drawable(text), least or size
    while True:
        most = max(int(high / (size * _LINE) + 1e-6), 1)
        lines = wrapped(shown, wide, size, most, bold=bold)
        if len(lines) <= most or size <= least:
            break
        size = max(size - 0.5, least)
    if len(lines) > most:
        lines = [*lines[: most - 1], shortened(" ".join(lines[most - 1 :]), wide, size, bold=bold)]
    return Fitted(tuple(lines), size)


class Sheet:
    """One picture on its way. Make and use it within ``drawing``."""

    def __init__(self, wide: float, high: float, *, clear: bool = False) -> None:
        """``wide``, ``high``: in pixels; ``clear``: without a ground of its own."""
        self.wide, self.high = wide, high
        colour = "none" if clear else ground()
        self.figure = Figure(figsize=(wide / _DOTS, high / _DOTS), dpi=_DOTS, facecolor=colour)

    def axes(self, box: Box) -> Axes:
        """A picture with axes in a box."""
        place = (
            box.left / self.wide,
            1 - (box.top + box.high) / self.high,
            box.wide / self.wide,
            box.high / self.high,
        )
        return self.figure.add_axes(place, facecolor="none")

    def line(
        self,
        left: float,
        base: float,
        text: str,
        size: float,
        *,
        bold: bool = False,
        colour: str = "",
        to: str = "left",
    ) -> None:
        """One line of drawable words that stand on ``base``."""
        self.figure.text(
            left / self.wide,
            1 - base / self.high,
            text,
            fontsize=size * POINTS,
            fontweight="bold" if bold else "normal",
            color=colour or ink(),
            ha=to,
            va="baseline",
        )

    def words(
        self, box: Box, text: str, size: float, *, least: float = 0, bold: bool = False, colour: str = ""
    ) -> float:
        """Words in a box from its top, smaller where they need it, down to ``least``, then cut. Returns the pixels that they take."""
        found = fitted(text, box.wide, box.high, size, least=least, bold=bold)
        for number, line in enumerate(found.lines):
            base = box.top + found.size * (1 + number * _LINE)
            self.line(box.left, base, line, found.size, bold=bold, colour=colour)
        return found.high

    def rectangle(self, box: Box, colour: str, *, rim: str = "none") -> None:
        """A filled box."""
        from matplotlib.patches import Rectangle  # noqa: PLC0415 - one of the few shapes

        place = (box.left / self.wide, 1 - (box.top + box.high) / self.high)
        self.figure.add_artist(
            Rectangle(
                place,
                box.wide / self.wide,
                box.high / self.high,
                facecolor=colour,
                edgecolor=rim,
                linewidth=0.5,
            )
        )

    def png(self, scale: float) -> bytes:
        """The sheet with ``scale`` points to a pixel."""
        out = BytesIO()
        self.figure.savefig(out, format="png", dpi=_DOTS * scale, metadata={"Software": None})
        return out.getvalue()

    def svg(self, title: str, described: str, prefix: str = "") -> str:
        """The sheet as an SVG element: letters are outlines, nothing is run or fetched.

        Args:
            title: what it is, for those who cannot see it; escaped here. A label, because browsers lay a title element over the picture.
            described: the same at length.
            prefix: before all its ids, so that several may stand in one page.

        """
        out = BytesIO()
        none = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        self.figure.savefig(out, format="svg", metadata=none)
        text = _STYLE.sub("", _PROLOG.sub("", out.getvalue().decode()))
        text = _PATH.sub(lambda found: f' d="{_short(found.group(1))}"', text)
        text = _NAMES.sub(lambda found: f"{found.group()}{prefix}", text)
        head, _, rest = text.partition(">")
        head = head.replace(
            "<svg ",
            f'<svg role="img" aria-label="{escape(xml_text(title))}" stroke-linejoin="round" stroke-linecap="butt" ',
            1,
        )
        said = f"<desc>{escape(xml_text(described))}</desc>"
        return f"{head}>{said}{rest.strip()}"


def _short(path: str) -> str:
    """The data of a path in tenths of a point, which is a tenth of a pixel of a large screen."""
    return _AROUND.sub(r"\1", _TENTH.sub(r"\1", path)).strip()


def pdf(sheets: Iterable[Callable[[], Sheet]], title: str, created: datetime) -> bytes:
    """Sheets as the pages of one file; letters are letters. Only one of them is in memory at a time.

    Each is made and drawn within ``drawing`` of its own, so that others need not wait for all pages. Call it outside of ``drawing``.
    """
    out = BytesIO()
    facts = {"Title": xml_text(title), "Creator": "Epsilon Atlas", "Producer": None, "CreationDate": created}
    with PdfPages(out, metadata=facts) as pages:
        for sheet in sheets:
            with drawing():
                pages.savefig(sheet().figure)
        with drawing():  # letters are written at the end
            pages.close()
    return out.getvalue()
