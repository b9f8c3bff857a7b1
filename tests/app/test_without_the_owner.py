"""Library and Viewer in a tree from which everything private was taken away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from dpcore.release import write_bundle
from tests.conftest import ROOT
from tests.release.made_releases import made_release

WITHOUT_THE_OWNER = """
import sys
from streamlit.testing.v1 import AppTest
def run(page, **query):
    app = AppTest.from_file("app.py", default_timeout=60)
    app.switch_page(page)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    assert not app.error, app.error[0].value
    return str([element.value for element in app.markdown])
assert "verified" in run("pages/released/library.py")
for view in ("map", "flows", "rhythm", "rankings", "accuracy", "guarantee", "download"):
    assert "### Grid" in run("pages/released/viewer.py", view=view, release="grid")
gone = [name for name in sys.modules if name.startswith(("dpcore.private.", "dpcore.ledger.", "dpcore.curator."))]
assert not gone, gone
"""


def test_the_pages_work_in_a_tree_without_anything_private(tmp_path):
    bundles = tmp_path / "bundles"
    write_bundle(
        made_release(id="grid", title="Grid", sparse=True, period=None, epsilon="1"), bundles / "grid"
    )
    tree = tmp_path / "tree"
    for part in ("dpcore", "pages", ".streamlit"):
        shutil.copytree(ROOT / part, tree / part)  # with what is compiled: the files are as old as here
    shutil.copy(ROOT / "app.py", tree)
    for gone in (
        "dpcore/private",
        *(f"dpcore/kinds/{one}/private" for one in ("roy", "stability", "tree")),
        "dpcore/engines",
        "dpcore/ledger",
        "dpcore/curator",
        "pages/owner",
    ):
        shutil.rmtree(tree / gone, ignore_errors=True)
    for gone in ("dpcore/api/owner.py", "dpcore/api/studies.py", "dpcore/curator.py", "dpcore/__main__.py"):
        (tree / gone).unlink(missing_ok=True)
    (tree / "run.py").write_text(WITHOUT_THE_OWNER.replace('"app.py"', repr(str(tree / "app.py"))))
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=tree,
        env={
            **os.environ,
            "PYTHONPATH": str(tree),
            "EPSILON_ATLAS_MODE": "view",
            "EPSILON_ATLAS_BUNDLES": str(bundles),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
