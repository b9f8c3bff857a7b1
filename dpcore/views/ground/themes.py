"""Pictures on light and dark pages: paper, ink and greys change, the colours of classes stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dpcore.views.ground.style import (
    DROWNED,
    FEW,
    FLOW,
    NO_DIFFERENCE,
    QUIET,
    UNDER_FLOWS,
    WITHIN,
    ground,
    ink,
)

PAGE_COLOURS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        ink(): ("ink", ink(dark=True)),
        ground(): ("paper", ground(dark=True)),
        QUIET: ("quiet", "#b4bcc4"),
        "#e3e6ea": ("line", "#2e363f"),
        WITHIN: ("within", "#59636d"),
        NO_DIFFERENCE: ("none", "#2b323b"),
        UNDER_FLOWS: ("under", "#2b323b"),
        DROWNED: ("drowned", "#565e68"),
        FEW: ("few", "#22262c"),
        FLOW: ("flow", "#ff8abe"),
    }
)
"""Colours of pictures that change on dark pages: their names there, and what they are."""

_COLOURS: Final = re.compile("|".join(PAGE_COLOURS))


def on_page(colour: str, *, dark: bool) -> str:
    """What a colour is on a light or a dark page."""
    return PAGE_COLOURS[colour][1] if dark and colour in PAGE_COLOURS else colour


def themed_svg(svg: str) -> str:
    """A picture whose paper, ink and greys are those of its page: properties of CSS with the names of ``PAGE_COLOURS``."""
    for colour, (name, _) in PAGE_COLOURS.items():
        svg = svg.replace(colour, f"var(--{name})")
    return svg


def dark_svg(svg: str) -> str:
    """A picture for a dark page, which an image element shows: there it has no properties of CSS."""
    return _COLOURS.sub(
        lambda found: on_page(found[0], dark=True), svg
    )  # at once: a new colour may be an old one of others
