"""Session state: some pages may use only what is theirs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.wall.source import Source, below

# Session state is shared by all pages of a visitor. What these keep begins with a word of theirs.
OWN_KEYS = {"pages.learn": "learn "}


def session_keys(source: Source) -> Iterator[str]:
    """Uses of session state other than by a key that begins as those of this group do.

    Names of keys may be listed, and any key deleted: neither tells what is kept there.
    """
    for group, start in OWN_KEYS.items():
        if not below(source.name, group):
            continue
        used = {id(node) for node in source.nodes if source.dotted(node) == "streamlit.session_state"}
        if "streamlit.session_state" in source.imports:
            yield "takes session state from streamlit by a name of its own"
        fine: set[int] = set()
        for node in source.nodes:
            if isinstance(node, ast.Subscript) and id(node.value) in used:
                if isinstance(node.ctx, ast.Del) or begins(source, node.slice, start):
                    fine.add(id(node.value))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                known = node.func.attr in {"get", "setdefault", "pop"}
                if known and node.args and begins(source, node.args[0], start):
                    fine.add(id(node.func.value))
            elif isinstance(node, ast.comprehension | ast.For):
                fine.add(id(node.iter))
        yield from ("uses session state of other pages" for node in used - fine)


def begins(source: Source, key: ast.expr, start: str) -> bool:
    """Whether a text that is written here, or a constant of the module, begins so."""
    if isinstance(key, ast.Name):
        rebound = [
            node
            for node in source.nodes
            if (isinstance(node, ast.Name) and node.id == key.id and isinstance(node.ctx, ast.Store))
            or (isinstance(node, ast.arg) and node.arg == key.id)
        ]
        return (
            len(rebound) == 1
            and key.id in source.constants
            and begins(source, source.constants[key.id], start)
        )
    if isinstance(key, ast.JoinedStr) and key.values:
        key = key.values[0]
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.startswith(start)
