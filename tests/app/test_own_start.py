"""Whoever starts the app is told its address by us, and by nobody else anything."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Timer

import pytest

from tests.browser.conftest import PATIENCE, free_port
from tests.conftest import ROOT

FOLDERS = (".claude", ".cursor", ".codex", ".gemini", ".agents", ".copilot")
ASK = (
    "from streamlit.web import bootstrap, skills; bootstrap.load_config_options({}); "
    "print(skills.agent_harness_present(), skills.nudge_suppression_reason())"
)


@pytest.fixture
def environment(tmp_path):
    """That of somebody who has tools for coding, on whose computer nothing opens a browser."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
    return {
        **os.environ,
        "HOME": str(tmp_path),
        "EPSILON_ATLAS_HOME": str(tmp_path / "home"),
        "BROWSER": "true",
        "PYTHONPATH": str(ROOT),
    }


def test_nothing_is_advertised_over_our_pages(environment):
    said = subprocess.run(
        [sys.executable, "-c", ASK], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    assert said == ["True", "welcome_hidden"]


def test_the_app_says_its_address_and_nothing_of_others(environment):
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        late = Timer(PATIENCE / 1000, server.kill)  # its output ends then, and the test fails
        late.start()
        try:
            lines = []
            for line in server.stdout:
                lines.append(line)
                if str(port) in line:
                    break
        finally:
            late.cancel()
            server.kill()
    assert lines[-1].strip() == f"Epsilon Atlas is at http://localhost:{port}/"
    assert "skills" not in "".join(lines)
