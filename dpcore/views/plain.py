"""Names out of files as plain text inside Markdown."""

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
