"""Doors: who takes a room that is not open to him is found, by whatever name he takes it."""

from __future__ import annotations

import pytest

from tests.wall.findings import findings, found_in

PLANTED = [
    ("pages.released.viewer", "import dpcore.private.exact", "knows dpcore.private.exact"),
    ("pages.released.viewer", "from dpcore import private", "knows dpcore.private"),
    ("pages.released.viewer", "import dpcore\nx = dpcore.private.exact", "knows dpcore.private.exact"),
    ("dpcore.command_line.exact", "from dpcore.private.store import forget", "knows dpcore.private.store"),
    ("dpcore.api.owner", "from dpcore.private import kept_counts", "knows dpcore.private.kept_counts"),
    ("pages.released.viewer", "from dpcore.curator import publish", "knows dpcore.curator"),
    (
        "dpcore.release.bundle",
        "from dpcore.noise.mechanisms import measured",
        "knows dpcore.noise.mechanisms",
    ),
    ("dpcore.measures", "from dpcore.api import owner as o", "knows dpcore.api.owner"),
    (
        "dpcore.noise.five_numbers",
        "from dpcore.noise.exponential import winner",
        "knows dpcore.noise.exponential",
    ),
    ("pages.released.viewer", "from dpcore.api.owner import preview", "knows dpcore.api.owner"),
    ("pages.learn.x", "from dpcore.api import owner", "knows dpcore.api.owner"),
    (
        "pages.learn.x",
        "from pages.owner.parts.state.session import loaded",
        "knows pages.owner.parts.state.session",
    ),
    ("dpcore.lessons.dice", "from dpcore.api.owner import load", "knows dpcore.api.owner"),
    ("dpcore.lessons.city", "from dpcore.private import store", "knows dpcore.private"),
    ("dpcore.lessons.city", "from dpcore.api import owner", "takes dpcore.api.owner"),
    ("dpcore.lessons.city", "import dpcore.api.owner\nx = dpcore.api.owner", "takes dpcore.api.owner"),
    ("dpcore.lessons.city", "from dpcore.api.owner import load", "takes dpcore.api.owner.load"),
    ("dpcore.lessons.city", "from dpcore.api.owner import forget as f", "takes dpcore.api.owner.forget"),
    (
        "dpcore.lessons.city",
        "from dpcore.api.owner import demo_city\nimport dpcore\nx = dpcore",
        "hands on dpcore",
    ),
    (
        "pages.released.viewer",
        "from dpcore.kinds.roy.private import paper",
        "knows dpcore.kinds.roy.private.paper",
    ),
    (
        "pages.released.viewer",
        "from dpcore.kinds.tree.owner import tree_preview",
        "knows dpcore.kinds.tree.owner",
    ),
    ("pages.owner.explore", "from dpcore.kinds.roy.private import paper", "knows dpcore.kinds.roy.private"),
    ("dpcore.kinds.roy.kind", "from dpcore.kinds.roy.private import paper", "knows dpcore.kinds.roy.private"),
    (
        "dpcore.kinds.roy.views",
        "from dpcore.kinds.stability.private.maker import MAKER",
        "knows dpcore.kinds.stability.private",
    ),
    (
        "dpcore.kinds.tree.private.maker",
        "from dpcore.kinds.roy.private import paper",
        "knows dpcore.kinds.roy.private",
    ),
    ("dpcore.kinds.tree.plans", "from dpcore.api import owner", "knows dpcore.api.owner"),
    (
        "pages.released.viewer",
        "from dpcore import wings\nx = wings.maker_of(1)",
        "knows dpcore.wings.maker_of",
    ),
    ("pages.released.viewer", "from dpcore.wings import commands", "knows dpcore.wings.commands"),
    (
        "pages.owner.explore",
        "from dpcore import wings\nx = wings._module('a', 'b')",
        "knows dpcore.wings._module",
    ),
    ("dpcore.api.public", "from dpcore.wings import load_notebooks", "knows dpcore.wings.load_notebooks"),
    ("pages.owner.data", "from dpcore.wings import engine", "knows dpcore.wings.engine"),
    ("pages.owner.data", "from dpcore.wings import commands", "knows dpcore.wings.commands"),
    ("dpcore.stories.public", "from dpcore.api import owner", "knows dpcore.api.owner"),
    (
        "pages.owner.data",
        "from dpcore.engines.spark.private import session",
        "knows dpcore.engines.spark.private",
    ),
    ("pages.released.viewer", "from dpcore.engines.spark import owner", "knows dpcore.engines.spark.owner"),
    ("dpcore.lessons.x", "from dpcore.release.writing import write", "knows dpcore.release.writing"),
    ("dpcore.lessons.x", "from dpcore import release", "knows dpcore.release"),
    ("pages.learn.x", "from dpcore.release import read", "knows dpcore.release"),
    ("pages.learn.x", "from dpcore.release import shelf", "knows dpcore.release.shelf"),
    ("pages.learn.x", "from dpcore.release.kinds import x", "knows dpcore.release.kinds"),
    ("dpcore.curator.x", "from dpcore.lessons.broken import rescaled", "knows dpcore.lessons.broken"),
    ("pages.owner.x", "from dpcore.lessons.broken import rescaled", "knows dpcore.lessons.broken"),
    (
        "pages.released.viewer",
        "from pages.owner.parts.state.session import loaded",
        "knows pages.owner.parts.state.session",
    ),
    (
        "pages.released.viewer",
        "from pages.owner.parts.state import session as s",
        "knows pages.owner.parts.state.session",
    ),
    (
        "pages.released.viewer",
        "from pages.owner.parts.data.tiles import owner",
        "knows pages.owner.parts.data.tiles",
    ),
    (
        "pages.released.viewer",
        "import pages.owner.parts\nx = pages.owner.parts.state.session.loaded",
        "knows pages.owner.parts.state.session",
    ),
    ("app", "from pages.owner.parts.state.session import session", "takes pages.owner.parts.state.session"),
    ("dpcore.measures.plan", "import streamlit as st", "knows streamlit"),
    ("dpcore.measures.plan", "from dpcore.views import plain", "knows dpcore.views"),
    ("dpcore.api.owner", "from pages.owner.parts import words", "knows pages.owner.parts"),
    ("pages.released.viewer", "import dpcore\nx = dpcore.load_trips", "takes dpcore.load_trips"),
    ("dpcore.views.x", "from dpcore import publish as p", "takes dpcore.publish"),
    ("dpcore.measures.plan", "from dpcore.api.notebook import publish", "knows dpcore.api.notebook"),
    ("pages.owner.x", "from dpcore import compat", "knows dpcore.compat"),
    ("dpcore.views.x", "from dpcore.ledger.x import y", "knows dpcore.ledger.x"),
    ("dpcore.views.x", "import dpcore.noise.mechanisms", "knows dpcore.noise.mechanisms"),
    ("pages.x", "from pandas.core.frame import DataFrame", "knows pandas.core.frame"),
]

ALLOWED = [
    ("dpcore.api.owner", "from dpcore.private import store\nx = store.forget"),
    ("dpcore.private.exact", "from dpcore.private.store import written"),
    (
        "dpcore.lessons.city",
        "from dpcore.api.owner import PrivateTrips, demo_city, exact_table\nexact_table(0)",
    ),
    ("dpcore.lessons.x", "from dpcore.lessons.city import city"),
    ("pages.owner.explore", "from pages.owner.parts.state.session import loaded, session"),
]

OWNER_BESIDE = {"dpcore.lessons.city": "from dpcore.api import owner"}
PLANTED_BESIDE = [
    (
        "dpcore.lessons.x",
        "from dpcore.lessons.city import owner\nowner.load",
        OWNER_BESIDE,
        "knows dpcore.api.owner",
    ),
    (
        "pages.learn.x",
        "from dpcore.lessons.city import owner\nowner.load",
        OWNER_BESIDE,
        "knows dpcore.api.owner.load",
    ),
    (
        "dpcore.lessons.x",
        "from dpcore.lessons import city\ncity.owner.load",
        OWNER_BESIDE,
        "knows dpcore.api.owner",
    ),
    (
        "pages.learn.x",
        "from dpcore.lessons import city\ncity.owner.load",
        OWNER_BESIDE,
        "knows dpcore.api.owner.load",
    ),
    (
        "pages.learn.x",
        "from dpcore.lessons.x import o",
        {"dpcore.lessons.x": "from dpcore.lessons.city import owner as o", **OWNER_BESIDE},
        "knows dpcore.api.owner",
    ),
    (
        "pages.released.x",
        "from dpcore.measures.plan import pd",
        {"dpcore.measures.plan": "import pandas as pd"},
        "knows pandas",
    ),
    (
        "dpcore.measures.plan",
        "from dpcore.noise.samplers import os\nos.urandom(1)",
        {},
        "draws from os.urandom",
    ),
    ("pages.owner.x", "from dpcore.api.owner import store\nstore.forget", {}, "knows dpcore.private.store"),
    (
        "pages.learn.x",
        "from dpcore.lessons.city import exact_table",
        {},
        "knows dpcore.api.owner.exact_table",
    ),
]


@pytest.mark.parametrize(("name", "text", "found"), PLANTED, ids=[found for *_, found in PLANTED])
def test_what_is_planted_is_found_through_a_door(name, text, found):
    assert found_in(name, text, found), findings(name, text)


@pytest.mark.parametrize(("name", "text"), ALLOWED)
def test_what_is_allowed_is_not_found_through_a_door(name, text):
    assert findings(name, text) == []


@pytest.mark.parametrize(("name", "text", "beside", "found"), PLANTED_BESIDE)
def test_what_another_module_of_ours_has_imported_is_known_by_its_own_name(name, text, beside, found):
    assert found_in(name, text, found, beside), findings(name, text, beside)
