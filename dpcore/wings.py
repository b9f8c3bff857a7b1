"""Wings: what may be taken away whole. Each kind of release other than tables is a folder of ``dpcore.kinds``, from plan to page.

No room of the core imports a wing. Whoever needs what every wing may have (its kind of release, its plans, its commands) asks
here for the part by its name, and gets those of the wings that are there.

======================  ===================================================================================================
part                    what a wing has in it
======================  ===================================================================================================
``kind``                ``KIND``, its kind of release (``dpcore.release.kind``)
``plans``               what ``dpcore`` offers of it to those who write Python
``notebook``            what ``dpcore`` offers of it to owners of trips
``private.maker``       ``MAKER``, its private steps (``dpcore.curator.makers``)
``released_views``      ``views``, what Library, Viewer, pictures and reports show of its releases
``command``             ``add``, which adds what it has to say to ``dpcore synth``
======================  ===================================================================================================
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

KINDS: Final = "dpcore.kinds"
_HERE: Final = Path(__file__).parent / "kinds"


@cache
def wings() -> tuple[str, ...]:
    """Names of the wings that are there, sorted."""
    return tuple(sorted(one.parent.name for one in _HERE.glob("*/__init__.py")))


def parts(name: str) -> tuple[ModuleType, ...]:
    """The modules of that name of all wings that have one. They are imported when they are asked for."""
    found = (part(f"{KINDS}.{wing}", name) for wing in wings())
    return tuple(one for one in found if one is not None)


def part(wing: str, name: str) -> ModuleType | None:
    """The module ``name`` of a wing by its dotted place; None if the wing has none."""
    place = f"{wing}.{name}"
    return importlib.import_module(place) if importlib.util.find_spec(place) else None


def wing_of(kind: object) -> str:
    """The dotted place of the folder where the class of a kind of release lies."""
    return type(kind).__module__.rpartition(".")[0]
