r"""Free texts of an owner: which characters they may hold, and how each format prints them as plain text.

One person writes them and many read them, in Markdown, YAML, JSON and on web pages. Characters that are invisible or
change the direction of reading are removed once, when the release is made. The rest is escaped where it is printed.
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
    r"""The visible characters of a text on one line, with single spaces, at most ``most`` of them.

    >>> one_line("a\tb  \x00c\u202e", 120)
    'a b c'
    """
    visible = "".join(filter(_visible, " ".join(text.split())))
    return " ".join(visible.split())[:most].strip()


def several_lines(text: str, most: int) -> str:
    r"""Like ``one_line``, line by line, with at most one empty line between two others.

    >>> several_lines("a\r\n\r\n\r\n b\x07", 120)
    'a\n\nb'
    """
    lines = "\n".join(one_line(line, most) for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines.strip("\n"))[:most].strip()


def markdown(text: str) -> str:
    r"""A text of one line, escaped so that Markdown shows it as it is: without link, picture, tag, list or heading.

    >>> print(markdown("[a](b) <script> www.c"))
    \[a\](b) \<script\> www\.c
    >>> print(markdown("1. not a list"))
    1\. not a list
    """
    return _BEGINS_A_BLOCK.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", text))


def fenced(text: str) -> str:
    """A text as a Markdown code block, with a fence that the text cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def scalar(value: str | int | bool) -> str:
    r"""A quoted text, a whole number or a truth value, in a form that is the same in YAML and JSON.

    The text must hold nothing that ``one_line`` removes, because YAML and JSON read some of that differently.

    >>> scalar('a: "b" #c'), scalar(3), scalar(True)
    ('"a: \\"b\\" #c"', '3', 'true')
    """
    return json.dumps(value, ensure_ascii=False)


def is_visible(text: str) -> bool:
    """Whether a text holds no invisible character that ``one_line`` would remove."""
    return all(map(_visible, text))


def _visible(sign: str) -> bool:
    if sign in _NO_CHARACTERS:
        return False
    return sign in _JOINERS or unicodedata.category(sign) not in _UNSEEN
