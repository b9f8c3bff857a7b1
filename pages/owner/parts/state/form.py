"""What widgets show again after their page was left, reloaded or opened in another tab.

Streamlit forgets a widget with its page. A form remembers the value of every widget that starts with one of its own, by a
name that is also the field of the project (``projects``). A starting value is the default of its widget, so it is sent in
every run. What comes from a saved project is checked against what the widget can show: anything else gives the usual value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
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
    turn: int = 0
    """Part of the keys of all widgets: with another one the browser shows what is remembered, not what it showed before."""
    _shown: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def value(
        self, name: str, kind: object, usual: object = None, fits: Callable[[Any], bool] = anything
    ) -> dict[str, Any]:
        """Start of a widget with one value: ``st.text_input("Note", **form.value("data note", str, ""))``.

        ``kind`` is the type of the value, as annotations write it.
        """
        found = usual
        try:
            read = studies.read_as(kind, self.values.get(name, _NONE))
            found = read if fits(read) else usual
        except ValueError:
            pass
        return {"value": found, "key": self._key(name, usual)}

    def option(self, name: str, options: Sequence[Option], usual: Option | None = None) -> dict[str, Any]:
        """Start of a select box."""
        chosen = self._among(name, options, usual)
        index = next((at for at, one in enumerate(options) if one == chosen), None)
        return {"index": index, "key": self._key(name, usual)}

    def segment(self, name: str, options: Sequence[Option], usual: Option | None) -> dict[str, Any]:
        """Start of a segmented control."""
        return {"default": self._among(name, options, usual), "key": self._key(name, usual)}

    def stop(self, name: str, options: Sequence[Option], usual: Option) -> dict[str, Any]:
        """Start of a slider over options."""
        return {"value": self._among(name, options, usual), "key": self._key(name, usual)}

    def several(self, name: str, options: Sequence[Option], usual: Collection[Option] = ()) -> dict[str, Any]:
        """Start of a widget with several options."""
        saved = self.values.get(name)
        wanted = [studies.written(one) for one in usual] if not isinstance(saved, list) else saved
        chosen = [one for one in options if studies.written(one) in wanted]
        return {"default": chosen, "key": self._key(name, list(usual))}

    def take_up(self) -> None:
        """Remember what the widgets show now. What was never changed is not remembered, so that a better proposal can come."""
        for name, (key, usual) in self._shown.items():
            if key in st.session_state:
                now = studies.written(st.session_state[key])
                if name in self.values or now != usual:
                    self.values[name] = now

    def show_again(self) -> None:
        """Let every widget show what is remembered: it came from elsewhere."""
        self.turn += 1
        self._shown.clear()

    def _among(self, name: str, options: Sequence[Option], usual: Option | None) -> Option | None:
        saved = self.values.get(name, _NONE)
        return next((one for one in options if studies.written(one) == saved), usual)

    def key(self, name: str) -> str:
        """The key of the widget of a field, as it is now."""
        return f"{name} {self.turn}" if self.turn else name

    def _key(self, name: str, usual: object) -> str:
        self._shown[name] = (self.key(name), studies.written(usual))
        return self.key(name)
