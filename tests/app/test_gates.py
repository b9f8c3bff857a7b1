"""Parts of a page that rerun alone pass no router: each has a gate of its own, before everything else."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from dpcore import curator
from dpcore.errors import InternalError
from dpcore.release import write_bundle
from pages.parts import roles
from tests.app.conftest import LOCAL
from tests.app.test_release_page import button, labels, little, review
from tests.app.test_roles import ADA, SECRETS, served, texts
from tests.conftest import ROOT
from tests.release.made_releases import made_release

RAN_OUT = served({**ADA, "exp": 1})
VIEWER = served({**ADA, "email": "grace@council.example"})
NOBODY = served({**ADA, "email": "mallory@evil.example"})


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))


@pytest.fixture
def alone(monkeypatch):
    """From now on only the fragments of a page rerun, as a browser asks for it; app.py does not."""

    def begin() -> None:
        ask = LocalScriptRunner.request_rerun

        def of_fragments(runner, data):
            parts = list(runner._fragment_storage._fragments)
            assert parts, "the page has no part that reruns alone"
            runner._requests = ScriptRequests()  # without the first run of the whole page, which would win
            return ask(runner, replace(data, fragment_id_queue=parts))

        monkeypatch.setattr(LocalScriptRunner, "request_rerun", of_fragments)

    return begin


@pytest.fixture
def asked():
    """The Release page with a plan that waits for its owner's word."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/owner/release.py").run()
    review(little(app))
    assert any(label.startswith("Publish and charge") for label in labels(app))
    return app


@pytest.mark.parametrize(
    ("visit", "words"), [(RAN_OUT, "ran out"), (VIEWER, "for the owner"), (NOBODY, "no role here")]
)
def test_who_is_the_owner_no_longer_cannot_confirm_a_spend_that_waits(asked, alone, visited, visit, words):
    confirm = button(asked, "Publish and charge")
    visited(visit)
    alone()
    asked.run()
    assert words in texts(asked)
    assert "demo city" not in texts(asked)
    asked = confirm.click().run()
    assert not asked.exception
    assert not any(label.startswith("Publish and charge") for label in labels(asked))
    assert curator.default_ledger().accounts() == ()


def test_the_owner_confirms_in_a_dialog_that_reruns_alone(asked, alone):
    """The test above would pass for a dialog that does not run at all."""
    confirm = button(asked, "Publish and charge")
    alone()
    confirm.click().run()
    assert not asked.exception
    assert curator.default_ledger().statement("demo city").spent == 1


def begin_the_spend():
    import streamlit as st

    from pages.owner.parts.release.spending import _carry_out

    _carry_out(st.session_state["mine"], st.session_state["pending"])


class Spy:
    """Work that tells whether it was begun."""

    begun = False

    def begin(self) -> None:
        self.begun = True


def test_a_spend_is_begun_and_watched_by_its_owner_only(visited):
    from pages.owner.parts.state.draft import Pending, Publishing

    visited(RAN_OUT)
    work = Spy()
    app = AppTest.from_function(begin_the_spend, default_timeout=120)
    app.session_state["mine"] = Publishing()
    app.session_state["pending"] = Pending("nonce", "Publish?", {}, "Publish", work)
    app.run()
    assert not work.begun
    assert "ran out" in texts(app)


@pytest.fixture
def looking(tmp_path, monkeypatch):
    """A release in the Viewer."""
    folder = tmp_path / "shelf"
    write_bundle(made_release(id="four", title="Four tiles"), folder / "four")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(folder))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["view"] = "map"
    app.switch_page("pages/released/viewer.py").run()
    assert "Four tiles" in texts(app)
    return app


@pytest.mark.parametrize(("visit", "words"), [(RAN_OUT, "ran out"), (NOBODY, "no role here")])
def test_who_is_a_viewer_no_longer_sees_nothing_more_of_a_release(looking, alone, visited, visit, words):
    alone()
    looking.run()
    assert "Protects" in texts(looking), "the part that reruns alone draws the release"
    visited(visit)
    looking.run()
    assert words in texts(looking)
    assert "Four tiles" not in texts(looking)
    assert not looking.get("bidi_component")


def test_who_is_the_owner_no_longer_sees_nothing_more_of_the_trips(alone, visited):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    alone()
    app.run()
    assert app.metric
    visited(VIEWER)
    app.run()
    assert "for the owner" in texts(app)
    assert not app.metric
    assert not app.get("bidi_component")


def test_a_click_that_reads_the_extent_of_trips_is_answered_for_the_owner_only(visited, monkeypatch):
    """A callback runs before the page, and so before every gate of the page."""
    from pages.owner.parts.data import grid_tiles

    class Closed(Exception):  # noqa: N818 - the end of the run, not an error
        pass

    def stop():
        raise Closed

    read = []
    visited(replace(LOCAL, secrets=SECRETS))
    monkeypatch.setattr("pages.parts.roles.st.stop", stop)
    monkeypatch.setattr("pages.owner.parts.data.grid_tiles.owner.extent", lambda *_, **__: read.append(1))
    with pytest.raises(Closed):
        grid_tiles._read_extent(None)
    assert read == []


GATES = {"session", "loaded", "require", "picture"}
"""Calls that end the run of who has no role; ``picture`` begins with one."""


def rerun_alone() -> list[ast.FunctionDef]:
    """Every function of the pages that Streamlit may run by itself."""
    return [
        node
        for path in sorted((ROOT / "pages").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(word in ast.unparse(d) for d in node.decorator_list for word in ("fragment", "dialog"))
    ]


def test_every_part_that_reruns_alone_begins_with_its_gate():
    found = rerun_alone()
    assert {node.name for node in found} >= {"ask", "view", "explore"}
    for node in found:
        first = next(
            child
            for child in ast.walk(ast.Module(node.body[1:] if ast.get_docstring(node) else node.body, []))
            if isinstance(child, ast.Call)
        )
        assert ast.unparse(first.func) in GATES, node.name


def test_where_no_page_runs_a_visitor_without_the_role_is_refused(monkeypatch):
    """There Streamlit ends nothing."""
    monkeypatch.setattr(roles, "visit", lambda: NOBODY)
    with ThreadPoolExecutor(1) as thread, pytest.raises(InternalError, match="where no page runs"):
        thread.submit(roles.require, roles.Role.VIEWER).result()
