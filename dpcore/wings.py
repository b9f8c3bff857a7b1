"""Wings: what may be taken away whole.

Each kind of release other than tables is a folder of ``dpcore.kinds``, from plan to page. Each engine that counts where trips lie is a
folder of ``dpcore.engines``. Stories are ``dpcore.stories``.

No room of the core imports a wing. Whoever needs what every wing may have asks here, and gets the parts of the wings that are
there. A wing is found by its folder and a part by the name of its module:

======================  ===================================================================================================
module                  what it has
======================  ===================================================================================================
``kind``                ``KIND``, the kind of release (``dpcore.release.kind``)
``plans``, ``public``   what ``dpcore`` offers to everybody
``notebook``            what ``dpcore`` offers to owners of trips; may be missing
``released_views``      ``views``, what Library, Viewer, pictures and reports show of its releases
``comparison``          ``side``, what can be compared of its releases; may be missing
``command``             ``add``, which adds kinds to ``dpcore synth``, the options of a command of its own, or those of an engine, which
                        ``check``, ``loaded`` and ``fingerprints`` take
``private.maker``       ``MAKER``, the private steps (``dpcore.curator.makers``)
``private.counting``    of an engine: ``count``, the exact answers (``dpcore.private.exact``), and ``forget``
======================  ===================================================================================================

Modules are imported when they are asked for. The wall says who may ask for what: a maker is the curator's alone.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_HERE: Final = Path(__file__).parent
_PLACES: Final = ("kinds/*", "engines/*", "stories")


@cache
def _places() -> Mapping[str, str]:
    """The dotted place of each wing that is there, by its name."""
    found = [one for place in _PLACES for one in sorted(_HERE.glob(f"{place}/__init__.py"))]
    places = {one.parent.name: ".".join(("dpcore", *one.parent.relative_to(_HERE).parts)) for one in found}
    return {name: place for name, place in places.items() if importlib.util.find_spec(place)}


def there(room: str = "") -> tuple[str, ...]:
    """The names of the wings that are there; of those in one room of ``dpcore``, such as ``kinds``, if it is named."""
    return tuple(name for name, place in _places().items() if room in {"", place.split(".")[1]})


def kinds() -> tuple[Any, ...]:
    """The kinds of release of all wings."""
    return tuple(module.KIND for module in _modules("kind").values())


def views_of(kind: object) -> ModuleType | None:
    """The module with the views of a kind of release; None if it has none."""
    return _module(_wing_of(kind), "released_views")


def comparison_of(kind: object) -> ModuleType | None:
    """The module with what can be compared of a kind of release; None if it has none."""
    return _module(_wing_of(kind), "comparison")


def load_public() -> None:
    """Import what all wings have for everybody, which ``dpcore`` then offers."""
    _modules("plans")
    _modules("public")


def load_notebooks() -> None:
    """Import what all wings have for owners of trips, which ``dpcore`` then offers."""
    _modules("notebook")


def commands(room: str) -> Mapping[str, ModuleType]:
    """The modules that add to the command line, of the wings in one room of ``dpcore``, by the name of the wing."""
    return _modules("command", room)


def maker_of(kind: object) -> Any:  # noqa: ANN401 - each kind has a type of its own
    """The maker of a kind of release; None if there is none."""
    module = _module(_wing_of(kind), "private.maker")
    return None if module is None else module.MAKER


def engine(name: str) -> Any:  # noqa: ANN401 - a module
    """The module that counts on an engine, and forgets the trips that it holds; None if there is no such wing."""
    return _module(_places().get(name, ""), "private.counting")


def files_of(room: str, *first: str) -> tuple[ModuleType, ...]:
    """The modules in a room of the core, so that a new file of it needs no mention elsewhere; those of ``first`` come first."""
    dotted = room.replace("/", ".")
    return tuple(
        importlib.import_module(f"dpcore.{dotted}.{name}")
        for name in dict.fromkeys([*first, *names_of(room)])
    )


def names_of(room: str) -> tuple[str, ...]:
    """The names of the files in a room of the core, such as ``views/tables``."""
    return tuple(sorted(one.stem for one in (_HERE / room).glob("[a-z]*.py")))


@cache
def _modules(name: str, room: str = "") -> Mapping[str, ModuleType]:
    """That module of each wing that has it, by the name of the wing."""
    found = {wing: _module(_places()[wing], name) for wing in there(room)}
    return {wing: module for wing, module in found.items() if module is not None}


def _module(wing: str, name: str) -> ModuleType | None:
    """A module of a wing, by its place; None for what is no wing, or has none of that name."""
    place = f"{wing}.{name}"
    if wing not in _places().values() or importlib.util.find_spec(place) is None:
        return None
    return importlib.import_module(place)


def _wing_of(kind: object) -> str:
    """The dotted place of the folder where the class of a kind lies."""
    return type(kind).__module__.rpartition(".")[0]
