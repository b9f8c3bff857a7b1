"""The names that the package offers. Each is marked where it is defined or imported.

``dpcore.__all__`` is the list of the names. The package looks here for a name that is asked for: ``public`` offers what
everyone may use, ``notebook`` what owners may use, and a server for viewers has only the first of them.
"""

from __future__ import annotations

from typing import Final, Protocol, TypeVar


class Named(Protocol):
    """A function or a class."""

    @property
    def __name__(self) -> str: ...


Thing = TypeVar("Thing", bound=Named)

OFFERED: Final[dict[str, object]] = {}


def offered(thing: Thing) -> Thing:
    """The same function or class; from now on the package offers it under its name."""
    OFFERED[thing.__name__] = thing
    return thing
