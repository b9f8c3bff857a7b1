"""Settings on which privacy rests."""

import re
import tomllib

from dpcore import limits
from tests.conftest import ROOT

CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_nothing_is_sent_to_anyone():
    assert CONFIG["browser"]["gatherUsageStats"] is False


def test_a_fresh_machine_is_asked_nothing():
    assert CONFIG["server"]["showEmailPrompt"] is False


def test_errors_show_nothing():
    assert CONFIG["client"]["showErrorDetails"] == "none"


def test_only_this_computer_connects():
    assert CONFIG["server"]["address"] == "localhost"
    assert CONFIG["server"]["enableStaticServing"] is False
    assert CONFIG["server"].get("enableXsrfProtection", True)
    assert CONFIG["server"].get("enableCORS", True)


def test_the_upload_limit_is_the_one_the_readers_know():
    assert CONFIG["server"]["maxUploadSize"] * 2**20 == limits.MAX_UPLOAD_BYTES


def test_everything_is_pinned():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in packages)


def test_what_is_asked_for_is_pinned():
    names = {
        re.split(r"[=><\s#]", line)[0].lower()
        for line in (ROOT / "requirements.in").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    }
    pinned = {
        line.split("==")[0].lower()
        for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    assert names <= pinned


def test_the_package_names_no_newer_python_than_the_tools_check():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["requires-python"] == ">=3.11"
    assert project["tool"]["ruff"]["target-version"] == "py311"
    assert "3.11" in (ROOT / "Makefile").read_text(encoding="utf-8")
