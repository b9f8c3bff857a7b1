"""The wall, read from the source: what may know what, and what may not exist at all.

Every check works on the name of a module and its text, so that the last tests can plant what must be found.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

import dpcore
from tests.conftest import ROOT

CODE = [
    path
    for place in ("dpcore", "pages", "app.py")
    for path in ([ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py")))
]

# A room -> who may know it. Whoever knows a room reaches all that the room has imported, so the pages of the
# owner are on the list as well: a page for viewers that imports one of them would be inside.
DOORS = {
    "dpcore.private": ("dpcore.private", "dpcore.owner", "dpcore.curator"),
    "dpcore.private.kept_counts": ("dpcore.curator",),
    # Lessons count the demo city through one module, and know no way to another data set.
    "dpcore.owner": ("dpcore.command_line", "dpcore.notebook", "pages.owner", "dpcore.lessons.city"),
    # Attacks, and mechanisms that are broken on purpose: nothing else may know them.
    "dpcore.lessons": ("dpcore.lessons", "pages.learn"),
    "dpcore.curator": ("dpcore.curator", "dpcore.command_line", "dpcore.notebook", "pages.owner"),
    "dpcore.ledger": (
        "dpcore.ledger",
        "dpcore.pricing",
        "dpcore.curator",
        "dpcore.command_line",
        "dpcore.notebook",
        "pages.owner",
    ),
    # The commands of those who write Python: they open the doors, so nothing of ours may go through them.
    "dpcore.notebook": ("dpcore.compat",),
    "dpcore.compat": ("dpcore.compat",),
    "dpcore.mechanisms": ("dpcore.private.preview", "dpcore.curator"),
    # Exact tables in, noisy tables out: for those who have exact tables.
    "dpcore.table_mechanisms": ("dpcore.table_mechanisms", "dpcore.private.synthesis", "dpcore.curator"),
    "dpcore.quantiles.mechanism": ("dpcore.curator",),
    "opendp": ("dpcore.quantiles.mechanism",),
    "dpcore.noise": (
        "dpcore.mechanisms",
        "dpcore.sparse_noise",
        "dpcore.table_mechanisms",
        "dpcore.lessons.dice",
    ),
    "dpcore.sparse_noise": (
        "dpcore.mechanisms",
        "dpcore.table_mechanisms",
        "dpcore.forecast",
        "dpcore.lessons.dice",
    ),
    "dpcore.command_line": ("dpcore.command_line", "dpcore.__main__"),
    "dpcore.__main__": (),
    "dpcore.views": ("dpcore.views", "dpcore.command_line.report", "dpcore.public", "pages"),
    "pages": ("pages", "app"),
    "pages.owner": ("pages.owner",),
    "pages.released": ("pages.released",),
    "pages.learn": ("pages.learn", "app"),
    "app": (),
    "streamlit": ("app", "pages"),
}

# A module that may know a room which the modules below it may not.
ONE_MODULE = (("dpcore", "dpcore.notebook"),)
# What the package offers to those who import it. Nothing of ours takes it from there: it would be a way around the doors.
OFFERED = tuple(f"dpcore.{name}" for name in dpcore.__all__)

# A group of modules -> what none of them may know.
BLIND = {
    "dpcore.views": (
        "dpcore.private",
        "dpcore.owner",
        "dpcore.curator",
        "dpcore.ledger",
        "dpcore.mechanisms",
    ),
    "dpcore.release": ("dpcore.private", "dpcore.views"),
    "dpcore.synthetic_release": ("dpcore.private", "dpcore.views", "dpcore.table_mechanisms"),
    # What lessons draw or break is written into no release, and read from none.
    "dpcore.lessons": (
        "dpcore.private",
        "dpcore.curator",
        "dpcore.ledger",
        "dpcore.views",
        "dpcore.release",
        "dpcore.synthetic_release",
        "dpcore.bundles",
        "dpcore.shelf",
    ),
    "pages.learn": (
        "dpcore.private",
        "dpcore.owner",
        "dpcore.curator",
        "dpcore.ledger",
        "dpcore.release",
        "dpcore.synthetic_release",
        "dpcore.bundles",
        "dpcore.shelf",
        "pages.owner",
        "pages.released",
    ),
    "pages": ("pandas", "duckdb", "geopandas", "sqlite3", "sqlalchemy"),
}

# A module that may know a room -> all that it may take from there, each by its name: not the room itself.
ONLY = {
    ("dpcore.lessons.city", "dpcore.owner"): (
        "dpcore.owner.PrivateTrips",
        "dpcore.owner.demo_city",
        "dpcore.owner.exact_table",
    )
}
# What these list in `__all__` counts as theirs, whoever defines it: to offer it is what a door is for.
OFFERING = ("dpcore.owner", "dpcore.curator", "dpcore.notebook", "dpcore.compat")
# Session state is shared by all pages of a visitor. What these keep begins with a word of theirs.
OWN_KEYS = {"pages.learn": "learn "}

RANDOMNESS = ("os.urandom", "os.getrandom", "secrets", "random", "numpy.random", "uuid", "scipy.stats")
RANDOM_WORDS = ("urandom", "getrandom", "np.random", "numpy.random", "default_rng", "token_bytes")
# What is drawn from noisy tables is post-processing: it protects nobody, so its seed may even be printed.
# Lessons draw from seeds and break mechanisms on purpose, and no release can know them.
HOMES_OF_RANDOMNESS = (
    "dpcore.noise",
    "dpcore.private.bounding",
    "dpcore.demo",
    "dpcore.synthesis.sampling",
    "dpcore.lessons.dice",
    "dpcore.lessons.broken",
)

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

# The map is drawn by a package that may be missing: whether it is there is asked without importing it.
MAY_ASK_WHAT_IS_INSTALLED = {
    "pages.parts.ladder_map": {
        "importlib.metadata",
        "importlib.metadata.PackageNotFoundError",
        "importlib.metadata.version",
        "importlib.util",
        "importlib.util.find_spec",
    }
}
# A server for viewers takes the private rooms away: the router may set a module to None, and do no more with it.
MAY_TAKE_MODULES_AWAY = ("app",)
# Columns of a constant table of numbers, by name.
MAY_TAKE_ATTRIBUTES_BY_NAME = ("dpcore.demo.people",)

MAY_SAY_RELEASE = ("dpcore.curator", "dpcore.release.table_checks")

# Modules with a room inside, and rooms: nobody may call them by another name, which no check would follow.
HALLS = {
    ".".join(room.split(".")[:length])
    for room in (*DOORS, *(unseen for group in BLIND.values() for unseen in group))
    if room.startswith(("dpcore", "pages"))
    for length in range(1, room.count(".") + 2)
}
# How often a name is followed from a module of ours to the one that this took it from.
STEPS_BACK = 9

CACHES = ("cache_data", "cache_resource")
SERIALISERS = ("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib")


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


def doors(source: Source) -> Iterator[str]:
    for room, allowed in DOORS.items():
        if not below(source.name, *allowed) and (source.name, room) not in ONE_MODULE:
            yield from (f"knows {name}" for name in source.known if below(name, room))
    yield from (f"takes {name} from the package" for name in source.known if name in OFFERED)
    for group, unseen in BLIND.items():
        if below(source.name, group):
            yield from (f"knows {name}" for name in source.known if below(name, *unseen))
    for (name, room), allowed in ONLY.items():
        if source.name == name:
            taken = (one for one in source.taken if below(one, room))
            yield from (f"takes {one}" for one in taken if not below(one, *allowed))


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


def randomness(source: Source) -> Iterator[str]:
    if not below(source.name, *HOMES_OF_RANDOMNESS):
        yield from (f"draws from {name}" for name in source.known if below(name, *RANDOMNESS))
        yield from (f"says {word}" for word in RANDOM_WORDS if word in source.text)


def hidden_ways(source: Source) -> Iterator[str]:
    asked = MAY_ASK_WHAT_IS_INSTALLED.get(source.name, set())
    if source.name in MAY_TAKE_MODULES_AWAY and source.only_takes_modules_away():
        asked = asked | {"sys.modules"}
    yield from (f"hides behind {name}" for name in source.known - asked if below(name, *HIDDEN))
    yield from (f"hides behind {word}" for word in source.words() if word in (*HIDDEN_WORDS, *LOADERS))
    called = {id(node.func) for node in source.nodes if isinstance(node, ast.Call)}
    within = {id(node.value) for node in source.nodes if isinstance(node, ast.Attribute)}
    within |= {id(node.args[0]) for node in source.nodes if is_getattr(node) and node.args}
    for node in source.nodes:
        if id(node) not in within and source.dotted(node) in HALLS:
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


def releases(source: Source) -> Iterator[str]:
    """Noise is drawn for a release at the curator's alone; whoever reads one back names what the file says."""
    if below(source.name, *MAY_SAY_RELEASE):
        return
    for node in source.nodes:
        if isinstance(node, ast.keyword) and node.arg == "origin" and constant(node.value) == "release":
            yield "says that noise is of a release"


def constant(node: ast.AST) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def nowhere(source: Source) -> Iterator[str]:
    words = source.words()
    yield from (f"uses {word}" for word in words & {"eval", "exec", "breakpoint"})
    yield from (
        "uses compile" for node in source.nodes if isinstance(node, ast.Name) and node.id == "compile"
    )
    if "read_file" in words:
        yield "uses read_file: GDAL never sees an upload"
    yield from (f"uses {word}: all visitors share it" for word in words & set(CACHES))
    yield from (f"imports {name}" for name in source.known if below(name, *SERIALISERS))
    if "unsafe_allow_html" in source.text:
        yield "uses unsafe_allow_html"
    if not below(source.name, "dpcore.command_line") and "print" in words:
        yield "uses print"


def findings(name: str, text: str, beside: dict[str, str] | None = None) -> list[str]:
    """Everything that is wrong with a module."""
    source = Source(name, text, beside)
    checks = (doors, session_keys, randomness, hidden_ways, releases, nowhere)
    return sorted({found for check in checks for found in check(source)})


@pytest.mark.parametrize("path", CODE, ids=module)
def test_every_module_stays_on_its_side_of_the_wall(path):
    assert findings(module(path), path.read_text(encoding="utf-8")) == []


def test_noise_never_uses_a_seeded_generator():
    for name in ("noise.py", "sparse_noise.py", "mechanisms.py"):
        text = (ROOT / "dpcore" / name).read_text(encoding="utf-8")
        assert "np.random" not in text
        assert "default_rng" not in text


def test_the_public_rooms_work_with_the_private_ones_gone():
    code = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name == "dpcore.private" or name.startswith("dpcore.private."):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
import dpcore, dpcore.measurement, dpcore.measures, dpcore.mechanisms, dpcore.plan, dpcore.tessellation
import dpcore.accuracy
from pathlib import Path
import importlib
for path in Path("dpcore/views").rglob("*.py"):
    importlib.import_module(".".join(path.with_suffix("").parts))
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


PLANTED = [
    ("pages.released.viewer", "import dpcore.private.exact", "knows dpcore.private.exact"),
    ("pages.released.viewer", "from dpcore import private", "knows dpcore.private"),
    ("pages.released.viewer", "import dpcore\nx = dpcore.private.exact", "knows dpcore.private.exact"),
    ("dpcore.command_line.exact", "from dpcore.private.store import forget", "knows dpcore.private.store"),
    ("dpcore.owner", "from dpcore.private import kept_counts", "knows dpcore.private.kept_counts"),
    ("pages.released.viewer", "from dpcore.curator import publish", "knows dpcore.curator"),
    ("dpcore.release.bundle", "from dpcore.mechanisms import measured", "knows dpcore.mechanisms"),
    ("dpcore.measures", "from dpcore import owner as o", "knows dpcore.owner"),
    (
        "dpcore.quantiles.five_numbers",
        "from dpcore.quantiles.mechanism import winner",
        "knows dpcore.quantiles.mechanism",
    ),
    ("pages.released.viewer", "from dpcore.owner import preview", "knows dpcore.owner"),
    ("pages.learn.x", "from dpcore import owner", "knows dpcore.owner"),
    ("pages.learn.x", "from pages.owner.parts.session import loaded", "knows pages.owner.parts.session"),
    ("dpcore.lessons.dice", "from dpcore.owner import load", "knows dpcore.owner"),
    ("dpcore.lessons.city", "from dpcore.private import store", "knows dpcore.private"),
    ("dpcore.lessons.city", "from dpcore import owner", "takes dpcore.owner"),
    ("dpcore.lessons.city", "import dpcore.owner\nx = dpcore.owner", "takes dpcore.owner"),
    ("dpcore.lessons.city", "from dpcore.owner import load", "takes dpcore.owner.load"),
    ("dpcore.lessons.city", "from dpcore.owner import forget as f", "takes dpcore.owner.forget"),
    (
        "dpcore.lessons.city",
        "from dpcore.owner import demo_city\nimport dpcore\nx = dpcore",
        "hands on dpcore",
    ),
    ("dpcore.lessons.x", "from dpcore.release.writing import write", "knows dpcore.release.writing"),
    ("dpcore.lessons.x", "from dpcore import bundles", "knows dpcore.bundles"),
    ("pages.learn.x", "from dpcore.release import read", "knows dpcore.release"),
    ("pages.learn.x", "from dpcore import shelf", "knows dpcore.shelf"),
    ("pages.learn.x", "from dpcore.synthetic_release import x", "knows dpcore.synthetic_release"),
    *(
        ("pages.learn.x", f"import streamlit as st\n{text}", "uses session state of other pages")
        for text in (
            "st.session_state['trips']",
            "st.session_state.get('trips')",
            "st.session_state.get('trips', 'learn ')",
            "st.session_state.setdefault('trips', 1)",
            "st.session_state.pop('trips')",
            "st.session_state.trips",
            "st.session_state[f'{a}learn ']",
            "A = 'trips'\nst.session_state[A]",
            "A = 'learn '\nfor A in 'trips', 'b':\n    st.session_state[A]",
            "A = 'learn '\ndef f(A):\n    return st.session_state[A]",
            "st.session_state[a]",
            "st.session_state.values()",
            "list(st.session_state.items())",
            "kept = st.session_state\nkept['trips']",
            "getattr(st, 'session_state')['trips']",
        )
    ),
    ("pages.learn.x", "from streamlit import session_state as s\ns['trips']", "takes session state"),
    ("dpcore.curator.x", "from dpcore.lessons.broken import rescaled_noise", "knows dpcore.lessons.broken"),
    ("pages.owner.x", "from dpcore.lessons.broken import rescaled_noise", "knows dpcore.lessons.broken"),
    ("dpcore.lessons.attacks.x", "import numpy as np\nnp.random.default_rng(1)", "draws from numpy.random"),
    (
        "pages.released.viewer",
        "from pages.owner.parts.session import loaded",
        "knows pages.owner.parts.session",
    ),
    (
        "pages.released.viewer",
        "from pages.owner.parts import session as s",
        "knows pages.owner.parts.session",
    ),
    ("pages.released.viewer", "from pages.owner.parts.tiles import owner", "knows pages.owner.parts.tiles"),
    (
        "pages.released.viewer",
        "import pages.owner.parts\nx = pages.owner.parts.session.loaded",
        "knows pages.owner.parts.session",
    ),
    ("app", "from pages.owner.parts.session import session", "knows pages.owner.parts.session"),
    ("dpcore.plan", "import streamlit as st", "knows streamlit"),
    ("dpcore.plan", "from dpcore.views import plain", "knows dpcore.views"),
    ("dpcore.owner", "from pages.owner.parts import words", "knows pages.owner.parts"),
    ("pages.released.viewer", "import dpcore\nx = dpcore.load_trips", "takes dpcore.load_trips"),
    ("dpcore.views.x", "from dpcore import publish as p", "takes dpcore.publish"),
    ("dpcore.plan", "from dpcore.notebook import publish", "knows dpcore.notebook"),
    ("pages.owner.x", "from dpcore import compat", "knows dpcore.compat"),
    ("dpcore.views.x", "from dpcore.ledger.x import y", "knows dpcore.ledger.x"),
    ("dpcore.views.x", "import dpcore.mechanisms", "knows dpcore.mechanisms"),
    ("pages.x", "from pandas.core.frame import DataFrame", "knows pandas.core.frame"),
    (
        "dpcore.plan",
        "import importlib\nimportlib.import_module('dpcore.private.exact')",
        "hides behind importlib",
    ),
    ("dpcore.plan", "from importlib import import_module as i", "hides behind importlib.import_module"),
    ("pages.parts.ladder_map", "from importlib import util\nutil.module_from_spec(0)", "hides behind"),
    ("pages.parts.ladder_map", "import importlib\nimportlib.import_module('a')", "hides behind importlib"),
    ("dpcore.plan", "x = __import__('dpcore.private.exact')", "hides behind __import__"),
    ("dpcore.plan", "f = __builtins__['__import__']", "hides behind __builtins__"),
    ("dpcore.plan", "import sys\nx = sys.modules['dpcore.private']", "hides behind sys.modules"),
    ("dpcore.plan", "import sys\nsys.modules['dpcore.private'] = None", "hides behind sys.modules"),
    ("app", "import sys\nx = sys.modules['dpcore.private']", "hides behind sys.modules"),
    ("app", "import sys\nx = y = sys.modules\ny['a'] = None", "hides behind sys.modules"),
    ("app", "from sys import modules\nx = modules['dpcore.private']", "hides behind sys.modules"),
    ("dpcore.plan", "import os\nx = os.__dict__['u' + 'r']", "hides behind __dict__"),
    ("dpcore.plan", "import os\nx = getattr(os, 'u' + 'random')", "takes an attribute"),
    ("dpcore.plan", "import os\nx = getattr(os, 'getran\\x64om')", "draws from os.getrandom"),
    ("dpcore.plan", "import os\ng = getattr\nx = g(os, 'u' + 'r')", "hands on getattr"),
    ("dpcore.plan", "import os\nx = vars(os)['u' + 'r']", "takes the names of a module"),
    ("dpcore.plan", "x = globals()['os']", "uses globals"),
    ("dpcore.plan", "from os import *", "imports names without naming them"),
    ("dpcore.plan", "from .private import exact", "imports by a relative name"),
    ("dpcore.plan", "from os import urandom as u", "draws from os.urandom"),
    ("dpcore.private.exact", "import numpy.random as r", "draws from numpy.random"),
    ("dpcore.noisemaker", "import secrets", "draws from secrets"),
    ("dpcore.plan", "from random import random", "draws from random"),
    ("pages.x", "import streamlit as st\n@st.cache_data\ndef f(): pass", "uses cache_data"),
    ("pages.x", "import streamlit as st\n@st.cache_resource(ttl=3)\ndef f(): pass", "uses cache_resource"),
    ("pages.x", "from streamlit import cache_data as keep", "uses cache_data"),
    ("app", "from streamlit import cache_resource as keep", "uses cache_resource"),
    ("app", "import streamlit.runtime.caching.cache_data_api as c\nc.cache_data", "uses cache_data"),
    ("pages.x", "import streamlit as st\nkeep = getattr(st, 'cache_data')", "uses cache_data"),
    (
        "pages.x",
        "import streamlit as st\nst.html('', **{'unsafe_allow_html': True})",
        "uses unsafe_allow_html",
    ),
    ("dpcore.private.synthesis.x", "noisy_tables(c, p, origin='release')", "says that noise is of a release"),
    ("dpcore.plan", "run = eval", "uses eval"),
    ("dpcore.tessellation.x", "import shapely as s\ns.read_file('x')", "uses read_file"),
    ("dpcore.plan", "from pickle import loads", "imports pickle"),
    ("dpcore.plan", "def f():\n    print(1)", "uses print"),
]


OWNER_BESIDE = {"dpcore.lessons.city": "from dpcore import owner"}
PLANTED_BESIDE = [
    (
        "dpcore.lessons.x",
        "from dpcore.lessons.city import owner\nowner.load",
        OWNER_BESIDE,
        "knows dpcore.owner",
    ),
    (
        "pages.learn.x",
        "from dpcore.lessons.city import owner\nowner.load",
        OWNER_BESIDE,
        "knows dpcore.owner.load",
    ),
    (
        "dpcore.lessons.x",
        "from dpcore.lessons import city\ncity.owner.load",
        OWNER_BESIDE,
        "knows dpcore.owner",
    ),
    (
        "pages.learn.x",
        "from dpcore.lessons import city\ncity.owner.load",
        OWNER_BESIDE,
        "knows dpcore.owner.load",
    ),
    (
        "pages.learn.x",
        "from dpcore.lessons.x import o",
        {"dpcore.lessons.x": "from dpcore.lessons.city import owner as o", **OWNER_BESIDE},
        "knows dpcore.owner",
    ),
    (
        "pages.released.x",
        "from dpcore.plan import pd",
        {"dpcore.plan": "import pandas as pd"},
        "knows pandas",
    ),
    ("dpcore.plan", "from dpcore.noise import os\nos.urandom(1)", {}, "draws from os.urandom"),
    ("pages.owner.x", "from dpcore.owner import store\nstore.forget", {}, "knows dpcore.private.store"),
    ("pages.learn.x", "from dpcore.lessons.city import exact_table", {}, "knows dpcore.owner.exact_table"),
]


@pytest.mark.parametrize(("name", "text", "beside", "found"), PLANTED_BESIDE)
def test_what_another_module_of_ours_has_imported_is_known_by_its_own_name(name, text, beside, found):
    assert any(finding.startswith(found) for finding in findings(name, text, beside)), findings(
        name, text, beside
    )


@pytest.mark.parametrize(("name", "text", "found"), PLANTED, ids=[found for *_, found in PLANTED])
def test_what_is_planted_is_found(name, text, found):
    assert any(finding.startswith(found) for finding in findings(name, text)), findings(name, text)


ALLOWED = [
    ("dpcore.owner", "from dpcore.private import store\nx = store.forget"),
    ("dpcore.private.exact", "from dpcore.private.store import written"),
    ("dpcore.lessons.city", "from dpcore.owner import PrivateTrips, demo_city, exact_table\nexact_table(0)"),
    ("dpcore.lessons.x", "from dpcore.lessons.city import city"),
    (
        "pages.learn.x",
        "import streamlit as st\nst.session_state['learn a'] = st.session_state.get('learn b')",
    ),
    ("pages.learn.x", "import streamlit as st\na = 1\nst.session_state.pop(f'learn drawn {a}', None)"),
    ("pages.learn.x", "import streamlit as st\nA = 'learn a'\nst.session_state[A] = 1"),
    (
        "pages.learn.x",
        "import streamlit as st\nfor key in [*st.query_params]:\n    del st.session_state[key]",
    ),
    ("pages.owner.x", "import streamlit as st\nst.session_state['a'] = 1"),
    ("dpcore.lessons.dice", "import numpy as np\nx = np.random.default_rng(1)"),
    ("pages.owner.explore", "from pages.owner.parts.session import loaded, session"),
    ("pages.x", "import streamlit as st\nst.write(getattr(error, '__notes__', ()))"),
    ("dpcore.noise", "import os\nx = os.urandom(8)"),
    ("dpcore.private.bounding", "import secrets"),
    ("dpcore.demo.land", "import numpy as np\nx = np.random.default_rng(1)"),
    ("dpcore.plan", "import re\nx = re.compile('a')\ny = vars(x)"),
    ("dpcore.command_line.exact", "print(1)"),
    ("app", "import sys\nsys.modules['dpcore.private'] = None"),
]


@pytest.mark.parametrize(("name", "text"), ALLOWED)
def test_what_is_allowed_is_not(name, text):
    assert findings(name, text) == []
