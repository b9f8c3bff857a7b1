"""An HTML page that needs no network and lets nothing in: its head, its policy, and the library of charts."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

_ADDS_STYLE: Final = re.compile(r'getElementById\("([0-9a-f]{64})"\)')


def document(title: str, style: str, body: str, calls: Sequence[str]) -> str:
    """The page; ``title`` and ``body`` are HTML.

    ``calls``: scripts that draw with plotly, whose library stands before them. With none of them the page has no script.
    """
    scripts = (_library(), *calls) if calls else ()
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, scripts)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"{_styles_not_added(scripts)}<title>{title}</title><style>{style}</style></head><body>"
        f"{body}{''.join(f'<script>{one}</script>' for one in scripts)}</body></html>"
    )


def policy(style: str, scripts: Sequence[str]) -> str:
    """A Content-Security-Policy that lets in this style and these scripts, and nothing from anywhere.

    With charts it also lets in the empty style element that their library fills by rules, and pictures
    that it makes in the page to save them. The library may send nothing and evaluate no text.
    """
    styles, code, pictures = _source(style), "'none'", ""
    if scripts:
        styles, code = f"{styles} {_source('')}", " ".join(map(_source, scripts))
        pictures = "img-src data: blob:; "
    return (
        f"default-src 'none'; style-src {styles}; script-src {code}; {pictures}connect-src 'none'; "
        "base-uri 'none'; form-action 'none'"
    )


def _styles_not_added(scripts: Sequence[str]) -> str:
    """Elements with the ids of the styles that plotly adds for its street maps, which no chart needs and the policy refuses.

    It adds none whose id is there already.
    """
    return "".join(f'<meta id="{name}">' for one in scripts[:1] for name in _ADDS_STYLE.findall(one))


def _library() -> str:
    """The script of plotly as it is installed. No text in it ends the element that holds it."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - commands that draw nothing need not wait for it

    return str(get_plotlyjs())


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
