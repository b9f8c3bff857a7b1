"""The curve of error against epsilon. It is dragged like the slider, and every map and slider of the page follows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.parts.scripts import module, styles

_mount_curve = st.components.v2.component(
    "tradeoff",
    html='<div class="tradeoff"></div>',
    css=styles("tradeoff.css"),
    js=module("tradeoff.js"),
)


def tradeoff(message: Mapping[str, Any], *, key: str) -> None:
    """Draw the curve packed by ``dpcore.views.planning.tradeoff.message``.

    It tells Python nothing itself: the slider with its link does, once the curve was let go. As long as the message stays the same
    nothing is sent again, so the present stop must not be in it.
    """
    _mount_curve(key=key, data=dict(message))
