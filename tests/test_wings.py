"""Wings: each can be taken away, and the core, its commands and its pages go on without it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys

import pytest

from dpcore import wings
from tests.conftest import ROOT
from tests.wall.source import CODE, Source, below, module

# What belongs to a wing though it lies with the pages: its page, and what a released tree shows. Lessons compute with all of them.
OF_WINGS = (
    "dpcore.kinds",
    "dpcore.engines",
    "dpcore.stories",
    "pages.released.story",
    "pages.released.parts.story_play",
    "pages.released.parts.story_files",
    "pages.released.parts.telling",
    "pages.owner.parts.data.spark_source",
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


SHOWN = """
import os, shutil
from pathlib import Path
shelf = Path(os.environ["PLACE"]) / "shelf"
shelf.mkdir()
shutil.copytree(Path(os.environ["PLACE"]) / "bundle", shelf / "bundle")
(shelf / "bundle.story.json").write_text("{}")
os.environ["EPSILON_ATLAS_BUNDLES"] = str(shelf)
"""

WITHOUT_STORIES = """
import dpcore
from dpcore.api.pictures import picture

picture(Path(os.environ["PLACE"]) / "bundle", Path(os.environ["PLACE"]) / "map.svg")
for name in ("story", "export_story"):
    try:
        getattr(dpcore, name)
    except AttributeError as error:
        print(error)
seen.switch_page("pages/released/viewer.py")
seen.query_params["release"] = "bundle"
seen.run()
assert not seen.exception, seen.exception[0].value
print(*(one.label for one in seen.button))
print(*app.RELEASED)
print(main(["story", "bundle"]))
print(*(name for name in sys.modules if name.startswith("dpcore.stories.")))
"""


WITHOUT_SPARK = """
import dpcore
from dpcore.api import owner
from dpcore.command_line.main import main

owner.forget()
try:
    main(["exact", "visits_per_tile", "--trips", "t", "--tiles", "g", "--engine", "spark"])
except SystemExit:
    pass
from streamlit.testing.v1 import AppTest
from pages.parts import roles
from pages.parts.admission import Visit

here = Visit(address="localhost", headers=(("Host", "localhost:8501"), ("Origin", "http://localhost:8501")), now=0.0)
roles.visit = lambda: here
seen = AppTest.from_file("app.py", default_timeout=100).run()
seen.switch_page("pages/owner/data.py").run()
assert not seen.exception, seen.exception[0].value
print(*next(one for one in seen.segmented_control if one.label == "Trips from").options, sep=", ")
print(*(name for name in sys.modules if "spark" in name))
"""


def run(without, tmp_path, program, *, said=False, root=ROOT):
    """What a program says where one wing cannot be imported, as if its folder were gone; ``said``: with what it says as an error."""
    gone = f"import sys\nsys.modules['dpcore.{without}'] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", gone + program],
        cwd=root,
        env={
            **os.environ,
            "EPSILON_ATLAS_HOME": str(tmp_path / "home"),
            "PLACE": str(tmp_path),
            "PYTHONPATH": str(root),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout + (done.stderr if said else "")


@pytest.mark.parametrize("wing", KIND_OF_WING)
def test_without_a_wing_the_core_counts_publishes_and_reads(wing, tmp_path):
    known = run(f"kinds.{wing}", tmp_path, CORE).split()
    assert known == ["tables", *(kind for one, kind in KIND_OF_WING.items() if one != wing)]


@pytest.mark.parametrize("wing", KIND_OF_WING)
def test_without_a_wing_the_pages_and_commands_of_the_others_are_there(wing, tmp_path):
    pages, _, told = run(f"kinds.{wing}", tmp_path, PAGES).partition("\n")
    assert "pages/owner/explore.py" in pages
    assert ("pages/owner/trajectories.py" in pages) == (wing != "tree")
    assert "pages/owner/synthesize.py" in pages  # the page of two wings
    listed = {one: f"    {kind}" in told for one, kind in KIND_OF_WING.items()}
    assert listed == {one: one != wing for one in KIND_OF_WING}


def test_without_spark_the_core_counts_publishes_and_reads(tmp_path):
    assert run("engines.spark", tmp_path, CORE).split() == ["tables", *KIND_OF_WING.values()]


def test_without_spark_the_command_says_so_and_the_page_does_not_offer_it(tmp_path):
    told = run("engines.spark", tmp_path, WITHOUT_SPARK, said=True)
    assert "spark is not there: give compiled or duckdb" in told
    assert told.splitlines()[:2] == ["Upload, Data folder", "dpcore.engines.spark"]


def test_without_stories_the_core_publishes_reads_and_draws_and_shows_releases(tmp_path):
    assert run("stories", tmp_path, CORE).split() == ["tables", *KIND_OF_WING.values()]
    told = run("stories", tmp_path, f"{SHOWN}{PAGES}{WITHOUT_STORIES}", said=True)
    assert "the wing of dpcore that offers 'story' is not there" in told
    assert "Present" in told
    assert "Add this view" not in told
    assert "pages/released/library.py pages/released/viewer.py\n2\n\n" in told
    assert "invalid choice: 'story'" in told


def test_every_wing_is_known_here():
    assert wings.there("kinds") == tuple(KIND_OF_WING)
    assert wings.there("engines") == ("spark",)
    assert wings.there() == (*KIND_OF_WING, "spark", "stories")


MEASURE = """
from dpcore.measures.keys import KeySet, plain_axis
from dpcore.measures.measure import Kind, Layout, Measure, Section
from dpcore.measures.term import Term


def complete_trips(choices):
    return Measure(
        name="complete_trips_alone",
        title="Complete trips alone",
        explanation="How many trips are complete.",
        section=Section.OVERVIEW,
        counts="trips",
        layout=Layout(Kind.NUMBERS, ("statistic",)),
        cells_per_trip=1,
        keys=lambda _: KeySet((plain_axis("statistic", ("complete",)),)),
        terms=(Term("kept", (("statistic", "0"),), "complete"),),
        weight=1,
    )


ALL = (complete_trips,)
"""
KIND = """
from dpcore.release.kinds.tables import TablesKind


class Asked:
    pass


class TinyKind(TablesKind):
    name = words = "tiny"
    asked = Asked
    format = entry = "tiny"
    pictures = ("dot",)


KIND = TinyKind()
"""
VIEWS = """
def views(release):
    return {"dot": ("One dot", lambda release: "a slide")}
"""
TABLE_VIEW = """
from dpcore.views.maps.drawn_map import Listed
from dpcore.views.pictures.table_view import TableView

VIEW = TableView(
    "A number alone",
    lambda release, _: "visits_per_tile" in release.measurements,
    lambda release, _: (),
    lambda release, at, _: (Listed("Tiles", (("how many", str(len(release.tessellation.tile_ids))),)), ["Of the tiles."]),
    lambda release, told, at: "The tiles are counted.",
)
"""
COMMAND = """
def add(kinds):
    kinds.add_parser("tiny", help="one dot")
"""
NEW = """
import os
from fractions import Fraction
import dpcore
from dpcore.api import owner
from dpcore.command_line.main import main
from dpcore.release import all_kinds
from dpcore.views.kinds import has_views, kind_views
from dpcore.views.kinds import views_of_kind

trips, tiles = owner.invented_city(2_000, 30)
weights = {"complete_trips_alone": 1, "visits_per_tile": 1}
plan = dpcore.Plan(dpcore.ContributionBound.per_user(2), weights, (Fraction("0.5"), Fraction(1)))
os.chdir(os.environ["PLACE"])
ledger = dpcore.open_ledger("ledger.jsonl")
dpcore.register(ledger, "town", unit="user", total_budget="5")
dpcore.publish(trips, tiles, plan, ledger=ledger, dataset="town", nonce="first", out="bundle")
dpcore.verify("bundle")
release = dpcore.read_bundle("bundle")
assert len(dpcore.table(release, "complete_trips_alone")) == 1
assert "Complete trips alone" in dpcore.report_html(release)
dpcore.picture("bundle", "alone.svg", "alone")
assert b"how many" in open("alone.svg", "rb").read()
from dpcore.stories.default import default_story
assert "alone" in [step.view for step in default_story(release, "0" * 64).steps]
from pages.released.parts.views import VIEWS
assert VIEWS["alone"][0] == "A number alone"
views_of_kind.kind_of = lambda plan: all_kinds()["tiny"]
print(*all_kinds(), has_views("tiny"), kind_views(release))
try:
    main(["synth", "--help"])
except SystemExit:
    pass
"""


def test_a_measure_and_a_view_are_one_file_each_and_a_kind_is_one_folder(tmp_path):
    """The product, linked into a folder where three things are new and nothing else is edited."""
    for one in (*(ROOT / "dpcore").rglob("*"), *(ROOT / "pages").rglob("*")):
        inside = tmp_path / one.relative_to(ROOT)
        if one.is_file() and one.suffix != ".pyc":
            inside.parent.mkdir(parents=True, exist_ok=True)
            inside.symlink_to(one)
    (tmp_path / "dpcore" / "measures" / "alone.py").write_text(MEASURE)
    (tmp_path / "dpcore" / "views" / "tables" / "alone.py").write_text(TABLE_VIEW)
    tiny = tmp_path / "dpcore" / "kinds" / "tiny"
    tiny.mkdir()
    for name, text in (("__init__", ""), ("kind", KIND), ("released_views", VIEWS), ("command", COMMAND)):
        (tiny / f"{name}.py").write_text(text)
    said, _, told = run("absent", tmp_path, NEW, root=tmp_path).partition("\n")
    assert said.split(" True ")[1] == "{'dot': 'One dot', 'promise': 'What is promised'}"
    assert "tiny" in said.split(" True ")[0].split()
    assert re.search(r"\n    tiny +one dot", told)


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
    known = {
        one
        for one in Source(name, text).imports
        if below(one, "dpcore.kinds", "dpcore.engines", "dpcore.stories")
    }
    assert not known or (name == "dpcore" and typed), known


@pytest.mark.parametrize(
    "path",
    [one for one in CODE if below(module(one), "dpcore.kinds", "dpcore.engines", "dpcore.stories")],
    ids=module,
)
def test_no_wing_imports_another(path):
    name, text = module(path), path.read_text(encoding="utf-8")
    mine = "dpcore.stories" if below(name, "dpcore.stories") else ".".join(name.split(".")[:3])
    known = {
        one
        for one in Source(name, text).imports
        if one.startswith(("dpcore.kinds.", "dpcore.engines.", "dpcore.stories"))
    }
    assert {one for one in known if not below(one, mine)} == set()
