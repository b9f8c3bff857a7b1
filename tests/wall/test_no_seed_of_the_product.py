"""Tests draw from seeds (tests/draws.py). Nothing outside of a test can make the product do so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys

from dpcore.noise import exponential, samplers
from tests.conftest import ROOT
from tests.docs.options import PARSERS, options_of
from tests.draws import DRAWS
from tests.wall.source import CODE, Source, below, module

DRAW = (
    "import random, numpy as np; random.seed(1); np.random.seed(1)\n"
    "from fractions import Fraction\n"
    "from dpcore.noise.exponential import winner\n"
    "from dpcore.noise.samplers import below; from dpcore.private.synthetic.drawing import fresh_seed\n"
    "from dpcore.private.bounding import bounding_key\n"
    "won = [winner(np.ones(50, np.int64), 10, sensitivity=10, epsilon=Fraction(1, 1000)) for _ in range(40)]\n"
    "print(below(2**62, 4).tolist(), fresh_seed(), bounding_key().hex(), won)"
)
OURS = "epsilon_atlas".upper()  # no variable that there is, so docs list none of these
WORDS = ("SEED", "RANDOM_SEED", f"{OURS}_SEED", f"{OURS}_DRAWS", "DPCORE_SEED", "PYTHONHASHSEED")
TEXTS = {module(path): path.read_text(encoding="utf-8") for path in CODE}
KNOWN = {word for text in TEXTS.values() for word in re.findall(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"', text)}
KNOWN.discard("NUMBA_CACHE_DIR")
"""Everything in the code that may be the name of a variable, but that of the folder in which compiled code is kept."""


def drawn(home):
    """What four of our sources of chance give, each apart."""
    asked = {
        **os.environ,
        **dict.fromkeys((*WORDS, *KNOWN), "1"),
        "EPSILON_ATLAS_HOME": str(home),
        "PYTEST_CURRENT_TEST": "one",
    }
    done = subprocess.run(
        [sys.executable, "-c", DRAW], cwd=ROOT, env=asked, capture_output=True, text=True, check=True
    )
    numbers, seed, key, won = re.fullmatch(r"(\[.+?\]) (\d+) (\w+) (\[.+\])\n", done.stdout).groups()
    return numbers, seed, key, won


def test_no_variable_and_no_generator_of_others_gives_the_product_a_seed(tmp_path):
    assert {"EPSILON_ATLAS_MODE", "EPSILON_ATLAS_LEDGER", "EPSILON_ATLAS_MEMORY"} <= KNOWN
    one, other = drawn(tmp_path / "one"), drawn(tmp_path / "two")
    assert all(here != there for here, there in zip(one, other, strict=True))


NOISE = (
    "noise",
    "private",
    "curator",
    "ledger",
    "measures",
    "planning",
    "release",
    "api",
    "command_line",
    "kinds.roy.private",
    "kinds.stability.private",
    "kinds.tree.private",
)
TAKE_A_SEED = {
    "api.compat.check_switches",  # the argument of another tool, which is refused
    "api.compat.plan_of",
    "kinds.roy.private.paper.paper_study",  # of random choices after the noise
    "kinds.roy.private.paper._uniform",
}


def test_no_function_near_noise_takes_a_seed_or_a_generator():
    found = set()
    for name, text in TEXTS.items():
        room = name.removeprefix("dpcore.")
        if not below(room, *NOISE):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                if any(re.search("seed|rng|generator|random|urandom", one.arg) for one in every):
                    found.add(f"{room}.{node.name}")
    assert found == TAKE_A_SEED


def test_the_built_in_city_alone_has_a_seed_among_the_commands():
    with_seed = {name for name, parser in PARSERS.items() if "--seed" in options_of(parser)}
    assert with_seed == {"demo"}
    every = {option for parser in PARSERS.values() for option in options_of(parser)}
    assert not {option for option in every if re.search("rand|noise-seed|draws|rng", option)}


def test_nothing_of_the_product_knows_tests():
    for name, text in TEXTS.items():
        assert not any(below(one, "tests", "pytest", "hypothesis") for one in Source(name, text).imports)


def test_a_test_draws_the_same_whenever_it_runs():
    def drawn(name):
        DRAWS.begin(name, free=False)
        return [samplers.below(2**62, 4).tolist(), exponential._mechanism(50.0)([0] * 1_000)]

    first = drawn("a test")
    assert drawn("a test") == first
    assert all(here != there for here, there in zip(drawn("another test"), first, strict=True))
