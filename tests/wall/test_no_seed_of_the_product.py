"""Tests draw from seeds (tests/conftest.py). Nothing outside of a test can make the product do so."""

from __future__ import annotations

import os
import subprocess
import sys

from dpcore.noise import samplers
from tests.conftest import DRAWS, ROOT

DRAW = (
    "import random, numpy as np; random.seed(1); np.random.seed(1)\n"
    "from dpcore.noise.samplers import below; from dpcore.synthesis.sampling import fresh_seed\n"
    "from dpcore.private.bounding import bounding_key\n"
    "print(below(2**62, 4).tolist(), fresh_seed(), bounding_key().hex())"
)
OURS = "epsilon_atlas".upper()  # no variable that there is, so docs list none of these
WORDS = ("SEED", "RANDOM_SEED", f"{OURS}_SEED", f"{OURS}_DRAWS", "DPCORE_SEED", "PYTHONHASHSEED")


def drawn(home) -> str:
    asked = {
        **os.environ,
        **dict.fromkeys(WORDS, "1"),
        "EPSILON_ATLAS_HOME": str(home),
        "PYTEST_CURRENT_TEST": "one",
    }
    done = subprocess.run(
        [sys.executable, "-c", DRAW], cwd=ROOT, env=asked, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_no_variable_and_no_generator_of_others_gives_the_product_a_seed(tmp_path):
    assert drawn(tmp_path / "one") != drawn(tmp_path / "two")


def test_a_test_draws_the_same_whenever_it_runs():
    DRAWS.begin("a test", free=False)
    first = samplers.below(2**62, 4).tolist()
    DRAWS.begin("a test", free=False)
    assert samplers.below(2**62, 4).tolist() == first
    DRAWS.begin("another test", free=False)
    assert samplers.below(2**62, 4).tolist() != first
