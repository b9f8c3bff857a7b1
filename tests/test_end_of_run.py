"""What is said at the end of a run, of a small one that has a fault of each kind."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from tests.conftest import ROOT
from tests.end_of_run import left_out


def test_tests_that_were_left_out_are_told_in_one_line():
    reasons = {
        "needs pip install -r requirements-spark.txt, and Java 17": 12,
        "needs pip install -r requirements-spark.txt": 1,
        "no PostgreSQL: install the package postgresql or requirements-ci.txt, or set X to the URL of a server": 30,
        "could not import 'yaml': No module named 'yaml'": 1,
        "needs the test data a/b.csv, which do not come with the project": 20,
        "needs the test data a/c.csv, which do not come with the project": 7,
        "not a checkout": 1,
    }
    assert left_out(Counter(reasons)) == (
        "left out: 13 of Spark, 30 of PostgreSQL, 1 of a second reader of YAML: make .venv/ready-for-all-tests installs what "
        "they need; 27 that need test data, which do not come with the project; 1: not a checkout"
    )


TESTS = """
import pytest
from tests import chance

@pytest.mark.parametrize("number", range(3))
def test_a_law(number):
    chance.state({stated})

def test_no_data(shared):
    shared("nowhere/to-be-found.csv")
"""


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize(("stated", "code"), [("1e-12", 0), ("5e-10", 1)])
def test_a_run_that_leaves_too_much_to_chance_fails(tmp_path, workers, stated, code):
    (tmp_path / "test_laws.py").write_text(TESTS.format(stated=stated), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.conftest", "-n", workers,
         "--rootdir", str(tmp_path), "-c", str(ROOT / "pyproject.toml"), str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    assert (
        f"laws: 3 tests of this run have 3 chances to fail although the product is right, together {3 * float(stated):.1e}"
        in done.stdout
    )
    assert ("this run failed" in done.stdout) == (code == 1)
    assert "left out: 1 that need test data, which do not come with the project" in done.stdout
