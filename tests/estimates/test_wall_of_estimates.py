"""Estimates are made on the public side: they work where nothing of the private side can be imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

OF_BEFORE = ROOT / "tests" / "release"
_MADE_ALONE = """
import sys
from importlib.abc import MetaPathFinder

class Wall(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "dpcore.private" or name.startswith("dpcore.private."):
            raise ImportError("the private side is not here")

sys.meta_path.insert(0, Wall())
from pathlib import Path
from dpcore.estimates import estimate
from dpcore.release import read_bundle

release = read_bundle(Path(sys.argv[1]))
found = estimate(release.plan, release.measurements, release.tessellation)
assert found.tables["visits_per_tile"].counted.values.sum() > 0
assert not [name for name in sys.modules if name.startswith("dpcore.private")]
print(len(found.tables), "tables")
"""


@pytest.mark.parametrize("version", ["0_1_0", "0_2_0"])
def test_estimates_of_a_bundle_need_nothing_of_the_private_side(version, tmp_path):
    script = tmp_path / "alone.py"
    script.write_text(_MADE_ALONE, encoding="utf-8")
    bundle = Path(OF_BEFORE / f"bundles_of_{version}" / "tables")
    ran = subprocess.run(
        [sys.executable, str(script), str(bundle)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert "tables" in ran.stdout
