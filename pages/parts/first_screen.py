"""The first screen: what a browser shows of a page until Streamlit runs in it, and the code that it loads meanwhile."""

import json
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Final

import streamlit as st

_ASSETS: Final = Path(__file__).parents[1] / "assets"
_OUTLINE: Final = "outline.html"  # where the map and the controls of Explore will stand
_STARTING: Final = "Epsilon Atlas is starting: a few seconds, once."
# Streamlit asks for the code of a widget when it meets one, for the next widget after that, and shows none before the last.
WIDGETS: Final = (
    "BidiComponent", "Html", "Button", "ButtonGroup", "Checkbox", "Selectbox", "NumberInput", "TextInput", "Metric", "Multiselect",
)  # fmt: skip


def first_screen(title: str, *, starting: bool, outlined: bool) -> bytes:
    """The first screen of a page as HTML that stands at the end of its body.

    Args:
        title: of the page.
        starting: whether the server still loads what pages need.
        outlined: whether the page begins with a map and its controls.
    """
    html = _template().substitute(
        title=escape(title),
        said=_STARTING if starting else "",
        outline=outline() if outlined else "",
        parts=json.dumps([*_widgets()]),
    )
    return html.encode()


@cache
def outline() -> str:
    """Grey places of a map and its controls, as HTML."""
    return (_ASSETS / _OUTLINE).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    return Template((_ASSETS / "first_screen.html").read_text(encoding="utf-8"))


def _widgets() -> Iterator[str]:
    """Addresses of Streamlit's code of widgets, whose names end with a digest of their own."""
    static = Path(st.__file__).parent / "static"
    base = "/" + (st.get_option("server.baseUrlPath") or "").strip("/")
    for name in WIDGETS:
        for file in static.glob(f"static/js/{name}.*.js"):
            yield f"{base.rstrip('/')}/{file.relative_to(static).as_posix()}"
