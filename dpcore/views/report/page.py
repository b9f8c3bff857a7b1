"""A release as one file: HTML with its style, its script and its numbers inside, and no request to anyone.

Why not the charts of the app: their library would add a megabyte of generated code that this project cannot read, and
a page without scripts would be empty. These pictures are plain SVG, so they stand without a script, print as they are,
and a screen reader finds a table beside each. A policy in the file forbids every request and every script but its own
(by its hash). All texts of others are escaped.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

from dpcore.privacy import decimal_text
from dpcore.release.release import Release
from dpcore.views import guarantee
from dpcore.views.cards import release_cards
from dpcore.views.guarantee import protection_text_at
from dpcore.views.plain import day
from dpcore.views.report import maps
from dpcore.views.report.data import data_json
from dpcore.views.report.entries import placed
from dpcore.views.report.parts import article, at_rungs
from dpcore.views.series import CLIPPED

_HERE: Final = Path(__file__).parent
_SCRIPTS: Final = ("words.js", "maps.js", "tables.js", "tile.js", "start.js")


def report_html(release: Release, rung: int | None = None) -> str:
    """The file of a release, opened at a rung (the highest by default); the same input gives the same text."""
    at = len(release.plan.rungs) - 1 if rung is None else rung
    paths = maps.shapes(release.tessellation)
    style = (_HERE / "report.css").read_text(encoding="utf-8") + maps.colour_style()
    script = _script()
    title = escape(release.title or release.id)
    sections = placed(release.measurements)
    body = "".join(
        f'<section id="{key}"><h2>{escape(name)}</h2><p class="about">{escape(about)}</p>'
        + "".join(article(release, release.measurements[measure], at, paths) for measure in measures)
        + "</section>"
        for key, name, about, measures in sections
    )
    links = "".join(f'<a href="#{key}">{escape(name)}</a>' for key, name, *_ in sections)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>{title}</title><style>{style}</style></head><body>"
        f"{_head(release, at, title)}{_slider(release, at, links)}"
        f"<main>{body}{_promise(release)}</main>{_foot(release)}"
        f'<div id="tip" class="tip" role="status" hidden></div>'
        f'<script type="application/json" id="numbers">{data_json(release, paths)}</script>'
        f"<script>{script}</script></body></html>"
    )


def policy(style: str, script: str) -> str:
    """A Content-Security-Policy that lets in this style and this script, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _script() -> str:
    parts = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def _head(release: Release, rung: int, title: str) -> str:
    period = guarantee.period_text(release.plan.choices.period)
    about = [release.dataset, period, f"released {day(release.created)}"]
    note = f'<p class="note">{escape(release.note).replace(chr(10), "<br>")}</p>' if release.note else ""
    cards = at_rungs(
        release,
        rung,
        lambda at: "".join(
            f"<dl><dt>{escape(card.label)}</dt><dd>{escape(card.value)}</dd><dd>{escape(card.note)}</dd></dl>"
            for card in release_cards(release, at)
        ),
        'div class="cards"',
    )
    promise = at_rungs(release, rung, lambda at: escape(protection_text_at(release, at)))
    return (
        f'<header><h1>{title}</h1><p class="small">{escape(", ".join(part for part in about if part))}</p>'
        f'<div class="promise">{promise}</div>{note}{cards}'
        f'<p class="small">{escape(guarantee.HOW_TO_READ)} {escape(CLIPPED)}</p></header>'
    )


def _slider(release: Release, rung: int, links: str) -> str:
    epsilon, highest = decimal_text(release.plan.rungs[rung]), decimal_text(release.plan.epsilon)
    last = len(release.plan.rungs) - 1
    slider = (
        f'<input type="range" id="rung" min="0" max="{last}" step="1" value="{rung}" aria-label="epsilon">'
        if last
        else ""
    )
    return (
        f'<nav class="bar"><p><label for="rung">ε = <output id="epsilon">{epsilon}</output></label> '
        f'<span class="small">of {highest} that was spent</span></p>'
        f'<p class="live slide"><span>coarser</span>{slider}<span>finer</span></p>'
        f'<p class="links">{links}</p></nav>'
    )


def _promise(release: Release) -> str:
    said = guarantee.guarantee(release)

    def listed(texts: tuple[str, ...]) -> str:
        return "".join(f"<li>{escape(text)}</li>" for text in texts)

    facts = "".join(
        f"<tr><th scope=row>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in (*said.facts, *said.ledger)
    )
    return (
        f'<section id="promise"><h2>What is promised, and what is not</h2><ul>{listed(said.promise)}</ul>'
        f"<h4>Not protected</h4><ul>{listed(said.not_protected)}</ul>"
        f"<details><summary>Facts</summary><table><tbody>{facts}</tbody></table></details></section>"
    )


def _foot(release: Release) -> str:
    words = (
        f"Release {release.id}, ledger entry {release.anchor.number}, {release.anchor.hash[:16]}. This file was made from "
        "the release alone. Check the bundle itself with: python -m dpcore verify FOLDER"
    )
    return f'<footer><p class="small">{escape(words)}</p></footer>'
