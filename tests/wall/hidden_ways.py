"""Hidden ways to a module or a name: the text must show them all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.wall.doors import BLIND, DOORS
from tests.wall.source import Source, below, constant_name, is_call, is_getattr

# Ways to come by a module or a name that the text does not show: with one of them no other check would hold.
HIDDEN = (
    "importlib", "builtins", "runpy", "pkgutil", "imp", "zipimport", "ctypes", "code", "sys.modules",
    "operator.attrgetter", "operator.methodcaller", "inspect.getattr_static", "gc", "sys._getframe",
)  # fmt: skip

HIDDEN_WORDS = (
    "__import__", "__builtins__", "__dict__", "__getattribute__", "__loader__", "__spec__", "__globals__",
    "__subclasses__", "f_globals", "f_locals", "currentframe",
)  # fmt: skip

LOADERS = ("load_module", "exec_module", "module_from_spec", "import_module")

# The map is drawn by a package that may be missing: whether it is there is asked without importing it. The child process that reads
# tiles holds nothing private and imports nothing of ours: it asks Linux never to give it new rights, and Python has no other way.
# The server and a command do not look for garbage while they import: these functions hand out nothing. Two ask for the numbers of versions
# of packages that they need not load. A loop is machine code that was made of its text: it is called by its address, with arrays and numbers,
# which is all that is taken of ctypes.
_VERSIONS = {"importlib.metadata", "importlib.metadata.version"}
MAY_TAKE = {
    "dpcore.curator.publishing": _VERSIONS,
    "dpcore.private.kept": _VERSIONS,
    "dpcore.__main__": {"gc", "gc.freeze", "gc.set_threshold"},
    "dpcore.private.engine.duckdb": {"gc", "gc.unfreeze"},
    "pages.parts.warm_up": {"gc", "gc.disable", "gc.enable", "gc.freeze"},
    "dpcore.tiles.child": {"ctypes", "ctypes.CDLL"},
    "dpcore.loops": {"ctypes"}
    | {
        f"ctypes.{name}"
        for name in ("CFUNCTYPE", "byref", "c_bool", "c_double", "c_int32", "c_int64", "c_uint64", "c_void_p")
    },
    # finds the wings that are there; `DOORS` says who may ask it for what
    "dpcore.wings": {"importlib", "importlib.import_module", "importlib.util", "importlib.util.find_spec"},
    "pages.parts.scripts": {
        "importlib.metadata",
        "importlib.metadata.PackageNotFoundError",
        "importlib.metadata.version",
        "importlib.util",
        "importlib.util.find_spec",
    },
}

MAY_LOAD = (("dpcore.wings", "import_module"),)

# A server for viewers takes the private rooms away: the router may set a module to None, and do no more with it. The child process
# that reads tiles takes away what GDAL's binding would load for nothing, and the process of a command what pyarrow and numba would.
MAY_TAKE_MODULES_AWAY = ("app", "dpcore.tiles.child", "dpcore.__main__")

# Columns of a constant table of numbers, by name.
MAY_TAKE_ATTRIBUTES_BY_NAME = ("dpcore.demo.people",)

# Modules with a room inside, and rooms: nobody may call them by another name, which no check would follow.
HALLS = {
    ".".join(room.split(".")[:length])
    for room in (*DOORS, *(unseen for group in BLIND.values() for unseen in group))
    if room.startswith(("dpcore", "pages"))
    for length in range(1, room.count(".") + 2)
}


def hidden_ways(source: Source) -> Iterator[str]:
    asked = MAY_TAKE.get(source.name, set())
    if source.name in MAY_TAKE_MODULES_AWAY and source.only_takes_modules_away():
        asked = asked | {"sys.modules"}
    yield from (f"hides behind {name}" for name in source.known - asked if below(name, *HIDDEN))
    yield from (
        f"hides behind {word}"
        for word in source.words()
        if word in (*HIDDEN_WORDS, *LOADERS) and (source.name, word) not in MAY_LOAD
    )
    called = {id(node.func) for node in source.nodes if isinstance(node, ast.Call)}
    within = {id(node.value) for node in source.nodes if isinstance(node, ast.Attribute)}
    within |= {id(node.args[0]) for node in source.nodes if is_getattr(node) and node.args}
    for node in source.nodes:
        if id(node) not in within | called and source.dotted(node) in HALLS:
            yield f"hands on {source.dotted(node)}, from where doors are reached"
        if isinstance(node, ast.ImportFrom) and node.level:
            yield "imports by a relative name"
        elif isinstance(node, ast.alias) and node.name == "*":
            yield "imports names without naming them"
        elif is_getattr(node) and not constant_name(node) and source.name not in MAY_TAKE_ATTRIBUTES_BY_NAME:
            yield "takes an attribute whose name is not written there"
        elif isinstance(node, ast.Name) and node.id in {"getattr", "vars"} and id(node) not in called:
            yield f"hands on {node.id}"
        elif isinstance(node, ast.Name) and node.id in {"globals", "locals"}:
            yield f"uses {node.id}"
        elif is_call(node, "vars") and any(source.dotted(argument) for argument in node.args):
            yield "takes the names of a module by vars"
