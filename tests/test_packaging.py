"""dpcore as a package of its own: what is in the wheel, what it asks for, and that it works alone elsewhere."""

from __future__ import annotations

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from email.parser import Parser
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.version import Version

from dpcore.command_line import start
from dpcore.release import write_bundle
from dpcore.version import VERSION
from tests.browser.conftest import free_port, wait_for
from tests.conftest import ROOT
from tests.release.made_releases import made_release
from tests.synthetic_release.made_tree import made_tree

APP_ONLY = ("streamlit",)
# Asked for by extras alone, and imported only where they were chosen.
EXTRA = {"pyspark", "py4j", "psycopg", "matplotlib", "pptx"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel that `make dist` builds of this checkout; built beside it, so that nothing is left behind here."""
    place = tmp_path_factory.mktemp("package")
    for name in ("pyproject.toml", "README.md", ".gitignore", "app.py"):
        shutil.copy(ROOT / name, place)
    for name in ("dpcore", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "stray.py").write_text("", encoding="utf-8")
    (place / ".streamlit" / "secrets.toml").write_text("", encoding="utf-8")
    as_make_does = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    subprocess.run(as_make_does, check=True, cwd=place, capture_output=True)
    (built,) = (place / "dist").iterdir()
    return built


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory) -> Path:
    """A folder into which the wheel was installed, without what it asks for."""
    place = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    for compiled in (ROOT / "dpcore").rglob(
        "__pycache__"
    ):  # the same files, so what is compiled of them holds
        here = place / compiled.parent.relative_to(ROOT)
        if here.exists():
            shutil.copytree(compiled, here / compiled.name)
    for file in (ROOT / "dpcore").rglob("*.py"):
        shutil.copystat(file, place / file.relative_to(ROOT))
    return place


def run(place: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python in an empty folder, where dpcore is found in ``place`` alone."""
    elsewhere = home / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, *words],
        check=True,
        cwd=elsewhere,
        env=os.environ | {"PYTHONPATH": str(place), "EPSILON_ATLAS_HOME": str(home / "data")},
        capture_output=True,
        text=True,
    )


def test_the_wheel_holds_every_file_of_library_and_app_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == files_of("dpcore") | {
        f"dpcore/app/{name}" for name in {"app.py", ".streamlit/config.toml"} | files_of("pages")
    }
    assert wheel.stat().st_size <= 2_000_000
    assert "dpcore/py.typed" in packed
    assert "dpcore/comparison/releases.csv" in packed


def files_of(folder: str) -> set[str]:
    """What the checkout holds there, as paths from its root."""
    files = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts}


def test_the_wheel_asks_for_what_dpcore_imports_and_not_for_the_app(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode("utf-8"))
    lines = metadata.get_all("Requires-Dist")
    asked = {re.match(r"[\w-]+", line)[0].lower() for line in lines if "extra ==" not in line}
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Version"] == VERSION
    assert asked == {name.replace("_", "-") for name in imported_packages()}
    assert not asked & set(APP_ONLY)


def imported_packages() -> set[str]:
    """Every distribution of which some module of dpcore imports something when it runs, but for Python's own."""
    found: set[str] = set()
    for path in (ROOT / "dpcore").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        blocks = [
            node for node in nodes if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ]
        for_types = {id(node) for block in blocks for line in block.body for node in ast.walk(line)}
        for node in nodes:
            if id(node) in for_types:
                continue
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    of = packages_distributions()
    return {of[name][0].lower() for name in found - sys.stdlib_module_names - {"dpcore"} - EXTRA}


def test_what_dpcore_asks_for_is_pinned_at_a_version_that_will_do():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.lower().split("==") for line in lines if "==" in line)
    for wanted in project["dependencies"]:
        name, least = re.fullmatch(r"([\w-]+)(?:\[[a-z]+\])?[>=]=([\d.]+)", wanted).groups()
        assert Version(pinned[name.lower()]) >= Version(least), wanted


def test_everything_that_is_offered_works_without_the_packages_of_the_app(unpacked, tmp_path):
    code = f"""
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {APP_ONLY}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
import dpcore
for name in dpcore.__all__:
    exec(f"from dpcore import {{name}}")
from dpcore import compat
print(dpcore.__file__)
"""
    assert run(unpacked, tmp_path, "-c", code).stdout.strip() == str(unpacked / "dpcore" / "__init__.py")


def test_the_commands_work_from_the_installed_wheel_in_another_folder(unpacked, tmp_path):
    run(
        unpacked,
        tmp_path,
        "-m",
        "dpcore",
        "demo",
        *["--trips", "60", "--tiles", "12", "--seed", "1", "--out", "city"],
    )
    assert (tmp_path / "elsewhere" / "city" / "trips.parquet").exists()


def test_a_bundle_is_read_and_reported_by_the_installed_wheel_with_the_private_rooms_deleted(
    unpacked, tmp_path
):
    (tmp_path / "elsewhere").mkdir()
    write_bundle(made_release(title="A city elsewhere"), tmp_path / "elsewhere" / "bundle")
    write_bundle(made_tree(), tmp_path / "elsewhere" / "tree")
    public = tmp_path / "public"
    shutil.copytree(unpacked, public)
    for name in ("private", "curator", "ledger", "command_line"):
        shutil.rmtree(public / "dpcore" / name)
    for name in ("compat.py", "api/owner.py", "api/notebook.py", "api/compat.py"):
        (public / "dpcore" / name).unlink()
    code = """
import dpcore
from dpcore.comparison.known_releases import known_releases
release = dpcore.read_bundle("bundle")
measure = next(iter(release.measurements))
assert len(dpcore.table(release, measure)) and len(known_releases())
assert "A city elsewhere" in dpcore.report_html(release)
tree = dpcore.read_bundle("tree")
assert dpcore.ask(tree, "A > B")["count"].notna().all() and len(dpcore.synthetic_trips("tree"))
assert dpcore.verify("tree").release == tree.id
assert dpcore.model_plan and dpcore.tree_plan(dpcore.ContributionBound.per_user(2), "1")
print(release)
"""
    assert "<Release " in run(public, tmp_path, "-c", code).stdout


@pytest.mark.audit
def test_a_plain_install_brings_no_package_of_the_app(wheel, tmp_path):
    """Downloads everything that dpcore asks for into an environment of its own."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "freeze"], check=True, capture_output=True, text=True
    )
    installed = {line.split("==")[0].lower() for line in listed.stdout.splitlines()}
    assert "epsilon-atlas" in installed
    assert not installed & set(APP_ONLY)
    home = os.environ | {"EPSILON_ATLAS_HOME": str(tmp_path / "data")}
    code = (
        "import dpcore; from dpcore import *; trips, tiles = dpcore.demo_city(); print(len(tiles.tile_ids))"
    )
    shown = subprocess.run(
        [python, "-c", code], check=True, cwd=tmp_path, env=home, capture_output=True, text=True
    )
    assert int(shown.stdout) > 0


def test_without_the_packages_of_the_app_its_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(start.sys, "path", [])
    assert start.main(["run"]) == 2
    assert "pip install 'epsilon-atlas[app]'" in capsys.readouterr().err


class Became(Exception):  # noqa: N818 - no error: a process that another program took over
    """What ``os.execve`` was asked for."""


@pytest.fixture
def becomes(monkeypatch):
    """No process is replaced: what it was to become is raised."""

    def execve(_file, command, environment):
        raise Became(command, environment)

    monkeypatch.setattr(start.os, "execve", execve)


@pytest.mark.usefixtures("becomes")
def test_viewers_are_shown_the_named_bundles_and_nothing_private(tmp_path, capsys):
    with pytest.raises(Became) as became:
        start.main(["view", str(tmp_path), "--", "--server.port=9000"])
    command, environment = became.value.args
    assert command[1:] == ["-P", "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port=9000"]
    assert (environment["EPSILON_ATLAS_MODE"], environment["EPSILON_ATLAS_BUNDLES"]) == (
        "view",
        str(tmp_path),
    )
    assert start.main(["view", str(tmp_path / "none")]) == 2
    assert "there is no such bundle" in capsys.readouterr().err
    assert start.main(["walk"]) == 2
    assert start.main(["run", "bundle"]) == 2
    assert "'bundle' is no option" in capsys.readouterr().err


def test_a_file_of_the_folder_where_the_app_starts_is_not_imported(tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit(9)", encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "-m", "dpcore.command_line.start", "run", "--", "--help"],
        check=False, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert "streamlit run" in shown.stdout


@pytest.mark.audit
def test_one_install_brings_an_app_that_serves_its_page_from_an_empty_folder(wheel, tmp_path):
    """Downloads everything that library and app ask for into an environment of its own."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    programs = tmp_path / "env" / "bin"
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", f"{wheel}[app]"], check=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    port = free_port()
    running = subprocess.Popen(
        [programs / "epsilon-atlas", "run", "--", f"--server.port={port}", "--server.headless=true"],
        cwd=empty,
        env=os.environ | {"EPSILON_ATLAS_HOME": str(tmp_path / "data")},
        start_new_session=True,
    )
    try:
        wait_for(f"http://localhost:{port}")
        with urllib.request.urlopen(f"http://localhost:{port}/_stcore/host-config") as answer:
            assert answer.status == 200
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        running.wait()
    assert list(empty.iterdir()) == []
