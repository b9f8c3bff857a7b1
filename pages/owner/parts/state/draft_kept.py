"""The choices of a draft that a project keeps, by field; and how they are put back into a draft."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from dpcore import limits
from dpcore.api import studies
from dpcore.measures import MEASURES
from dpcore.measures.split import MOST_SPLITS
from dpcore.measures.sums import BY, DISTANCE, DURATION, MEAN, SUM
from dpcore.privacy import RUNGS, PrivacyUnit
from dpcore.views.numbers.flows import NUMBERS_OF_FALSE_FLOWS
from pages.owner.parts.state.draft import MOST_TRIPS, Draft, Publishing, names_of
from pages.owner.parts.state.form import anything, between

_SHORT: Final = 200


def _short(text: str | None) -> bool:
    return text is None or len(text) <= _SHORT


FIELDS: Final[Mapping[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        "dataset": _short,
        "population": _short,
        "total": _short,
        "currency": anything,
        "part": _short,
        "unit": anything,
        "max_trips": between(1, MOST_TRIPS),
        "splits": lambda names: len(names) <= MOST_SPLITS,
        "sums": lambda sums: len(sums) <= limits.MAX_ATTRIBUTES and all(map(_short, sums.values())),
        "by": lambda name: name is None or name in BY,
        "districts": between(2, limits.MAX_DISTRICTS),
        "most_trips": between(1, limits.MAX_TRIPS_PER_USER),
        "weights_of": lambda of: all(map(_weights, of.values())),
        "five_numbers": between(0, 1_000),
        "ranges": between(0, 0.9),
        "false_flows": NUMBERS_OF_FALSE_FLOWS.__contains__,
        "by_accuracy": anything,
        "epsilon": RUNGS.__contains__,
        "wanted": between(1, 1_000_000),
        "wanted_measure": MEASURES.__contains__,
        "chosen": anything,
        "trips": between(0, 10**12),
        "users": between(1, 10**12),
    }
)
"""Attribute of ``Draft`` that a project keeps -> what fits. The field of the project has ``release `` before it."""

_ITS_OWN: Final = frozenset({"dataset", "population"})
"""The account of the built-in city is always its own."""
_TEXTS: Final = re.compile(r"release text (title|note|publisher) ([a-z-]{1,40})")


def _weights(weights: Mapping[str, int]) -> bool:
    return all(
        (name in MEASURES or name.startswith((SUM, MEAN))) and 1 <= one <= limits.MAX_BUNDLE_WEIGHT
        for name, one in weights.items()
    )


def fields_of(draft: Draft) -> dict[str, Any]:
    """All kept choices of a draft, as JSON by field. Numbers that were read off the data are none."""
    found = {
        f"release {name}": studies.written(vars(draft)[name])
        for name in FIELDS
        if name not in draft.counted or vars(draft)[name] != draft.counted[name]
    }
    for kind, texts in draft.of_kinds.items():
        told = {"title": texts.title, "note": texts.note, "publisher": texts.publisher}
        found |= {f"release text {name} {kind}": text for name, text in told.items()}
    return found


def put_back(draft: Draft, values: Mapping[str, Any], names: Iterable[str] | None = None) -> None:
    """Put saved fields into a draft, all or some. What does not fit is left as it is."""
    hints = typing.get_type_hints(Draft)
    for field in [*values] if names is None else names:
        name = field.removeprefix("release ")
        if text := _TEXTS.fullmatch(field):
            if isinstance(values.get(field), str) and len(values[field]) <= limits.MAX_NOTE_CHARACTERS:
                vars(draft.of_kinds.setdefault(text[2], Publishing()))[text[1]] = values[field]
        elif (
            name in FIELDS and field != name and field in values and not (draft.is_demo and name in _ITS_OWN)
        ):
            try:
                value = studies.read_as(hints[name], values[field])
            except ValueError:
                continue
            if FIELDS[name](value):
                vars(draft)[name] = value
    if not draft.form.users:
        draft.unit = draft.currency = PrivacyUnit.TRIP
    _leave_out(draft)


def _leave_out(draft: Draft) -> None:
    """Leave out attributes that the trips do not have: others were loaded since."""
    numbers = {DURATION, DISTANCE, *(one.name for one in draft.amounts)}
    draft.sums = {name: text for name, text in draft.sums.items() if name in numbers}
    draft.splits = tuple(name for name in draft.splits if name in {one.name for one in draft.categories})
    of_sums = names_of(draft.sums)
    for weights in draft.weights_of.values():
        for name in [one for one in weights if one not in MEASURES and one not in of_sums]:
            del weights[name]
