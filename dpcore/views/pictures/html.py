"""Slides as one HTML file that needs no network: pictures as SVG inside, arrow keys, one page a step on paper.

Without its script it is a page to scroll. The policy in it forbids every request and every other script. Words of others are escaped.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

from dpcore.views.ground.plain import xml_text
from dpcore.views.ground.themes import PAGE_COLOURS, themed_svg
from dpcore.views.pictures.files import drawn_svg
from dpcore.views.pictures.slide import Slide

_HERE: Final = Path(__file__).parent


def html(slides: Sequence[Slide], title: str) -> str:
    """Slides as one page. Equal slides give equal texts."""
    script = (_HERE / "slides.js").read_text(encoding="utf-8")
    hashed = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hashed}'; base-uri 'none'; form-action 'none'"
    steps = "".join(_step(one, at, len(slides)) for at, one in enumerate(slides, 1))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">'
        f"<title>{_safe(title)}</title><style>{_style()}</style></head><body>"
        f"<main><h1>{_safe(title)}</h1>{steps}</main>"
        '<nav hidden aria-label="Steps"><button type="button" data-by="-1" aria-label="Step back">\N{LEFTWARDS ARROW}</button>'
        '<span role="status"></span>'
        '<button type="button" data-by="1" aria-label="Next step">\N{RIGHTWARDS ARROW}</button></nav>'
        f"<script>{script}</script></body></html>"
    )


def _step(one: Slide, at: int, of: int) -> str:
    drawn = ""
    if one.drawn is not None:
        wide, narrow = (themed_svg(drawn_svg(one, f"{kind}{at}-", narrow=kind == "n")) for kind in "wn")
        drawn = f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'
    return (
        f'<section id="step-{at}" aria-label="Step {at} of {of}"><h2>{_safe(one.title)}</h2>'
        f'{f"""<p class="said">{_safe(one.sentence)}</p>""" if one.sentence else ""}'
        f'{drawn}<p class="told">{_safe(one.told)}</p><p class="source">{_safe(one.source)}</p></section>'
    )


def _safe(text: str) -> str:
    return escape(xml_text(text))


def _style() -> str:
    light = "".join(f"--{name}:{colour};" for colour, (name, _) in PAGE_COLOURS.items())
    dark = "".join(f"--{name}:{other};" for name, other in PAGE_COLOURS.values())
    css = (_HERE / "slides.css").read_text(encoding="utf-8")
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}{css}"
