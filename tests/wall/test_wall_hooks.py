"""Hooks: who opens a way to put another function in the place of one that draws noise is found."""

from __future__ import annotations

import pytest

from tests.wall.findings import findings, found_in

MAKERS, SAMPLERS = "dpcore.curator.makers", "dpcore.noise.samplers"
PLANTED = [
    # from another module
    ("pages.owner.x", "from dpcore.curator import makers\nmakers.measured = print", "changes dpcore.curator.makers"),
    ("app", "import dpcore.noise.samplers as s\ns.os = None", "changes dpcore.noise.samplers"),
    ("dpcore.views.x", "from dpcore.noise import mechanisms as m\ndel m.ladder", "changes dpcore.noise.mechanisms"),
    ("dpcore.views.x", "from dpcore.noise import mechanisms as m\nfor m.ladder in (1,): pass", "changes dpcore.noise.mechanisms"),
    ("dpcore.views.x", "from dpcore.curator.makers import _MAKERS\n_MAKERS['tables'] = 1", "changes dpcore.curator.makers._MAKERS"),
    ("dpcore.views.x", "from dpcore.kinds.tree.private.growth import _Growth\n_Growth._ends = 1", "changes dpcore.kinds.tree"),
    ("dpcore.views.x", "import dpcore.curator as c\nsetattr(c, 'publish', 1)", "uses setattr"),
    ("dpcore.views.x", "import dpcore.curator as c\nobject.__setattr__(c, 'publish', 1)", "uses __setattr__"),
    ("dpcore.views.x", "from unittest import mock", "replaces by unittest.mock"),
    ("dpcore.views.x", "import sys\nsys.settrace(f)", "replaces by sys.settrace"),
    # in the module itself
    (MAKERS, "def replay(calls):\n    global measured\n    measured = calls.pop", "binds a name of its module anew"),
    (MAKERS, "KEPT = {}\ndef with_maker(kind, one):\n    KEPT[kind] = one", "changes KEPT of its module"),
    (MAKERS, "KEPT: dict = {}\ndef add(one):\n    KEPT.update(one)", "changes KEPT of its module"),
    ("dpcore.release.kinds", "_ADDED = []\ndef registered(kind):\n    _ADDED.append(kind)", "changes _ADDED of its module"),
    (SAMPLERS, "import os\nDRAWS = os.environ.get('DPCORE_DRAWS')", "reads os.environ near noise"),
    (SAMPLERS, "from os import getenv\nreplay = getenv('REPLAY')", "reads os.getenv near noise"),
    (MAKERS, "def _draw(counted, asked, recorder=None): pass", "_draw takes recorder near noise"),
    (MAKERS, "def _draw(counted, asked, *, draw: Callable[[int], int]): pass", "_draw takes draw near noise"),
    ("dpcore.private.synthetic.drawing", "def noised(counts, rho, sampler): pass", "noised takes sampler near noise"),
    ("dpcore.noise.mechanisms", "measured = lambda counts, noise: counts", "lambda takes noise near noise"),
    # what may be given functions that draw gets the exact ones
    ("dpcore.kinds.tree.private.x", "from dpcore.kinds.tree.private.growth import grow\ngrow(a, b, c)", "gives dpcore.kinds.tree.private.growth.grow"),
    ("dpcore.kinds.tree.private.x", "from dpcore.kinds.tree.tree import NoiseSource\nx = NoiseSource(a, b, c)", "makes dpcore.kinds.tree.tree.NoiseSource"),
    ("pages.owner.x", "from dpcore.curator.makers import Maker\nx = Maker(a, b, c, d)", "makes dpcore.curator.makers.Maker"),
]  # fmt: skip

ALLOWED = [
    (
        "dpcore.measures.plan",
        "class P:\n    def __post_init__(self):\n        object.__setattr__(self, 'rungs', 1)",
    ),
    (MAKERS, "def f(x):\n    found = {}\n    found['a'] = x\n    return found"),
    (SAMPLERS, "def climb(noise: Integers, rho): return noise"),
    (MAKERS, "_TABLES = Maker(a, b, c, d)"),
    (
        "dpcore.kinds.tree.private.x",
        "from dpcore.kinds.tree.private.drawing import EXACT_NOISE\nfrom dpcore.kinds.tree.private.growth import grow\ngrow(a, b, EXACT_NOISE)",
    ),
]


@pytest.mark.parametrize(("name", "text", "found"), PLANTED, ids=[found for *_, found in PLANTED])
def test_what_is_planted_is_found_of_hooks(name, text, found):
    assert found_in(name, text, found), findings(name, text)


@pytest.mark.parametrize(("name", "text"), ALLOWED)
def test_what_is_allowed_is_not_found_of_hooks(name, text):
    assert findings(name, text) == []
