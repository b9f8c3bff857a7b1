"""Chance and words that stand nowhere: who uses them is found."""

from __future__ import annotations

import pytest

from tests.wall.findings import findings, found_in

PLANTED = [
    ("dpcore.lessons.attacks.x", "import numpy as np\nnp.random.default_rng(1)", "draws from numpy.random"),
    ("dpcore.measures.plan", "import os\nx = getattr(os, 'getran\\x64om')", "draws from os.getrandom"),
    ("dpcore.measures.plan", "from os import urandom as u", "draws from os.urandom"),
    ("dpcore.private.exact", "import numpy.random as r", "draws from numpy.random"),
    ("dpcore.noisemaker", "import secrets", "draws from secrets"),
    ("dpcore.measures.plan", "from random import random", "draws from random"),
    ("pages.x", "import streamlit as st\n@st.cache_data\ndef f(): pass", "uses cache_data"),
    ("pages.x", "import streamlit as st\n@st.cache_resource(ttl=3)\ndef f(): pass", "uses cache_resource"),
    ("pages.x", "from streamlit import cache_data as keep", "uses cache_data"),
    ("app", "from streamlit import cache_resource as keep", "uses cache_resource"),
    ("app", "import streamlit.runtime.caching.cache_data_api as c\nc.cache_data", "uses cache_data"),
    ("pages.x", "import streamlit as st\nkeep = getattr(st, 'cache_data')", "uses cache_data"),
    (
        "pages.x",
        "import streamlit as st\nst.html('', **{'unsafe_allow_html': True})",
        "uses unsafe_allow_html",
    ),
    ("dpcore.private.synthetic.x", "noisy_tables(c, p, origin='release')", "says that noise is of a release"),
    ("dpcore.measures.plan", "run = eval", "uses eval"),
    ("dpcore.tiles.reading", "from pyogrio import read_info", "imports GDAL"),
    ("dpcore.tiles.x", "import shapely as s\ns.read_file('x')", "uses read_file"),
    ("dpcore.measures.plan", "from pickle import loads", "imports pickle"),
    ("dpcore.measures.plan", "def f():\n    print(1)", "uses print"),
]

ALLOWED = [
    ("dpcore.lessons.dice", "import numpy as np\nx = np.random.default_rng(1)"),
    ("dpcore.noise.samplers", "import os\nx = os.urandom(8)"),
    ("dpcore.private.bounding", "import secrets"),
    ("dpcore.demo.land", "import numpy as np\nx = np.random.default_rng(1)"),
    ("dpcore.command_line.exact", "print(1)"),
]


@pytest.mark.parametrize(("name", "text", "found"), PLANTED, ids=[found for *_, found in PLANTED])
def test_what_is_planted_is_found_of_words_and_chance(name, text, found):
    assert found_in(name, text, found), findings(name, text)


@pytest.mark.parametrize(("name", "text"), ALLOWED)
def test_what_is_allowed_is_not_found_of_words_and_chance(name, text):
    assert findings(name, text) == []
