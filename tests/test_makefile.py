"""What `make ci` does not run begins all the same: each such target of the Makefile on the smallest case that there is.

`make bench` is tried by tests/test_bench.py, `make dist` by tests/test_packaging.py, `make screenshots` by
tests/browser/test_screenshots.py. Every audit has a small case in tests/audit/test_small_audits.py.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from dpcore.release import write_bundle
from tests.browser.conftest import free_port, wait_for
from tests.conftest import ROOT
from tests.release.made_releases import made_release
from tests.visitor import visit


def make(*words: str) -> list[str]:
    """The command of a target, in the environment that runs this test: nothing is installed."""
    return ["make", "-o", ".venv/ready", f"BIN={Path(sys.executable).parent}", *words]


def test_help_lists_the_targets():
    listed = subprocess.run(make("help"), cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(r"^bench +the performance table", listed, re.MULTILINE)


def test_the_viewer_starts_on_a_folder_of_bundles(tmp_path):
    release = made_release(title="A city that is viewed")
    write_bundle(release, tmp_path / "releases" / "one")
    port = free_port()
    choices = {"STREAMLIT_SERVER_PORT": str(port), "STREAMLIT_SERVER_HEADLESS": "true"}
    with (tmp_path / "log").open("wb") as output:
        running = subprocess.Popen(
            make("view", f"BUNDLE={tmp_path / 'releases'}"),
            cwd=ROOT, env=os.environ | choices, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
        try:
            wait_for(f"http://localhost:{port}")
            seen = visit(port)
        finally:
            os.killpg(running.pid, signal.SIGTERM)
            running.wait()
    assert seen.says("A city that is viewed")
    assert not seen.failed, (tmp_path / "log").read_text()


def test_the_viewer_asks_for_a_bundle():
    asked = subprocess.run(make("view", "BUNDLE="), cwd=ROOT, capture_output=True, text=True, check=False)
    assert asked.returncode != 0
    assert "Name a bundle" in asked.stdout


def test_an_audit_runs_and_says_by_what_chance_it_fails():
    one = "tests/audit/test_noise_audit.py -k guessing_canaries -q -p no:cacheprovider"
    done = subprocess.run(
        make("audit"), cwd=ROOT, env=os.environ | {"PYTEST_ADDOPTS": one}, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
    assert "laws: 2 tests of this run" in done.stdout
