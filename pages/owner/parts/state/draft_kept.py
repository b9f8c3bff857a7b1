"""The choices of a draft that a project keeps, by field; and how they are put back into a draft and its widgets."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import streamlit as st

from dpcore import curator, limits
from dpcore.api import studies
from dpcore.measures import MEASURES
from dpcore.measures.plan import FIVE_NUMBERS_WEIGHT
from dpcore.measures.split import MOST_SPLITS
from dpcore.measures.sums import BY, DISTANCE, DURATION, MEAN, SUM
from dpcore.privacy import RUNGS, PrivacyUnit
from dpcore.views.numbers.flows import NUMBERS_OF_FALSE_FLOWS
from pages.owner.parts.state.draft import MOST_TRIPS, Draft, Publishing, names_of
from pages.owner.parts.state.form import anything, between

_SHORT: Final = 200


def _short(text: str | None) -> bool:
    return text is None or len(text) <= _SHORT


NEW_ACCOUNT: Final = "A new data set"
"""What the choice of an account shows for one that is not registered yet."""
BY_EPSILON, BY_ACCURACY = "Highest ε", "Accuracy"
USUAL_PERCENT: Final = 10

Fits = Callable[[Any], bool]
Shown = Callable[[Any], Mapping[str, object]]


def _in(*keys: str) -> Shown:
    """The widgets that show a value as it is."""
    return lambda value: dict.fromkeys(keys, value)


def _account(name: str) -> dict[str, object]:
    found: dict[str, object] = {"release dataset": name}
    if "release account" not in st.session_state:
        return found
    known = {account.dataset for account in curator.default_ledger().accounts()}
    return {**found, "release account": name if name in known else NEW_ACCOUNT}


def _shown_weights(of: Mapping[PrivacyUnit, Mapping[str, int]]) -> dict[str, object]:
    return {
        key: value
        for unit, weights in of.items()
        for key, value in (
            (f"release measures {unit.value}", [*weights]),
            *((f"release weight {unit.value} {name}", weight) for name, weight in weights.items()),
        )
    }


FIELDS: Final[Mapping[str, tuple[Fits, Shown]]] = MappingProxyType(
    {
        "dataset": (_short, _account),
        "population": (_short, _in("release population")),
        "total": (_short, _in("release total")),
        "currency": (anything, _in("release currency")),
        "part": (_short, _in("release part")),
        "unit": (anything, _in("release hide", "explore hide")),
        "max_trips": (between(1, MOST_TRIPS), _in("release max trips", "explore max trips")),
        "splits": (lambda names: len(names) <= MOST_SPLITS, lambda names: {"release splits": [*names]}),
        "sums": (
            lambda sums: len(sums) <= limits.MAX_ATTRIBUTES and all(map(_short, sums.values())),
            lambda sums: {
                "release sums": [*sums],
                **{f"release sum {name}": text for name, text in sums.items()},
            },
        ),
        "by": (lambda name: name is None or name in BY, _in("release by table")),
        "districts": (between(2, limits.MAX_DISTRICTS), _in("release districts")),
        "most_trips": (between(1, limits.MAX_TRIPS_PER_USER), _in("release most trips")),
        "weights_of": (lambda of: all(map(_weights, of.values())), _shown_weights),
        "five_numbers": (
            between(0, 1_000),
            lambda weight: {
                "release five numbers": weight > 0,
                "release five numbers weight": weight or FIVE_NUMBERS_WEIGHT,
            },
        ),
        "ranges": (
            between(0, 0.9),
            lambda share: {
                "release ranges": share > 0,
                "release ranges share": int(share * 100) or USUAL_PERCENT,
            },
        ),
        "false_flows": (NUMBERS_OF_FALSE_FLOWS.__contains__, _in("release false flows")),
        "by_accuracy": (anything, lambda by: {"release by": BY_ACCURACY if by else BY_EPSILON}),
        "epsilon": (RUNGS.__contains__, _in("release epsilon")),
        "wanted": (between(1, 1_000_000), _in("release wanted")),
        "wanted_measure": (MEASURES.__contains__, _in("release wanted measure")),
        "chosen": (anything, _in("release chosen")),
        "trips": (between(0, 10**12), _in("release trips")),
        "users": (between(1, 10**12), _in("release users")),
    }
)
"""Attribute of ``Draft`` -> what fits, and which widgets show what of it. The field of the project has ``release `` before it."""

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
    """Put saved fields into a draft, all or some. What does not fit is left as it is.

    Widgets that are shown now take the value too: another tab changed it.
    """
    hints = typing.get_type_hints(Draft)
    for field in [*values] if names is None else names:
        name = field.removeprefix("release ")
        if text := _TEXTS.fullmatch(field):
            if isinstance(values.get(field), str) and len(values[field]) <= limits.MAX_NOTE_CHARACTERS:
                vars(draft.of_kinds.setdefault(text[2], Publishing()))[text[1]] = values[field]
                _show(f"release {text[2]} {text[1]}", values[field])
        elif (
            name in FIELDS and field != name and field in values and not (draft.is_demo and name in _ITS_OWN)
        ):
            fits, shown = FIELDS[name]
            try:
                value = studies.read_as(hints[name], values[field])
            except ValueError:
                continue
            if fits(value):
                vars(draft)[name] = value
                for key, seen in shown(value).items():
                    _show(key, seen)
    if not draft.has_users:
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


def _show(key: str, value: object) -> None:
    if st.session_state.get(key, value) != value:
        st.session_state[key] = value
