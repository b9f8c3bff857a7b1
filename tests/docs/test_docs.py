"""README and docs are true: what they name exists, and what they link to is there."""

from __future__ import annotations

import re

import pytest

from pages.learn.parts.catalogue import lessons
from tests.conftest import ROOT
from tests.docs.options import PARSERS, options_of
from tests.docs.texts import (
    DOCS,
    DOCUMENTS,
    README,
    REFERENCE,
    anchors,
    codes,
    name_of,
    prose_of,
    rows,
    text_of,
)

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split()
documents = pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)


def links(text: str) -> list[str]:
    """Where links and pictures lead, but for other sites."""
    return [place for place in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in place]


def test_the_readme_is_read_in_a_few_minutes():
    assert len(text_of(README).splitlines()) <= 200


@documents
def test_every_link_leads_somewhere(path):
    for link in links(text_of(path)):
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        assert target.is_relative_to(ROOT), link
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


@documents
def test_every_picture_is_a_picture_of_the_present(path):
    for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text_of(path)):
        assert (path.parent / name).read_bytes().startswith(b"\x89PNG")


def test_every_document_is_found_from_the_readme():
    found, waiting = set(), [README]
    while waiting:
        path = waiting.pop()
        found.add(path)
        near = {(path.parent / link.partition("#")[0]).resolve() for link in links(text_of(path))}
        waiting += [one for one in near - found if one.suffix == ".md"]
    assert set(DOCUMENTS) <= found


def test_the_index_lists_every_document():
    listed = {(DOCS / link.partition("#")[0]).resolve() for link in links(text_of(DOCS / "README.md"))}
    assert {path for path in DOCUMENTS if path not in {README, DOCS / "README.md"}} <= listed


@documents
def test_every_place_it_names_is_there(path):
    for name in re.findall(r"`((?:dpcore|pages|tests|bench|docs)/[\w/.]*)`", text_of(path)):
        assert (ROOT / name).exists(), name


@documents
def test_it_names_no_place_of_one_machine(path):
    assert not re.search(r"(?<![\w.])/(?:home|Users|tmp|root|work|dev|mnt|opt)/", text_of(path))


@documents
def test_every_make_target_it_names_is_there(path):
    named = re.findall(r"`make ([a-z]+)", text_of(path)) + re.findall(
        r"^(?:\w+=\S+ )*make ([a-z]+)", text_of(path), re.MULTILINE
    )
    assert set(named) <= set(TARGETS)


def test_every_make_target_is_named():
    table = text_of(REFERENCE / "commands.md").split("\n## make\n")[1]
    assert [row[0] for row in rows(table)] == [f"`make {target}`" for target in TARGETS]


def test_every_target_of_the_makefile_has_its_line_of_help():
    for target in TARGETS:
        assert re.search(rf"^{target}:.*## \S", MAKEFILE, re.MULTILINE), target


def test_the_readme_has_pictures_commands_and_the_ways_on():
    text = text_of(README)
    first_screen = "\n".join(text.splitlines()[:25])
    assert "](tests/browser/pictures/" in first_screen
    assert "make run" in first_screen
    assert "make test" in first_screen
    for part in ("tutorials", "how-to", "reference", "explanation"):
        assert f"](docs/{part}/" in text, part


def test_the_tour_lists_every_lesson_with_its_question():
    listed = [row for row in rows(text_of(DOCS / "tutorials" / "lessons.md")) if row[0].isdigit()]
    assert listed == [[str(one.number), one.title, one.question] for one in lessons()]


@pytest.fixture(scope="module")
def pages_source():
    """What stands on the pages, as their code says it."""
    files = [ROOT / "app.py", *(ROOT / "dpcore" / "views").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    return "".join(path.read_text(encoding="utf-8") for path in [*files, *(ROOT / "pages").rglob("*.js")])


@pytest.mark.parametrize("path", [*(DOCS / "tutorials").iterdir(), *(DOCS / "how-to").iterdir()], ids=name_of)
def test_every_label_that_a_guide_names_stands_on_a_page(path, pages_source):
    """Labels are in bold; a page may make the end of one of a number."""
    for label in re.findall(r"\*\*(.+?)\*\*", prose_of(path)):
        assert re.sub(r" ε [\d.]+$", " ε ", label) in pages_source, label


@documents
def test_every_option_it_names_is_one(path):
    known = {option for parser in PARSERS.values() for option in options_of(parser)}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text_of(path))) <= known | {"--help"}


def test_the_benchmarks_of_the_readme_are_some_of_the_longer_table():
    longer = rows(text_of(DOCS / "explanation" / "benchmarks.md"))
    table = text_of(README).split("\n## Benchmarks\n")[1].split("\n## ")[0]
    assert len(rows(table)) >= 4
    assert all(row in longer for row in rows(table))


@documents
def test_code_is_named_as_code_and_closed(path):
    assert text_of(path).count("```") % 2 == 0
    assert all(code.strip() for code in codes(prose_of(path)))
