"""A server for viewers: releases only, without the private rooms and without the owner's folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from pages.learn.parts.catalogue import lessons
from tests import oidc_provider
from tests.browser.conftest import free_port, wait_for
from tests.conftest import ROOT
from tests.visitor import visit

PRIVATE = (
    "dpcore/private",
    "dpcore/api/owner.py",
    "dpcore/api/studies.py",
    *(
        f"dpcore/kinds/{wing}/{part}"
        for wing in ("roy", "stability", "tree")
        for part in ("private", "owner.py")
    ),
    "dpcore/engines",
    "dpcore/curator",
    "dpcore/curator.py",
    "dpcore/ledger",
    "pages/owner",
)
OWNERS = ("data", "explore", "release", "report", "compare", "synthesize", "trajectories")

# No folder can be made or read below a device: whoever tries gets an error, also as root.
NOWHERE = {"EPSILON_ATLAS_HOME": "/dev/null/home", "EPSILON_ATLAS_DATA": "/dev/null/data"}


def deployed(place: Path) -> Path:
    """A copy of the project as a deployment for viewers has it: the private rooms are deleted."""
    tree = place / "atlas"
    ignored = shutil.ignore_patterns(
        "secrets.toml"
    )  # what is compiled comes along: its files are as old as here
    for name in ("dpcore", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
    shutil.copy(ROOT / "app.py", tree)
    for name in PRIVATE:
        path = tree / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return tree


@contextmanager
def serving(tree: Path, log: Path, **environment: str):
    """A server on the app of a tree; gives its port."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    with log.open("wb") as output:
        app = subprocess.Popen(
            [*command, f"--server.port={port}"],
            cwd=tree,
            env={**os.environ, **NOWHERE, **environment},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(f"http://localhost:{port}")
            visit(port)  # Streamlit learns of the pages in the first visit to a server
            yield port
        finally:
            app.terminate()
            app.wait(20)


@pytest.fixture(scope="module", params=["the whole tree", "a deployment"])
def server(request, tmp_path_factory):
    """A server in viewer mode, with nothing released yet."""
    place = tmp_path_factory.mktemp("viewers")
    (place / "bundles").mkdir()
    tree = ROOT if request.param == "the whole tree" else deployed(place)
    log = place / "log"
    with serving(tree, log, EPSILON_ATLAS_MODE="view", EPSILON_ATLAS_BUNDLES=str(place / "bundles")) as port:
        yield port, log


def test_it_shows_the_library_first_and_no_page_of_the_owner(server):
    port, log = server
    seen = visit(port)
    assert seen.says("Library")
    assert "" in seen.paths
    assert not seen.paths & set(OWNERS)
    assert not seen.not_found
    assert not seen.failed, log.read_text()


@pytest.mark.parametrize("page", OWNERS)
def test_pages_of_the_owner_are_unknown(server, page):
    port, _ = server
    seen = visit(port, page)
    assert seen.not_found
    assert seen.says("Library")
    assert not seen.says("Trips file")


def test_the_glossary_is_there_and_no_lesson_is(server):
    port, log = server
    assert "glossary" in visit(port).paths
    seen = visit(port, "glossary")
    assert seen.says("Find a word")
    assert not seen.failed, log.read_text()
    for page in ("lessons", *(Path(one.page).stem.lstrip("0123456789_") for one in lessons())):
        assert visit(port, page).not_found


def test_every_listed_page_opens(server):
    port, log = server
    for page in visit(port).paths:
        seen = visit(port, page)
        assert not seen.not_found
        assert not seen.failed, log.read_text()


def test_a_stranger_from_elsewhere_is_a_viewer_as_well(server):
    port, _ = server
    host = {"Host": f"atlas.example.org:{port}", "Origin": f"http://atlas.example.org:{port}"}
    assert visit(port, headers={**host, "X-Forwarded-For": "203.0.113.5"}).says("Library")


def test_the_private_rooms_cannot_be_imported():
    rooms = (
        "dpcore.private",
        "dpcore.private.store",
        "dpcore.api.owner",
        "dpcore.api.studies",
        "dpcore.kinds.roy.owner",
        "dpcore.kinds.tree.private",
        "dpcore.engines.spark.owner",
        "dpcore.curator",
        "dpcore.ledger",
    )
    tries = "".join(
        f"try:\n    import {room}\nexcept ModuleNotFoundError:\n    closed += 1\n" for room in rooms
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import app\nclosed = 0\n{tries}print('closed', closed)"],
        cwd=ROOT,
        env={**os.environ, **NOWHERE, "EPSILON_ATLAS_MODE": "view"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"closed {len(rooms)}" in done.stdout


def test_with_a_login_viewer_mode_is_closed_to_who_has_not_logged_in(tmp_path):
    (tmp_path / "bundles").mkdir()
    secrets = tmp_path / "secrets.toml"
    with oidc_provider.running("http://localhost:8501/oauth2callback") as provider:
        secrets.write_text(provider.settings(["ada@example.org"], []))
    with serving(
        ROOT,
        tmp_path / "log",
        EPSILON_ATLAS_MODE="view",
        EPSILON_ATLAS_BUNDLES=str(tmp_path / "bundles"),
        STREAMLIT_SECRETS_FILES=str(secrets),
    ) as port:
        for page in ("", "library", "viewer", "glossary"):
            seen = visit(port, page)
            assert seen.says("log in with your address")
            assert not seen.paths
        for page in ("data", "lessons", "the_slider_that_leaks"):
            assert visit(port, page).not_found


def test_presenting_begins_without_the_sidebar(server):
    port, _ = server
    assert visit(port, query="present=1").collapsed
    assert not visit(port).collapsed
    assert not visit(port, query="present=0").collapsed


def test_no_page_lies_where_streamlit_would_find_it_without_the_router():
    assert not list((ROOT / "pages").glob("*.py"))


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server as `make run` starts it; having no folder to write to, it does not build the city."""
    with serving(ROOT, tmp_path_factory.mktemp("own") / "log", EPSILON_ATLAS_DATA="") as port:
        yield port


def test_the_owner_at_the_own_computer_finds_the_own_pages(own):
    seen = visit(own, "data")
    assert seen.paths >= {"", "data"}
    assert seen.says("Trips file")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "localhost.evil.com:{port}", "Origin": "http://localhost.evil.com:{port}"},
        {"Host": "127.0.0.1.nip.io:{port}", "Origin": "http://127.0.0.1.nip.io:{port}"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"Origin": "http://localhost:1"},
    ],
    ids=[
        "rebound name",
        "name with an address in it",
        "proxy",
        "proxy of the standard",
        "another local page",
    ],
)
def test_a_real_server_admits_nobody_who_only_looks_local(own, headers):
    seen = visit(own, "data", headers={name: value.format(port=own) for name, value in headers.items()})
    assert seen.says("Open to its owner only")
    assert not seen.paths
    assert not seen.says("Trips file")


def test_make_view_says_how_to_call_it():
    for words in ([], ["BUNDLE="], ["BUNDLE=/nowhere/at/all"]):
        done = subprocess.run(
            ["make", "-s", "view", *words, "READY="], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "make view BUNDLE=/path" in done.stdout


def test_make_view_starts_the_viewers_server(tmp_path):
    bundles = tmp_path / "two words"
    bundles.mkdir()
    done = subprocess.run(
        ["make", "-n", "view", f"BUNDLE={bundles}", "READY="],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "EPSILON_ATLAS_MODE=view" in done.stdout
    assert str(bundles) in done.stdout
    assert "--server.address" not in done.stdout
