"""Text from a tessellation file: what may be a tile id, what is shown as a name, how errors quote it.

Ids travel into tables, files, maps and spreadsheets, so their alphabet is narrow: nothing that begins a
formula, a tag or a link, and nothing invisible. Names are shown as text only and may hold any visible sign.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.measures.keys import OUTSIDE

ID_RULE: Final = (
    f"A tile id has 1 to {limits.MAX_TILE_ID_CHARACTERS} letters, digits, spaces or _ - . : / , ' ( ) & #, "
    "begins with a letter or digit and does not end in a space."
)

_PUNCTUATION: Final = frozenset(" _-.:/,'()&#")
# Signs that Unicode files under letters or marks and that show nothing: two ids could differ by them alone.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_LARGEST_WHOLE_FLOAT: Final = 2**53


def _is_letter_or_digit(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category.startswith("L") or category == "Nd"


def _in_alphabet(text: str) -> bool:
    """Letters and digits of all scripts, the marks they carry, a space, a little punctuation."""
    return _INVISIBLE.search(text) is None and all(
        sign in _PUNCTUATION or _is_letter_or_digit(sign) or unicodedata.category(sign) in {"Mn", "Mc"}
        for sign in text
    )


def _is_outside(text: str) -> bool:
    """Whether a reader could take the text for the catch-all of the tables."""
    return text.casefold() == OUTSIDE


def as_text(value: object) -> str | None:
    """The text of a property's value: text as it is, a whole number in decimal digits, else None.

    A truth value, a missing value, a number with a fraction or a nested value has no text.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE_FLOAT:
        return str(int(value))
    return None


def is_tile_id(value: object) -> bool:
    """Whether ``tile_id`` would accept the value."""
    text = as_text(value)
    if text is None or not 1 <= len(text) <= limits.MAX_TILE_ID_CHARACTERS:
        return False
    return _is_letter_or_digit(text[0]) and text[-1] != " " and not _is_outside(text) and _in_alphabet(text)


def tile_id(value: object, where: str) -> str:
    """The tile id that a value stands for; raises TessellationError, naming ``where``, if it can be none."""
    text = as_text(value)
    if text is not None and is_tile_id(value):
        return text
    if text is not None and _is_outside(text):
        raise TessellationError(
            f"a tile is called {quoted(OUTSIDE)}",
            where,
            "That word stands for every place without a tile. Give the tile another id.",
        )
    if text is None:
        found = "missing" if value is None else "neither text nor a whole number"
    elif not text:
        found = "empty"
    else:
        found = (
            f"{quoted(text)}, which is no id" if len(text) <= limits.MAX_TILE_ID_CHARACTERS else "too long"
        )
    raise TessellationError(f"the tile id is {found}", where, ID_RULE)


def tile_name(value: object, otherwise: str) -> str:
    """A name to show as text: no control or format characters, at most 120 characters; never empty."""
    text = as_text(value) or ""
    visible = "".join(
        sign for sign in " ".join(text.split()) if not unicodedata.category(sign).startswith("C")
    )
    return visible[: limits.MAX_TILE_NAME_CHARACTERS].strip() or otherwise


def quoted(text: str) -> str:
    """Text of a file as an error may quote it: one line, visible signs only, cut short."""
    return f'"{tile_name(text, "")[:60]}"'
