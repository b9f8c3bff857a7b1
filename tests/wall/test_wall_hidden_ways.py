"""Hidden ways to a module or a name: who takes one is found."""

from __future__ import annotations

import pytest

from tests.wall.findings import findings, found_in

PLANTED = [
    (
        "dpcore.measures.plan",
        "import importlib\nimportlib.import_module('dpcore.private.exact')",
        "hides behind importlib",
    ),
    (
        "dpcore.measures.plan",
        "from importlib import import_module as i",
        "hides behind importlib.import_module",
    ),
    ("pages.parts.scripts", "from importlib import util\nutil.module_from_spec(0)", "hides behind"),
    ("pages.parts.scripts", "import importlib\nimportlib.import_module('a')", "hides behind importlib"),
    ("dpcore.measures.plan", "x = __import__('dpcore.private.exact')", "hides behind __import__"),
    ("dpcore.measures.plan", "f = __builtins__['__import__']", "hides behind __builtins__"),
    ("dpcore.measures.plan", "import sys\nx = sys.modules['dpcore.private']", "hides behind sys.modules"),
    ("dpcore.measures.plan", "import sys\nsys.modules['dpcore.private'] = None", "hides behind sys.modules"),
    ("app", "import sys\nx = sys.modules['dpcore.private']", "hides behind sys.modules"),
    ("app", "import sys\nx = y = sys.modules\ny['a'] = None", "hides behind sys.modules"),
    ("app", "from sys import modules\nx = modules['dpcore.private']", "hides behind sys.modules"),
    ("dpcore.measures.plan", "import os\nx = os.__dict__['u' + 'r']", "hides behind __dict__"),
    ("dpcore.measures.plan", "import os\nx = getattr(os, 'u' + 'random')", "takes an attribute"),
    ("dpcore.measures.plan", "import os\ng = getattr\nx = g(os, 'u' + 'r')", "hands on getattr"),
    ("dpcore.measures.plan", "import os\nx = vars(os)['u' + 'r']", "takes the names of a module"),
    ("dpcore.measures.plan", "x = globals()['os']", "uses globals"),
    ("dpcore.measures.plan", "from os import *", "imports names without naming them"),
    ("dpcore.measures.plan", "from .private import exact", "imports by a relative name"),
]

ALLOWED = [
    ("pages.x", "import streamlit as st\nst.write(getattr(error, '__notes__', ()))"),
    ("dpcore.measures.plan", "import re\nx = re.compile('a')\ny = vars(x)"),
    ("app", "import sys\nsys.modules['dpcore.private'] = None"),
]


@pytest.mark.parametrize(("name", "text", "found"), PLANTED, ids=[found for *_, found in PLANTED])
def test_what_is_planted_is_found_of_hidden_ways(name, text, found):
    assert found_in(name, text, found), findings(name, text)


@pytest.mark.parametrize(("name", "text"), ALLOWED)
def test_what_is_allowed_is_not_found_of_hidden_ways(name, text):
    assert findings(name, text) == []
