"""Which column holds how long a trip lasts, where its end has no time of its own, and in what unit.

The name of the column tells it, or its owner, never a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

_UNITS: Final = {
    "ms": "ms milliseconds millis",
    "s": "s sec secs second seconds segundos sekunden",
    "min": "m min mins minute minutes minutos minuten",
    "h": "h hr hrs hour hours",
    "hh:mm": "hhmm hmm",
    "mm:ss": "mmss",
    "clock": "hhmmss hmmss",
}
_UNIT_OF: Final = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_NAME: Final = re.compile(
    r"(?:(?:total|trip|journey|ride|rental|travel|leg|tour|hire|viaje|recorrido)*(?:duration|dur|duraci[oó]n|dur[eé]e|dauer)(?:recorrido|viaje)?"
    r"|(?:trip|journey|ride|rental|travel|trav)time|(?:trip|ride|travel)(?=sec|min))(?:in)?(?P<unit>"
    + "|".join(sorted(_UNIT_OF, key=len, reverse=True))
    + ")?"
)
ROLES: Final[Mapping[str, str]] = {"duration": "", "duration_s": "s", "duration_min": "min",
    "duration_hhmm": "hh:mm", "duration_mmss": "mm:ss"}  # fmt: skip
"""Role of a duration that an owner names -> its unit; empty if the name of the column tells it, or the fields do."""


def unit_of(normal: str) -> str | None:
    """The unit of a column by its normal name: empty if the name tells none; None if it is no duration."""
    found = _NAME.fullmatch(re.sub(r"[^\w]", "", normal))
    return None if found is None else _UNIT_OF.get(found["unit"] or "", "clock")


def duration_at(normal: Sequence[str], named: Mapping[str, int]) -> tuple[int, str] | None:
    """The position of the one column of durations and its unit, by its owner or its name; None where there is none, or several."""
    for role, said in ROLES.items():
        if role in named:
            return named[role], said or unit_of(normal[named[role]]) or "clock"
    found = [(at, unit) for at, name in enumerate(normal) if (unit := unit_of(name)) is not None]
    return found[0] if len(found) == 1 else None
