"""The public list of zips that an owner gives, checked entry by entry before it can cost anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dpcore.errors import InputError

_ZIP: Final = re.compile(r"(?:[^\W_]|[ -]){2,12}")
_LISTED: Final = 5  # entries that a refusal names


def may_be_a_zip(text: str) -> bool:
    """Whether a text could be a postal code of any country: 2 to 12 letters, digits, spaces and hyphens.

    >>> may_be_a_zip("02139"), may_be_a_zip("SW1A 1AA"), may_be_a_zip("=1+1"), may_be_a_zip("7")
    (True, True, False, False)
    """
    return _ZIP.fullmatch(text) is not None


def zips_of(entries: Sequence[str], where: str, unit: str = "line") -> tuple[str, ...]:
    """The different zips among some entries, in their order; empty ones are passed over.

    Args:
        entries: such as the lines of a file.
        where: what is named where one is refused.
        unit: what an entry is called there.

    Raises:
        InputError: an entry that is no zip; the first ones are named by their number.

    """
    texts = [entry.strip() for entry in entries]
    wrong = [number for number, text in enumerate(texts, 1) if text and not may_be_a_zip(text)]
    if wrong:
        more = f" and {len(wrong) - _LISTED:,} more" if len(wrong) > _LISTED else ""
        named = ", ".join(f"{number:,}" for number in wrong[:_LISTED])
        raise InputError(
            "some of the zips cannot be zips",
            f"{where}, {unit} {named}{more}",
            "A zip has 2 to 12 letters, digits, spaces or hyphens, such as 02139.",
        )
    return tuple(dict.fromkeys(text for text in texts if text))
