"""What measures the program is not run by its tests, so these see that it begins."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

PROGRAMS = ["bench", "bench.accuracy", "bench.accuracy.known"]
MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts)
    for file in (ROOT / "bench").rglob("*.py")
    if not file.name.startswith("__")
    and file.name not in {"peer.py", "their_values.py"}  # they run in the environment of the peer
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_measures_begins(name):
    done = subprocess.run(
        [sys.executable, "-m", name, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")


def test_every_module_that_measures_is_imported():
    code = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    done = subprocess.run(
        [sys.executable, "-c", code, *MODULES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
