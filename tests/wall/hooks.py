"""Hooks: ways to put another function in the place of one that draws noise. There are none.

Tests record mechanisms and replay them (tests/replay). They patch modules from outside. Nothing of the product may help with that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.wall.doors import KINDS
from tests.wall.source import Source, below

NEAR_NOISE = (
    "dpcore.noise",
    "dpcore.curator",
    "dpcore.private.preview",
    "dpcore.private.synthetic",
    "dpcore.release.kinds",
    *(f"{wing}.private" for wing in KINDS),
)
"""Modules that draw noise, choose what draws it, or hand exact counts to it."""

ENVIRONMENT = ("os.environ", "os.environb", "os.getenv", "os.getenvb")
MAY_READ_THE_ENVIRONMENT = ("dpcore.curator.accounts",)  # the address of the ledger

OURS = ("dpcore", "pages", "app")
OTHERS_THAT_REPLACE = (
    "unittest.mock",
    "wrapt",
    "mock",
    "sys.settrace",
    "sys.setprofile",
    "sys.monitoring",
    "sys.meta_path",
)
CHANGES = {
    *("append", "add", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"),
    *("__setitem__", "__delitem__"),
}  # fmt: skip

TAKES_A_FUNCTION = re.compile(
    r"(.+_)?(noise|mechanism|recorder|record|replayer|replay|hook|callback|sampler|drawer|wrapper|override|maker)s?|(on|before|after)_.+"
)
"""Names of parameters that take a function."""
MAY_TAKE = {
    # digits of a probability, with which a draw compares
    ("dpcore.noise.samplers", "certified", "bounds"),
    ("dpcore.noise.samplers", "__init__", "digits"),
    ("dpcore.noise.samplers", "coin", "bounds"),
    # a tree is grown with the exact noise (see EXACT)
    ("dpcore.kinds.tree.private.growth", "grow", "noise"),
    ("dpcore.kinds.tree.private.growth", "false_positives", "noise"),
}
DATA = ("Integers", "PaperNoise")
"""Types of numbers that were drawn, and of a choice: no functions."""
HOLDERS = {
    "dpcore.curator.makers.Maker": (*(f"{wing}.private.maker" for wing in KINDS), "dpcore.curator.makers")
}
"""A class whose fields are functions that draw, and the modules that may make one."""
EXACT = {"dpcore.kinds.tree.private.growth.grow": (2, "dpcore.kinds.tree.private.drawing.EXACT_NOISE")}
"""A function that is given what draws -> the place of that argument, and the one value that it may have."""
NOISE_SOURCE = "dpcore.kinds.tree.tree.NoiseSource"
MAKES_NOISE = ("dpcore.kinds.tree.private.drawing",)


def hooks(source: Source) -> Iterator[str]:
    yield from (f"replaces by {name}" for name in source.known if below(name, *OTHERS_THAT_REPLACE))
    for node in source.nodes:
        yield from _rebinds(source, node)
        if isinstance(node, ast.Call):
            yield from _hands_over(source, node)
    if below(source.name, *NEAR_NOISE):
        yield from _near_noise(source)


def _rebinds(source: Source, node: ast.AST) -> Iterator[str]:
    """Names of modules of ours that are bound anew, there or from elsewhere."""
    if isinstance(node, ast.Global):
        yield "binds a name of its module anew"
    elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        changed = source.dotted(node.value)
        if below(changed, *OURS):
            yield f"changes {changed}"
    elif isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        itself = bool(node.args) and isinstance(node.args[0], ast.Name) and node.args[0].id == "self"
        if called in {"setattr", "delattr"} or (called in {"__setattr__", "__delattr__"} and not itself):
            yield f"uses {called}"


def _hands_over(source: Source, node: ast.Call) -> Iterator[str]:
    called = _called(source, node)
    if called in HOLDERS and not below(source.name, *HOLDERS[called]):
        yield f"makes {called}"
    if called == NOISE_SOURCE and source.name not in MAKES_NOISE:
        yield f"makes {called}"
    if called in EXACT:
        place, value = EXACT[called]
        given = node.args[place : place + 1]
        if not given or source.dotted(given[0]) != value:
            yield f"gives {called} other noise"


def _called(source: Source, node: ast.Call) -> str:
    """The full name of what is called, of this module too."""
    own = isinstance(node.func, ast.Name) and node.func.id not in source.bound
    return f"{source.name}.{node.func.id}" if own else source.dotted(node.func)


def _near_noise(source: Source) -> Iterator[str]:
    if source.name not in MAY_READ_THE_ENVIRONMENT:
        yield from (f"reads {name} near noise" for name in source.known if below(name, *ENVIRONMENT))
    tables = {*source.constants} | {
        node.target.id
        for node in source.nodes
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.col_offset == 0
    }
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _takes(source, node)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            changed = node.value
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES
        ):
            changed = node.func.value
        else:
            continue
        if isinstance(changed, ast.Name) and changed.id in tables:
            yield f"changes {changed.id} of its module near noise"


def _takes(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[str]:
    name = "lambda" if isinstance(node, ast.Lambda) else node.name
    every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    for one in every:
        said = "" if one.annotation is None else ast.unparse(one.annotation)
        function = "Callable" in said or "NoiseSource" in said or TAKES_A_FUNCTION.fullmatch(one.arg)
        if function and said not in DATA and (source.name, name, one.arg) not in MAY_TAKE:
            yield f"{name} takes {one.arg} near noise"
