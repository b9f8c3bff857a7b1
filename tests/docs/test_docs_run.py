"""Every command and every walk of README and docs runs, in the order of its document, on a small synthetic city."""

from __future__ import annotations

import re
import shlex

import pytest

import dpcore
from dpcore.command_line.main import _parser, main
from tests.conftest import ROOT
from tests.docs.reader import OURS, Reader, furnish
from tests.docs.texts import DOCUMENTS, Block, blocks, commands, name_of
from tests.ledger.postgresql import NoServerError, server

NEEDS = {"Spark", "PostgreSQL", "a cluster", "an installation"}
"""What a block that is marked as not run may need. The first two run where they are there; of a cluster only the words are read.
An installation is tried by make dist."""

LEFT = {
    "README.md": "first/manifest.json",
    "docs/tutorials/first-release-in-a-notebook.md": "spring.html",
    "docs/how-to/publish-and-top-up.md": "raised/manifest.json",
    "docs/how-to/publish-synthetic-trips.md": "synthetic/trips.parquet",
    "docs/how-to/publish-large-counts.md": "large-counts/trips.parquet",
    "docs/how-to/publish-trajectories.md": "ways/tree.parquet",
    "docs/how-to/compare-and-report.md": "similarity/similarity-owner-only.csv",
    "docs/how-to/take-a-story-along.md": "along/march.html",
}
"""What lies in the folder of somebody who typed all of a document."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all documents, as of a person who follows one after the other."""
    place = tmp_path_factory.mktemp("docs")
    furnish(place)
    return place


@pytest.fixture
def reader(folder, homes_of_docs, monkeypatch, capsys):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(homes_of_docs))
    return Reader(folder, monkeypatch, capsys)


@pytest.fixture(scope="module")
def homes_of_docs(homes):
    """One ledger for all documents too: none may refuse what another one says to type."""
    return next(homes)


def marked() -> list[Block]:
    return [block for path in DOCUMENTS for block in blocks(path) if block.needs is not None]


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if blocks(path)], ids=name_of)
def test_what_a_document_says_to_type_runs_also_after_all_others(path, reader, folder):
    for block in blocks(path):
        assert block.language in {"sh", "python", ""}, block.language
        if block.needs is None and block.language:
            reader.types(block)
    if name_of(path) in LEFT:
        assert (folder / LEFT[name_of(path)]).exists()


def test_what_is_not_run_says_what_it_needs_and_its_options_are_known():
    assert {block.needs for block in marked()} == NEEDS
    for block in marked():
        for command in commands(block) if block.needs != "an installation" else ():
            _parser().parse_args(shlex.split(OURS.fullmatch(command)[1]))


def test_the_questions_of_the_guide_are_those_that_a_tree_answers(tmp_path, monkeypatch):
    """On the city of the index, whole. A tree of 700 trips from D001 keeps them but for one in 10^20 draws."""
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    guide = (ROOT / "docs" / "how-to" / "publish-trajectories.md").read_text(encoding="utf-8")
    make = re.search(
        r"python -m dpcore (demo .+)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    )[1]
    pay = re.search(r"python -m dpcore (synth trajectory-tree [^`]+?--out ways)$", guide, re.MULTILINE)[1]
    assert main(shlex.split(make)) == 0
    assert main([*shlex.split(pay.replace("\\\n", " ")), "--ledger", "ledger.db"]) == 0
    asked = re.findall(r'(?:dpcore ask ways |dpcore\.ask\(tree, )"([^"]+)"', guide)
    assert len(asked) >= 4
    for question in asked:
        counts = dpcore.ask("ways", question)["count"]
        assert not counts.isna().any(), question
        assert len(counts) == 1 or "?" in question


def test_on_postgresql_the_commands_run(reader):
    try:
        with server() as url:
            for block in marked():
                for command in commands(block) if block.needs == "PostgreSQL" else ():
                    reader.calls(re.sub(r"postgresql://\S+", url, OURS.fullmatch(command)[1]))
    except NoServerError as error:
        pytest.skip(f"needs a PostgreSQL: {error}")
    assert reader.ran == 3
    assert "city,user,3,1,2" in reader.printed
