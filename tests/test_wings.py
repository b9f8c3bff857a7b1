"""Wings: each can be taken away, and the core, its commands and its pages go on without it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from dpcore import wings
from tests.conftest import ROOT
from tests.wall.source import CODE, Source, below, module

# What belongs to a wing though it lies with the pages: its page, and what a released tree shows. Lessons compute with all of them.
OF_WINGS = (
    "dpcore.kinds",
    "dpcore.lessons",
    "pages.learn",
    "pages.owner.synthesize",
    "pages.owner.parts.synthesize",
    "pages.owner.trajectories",
    "pages.owner.parts.trajectories",
    "pages.parts.icicle",
    "pages.released.parts.tree_view",
)
KIND_OF_WING = {"roy": "roy", "stability": "stability", "tree": "trajectory-tree"}

CORE = """
import os
import dpcore
from dpcore.api import owner
from dpcore.release import all_kinds
from dpcore.views.kinds import has_views

os.chdir(os.environ["PLACE"])
trips, tiles = owner.invented_city(2_000, 30)
plan = dpcore.default_plan(dpcore.ContributionBound.per_user(2), "1", tiles, about_trips=2_000)
ledger = dpcore.open_ledger("ledger.jsonl")
dpcore.register(ledger, "town", unit="user", total_budget="5")
dpcore.publish(trips, tiles, plan, ledger=ledger, dataset="town", nonce="first", out="bundle")
dpcore.verify("bundle")
release = dpcore.read_bundle("bundle")
assert len(dpcore.table(release, "visits_per_tile")) >= len(tiles.tile_ids)
assert "</html>" in dpcore.report_html(release)
assert not has_views("tables")
print(*all_kinds())
"""


PAGES = """
from streamlit.testing.v1 import AppTest
from dpcore.command_line.main import main
from pages.parts import roles
from pages.parts.admission import Visit

here = Visit(address="localhost", headers=(("Host", "localhost:8501"), ("Origin", "http://localhost:8501")), now=0.0)
roles.visit = lambda: here
seen = AppTest.from_file("app.py", default_timeout=100).run()
for page in ("explore", "library", "viewer"):
    folder = "owner" if page == "explore" else "released"
    seen.switch_page(f"pages/{folder}/{page}.py").run()
    assert not seen.exception, seen.exception[0].value
import app
print(*app.OWNER)
try:
    main(["synth", "--help"])
except SystemExit:
    pass
"""


def run(without, tmp_path, program):
    """What a program says where one wing cannot be imported, as if its folder were gone."""
    gone = f"import sys\nsys.modules['dpcore.kinds.{without}'] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", gone + program],
        cwd=ROOT,
        env={
            **os.environ,
            "EPSILON_ATLAS_HOME": str(tmp_path / "home"),
            "PLACE": str(tmp_path),
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


@pytest.mark.parametrize("wing", KIND_OF_WING)
def test_without_a_wing_the_core_counts_publishes_and_reads(wing, tmp_path):
    known = run(wing, tmp_path, CORE).split()
    assert known == ["tables", *(kind for one, kind in KIND_OF_WING.items() if one != wing)]


@pytest.mark.parametrize("wing", KIND_OF_WING)
def test_without_a_wing_the_pages_and_commands_of_the_others_are_there(wing, tmp_path):
    pages, _, told = run(wing, tmp_path, PAGES).partition("\n")
    assert "pages/owner/explore.py" in pages
    assert ("pages/owner/trajectories.py" in pages) == (wing != "tree")
    assert "pages/owner/synthesize.py" in pages  # the page of two wings
    listed = {one: f"    {kind}" in told for one, kind in KIND_OF_WING.items()}
    assert listed == {one: one != wing for one in KIND_OF_WING}


def test_every_wing_is_known_here():
    assert tuple(KIND_OF_WING) == wings.there()


@pytest.mark.parametrize("path", CODE, ids=module)
def test_nothing_but_a_wing_imports_a_wing(path):
    name, text = module(path), path.read_text(encoding="utf-8")
    if below(name, *OF_WINGS):
        return
    typed = {
        id(one)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for one in node.body
    }
    known = {one for one in Source(name, text).imports if below(one, "dpcore.kinds")}
    assert not known or (name == "dpcore" and typed), known


@pytest.mark.parametrize("path", sorted((ROOT / "dpcore" / "kinds").rglob("*.py")), ids=module)
def test_no_wing_imports_another(path):
    name, text = module(path), path.read_text(encoding="utf-8")
    mine = ".".join(name.split(".")[:3])
    known = {one for one in Source(name, text).imports if one.startswith("dpcore.kinds.")}
    assert {one for one in known if not below(one, mine)} == set()
