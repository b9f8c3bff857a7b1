"""What a server compiles ahead is what its first picture needs, and only a first start does so."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Event

import pytest

from dpcore import places
from dpcore.api import owner
from pages.owner.parts import ahead
from tests.conftest import ROOT

FIRST = """
import numba.core.event as events
from pages.owner.parts import first

with events.install_recorder("numba:compile") as seen:
    first.begin()
print([str(event.data["dispatcher"]) for _, event in seen.buffer if event.is_start])
"""


@pytest.mark.parametrize("there", ["", "compiled/engine/one.nbi"])
def test_only_the_first_start_compiles_ahead_where_installing_did_not(there, monkeypatch, tmp_path):
    started = Event()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "compiled"))
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path))
    monkeypatch.setattr(ahead.subprocess, "run", lambda *_, **__: started.set())
    if there:
        (tmp_path / there).mkdir(parents=True)
    ahead.begin()
    assert started.wait(0.1 if there else 10) is not bool(there)


@pytest.mark.audit
def test_the_first_picture_compiles_nothing_that_was_not_compiled_ahead(tmp_path):
    """Compiles all of it, twice ten seconds."""
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "compiled"),
        "EPSILON_ATLAS_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path),
    }
    subprocess.run([sys.executable, "-m", ahead.__name__, "compile"], check=True, cwd=ROOT, env=environment)
    assert not (tmp_path / "home").exists(), "it counts in a folder of its own"
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FIRST],
        check=True, cwd=ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize(("asked", "made"), [([], ["compiled", "city in own"]), (["compile"], ["compiled"])])
def test_installing_makes_the_built_in_city_in_the_own_data_folder(asked, made, monkeypatch, tmp_path):
    said = []
    own = str(tmp_path / "own")
    monkeypatch.setenv("EPSILON_ATLAS_HOME", own)
    monkeypatch.setattr(ahead.sys, "argv", ["ahead", *asked])
    monkeypatch.setattr(
        ahead, "compile_all", lambda: said.append("compiled" if str(places.home()) != own else "in own")
    )
    monkeypatch.setattr(owner, "demo_city", lambda: said.append(f"city in {places.home().name}"))
    ahead.main()
    assert said == made
    assert str(places.home()) == own
