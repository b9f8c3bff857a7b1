"""What a command waits for: the libraries and rooms that it imports before it begins."""

from __future__ import annotations

import json
import subprocess
import sys

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

# In one process, one after the other: what each adds to all before it. scipy.linalg is of the estimates, in which a release may end.
ADDED = {
    "import dpcore": "",
    "--help": "",
    "table": "numpy pyarrow h3 numba shapely measures estimates release scipy.linalg",
    "ask": "",
    "verify": "",
    "report": "",
    "picture": "",
    "story": "",
    "exact": "pandas private",
    "forget": "",
    "demo": "demo",
    "ledger": "cryptography sqlalchemy curator ledger",
    "release": "planning",
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
