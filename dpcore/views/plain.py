"""Names out of files and numbers as plain text."""

from __future__ import annotations

import re
from typing import Final

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!$:|<>~&])")


def plain(text: str) -> str:
    r"""Text that Markdown shows as it is: no link, picture, formula or emoji can come of it.

    >>> print(plain("a *b* :smile:"))
    a \*b\* \:smile\:
    """
    return _SPECIAL.sub(r"\\\1", text)


def number(value: int) -> str:
    """A whole number with separators and a true minus sign.

    >>> number(-1240) == "\N{MINUS SIGN}1,240"
    True
    """
    return f"{value:,}".replace("-", "\N{MINUS SIGN}")
