"""Names out of files and numbers as plain text."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from datetime import date, datetime
from fractions import Fraction
from typing import Final

from dpcore.measures.keys import OUTSIDE, Axis, Districts
from dpcore.tiles import Tessellation
from dpcore.tiles.called import is_way

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!$:|<>~&])")
_COMES_ALIVE: Final = re.compile(r":(?=[^\W\d]|/)|@(?=\w)|\bwww(?=\.)", re.IGNORECASE)
"""Addresses, emoji and icons, which browsers make of a text after its escapes were read."""
_NO_XML: Final = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\x85\\xa0-\\ud7ff\\ue000-\\ufdcf\\ufdf0-\\ufffd\\U00010000-\\U0010ffff]"
)
_JOINER: Final = "\N{WORD JOINER}"


def plain(text: str) -> str:
    r"""Text that Markdown shows as it is: no link, picture, formula, icon or emoji can come of it.

    A joiner without width parts what would become an address or an icon, because that is looked for behind the escapes.

    >>> print(plain("a *b* at 07:30"))
    a \*b\* at 07\:30
    >>> plain("https://a.b") == "https\\:\N{WORD JOINER}//a\\.b"
    True
    """
    return _SPECIAL.sub(r"\\\1", _COMES_ALIVE.sub(lambda found: found.group() + _JOINER, text))


def number(value: float, decimals: int = 0) -> str:
    """A number with separators and a true minus sign, with so many digits after the point; whole without them.

    >>> number(-1240) == "\N{MINUS SIGN}1,240", number(1240.25, 1), number(-0.01, 1)
    (True, '1,240.2', '0.0')
    """
    text = f"{value:z,.{decimals}f}" if decimals else f"{round(value):,}"
    return text.replace("-", "\N{MINUS SIGN}")


def interval(value: int, half_width: int, unit: str = "", *, least: float = -math.inf) -> str:
    """A noisy count with its 95 % interval, with no more digits than the noise allows; the map words it alike.

    ``least``: below which no count and no end lies, where that is said of them.

    >>> interval(1240, 50), interval(1243, 300), interval(3, 9, "trips", least=0)
    ('about 1,240 (1,190 to 1,290)', 'about 1,200 (900 to 1,500)', 'about 3 trips (0 to 12)')
    """
    ends = (value, value - half_width, value + half_width)
    middle, low, high = (number(max(rounded(end, half_width), least)) for end in ends)
    return f"about {f'{middle} {unit}'.rstrip()} ({low} to {high})"


def rounded(value: int, half_width: int) -> int:
    """A noisy count to the digit that its noise allows.

    >>> rounded(1243, 300)
    1200
    """
    step = 10 ** math.floor(math.log10(half_width / 3)) if half_width > 3 else 1
    return math.floor(value / step + 0.5) * step


def signed(value: float) -> str:
    """A whole number with its sign; none has no sign.

    >>> signed(1240), signed(0.2), signed(-3) == "\N{MINUS SIGN}3"
    ('+1,240', '0', True)
    """
    return f"{'+' * (round(value) > 0)}{number(value)}"


def plus_minus(half_width: int, unit: str = "") -> str:
    """The 95 % half width of a noise, as all pages write it.

    >>> plus_minus(1240), plus_minus(75, "trips")
    ('± 1,240', '± 75 trips')
    """
    return f"± {number(half_width)} {unit}".rstrip()


def about(value: float, low: float, high: float, unit: str, gap: str = ", ") -> str:
    """A noisy count as every pointer reads it: value, unit, and the range that holds 95 % of the noise.

    ``gap`` stands before the range, such as a break of the line.

    >>> about(1240, 1200, 1280, "trips")
    'about 1,240 trips, 95 % range of the noise 1,200 to 1,280'
    >>> about(1240, 1240, 1240, "trips")
    '1,240 trips'
    """
    if low == high:
        return f"{number(value)} {unit}"
    return f"about {number(value)} {unit}{gap}{noise_range(number(low), number(high))}"


def noise_range(low: str, high: str) -> str:
    """The range that holds 95 % of the noise around a value, from its two ends in words."""
    return f"95 % range of the noise {low} to {high}"


def with_id(tile_id: str, name: str) -> str:
    """What people call a tile, with its id; only one of them where they are equal.

    >>> with_id("7", "Old town"), with_id("7", "7")
    ('Old town (7)', '7')
    """
    return tile_id if name == tile_id else f"{name} ({tile_id})"


def rough(value: float) -> str:
    """An expected number with two digits, because it is known no better.

    >>> rough(1234.5), rough(0.034), rough(86.4), rough(0)
    ('1,200', '0.034', '86', '0')
    """
    if value < 100:
        return f"{value:.2g}"
    digits = len(str(int(value))) - 2
    return f"{round(value / 10**digits) * 10**digits:,}"


def percent(share: float, decimals: int = 0) -> str:
    """A share in percent, as all pages write it.

    >>> percent(0.124), percent(0.124, 1)
    ('12 %', '12.4 %')
    """
    return f"{100 * share:.{decimals}f} %"


def chance_words(chance: float) -> str:
    """A chance in whole percent; never a false certainty.

    >>> [chance_words(chance) for chance in (0.734, 0.9999, 0.0)]
    ['73 %', 'over 99 %', 'under 1 %']
    """
    if chance > 0.99:
        return "over 99 %"
    return "under 1 %" if chance < 0.01 else percent(chance)


def day(moment: date) -> str:
    """A date as all pages write it, such as 2024-04-01."""
    return f"{moment:%Y-%m-%d}"


def days_words(first: date, last: date) -> str:
    """Some days in a row: the month that they are, else the first and the last.

    >>> days_words(date(2017, 2, 1), date(2017, 2, 28)), days_words(date(2017, 2, 1), date(2017, 3, 31))
    ('February 2017', '2017-02-01 to 2017-03-31')
    """
    month = first.day == 1 and last == first.replace(day=monthrange(first.year, first.month)[1])
    return f"{first:%B %Y}" if month else f"{day(first)} to {day(last)}"


def short_date(moment: date) -> str:
    """A date along an axis, without its year.

    >>> short_date(date(2024, 4, 1))
    '1 Apr'
    """
    return f"{moment.day} {moment:%b}"


def minute(moment: datetime) -> str:
    """A time of UTC as all pages write it, such as 2024-04-01 08:00 UTC."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def district_name(name: str) -> str:
    """A district's name with that word, because many are mere numbers; what lies outside of all keeps its name.

    >>> district_name("3"), district_name("outside")
    ('District 3', 'outside')
    """
    return name if name == OUTSIDE else f"District {name}"


def district_labels(tiles: Tessellation, districts: Districts | Axis) -> dict[str, str]:
    """What each district is called wherever it stands, by its name in tables; what lies outside of all keeps its name."""
    names = districts.names if isinstance(districts, Districts) else districts.inside
    called = map(district_name, tiles.called_districts(districts))
    return dict(zip((*names, OUTSIDE), (*called, OUTSIDE), strict=True))


def names_told(tiles: Tessellation, districts: Districts | None) -> str:
    """Which names were made of the places under the map, in sentences; empty where none was."""
    found = []
    made = [one for one, own in zip(tiles.called, tiles.tile_names, strict=True) if one != own]
    if made:
        shown = next((one for one in made if one.startswith("by ")), made[0])
        found.append(
            f"Tiles without a name, or with a code for one, are called after the nearest place under the map, such as {shown}."
        )
    if districts is not None and tiles.called_districts(districts) != districts.names:
        found.append(
            "Districts without a name, or with a code for one, are called after the largest place in them."
        )
    return " ".join([*found, "No trip decides a name."]) if found else ""


def flow_name(start: str, end: str, *, within: bool) -> str:
    """What a flow is called; ``within``: it ends in the place where it starts. Two places may have one name.

    >>> flow_name("Harbour", "Old town", within=False), flow_name("Harbour", "Harbour", within=True)
    ('Harbour → Old town', 'within Harbour')
    >>> flow_name("by Harbour", "by Harbour", within=True)
    'within the tile by Harbour'
    """
    if within:
        return f"within the tile {start}" if is_way(start) else f"within {start}"
    return f"{start} \N{RIGHTWARDS ARROW} {end}"


def cell(text: str) -> str:
    """Text for a table that may be copied or saved for a spreadsheet: none of it becomes a formula.

    >>> cell("=1+1"), cell("Old town")
    ("'=1+1", 'Old town')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "\0")) else text


def xml_text(text: str) -> str:
    r"""A text without the characters that no XML may hold, such as control characters; it is not escaped here.

    >>> xml_text("a\x00b\x1b <c>")
    'ab <c>'
    """
    return _NO_XML.sub("", text)


def sentence(text: str) -> str:
    """A text with a capital first letter.

    >>> sentence("it is gone")
    'It is gone'
    """
    return text[:1].upper() + text[1:]


def delta_text(delta: Fraction | float) -> str:
    """A delta with three digits.

    >>> delta_text(Fraction(3, 4_000_000)), delta_text(0.0)
    ('7.5e-07', '0')
    """
    return f"{float(delta):.3g}"
