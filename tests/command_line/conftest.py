"""What tests of commands share: small cities, and how a command is run."""

from __future__ import annotations

import csv
import io

import pytest

from dpcore.command_line import main
from dpcore.private import store


def ran(capsys, *words: object) -> tuple[int, str, str]:
    """Run a command; returns its exit code and what it printed on both ways out."""
    code = main([str(word) for word in words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def rows(out: str) -> list[dict[str, str]]:
    """The rows of a printed table."""
    return list(csv.DictReader(io.StringIO(out)))


def unseen() -> bool:
    """Whether no look at any trips is remembered."""
    return not any(one.is_file() for one in store.folder("looks").iterdir())


def city_in(out, *, trips: int, tiles: int):
    """Write the files of a city into a folder and return it."""
    asked = ("--trips", trips, "--tiles", tiles, "--seed", 7, "--out", out)
    assert main(["demo", *map(str, asked)]) == 0
    return out


@pytest.fixture(scope="session")
def city(tmp_path_factory):
    """A city of 30 tiles; no test writes into its folder."""
    return city_in(tmp_path_factory.mktemp("city"), trips=3000, tiles=30)


@pytest.fixture(scope="session")
def city_of_twelve(tmp_path_factory):
    """A city of 12 tiles, for what grows with the pairs of tiles; no test writes into its folder."""
    return city_in(tmp_path_factory.mktemp("city"), trips=3000, tiles=12)


@pytest.fixture
def run(capsys):
    """Runs a command."""
    return lambda *words: ran(capsys, *words)
