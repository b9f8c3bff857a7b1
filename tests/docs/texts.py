"""The documents as the tests read them: README.md and docs/, their blocks of code, their tables and their headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.conftest import ROOT

README: Final = ROOT / "README.md"
DOCS: Final = ROOT / "docs"
REFERENCE: Final = DOCS / "reference"
DOCUMENTS: Final = (README, *sorted(DOCS.rglob("*.md")))

_BLOCK: Final = re.compile(
    r"(?:<!-- not run: (.+?) -->\n)?^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL
)
_HEADING: Final = re.compile(r"^(#+) (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code."""

    language: str
    text: str
    needs: str | None
    """What it needs that may not be here, where it is marked as not run."""


def name_of(path: Path) -> str:
    """How a document is called in the name of a test."""
    return str(path.relative_to(ROOT))


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose_of(path: Path) -> str:
    """A document without its blocks of code."""
    return _BLOCK.sub("", text_of(path))


def blocks(path: Path) -> list[Block]:
    """The blocks of code of a document, in order; those in a list without the spaces that hold them there."""
    return [
        Block(language, re.sub(rf"^{indent}", "", body, flags=re.MULTILINE), needs or None)
        for needs, indent, language, body in _BLOCK.findall(text_of(path))
    ]


def commands(block: Block) -> list[str]:
    """The commands of a block of shell, each on one line."""
    lines = block.text.replace("\\\n", " ").splitlines()
    return [re.sub(r"\s+#.*$", "", line).strip() for line in lines if line.strip()]


def anchors(path: Path) -> set[str]:
    """The anchors of a document as GitHub makes them of its headings."""
    titles = [
        title.lower()
        for _, title in _HEADING.findall(re.sub(r"```.*?```", "", text_of(path), flags=re.DOTALL))
    ]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


def section(path: Path, title: str) -> str:
    """What stands below a heading, down to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", text_of(path), re.MULTILINE | re.DOTALL)
    assert found, f"{name_of(path)} has no section {title}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of all tables of a text, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    heads = {
        number - 1
        for number, row in enumerate(cells)
        if all(set(cell) <= set("-: ") and cell for cell in row)
    }
    return [row for number, row in enumerate(cells) if number not in heads and number - 1 not in heads]


def codes(text: str) -> list[str]:
    """The words that stand as code in a text."""
    return re.findall(r"`([^`]+)`", text)
