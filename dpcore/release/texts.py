r"""Free texts of an owner: what may be in them, and how each kind of file prints them as mere text.

They are written by one person and read by many, in Markdown, YAML, JSON and on web pages. What shows nothing or
turns the direction of reading is taken out once, when the release is made; the rest is escaped where it is printed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # control, format, half characters, separators
_JOINERS: Final = "\u200c\u200d"  # invisible, but scripts and emoji are spelled with them
_NO_CHARACTERS: Final = "\ufffe\uffff"  # no characters at all; YAML refuses them
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]#!$:|<>~&@]|(?<=www)\.)", re.IGNORECASE)
_BEGINS_A_BLOCK: Final = re.compile(r"^(\d*)([-+=.)])")  # a list or the line under a heading


def one_line(text: str, most: int) -> str:
    r"""The visible signs of a text on one line, single spaces, at most ``most`` characters.

    >>> one_line("a\tb  \x00c\u202e", 120)
    'a b c'
    """
    visible = "".join(filter(_visible, " ".join(text.split())))
    return " ".join(visible.split())[:most].strip()


def several_lines(text: str, most: int) -> str:
    r"""As ``one_line``, line by line; at most one empty line between two others.

    >>> several_lines("a\r\n\r\n\r\n b\x07", 120)
    'a\n\nb'
    """
    lines = "\n".join(one_line(line, most) for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines.strip("\n"))[:most].strip()


def markdown(text: str) -> str:
    r"""Text of one line that Markdown shows as it is: no link, picture, tag, list or heading can come of it.

    >>> print(markdown("[a](b) <script> www.c"))
    \[a\](b) \<script\> www\.c
    >>> print(markdown("1. not a list"))
    1\. not a list
    """
    return _BEGINS_A_BLOCK.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", text))


def fenced(text: str) -> str:
    """Text as a Markdown block of code, with a fence that it cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def scalar(value: str | int | bool) -> str:
    r"""A value as YAML and JSON write it alike: a quoted text, a whole number or a truth value.

    A text may not hold what ``one_line`` takes out: YAML reads some of it otherwise than JSON.

    >>> scalar('a: "b" #c'), scalar(3), scalar(True)
    ('"a: \\"b\\" #c"', '3', 'true')
    """
    return json.dumps(value, ensure_ascii=False)


def is_visible(text: str) -> bool:
    """Whether a text holds nothing that ``one_line`` takes out for being invisible."""
    return all(map(_visible, text))


def _visible(sign: str) -> bool:
    if sign in _NO_CHARACTERS:
        return False
    return sign in _JOINERS or unicodedata.category(sign) not in _UNSEEN
