"""What every test shares: a private folder of its own, draws of its own, and data that lies beside the project."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import settings

from dpcore.noise import exponential
from tests.draws import DRAWS, OPENDP, give_seeds
from tests.end_of_run import NOT_OURS, EndOfRun, reason_of

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
ALL_RUN = "EPSILON_ATLAS_ALL_TESTS_RUN"
"""Variable that makes a skipped test a failure (make ci): all that the tests need is there."""
# While tests are collected, no test has a home yet: what would be written then is refused. Workers collect at the same
# time, and would share one folder.
os.environ["EPSILON_ATLAS_HOME"] = os.devnull


def pytest_configure(config):
    """Hypothesis takes the same examples at each run, but for an audit, which looks for new ones."""
    config.pluginmanager.register(EndOfRun())
    if config.getoption("markexpr") != "audit":
        settings.register_profile("seeded", derandomize=True)
        settings.load_profile("seeded")


@pytest.fixture(scope="session", autouse=True)
def draws_have_seeds():
    """Everything of the product that is random, the draws of OpenDP too."""
    with pytest.MonkeyPatch.context() as patch:
        give_seeds(patch)
        yield


@pytest.fixture
def opendp(monkeypatch):
    """OpenDP draws itself, and freely: for tests that ask whether it has the law that it states."""
    monkeypatch.setattr(exponential, "_mechanism", OPENDP)


def pytest_make_parametrize_id(val, argname):
    """Bytes are no names: packed ones hold the second in which they were made, and each worker makes its own."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Its fixtures draw too."""
    DRAWS.begin(item.nodeid, free=item.get_closest_marker("audit") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):  # noqa: ARG001 - pytest gives by name
    """Where all tests are to run, one that is skipped fails, but for data that do not come with the project."""
    report = yield
    if report.skipped and ALL_RUN in os.environ and not hasattr(report, "wasxfail"):
        reason = reason_of(report)
        if not reason.startswith(NOT_OURS):
            report.outcome, report.longrepr = "failed", f"Skipped, and nothing may be here. {reason}"
    return report


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """Numbered folders, in one of their own: pytest looks through all that lie beside each new one."""
    place = tmp_path_factory.mktemp("homes")
    return (place / str(number) for number in itertools.count())


@pytest.fixture(scope="session", autouse=True)
def home_of_fixtures(homes):
    """What a whole module shares is made before a test has its home: never in that of who runs the tests."""
    place = next(homes)
    place.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(place))
        yield


@pytest.fixture(scope="module")
def home(homes):
    """One data folder for all tests of a file: what they build there is built once."""
    place = next(homes)
    place.mkdir()
    return place


@pytest.fixture(autouse=True)
def own_home(homes, monkeypatch):
    """No test reads or writes the data folder of the person who runs it."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def shared():
    """A file of the real and oracle data by its path; skips where the data are not there."""

    def find(path: str) -> Path:
        place = SHARED / path
        if not place.exists():
            pytest.skip(f"{NOT_OURS} {path}, which do not come with the project")
        return place

    return find
