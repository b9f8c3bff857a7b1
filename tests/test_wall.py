"""The wall, read from the imports: what may know what, and what may not exist at all."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

CODE = [
    path
    for place in ("dpcore", "pages", "app.py")
    for path in ([ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py")))
]


def module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """Every name that a file imports, `from a import b` as both a and a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute, so that this test can read them"
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def importers(name: str) -> set[str]:
    return {
        module(path)
        for path in CODE
        if any(found == name or found.startswith(f"{name}.") for found in imports(path))
    }


def inside(modules: set[str], *allowed: str) -> set[str]:
    return {m for m in modules if not any(m == a or m.startswith(f"{a}.") for a in allowed)}


def test_only_the_door_and_the_owner_reach_behind_the_wall():
    assert inside(importers("dpcore.private"), "dpcore.private", "dpcore.owner", "dpcore.curator") == set()


def test_the_owner_is_known_to_owner_pages_lessons_and_the_command_line_only():
    assert (
        inside(
            importers("dpcore.owner"),
            "dpcore.__main__",
            "pages.parts.session",
            "pages.data",
            "pages.parts.tiles",
            "pages.learn",
        )
        == set()
    )


def test_streamlit_stays_in_the_app():
    assert inside(importers("streamlit"), "app", "pages") == set()


def test_views_see_measurements_and_nothing_behind_them():
    for path in (ROOT / "dpcore" / "views").rglob("*.py"):
        forbidden = {"dpcore.private", "dpcore.owner", "dpcore.curator", "dpcore.ledger", "dpcore.mechanisms"}
        assert not imports(path) & forbidden, path


def test_public_rooms_do_not_know_the_views_or_the_pages():
    lower = {m for m in importers("dpcore.views") if m.startswith("dpcore.")}
    assert inside(lower, "dpcore.views") == set()


def test_pages_hold_widgets_only():
    for path in (ROOT / "pages").rglob("*.py"):
        found = imports(path)
        assert not found & {"pandas", "duckdb", "geopandas", "sqlite3", "sqlalchemy"}, path


RANDOM = ("os.urandom", "secrets", "random", "numpy.random")


def test_randomness_has_three_homes():
    homes = ("dpcore.noise", "dpcore.private.bounding", "dpcore.demo")
    for path in CODE:
        if inside({module(path)}, *homes) == set():
            continue
        text = path.read_text(encoding="utf-8")
        assert not imports(path) & set(RANDOM), path
        for word in ("urandom", "np.random", "numpy.random", "default_rng", "token_bytes"):
            assert word not in text, f"{path}: {word}"


def test_noise_never_uses_a_seeded_generator():
    for name in ("noise.py", "sparse_noise.py", "mechanisms.py"):
        text = (ROOT / "dpcore" / name).read_text(encoding="utf-8")
        assert "np.random" not in text
        assert "default_rng" not in text


@pytest.mark.parametrize("path", CODE, ids=module)
def test_what_is_nowhere(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    words = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    assert not called & {"eval", "exec", "breakpoint"}
    assert "unsafe_allow_html" not in words
    assert "read_file" not in named, "GDAL never sees an upload"
    assert not imports(path) & {"pickle", "marshal", "shelve", "dill"}
    assert not named & {"cache_data"}, "a cache of the app is shared by all visitors"
    if module(path) != "dpcore.__main__":
        assert "print" not in called


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
