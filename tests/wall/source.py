"""One module as its text shows it: what it imports, by whatever name, and the words it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from tests.conftest import ROOT

CODE = [
    path
    for place in ("dpcore", "pages", "app.py")
    for path in ([ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py")))
]

# What these list in `__all__` counts as theirs, whoever defines it: to offer it is what a door is for.
OFFERING = (
    "dpcore.kinds.roy.owner",
    "dpcore.kinds.stability.owner",
    "dpcore.kinds.tree.owner",
    "dpcore.engines.spark.owner",
    "dpcore.api.owner",
    "dpcore.api.studies",
    "dpcore.curator",
    "dpcore.api.notebook",
    "dpcore.api.compat",
    "dpcore.compat",
)

# How often a name is followed from a module of ours to the one that this took it from.
STEPS_BACK = 9


def module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def below(name: str, *places: str) -> bool:
    """Whether a dotted name is one of the places or inside one."""
    return any(name == place or name.startswith(f"{place}.") for place in places)


class Source:
    """One module as its text shows it; ``beside``: texts of modules that stand for those on disk."""

    def __init__(self, name: str, text: str, beside: dict[str, str] | None = None) -> None:
        self.name, self.text = name, text
        tree = ast.parse(text)
        self.nodes = list(ast.walk(tree))
        self.bound = imported_by(self.nodes)  # what a name of this module stands for
        froms = {node.module or "" for node in self.nodes if isinstance(node, ast.ImportFrom)}
        whole = {alias.name for node in self.nodes if isinstance(node, ast.Import) for alias in node.names}
        self.imports = froms | whole | {*self.bound.values()}  # `from a import b` as both a and a.b
        # what is imported, and what is reached from there by dots
        dots = {dotted for node in self.nodes if (dotted := self.dotted(node))}
        # the same by the names under which other modules of ours have imported it
        origin = {one for dotted in self.imports | dots for one in origins(dotted, beside or {})}
        self.known = self.imports | dots | origin
        # without the modules that only stand between `from` and `import`
        self.taken = whole | {*self.bound.values()} | dots | origin
        self.constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def dotted(self, node: ast.AST) -> str:
        """The full name of an expression such as `st.cache_data`; empty if no import begins it."""
        if isinstance(node, ast.Name):
            return self.bound.get(node.id, "")
        if isinstance(node, ast.Attribute):
            before, attribute = self.dotted(node.value), node.attr
        elif is_getattr(node) and constant_name(node):
            before, attribute = self.dotted(node.args[0]), constant_name(node)
        else:
            return ""
        return f"{before}.{attribute}" if before else ""

    def only_takes_modules_away(self) -> bool:
        """Whether every use of `sys.modules` is one to set an entry to None."""
        used = [node for node in self.nodes if self.dotted(node) == "sys.modules"]
        away = [
            target.value
            for node in self.nodes
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and node.value.value is None
            for target in node.targets
            if isinstance(target, ast.Subscript)
        ]
        return all(any(node is one for one in away) for node in used)

    def words(self) -> set[str]:
        """Every name that is used, whatever for; those of imports and of `getattr` too."""
        found: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.alias):
                found |= {*node.name.split("."), node.asname or ""}
            elif isinstance(node, ast.keyword):
                found.add(node.arg or "")
            elif is_getattr(node):
                found.add(constant_name(node))
        return found


@lru_cache(None)
def handed_on(name: str) -> dict[str, str] | None:
    """What the names that a module of ours has imported stand for; None if there is no such module.

    Those that a door offers are its own.
    """
    path = ROOT.joinpath(*name.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if below(name, "dpcore", "pages", "app") and file.is_file():
            nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
            offered = offers(nodes) if name in OFFERING else set()
            return {one: origin for one, origin in imported_by(nodes).items() if one not in offered}
    return {} if below(name, "dpcore", "pages") and path.is_dir() else None


def offers(nodes: list[ast.AST]) -> set[str]:
    """The names in ``__all__``."""
    return {
        name.value
        for node in nodes
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == "__all__" for target in node.targets)
        for name in ast.walk(node.value)
        if isinstance(name, ast.Constant)
    }


def imported_by(nodes: list[ast.AST]) -> dict[str, str]:
    """What the names that a module imports stand for, wherever in it they are imported."""
    bound = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                bound[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return bound


def origins(dotted: str, beside: dict[str, str]) -> Iterator[str]:
    """The other names of what is taken from a module of ours that has imported it, back to where it is defined."""
    for _ in range(STEPS_BACK):
        parts = dotted.split(".")
        for length in range(len(parts) - 1, 0, -1):
            home = ".".join(parts[:length])
            text = beside.get(home)
            bound = handed_on(home) if text is None else imported_by(list(ast.walk(ast.parse(text))))
            if bound is not None:
                break
        else:
            return
        origin = bound.get(parts[length])
        if origin is None or handed_on(f"{home}.{parts[length]}") is not None:
            return
        dotted = ".".join([origin, *parts[length + 1 :]])
        yield dotted


def is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def is_getattr(node: ast.AST) -> bool:
    return is_call(node, "getattr")


def constant_name(call: ast.Call) -> str:
    """The attribute that a `getattr` names; empty if that is not written there."""
    name = call.args[1] if len(call.args) > 1 else None
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""


def constant(node: ast.AST) -> object:
    return node.value if isinstance(node, ast.Constant) else None
