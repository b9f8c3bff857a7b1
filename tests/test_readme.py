"""The README is true: what it names exists."""

from __future__ import annotations

import doctest
import re
import shlex

import pytest

from dpcore.command_line.main import main
from dpcore.measures import MEASURES
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_make_target_it_names_is_there():
    named = set(re.findall(r"make ([a-z]+)", README)) - {"an", "of"}
    assert named
    for target in named:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_every_target_of_the_makefile_has_its_line_of_help():
    phony = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split()
    for target in phony:
        assert re.search(rf"^{target}:.*## \S", MAKEFILE, re.MULTILINE), target


@pytest.mark.parametrize("name", re.findall(r"\]\(([^)#]+)\)", README))
def test_every_file_it_links_is_there(name):
    assert (ROOT / name).exists()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:dpcore|pages|tests|bench)/[\w/.]*)`", README))))
def test_every_place_it_names_is_there(name):
    assert (ROOT / name).exists()


def test_it_names_every_measure():
    for name in MEASURES:
        assert f"`{name}`" in README


def test_its_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^\.venv/bin/python -m dpcore (.+)$", README, re.MULTILINE)
    assert len(commands) >= 3
    for command in commands:
        assert main(shlex.split(command.replace("--trips 100000", "--trips 2000"))) == 0
    assert "origin,destination,value" in capsys.readouterr().out


def test_its_walk_through_the_library_runs_and_prints_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert ran.attempted >= 15
    assert ran.failed == 0
    assert (tmp_path / "spring.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_its_pictures_are_pictures_of_the_present():
    for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README):
        assert (ROOT / name).read_bytes().startswith(b"\x89PNG")
