"""Somebody who types what a document says, in a folder where the synthetic city lies."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
from pathlib import Path

from dpcore.command_line.main import main
from tests.conftest import ROOT
from tests.docs.texts import Block, commands

OURS = re.compile(r"(?:\.venv/bin/)?python -m dpcore (.+)")
_SETTING = re.compile(r"([A-Z_]+)=(\S+) (.+)")
_SHELL = {"mkdir", "cp", "printf"}
"""Programs of a shell that a document may call besides; they are called as they stand."""
_TOLD = {"make", "pip", "jupyter"}
"""What is not run here: make starts servers or these tests, pip would change the environment."""


def furnish(folder: Path) -> None:
    """The city that the index of the docs says how to write, with fewer trips, and the settings of the project."""
    place = shlex.quote(str(folder / "city"))
    assert main(shlex.split(f"demo --trips 2000 --tiles 100 --seed 7 --out {place}")) == 0
    (folder / ".streamlit").mkdir()
    shutil.copy(ROOT / ".streamlit" / "secrets.example.toml", folder / ".streamlit")


class Reader:
    """Types the blocks of a document one after the other; fails where one does not do what it says."""

    def __init__(self, folder, monkeypatch, capsys):
        self._monkeypatch, self._capsys = monkeypatch, capsys
        monkeypatch.chdir(folder)
        self._names, self._release = {}, "ID"
        self.ran, self.printed = 0, ""

    def types(self, block: Block) -> None:
        """Run a block of shell, or walk through one of Python."""
        if block.language == "sh":
            for command in commands(block):
                self._runs(command)
        elif ">>>" in block.text:
            self._walks(block.text)

    def _runs(self, command: str) -> None:
        """One line of shell; a setting before it holds for that line alone."""
        with self._monkeypatch.context() as patch:
            setting = _SETTING.fullmatch(command)
            if setting:
                patch.setenv(setting[1], setting[2])
                command = setting[3]
            ours = OURS.fullmatch(command)
            if ours:
                self.calls(ours[1])
                return
        program = command.split()[0]
        assert program in _SHELL | _TOLD, command
        if program in _SHELL:
            assert os.system(command) == 0, command

    def calls(self, words: str) -> None:
        """A command of ours; ID stands for the release that was made last."""
        typed = shlex.split(words.replace("--trips 100000", "--trips 2000"))
        self._capsys.readouterr()
        code = main([self._release if word == "ID" else word for word in typed])
        shown = self._capsys.readouterr()
        assert code == 0, f"{words}\n{shown.err}"
        made = re.search(r"^release (\S+)$", shown.out, re.MULTILINE)
        self._release = made[1] if made else self._release
        self.printed += shown.out
        self.ran += 1

    def _walks(self, text: str) -> None:
        """Lines of Python that show what they print; names stay from block to block."""
        test = doctest.DocTestParser().get_doctest(text, {}, "walk", None, 0)
        test.globs = self._names
        told: list[str] = []
        found = doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
        assert found.failed == 0, "".join(told)
        self.ran += found.attempted
