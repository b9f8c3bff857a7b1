"""Wings: what may be taken away whole. Each kind of release other than tables is a folder of ``dpcore.kinds``, from plan to page.

No room of the core imports a wing. Whoever needs what every wing may have asks here, and gets the parts of the wings that are
there. A wing is found by its folder and a part by the name of its module:

======================  ===================================================================================================
module                  what it has
======================  ===================================================================================================
``kind``                ``KIND``, the kind of release (``dpcore.release.kind``)
``plans``               what ``dpcore`` offers to those who make plans
``notebook``            what ``dpcore`` offers to owners of trips; may be missing
``released_views``      ``views``, what Library, Viewer, pictures and reports show of its releases
``command``             ``add``, which adds its kinds to ``dpcore synth``
``private.maker``       ``MAKER``, the private steps (``dpcore.curator.makers``)
======================  ===================================================================================================

Modules are imported when they are asked for. The wall says who may ask for what: a maker is the curator's alone.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_PLACE: Final = "dpcore.kinds"
_HERE: Final = Path(__file__).parent / "kinds"


@cache
def there() -> tuple[str, ...]:
    """The names of the wings that are there, sorted."""
    names = sorted(one.parent.name for one in _HERE.glob("*/__init__.py"))
    return tuple(name for name in names if importlib.util.find_spec(f"{_PLACE}.{name}"))


def kinds() -> tuple[Any, ...]:
    """The kinds of release of all wings."""
    return tuple(module.KIND for module in _modules("kind"))


def views_of(kind: object) -> ModuleType | None:
    """The module with the views of a kind of release; None if it has none."""
    return _module(_wing_of(kind), "released_views")


def load_plans() -> None:
    """Import the plans of all wings, which ``dpcore`` then offers."""
    _modules("plans")


def load_notebooks() -> None:
    """Import what all wings have for owners of trips, which ``dpcore`` then offers."""
    _modules("notebook")


def commands() -> tuple[ModuleType, ...]:
    """The modules that add to ``dpcore synth``."""
    return _modules("command")


def maker_of(kind: object) -> Any:  # noqa: ANN401 - each kind has a type of its own
    """The maker of a kind of release; None if there is none."""
    module = _module(_wing_of(kind), "private.maker")
    return None if module is None else module.MAKER


@cache
def _modules(name: str) -> tuple[ModuleType, ...]:
    """That module of each wing that has it, wings by name."""
    found = (_module(f"{_PLACE}.{wing}", name) for wing in there())
    return tuple(one for one in found if one is not None)


def _module(wing: str, name: str) -> ModuleType | None:
    """A module of a wing; None for what is no wing, or has none of that name."""
    place = f"{wing}.{name}"
    if not wing.startswith(f"{_PLACE}.") or importlib.util.find_spec(place) is None:
        return None
    return importlib.import_module(place)


def _wing_of(kind: object) -> str:
    """The dotted place of the folder where the class of a kind lies."""
    return type(kind).__module__.rpartition(".")[0]
