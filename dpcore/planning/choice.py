"""What an owner may choose for a plan, declared once.

From one declaration come the option of a command with its help, the words that repeat a plan as a command, and the argument
that repeats it as code.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any, Final

from dpcore.measures.keys import Period
from dpcore.planning.python_text import Raw

FILE: Final = "FILE"


@dataclass(frozen=True)
class Choice:
    """One thing that may be chosen. What is usual stands in the function that makes a plan."""

    name: str
    """The argument of that function; empty for what is an option alone."""
    about: str = ""
    """The help of its option; empty where there is none, or other commands share it."""
    metavar: str | None = None
    """How its option calls a value. A plan does not keep the name of a FILE: its command says the argument in capitals."""
    read: Callable[[str], object] = str
    """The value of a text, ArgumentTypeError or an AtlasError if it has none; ``bool`` is an option without a text."""
    among: type[Enum] | Sequence[str] | None = None
    """The texts there are, if not all."""
    many: bool = False
    """Whether its option may be given several times."""
    flag: str = ""
    """The option, where it is not called like the argument."""
    of: Callable[[Any], object] | None = None
    """What a plan says of it, as code gives it; where that is not the plan's attribute of this name."""
    texts: Callable[[Any], Iterable[str]] | None = None
    """The same as its option gives it, where it does not follow."""

    @property
    def option(self) -> str:
        """Its name in a command."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    def said(self, plan: object) -> object:
        """What a plan says of it, as code gives it; None for nothing, which is usual."""
        return (vars(plan)[self.name] if self.of is None else self.of(plan)) or None

    def words(self, plan: object) -> list[str]:
        """The same as a command gives it."""
        value = self.said(plan)
        if (self.texts is None and value is None) or isinstance(value, Raw):
            return []
        if self.read is bool:
            return [self.option]
        given = value if self.many and isinstance(value, list) else [value]
        texts = self.texts(plan) if self.texts else map(_text, given)
        return [
            word
            for text in texts
            for word in (self.option, self.name.upper() if self.metavar == FILE else text)
        ]


def add_options(command: argparse.ArgumentParser, choices: Iterable[Choice]) -> None:
    """Add the options of those that have one of their own."""
    for one in choices:
        if one.about and one.read is bool:
            command.add_argument(one.option, dest=one.name, action="store_true", help=one.about)
        elif one.about:
            command.add_argument(
                one.option,
                dest=one.name or None,
                type=one.read,
                action="append" if one.many else "store",
                default=[] if one.many else None,
                choices=None if one.among is None else list(map(_text, one.among)),
                metavar=one.metavar,
                help=one.about,
            )


def given_arguments(options: argparse.Namespace, choices: Iterable[Choice]) -> dict[str, Any]:
    """What the options of ``add_options`` say, as arguments; without what is not given."""
    found = {one.name: vars(options)[one.name] for one in choices if one.about and one.name}
    return {name: value for name, value in found.items() if value is not None}


def words_of(plan: object, choices: Iterable[Choice], first: Sequence[str]) -> list[str]:
    """A plan as options. Manifests hold them, so their order stays: those that ``first`` names stand before the others."""
    later = {one.name: one for one in choices}
    ordered = [*(later.pop(name) for name in first), *later.values()]
    return [word for one in ordered for word in one.words(plan)]


def arguments_of(plan: object, choices: Iterable[Choice]) -> dict[str, object]:
    """A plan as arguments by name."""
    return {one.name: one.said(plan) for one in choices}


def whole(text: str) -> int:
    """A whole number, also written like 1e6."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not number.is_integer() or abs(number) > 1e12:
        raise argparse.ArgumentTypeError("not a whole number")
    return int(number)


def period(text: str) -> Period:
    """Two days such as ``2024-04-01/2024-04-28``."""
    try:
        first, last = (date.fromisoformat(day) for day in text.split("/"))
    except ValueError:
        raise argparse.ArgumentTypeError("give two days such as 2024-04-01/2024-04-28") from None
    return Period(first, last)


def names(text: str) -> tuple[str, ...]:
    """Names that are separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _text(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Period):
        return f"{value.first}/{value.last}"
    if isinstance(value, Mapping):
        return ",".join(f"{name}={one}" for name, one in value.items())
    if isinstance(value, AbstractSet):
        return ",".join(sorted(map(str, value)))
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
