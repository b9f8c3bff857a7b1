"""The slider over the released rungs: it steers every map of a page in the browser, and tells Python when let go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

_ASSETS = Path(__file__).parents[1] / "assets"

_mount = st.components.v2.component(
    "rung_slider",
    html='<div class="ladder"></div>',
    css=(_ASSETS / "ladder_map.css").read_text(encoding="utf-8"),
    js=(_ASSETS / "rung_slider.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Rungs:
    """What the slider shows; public, and the same at every rung."""

    link: str
    """Maps with the same link follow."""
    rungs: Sequence[str]
    """Revealed epsilons, coarsest first."""
    beyond: Sequence[str]
    """Epsilons of the public list that were not revealed: the rest of the track."""
    unit: str
    """Unit and bound, beside epsilon."""
    sentences: Sequence[str]
    """What each rung means, spoken as the value of the slider."""
    start: int
    """Rung at the first look of a page; the rung that a visitor chose since must not come in here."""
    ends: tuple[str, str] = ("coarser", "finer")
    """What stands at its ends. Of a release every stop is public, so the left one has no more privacy."""


def _nothing() -> None:
    """Changes are read from the result."""


def rung_slider(shown: Rungs, *, key: str, tile: int | None, order: int) -> Any:  # noqa: ANN401 - Streamlit's result object has no public type
    """Draw the slider; the result has ``rung``, where it was let go (None before).

    ``tile`` is outlined on the maps when ``order``, which rises with every choice that Python made, is a new one.
    """
    return _mount(
        key=key,
        data={**vars(shown), "tile": tile, "order": order},
        default={"rung": None},
        on_rung_change=_nothing,
    )
