"""The wall, read from the source: what may know what, and what may not exist at all.

Every check works on the name of a module and its text, so that the last tests can plant what must be found.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
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
    "dpcore.lessons": ("dpcore.private", "dpcore.curator", "dpcore.ledger", "dpcore.views"),
    "pages.learn": ("dpcore.private", "dpcore.owner", "dpcore.curator", "dpcore.ledger", "pages.owner"),
    "pages": ("pandas", "duckdb", "geopandas", "sqlite3", "sqlalchemy"),
}

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

CACHES = ("cache_data", "cache_resource")
SERIALISERS = ("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib")


def module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def below(name: str, *places: str) -> bool:
    """Whether a dotted name is one of the places or inside one."""
    return any(name == place or name.startswith(f"{place}.") for place in places)


class Source:
    """One module as its text shows it."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.nodes = list(ast.walk(ast.parse(text)))
        self.imports: set[str] = set()  # `from a import b` as both a and a.b
        self.bound: dict[str, str] = {}  # what a name of this module stands for
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.imports.add(alias.name)
                    first = alias.name.partition(".")[0]
                    self.bound[alias.asname or first] = alias.name if alias.asname else first
            elif isinstance(node, ast.ImportFrom):
                self.imports.add(node.module or "")
                for alias in node.names:
                    self.imports.add(f"{node.module}.{alias.name}")
                    self.bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        # what is imported, and what is reached from there by dots
        self.known = self.imports | {dotted for node in self.nodes if (dotted := self.dotted(node))}

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
    for node in source.nodes:
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


def findings(name: str, text: str) -> list[str]:
    """Everything that is wrong with a module."""
    source = Source(name, text)
    return sorted({*doors(source), *randomness(source), *hidden_ways(source), *nowhere(source)})


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
    ("dpcore.plan", "run = eval", "uses eval"),
    ("dpcore.tessellation.x", "import shapely as s\ns.read_file('x')", "uses read_file"),
    ("dpcore.plan", "from pickle import loads", "imports pickle"),
    ("dpcore.plan", "def f():\n    print(1)", "uses print"),
]


@pytest.mark.parametrize(("name", "text", "found"), PLANTED, ids=[found for *_, found in PLANTED])
def test_what_is_planted_is_found(name, text, found):
    assert any(finding.startswith(found) for finding in findings(name, text)), findings(name, text)


ALLOWED = [
    ("dpcore.owner", "from dpcore.private import store\nx = store.forget"),
    ("dpcore.private.exact", "from dpcore.private.store import written"),
    ("dpcore.lessons.city", "from dpcore import owner"),
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
