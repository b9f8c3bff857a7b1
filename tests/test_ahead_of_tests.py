"""Files of tests that were compiled ahead are those that pytest would compile, and it takes them as they are."""

from __future__ import annotations

import os
import subprocess
import sys

from tests import ahead
from tests.conftest import ROOT


def test_pytest_takes_what_was_compiled_ahead(tmp_path):
    file = tmp_path / "test_one.py"
    file.write_text("def test_one():\n    count = 3\n    assert count == 4\n", encoding="utf-8")
    assert ahead.is_missing(file)
    ahead.main(tmp_path)
    assert not ahead.is_missing(file)
    written = ahead.compiled_of(file).stat().st_mtime_ns
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), str(file)],
        cwd=tmp_path, env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "assert 3 == 4" in done.stdout, "the assert was rewritten"
    assert ahead.compiled_of(file).stat().st_mtime_ns == written
    file.write_text("def test_one(): pass\n", encoding="utf-8")
    assert ahead.is_missing(file)
