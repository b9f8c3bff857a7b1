"""What is compiled when the project is installed is what a first picture needs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dpcore import places
from dpcore.api import owner
from pages.owner.parts.start import compile_ahead
from tests.conftest import ROOT

FIRST = """
import numba.core.event as events
from pages.owner.parts.start import warm_up_before

with events.install_recorder("numba:compile") as seen:
    warm_up_before.begin()
print([str(event.data["dispatcher"]) for _, event in seen.buffer if event.is_start])
"""


@pytest.mark.audit
def test_the_first_picture_compiles_nothing_that_was_not_compiled_ahead(tmp_path):
    """Compiles all of it, twice ten seconds."""
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "compiled"),
        "EPSILON_ATLAS_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path),
    }
    subprocess.run([sys.executable, "-m", compile_ahead.__name__], check=True, cwd=ROOT, env=environment)
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FIRST],
        check=True, cwd=ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.stdout.strip() == "[]"


def test_installing_compiles_elsewhere_and_makes_the_built_in_city_in_the_own_data_folder(
    monkeypatch, tmp_path
):
    said = []
    own = str(tmp_path / "own")
    monkeypatch.setenv("EPSILON_ATLAS_HOME", own)
    monkeypatch.setattr(
        compile_ahead,
        "compile_all",
        lambda: said.append("compiled" if str(places.home()) != own else "in own"),
    )
    monkeypatch.setattr(owner, "demo_city", lambda: said.append(f"city in {places.home().name}"))
    compile_ahead.main()
    assert said == ["compiled", "city in own"]
    assert str(places.home()) == own
