"""What widgets show again after their page was left, reloaded or opened in another tab.

Streamlit forgets a widget with its page. It could keep it (``persist_state``), but a value that comes from elsewhere while the
widget is shown would come in one run alone, and be lost with it. So a form remembers values by the field of the project
(``projects``), and gives each widget its default in every run: a saved value if the widget can show it, else the usual one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any, TypeVar

import streamlit as st

from dpcore.api import studies

Option = TypeVar("Option")
Limit = float | Fraction | date
_NONE: Any = object()


def anything(_value: object) -> bool:
    """Every value of the right type fits."""
    return True


def between(low: Limit, high: Limit) -> Callable[[Any], bool]:
    """Whether a number or a day lies in a range, both ends included."""
    return lambda value: value is None or low <= value <= high


@dataclass(repr=False)
class Form:
    """The remembered values of one visitor, by field, as JSON."""

    values: dict[str, Any] = field(default_factory=dict)
    turns: Counter[str] = field(default_factory=Counter)
    """How often a field came from elsewhere: part of the key of its widget, so that the browser shows what is remembered."""
    _shown: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def read(
        self, name: str, kind: object, usual: object = None, fits: Callable[[Any], bool] = anything
    ) -> Any:  # noqa: ANN401 - of the kind that is asked for
        """What is remembered of a field; ``kind`` is its type, as annotations write it."""
        try:
            found = studies.read_as(kind, self.values.get(name, _NONE))
        except ValueError:
            return usual
        return found if fits(found) else usual

    def value(
        self, name: str, kind: object, usual: object = None, fits: Callable[[Any], bool] = anything
    ) -> dict[str, Any]:
        """Start of a widget with one value: ``st.text_input("Note", **form.value("data note", str, ""))``."""
        return {"value": self.read(name, kind, usual, fits), "key": self.kept_key(name, usual)}

    def option(self, name: str, options: Sequence[Option], usual: Option | None = None) -> dict[str, Any]:
        """Start of a select box."""
        chosen = self._among(name, options, usual)
        index = next((at for at, one in enumerate(options) if one == chosen), None)
        return {"index": index, "key": self.kept_key(name, usual)}

    def segment(self, name: str, options: Sequence[Option], usual: Option | None) -> dict[str, Any]:
        """Start of a segmented control."""
        return {"default": self._among(name, options, usual), "key": self.kept_key(name, usual)}

    def stop(self, name: str, options: Sequence[Option], usual: Option) -> dict[str, Any]:
        """Start of a slider over options."""
        return {"value": self._among(name, options, usual), "key": self.kept_key(name, usual)}

    def several(self, name: str, options: Sequence[Option], usual: Collection[Option] = ()) -> dict[str, Any]:
        """Start of a widget with several options."""
        saved = self.values.get(name)
        wanted = [studies.written(one) for one in usual] if not isinstance(saved, list) else saved
        chosen = [one for one in options if studies.written(one) in wanted]
        return {"default": chosen, "key": self.kept_key(name, list(usual))}

    def take_up(self) -> None:
        """Remember what the widgets show now. What was never changed is not remembered, so that a better proposal can come."""
        for name, (key, usual) in self._shown.items():
            if key in st.session_state:
                now = studies.written(st.session_state[key])
                if name in self.values or now != usual:
                    self.values[name] = now

    def show_again(self, names: Iterable[str] | None = None) -> None:
        """Let the widgets of some fields, or of all, show what is remembered: it came from elsewhere."""
        for name in [""] if names is None else names:
            self.turns[name] += 1
            self._shown.pop(name, None)
        if names is None:
            self._shown.clear()

    def forget(self, start: str) -> None:
        """Let the widgets of the fields that begin so show again what is usual."""
        for name in {name for name in (*self.values, *self._shown) if name.startswith(start)}:
            self.values.pop(name, None)
            self.show_again([name])

    def _among(self, name: str, options: Sequence[Option], usual: Option | None) -> Option | None:
        saved = self.values.get(name, _NONE)
        return next((one for one in options if studies.written(one) == saved), usual)

    def turn(self, name: str) -> int:
        """How often a field came from elsewhere."""
        return self.turns[""] + self.turns[name]

    def key(self, name: str, field: str | None = None) -> str:
        """The key of the widget of a field, as it is now; ``field``: the one that it shows, if it has another name."""
        turn = self.turn(field or name)
        return f"{name} {turn}" if turn else name

    def kept_key(self, name: str, usual: object) -> str:
        """The key of a widget; what it shows is remembered from now on, unless it was always as usual."""
        self._shown[name] = (self.key(name), studies.written(usual))
        return self.key(name)
