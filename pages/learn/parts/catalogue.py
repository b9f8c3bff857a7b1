"""The lessons, as their pages tell: what each asks, how long it takes, and their order."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1]


@dataclass(frozen=True)
class Lesson:
    """One page of a few minutes, as its docstring tells: title, question, minutes and icon in three paragraphs."""

    file: str
    """Its file under ``pages/learn``, without ``.py``; with a number first."""
    title: str
    question: str
    """What somebody may ask who has never heard of privacy mathematics."""
    minutes: int
    icon: str

    @classmethod
    def of(cls, path: Path) -> Lesson:
        """The lesson of a page; ValueError if its docstring does not say so."""
        told = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")
        title, question, (minutes, unit, icon) = told[0], told[1], told[2].split()
        if unit != "minutes,":
            raise ValueError(f"{path.name} does not say how long it takes")
        return cls(path.stem, title.removesuffix("."), question.replace("\n", " "), int(minutes), icon)

    @property
    def number(self) -> int:
        """Its place in the order."""
        return int(self.file[:2])

    @property
    def page(self) -> str:
        """Its path, as the router knows it."""
        return f"pages/learn/{self.file}.py"


_read = lru_cache(Lesson.of)


def lessons() -> tuple[Lesson, ...]:
    """The lessons in the order in which they build on each other: every page whose name begins with a number."""
    return tuple(map(_read, sorted(FOLDER.glob("[0-9][0-9]_*.py"))))


def lesson(file: str) -> Lesson:
    """The lesson of a file; KeyError if there is none."""
    return {one.file: one for one in lessons()}[file]
