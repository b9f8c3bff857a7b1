"""No recorder can be reached in the product: neither an argument, nor a variable, nor a name of a module replaces a mechanism.

``tests/wall/hooks.py`` reads every module for ways to do it. Here the program that runs is attacked.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from fractions import Fraction

import pytest

import dpcore
from dpcore import curator
from dpcore.api import owner, studies
from dpcore.kinds.tree.choices import TreeChoices
from dpcore.measures.plan import Plan
from dpcore.privacy import PrivacyUnit
from tests.conftest import ROOT
from tests.docs.options import PARSERS, options_of
from tests.replay.mechanisms import recorder_of
from tests.replay.releases import PERSON
from tests.wall.test_no_seed_of_the_product import KNOWN, TEXTS

TAKE = {
    "measured": ["measure", "keys", "cells", "counts", "plan", "origin"],
    "winner": ["counts", "level", "sensitivity", "epsilon"],
    "raised": ["measurement", "counts", "finer"],
    "noised": ["counts", "rho"],
    "large_counts": ["keys", "counts", "rho", "threshold"],
    "fresh_seed": [],
    "_end_markers": ["self", "frontier", "depth"],
    "_locations": ["self", "frontier", "depth"],
}
"""All that each mechanism takes: counts, what is public, and nothing that draws."""

ASKED = (
    "import sys\n"
    "from dpcore.curator import makers, topping_up\n"
    "from dpcore.kinds.roy.private import drawing, maker\n"
    "from dpcore.kinds.stability.private import large_counts, maker as other\n"
    "from dpcore.kinds.tree.private.drawing import EXACT_NOISE as noise\n"
    "from dpcore.kinds.tree.private.growth import _Growth\n"
    "every = (makers.measured, makers.winner, topping_up.raised, drawing.noised, large_counts.large_counts, maker.fresh_seed,\n"
    "    other.fresh_seed, _Growth._end_markers, _Growth._locations, noise.laplace, noise.false_positives, noise.tail)\n"
    "for one in every:\n"
    "    print(one.__module__, one.__qualname__, one.__code__.co_filename, one.__code__.co_firstlineno, hasattr(one, '__wrapped__'))\n"
    "print(*sorted(name for name in sys.modules if name.partition('.')[0] in ('tests', 'pytest', 'unittest')))\n"
)
WORDS = (
    "RECORD",
    "RECORDER",
    "REPLAY",
    "DP_RECORDER",
    "DPCORE_RECORD",
    "DPCORE_REPLAY",
    "DPCORE_HOOKS",
    "DPCORE_TEST",
    "DEBUG",
    "TESTING",
)


def watched():
    """Every mechanism that the recorder replaces."""
    plans = (Plan.up_to(PERSON, {"travel_time": 1}, "1"), TreeChoices(PERSON, Fraction(1)))
    found = {}
    for plan in plans:
        found |= {(one.place, one.name): one for one in recorder_of(plan, PrivacyUnit.USER).mechanisms}
    return found


def test_every_mechanism_takes_counts_and_public_facts_alone():
    taken = {name: [*inspect.signature(getattr(place, name)).parameters] for place, name in watched()}
    assert taken == TAKE
    for place, name in watched():
        real = getattr(place, name)
        assert inspect.isfunction(real)
        assert real.__module__.startswith("dpcore.")
        assert not real.__closure__


def test_no_variable_puts_another_function_in_the_place_of_a_mechanism(tmp_path):
    def said(**more):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("EPSILON_ATLAS")}
        asked = {**clean, **more, "EPSILON_ATLAS_HOME": str(tmp_path)}
        return subprocess.run(
            [sys.executable, "-c", ASKED], cwd=ROOT, env=asked, capture_output=True, text=True, check=True
        ).stdout

    plain = said()
    *functions, loaded = plain.split("\n")[:-1]
    assert len(functions) == len(watched()) + 3
    assert all(f" {ROOT}/dpcore/" in line and line.endswith(" False") for line in functions)
    assert loaded == ""
    ours = {f"EPSILON_ATLAS_{word}" for word in WORDS}
    assert said(**dict.fromkeys({*WORDS, *ours, *KNOWN}, "1")) == plain


OFFERED = [
    (place.__name__, name, getattr(place, name))
    for place in (dpcore, curator, owner, studies)
    for name in place.__all__
    if callable(getattr(place, name, None))
]
MAY_CALL_BACK = {"progress", "stored", "files", "look", "make"}
"""Parameters that are told how far the work is, or that look at files: none draws."""
WORDS_OF_FUNCTIONS = ("callable", "maker", "noisesource", "recorder", "mechanism", "hook")


def parameters(one):
    try:
        return inspect.signature(one).parameters.values()
    except ValueError:
        return ()


def test_nothing_that_is_offered_takes_a_mechanism():
    assert {"publish", "top_up", "price"} <= {name for _, name, _ in OFFERED}
    takes = {
        f"{place}.{name} {one.name}"
        for place, name, function in OFFERED
        for one in parameters(function)
        if any(word in f"{one.name} {one.annotation}".lower() for word in WORDS_OF_FUNCTIONS)
    }
    assert {one.rpartition(" ")[2] for one in takes} == MAY_CALL_BACK


def test_no_command_has_an_option_for_it():
    every = {option for parser in PARSERS.values() for option in options_of(parser)}
    assert not {
        option
        for option in every
        if any(word in option for word in ("record", "replay", "hook", "mechanism"))
    }


@pytest.mark.parametrize("word", ["with_maker", "registered(", "Recorder", "recorder"])
def test_no_door_for_kinds_and_no_recorder_is_left_in_the_code(word):
    assert [
        name
        for name, text in TEXTS.items()
        if word in text and not name.startswith("pages.owner.parts.release")
    ] == []
