"""What surrounds the texts of a report file: folds, the two sides of its switch, and one text for each rung."""

from __future__ import annotations

from collections.abc import Callable, Sized
from html import escape


def folded(title: str, body: str) -> str:
    """What stands one click away, and on paper always."""
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def either(estimate: str, released: str, name: str = "div") -> str:
    """What is seen on the one or the other side of the switch."""
    return f'<{name} class="if-estimate">{estimate}</{name}><{name} class="if-released">{released}</{name}>'


def at_rungs(rungs: Sized, rung: int, made: Callable[[int], str], name: str = "div") -> str:
    """What ``made`` gives at every rung, of which the script shows one; without it, that of ``rung``.

    ``name``: the element around each, with its attributes.
    """
    texts = [made(i) for i in range(len(rungs))]
    end = name.partition(" ")[0]
    if len(set(texts)) == 1:
        return f"<{name}>{texts[0]}</{end}>"
    return "".join(
        f'<{name} data-at="{i}"{"" if i == rung else " hidden"}>{text}</{end}>'
        for i, text in enumerate(texts)
    )
