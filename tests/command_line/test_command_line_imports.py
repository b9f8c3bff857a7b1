"""What a command waits for: the libraries and rooms that it imports before it begins."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT

# Each takes a tenth of a second or more, or holds what not everybody has.
SLOW = (
    "cryptography", "duckdb", "geopandas", "h3", "matplotlib", "numba", "numpy", "opendp", "ot", "pandas", "plotly", "pptx", "pyarrow", "pydeck",
    "pyogrio", "pyproj", "pyspark", "scipy.linalg", "shapely", "sqlalchemy",
)  # fmt: skip
ROOMS = (
    "comparison", "curator", "demo", "estimates", "ledger", "lessons", "measures", "planning", "private", "private.studies",
    "release", "views",
)  # fmt: skip

# In one process, one after the other: what each adds to all before it.
ADDED = {
    "import dpcore": "",
    "--help": "",
    "table": "numpy pyarrow shapely measures planning estimates release",
    "ask": "",
    "verify": "",
    "report": "",
    "picture": "",
    "story": "",
    "exact": "pandas private",
    "forget": "",
    "demo": "demo",
    "ledger": "cryptography sqlalchemy curator ledger",
    "release": "",
    "top-up": "",
    "synth": "",
    "compare": "comparison views",
}

PROGRAM = """
import contextlib, io, json, sys

seen, added = set(), {}

def look(step):
    found = {name for name in json.loads(sys.argv[1]) if name in sys.modules}
    added[step] = sorted(name.removeprefix("dpcore.") for name in found - seen)
    seen.update(found)

import dpcore
look("import dpcore")
from dpcore.command_line import main
for step in json.loads(sys.argv[2]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main([step] if step == "--help" else [step, "--help"])
    look(step)
print(json.dumps(added))
"""


def test_a_command_imports_what_it_needs_and_no_more():
    watched = json.dumps([*SLOW, *(f"dpcore.{room}" for room in ROOMS)])
    steps = json.dumps([step for step in ADDED if not step.startswith("import")])
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, watched, steps], check=True, cwd=ROOT, capture_output=True, text=True
    )
    assert json.loads(ran.stdout) == {step: sorted(names.split()) for step, names in ADDED.items()}


# What others ask for and nobody here needs, and what only other kinds of release need.
UNUSED = ("numpy.f2py", "numpy.testing", "pyarrow._s3fs", "scipy.special", "dpcore.kinds.tree.kind")

# Of trips that were read and counted before: nothing is compiled, and no SQL is asked.
KNOWN = {
    ("exact", "trips_per_hour"): "numpy pyarrow shapely",
    ("release", "--privacy-unit", "trip", "--epsilon", "1", "--measures", "travel_time", "--yes", "--out"):
        "cryptography numpy pyarrow shapely sqlalchemy",
}  # fmt: skip
# Of new trips: what pyarrow and numba would import in case it is wanted.
NEW = {"coverage", "yaml", "cffi", "scipy.linalg", "pandas"}

RUN = """
import contextlib, io, json, runpy, sys

watched = json.loads(sys.argv.pop(1))
with contextlib.redirect_stdout(io.StringIO()):
    try:
        runpy.run_module("dpcore", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
print(json.dumps([code, sorted(name for name in watched if sys.modules.get(name))]))
"""


@pytest.mark.parametrize("words", KNOWN, ids=lambda words: words[0])
def test_what_is_known_of_trips_needs_no_compiled_code(words, city, tmp_path):
    """Loading numba and its first loop costs more than all the rest of such a command."""
    for number in range(2):
        out = [tmp_path / str(number)] if words[-1] == "--out" else []
        found = imported([*SLOW, *UNUSED], [*words, *out], city)
    assert found == KNOWN[words].split()


def test_new_trips_are_counted_without_numba_and_what_other_packages_import_in_case_it_is_wanted(city):
    """Once its loops were compiled, which the first time may do."""
    for _ in range(2):
        found = imported(sorted({*NEW, "numba"}), ["exact", "trips_per_hour", "--no-cache"], city)
    assert found == []


def imported(watched, words, city):
    """Which of some packages a command on the city imports, in a process of its own."""
    files = ["--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin"]  # fmt: skip
    asked = [sys.executable, "-c", RUN, json.dumps(watched), *map(str, [*words, *files])]
    ran = subprocess.run(asked, check=True, cwd=ROOT, capture_output=True, text=True)
    code, found = json.loads(ran.stdout)
    assert code == 0
    return found
