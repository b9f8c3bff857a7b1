"""The wall, read from the source: what may know what, and what may not exist at all.

Every check works on the name of a module and its text, so that the tests beside this one can plant what must be found.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.wall.findings import findings
from tests.wall.source import CODE, module


@pytest.mark.parametrize("path", CODE, ids=module)
def test_every_module_stays_on_its_side_of_the_wall(path):
    assert findings(module(path), path.read_text(encoding="utf-8")) == []


def test_noise_never_uses_a_seeded_generator():
    for name in ("samplers.py", "sparse.py", "mechanisms.py"):
        text = (ROOT / "dpcore" / "noise" / name).read_text(encoding="utf-8")
        assert "np.random" not in text
        assert "default_rng" not in text


def test_the_public_rooms_work_with_the_private_ones_gone():
    code = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name == "dpcore.private" or name.startswith("dpcore.private."):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
import dpcore, dpcore.measures, dpcore.measures.plan, dpcore.noise.mechanisms, dpcore.tiles
import dpcore.noise.accuracy
from pathlib import Path
import importlib
for path in Path("dpcore/views").rglob("*.py"):
    importlib.import_module(".".join(path.with_suffix("").parts))
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
