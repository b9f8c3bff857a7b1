"""The pages share one data folder, so that the city is built once, and one way to say who visits them."""

import functools
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.state.common import is_element_id
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.testing.v1 import AppTest, local_script_runner

from pages.owner.parts.explore import curves
from pages.owner.parts.state.data_sets import DataSet
from pages.parts import roles
from pages.parts.admission import Visit
from tests.conftest import ROOT

LOCAL = Visit(
    address="localhost", headers=(("Host", "localhost:8501"), ("Origin", "http://localhost:8501")), now=0.0
)
"""What a browser on the owner's computer sends. A page that is driven without a browser has no request at all,
and so no role: the tests say who visits by replacing the one function that asks Streamlit."""


@pytest.fixture(scope="session")
def city_home(tmp_path_factory):
    return tmp_path_factory.mktemp("app-home")


@pytest.fixture(scope="session", autouse=True)
def one_look_at_what_is_installed():
    """Each page that is driven without a browser would look through all packages for components of Streamlit anew."""
    look = manifest_scanner.scan_component_manifests
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(manifest_scanner, "scan_component_manifests", functools.cache(look))
        yield


@pytest.fixture(scope="session", autouse=True)
def each_script_compiled_once():
    """A server keeps what it compiled; a page that is driven without a browser would compile router and page at every click."""
    compile_script = ScriptCache.get_bytecode

    @functools.cache
    def compiled(path, _changed):
        return compile_script(ScriptCache(), path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            ScriptCache, "get_bytecode", lambda _, path: compiled(path, Path(path).stat().st_mtime_ns)
        )
        yield


class OneOfMany(Mapping):
    """What a visitor's state holds under a name, without a copy of the whole state."""

    def __init__(self, state):
        self._state = state

    def __contains__(self, name):
        return not is_element_id(name) and name in self._state

    def __getitem__(self, name):
        return self._state[name]

    def __iter__(self):
        return iter(self._state.filtered_state)

    def __len__(self):
        return len(self._state.filtered_state)


@pytest.fixture(scope="session", autouse=True)
def fields_ask_for_their_own_value():
    """Streamlit copies all that a visitor's state holds for each field that has a key, and looks at one entry of the copy."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SafeSessionState, "filtered_state", property(lambda mine: OneOfMany(mine._state)))
        yield


@pytest.fixture(scope="session", autouse=True)
def waiting_for_the_end_of_a_page():
    """Streamlit asks a thousand times a second whether a page has ended, and walks over all that it sent each time."""

    def wait(runner, timeout):
        runner._script_thread.join(timeout)
        if not runner.script_stopped():
            runner.request_stop()
            raise RuntimeError(f"the page takes longer than {timeout} seconds")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture
def whole_curve():
    """Asks that Explore counts all stops of its curve."""


@pytest.fixture
def own_previews(monkeypatch):
    """Each visitor of the built-in city draws anew, as of trips of their own: else all tests share its first previews."""
    monkeypatch.setattr(DataSet, "first_bounds", ())


@pytest.fixture(autouse=True)
def curve_where_it_is_looked_at(request, monkeypatch):
    """The whole curve takes thrice as long as all the rest of Explore: else the stop that is looked at, as of many tiles."""
    if "whole_curve" not in request.fixturenames:
        monkeypatch.setattr(curves, "_FEW_TILES", 0)


@pytest.fixture(scope="module")
def one_page(city_home):
    """A visitor who stays for all tests of a file: what one test chose is there in the next."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("EPSILON_ATLAS_HOME", str(city_home))
        shutil.rmtree(city_home / "private" / "projects", ignore_errors=True)
        forget_looks(city_home)
        yield AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)


@pytest.fixture(autouse=True)
def own_home(request, city_home, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(city_home))
    if "one_page" in request.fixturenames:
        return city_home
    for begun in (
        "private/projects",
        "releases",
    ):  # each test begins without a project, and without releases of others
        shutil.rmtree(city_home / begun, ignore_errors=True)
    forget_looks(city_home)
    return city_home


def forget_looks(home):
    """No test knows what others looked at; that the built-in city is public stays known."""
    for look in (home / "private" / "looks").glob("*"):
        if look.is_file():
            look.unlink()


@pytest.fixture
def visited(monkeypatch):
    """Say who visits from now on."""

    def by(visit: Visit) -> None:
        monkeypatch.setattr(roles, "visit", lambda: visit)

    return by


@pytest.fixture(autouse=True)
def local_use(visited):
    """The owner at the own computer, unless a test says otherwise."""
    visited(LOCAL)
