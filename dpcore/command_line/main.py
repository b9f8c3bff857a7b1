"""Parse a command, run it, and turn an error into one line and an exit code.

Tables are UTF-8 CSV with a header, on standard output or in the folder ``--out``. Progress goes to standard error. An error
prints one line ``error: what: where. how to mend``. Exit codes: 2 for bad input, 3 for a budget that does not suffice, 130 for
Ctrl-C, 1 for a fault of the program.

A command is imported when it is chosen: with all that they need, all of them take seconds.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from dpcore import wings
from dpcore.errors import AtlasError, BudgetExceededError, InputError, InternalError

_REFUSED = 2
_NOT_ENOUGH_BUDGET = 3
_STOPPED = 130  # what shells give for Ctrl-C
_NEGATIVE = re.compile(r"-[0-9.]+e-?[0-9]+", re.IGNORECASE)

_COMMANDS: Final = {
    "demo": "write the synthetic city: trips.parquet, trips.csv, tiles.geojson",
    "forget": "delete all prepared trips and exact counts of this computer",
    "exact": "print the exact answer of one measure (for the owner only)",
    "release": "charge the ledger and write a bundle that anyone may see",
    "top-up": "raise the epsilon of a release for the difference in price",
    "synth": "charge the ledger and write a synthetic release that anyone may see",
    "table": "print a released table with its 95 %% half widths, or estimates of it",
    "ask": "print the answer to a question about a trajectory tree or large counts, with its range",
    "picture": "draw one view of a release as PNG or SVG, without a browser",
    "story": "write a first story of a release, or check whether a story can be played",
    "verify": "check every file of a bundle",
    "report": "write a release as one HTML page that needs no network",
    "ledger": "show and check what was spent, and open accounts",
    "change": "say what changed from one release to another, and what could be chance",
    "compare": "say how similar two bundles or folders of tables are (exact tables: owner only)",
}
"""Every command and its line in ``--help``."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises InputError, so that its errors look like all others."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise an InputError instead of ending the program."""
        raise InputError(message, f"command {self.prog.split()[-1]}", f"See {self.prog} --help.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        words = _with_numbers(sys.argv[1:] if arguments is None else arguments)
        options = _parser({*words[:1]}).parse_args(words)
        options.run(options)
    except AtlasError as error:
        print(f"error: {error}", file=sys.stderr)
        for fault in error.faults[1:]:
            print(f"error: {fault}", file=sys.stderr)
        return _NOT_ENOUGH_BUDGET if isinstance(error, BudgetExceededError) else _REFUSED
    except KeyboardInterrupt:
        print("stopped: nothing half-done is left behind", file=sys.stderr)
        return _STOPPED
    except BrokenPipeError:  # the reader of a pipe stopped reading
        sys.stderr.close()
        return 0
    except Exception as error:  # noqa: BLE001 - the text of an unknown error may quote a cell
        print(f"error: {InternalError.at(_place(error))}", file=sys.stderr)
        return 1
    return 0


_STORY: Final = "story"
"""The command of a wing, which may be missing."""


def _parser(chosen: Collection[str] = _COMMANDS.keys()) -> argparse.ArgumentParser:
    """The parser of all commands. Only those that are chosen have their options."""
    parser = Parser(prog="python -m dpcore", description="Differentially private mobility statistics.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, words in _COMMANDS.items():
        if name == _STORY and "stories" not in wings.there():
            continue
        command = commands.add_parser(name, help=words)
        if name in chosen:
            add = wings.commands("stories")["stories"].add if name == _STORY else _group(name)[name]
            add(command)
    return parser


def _group(name: str) -> Mapping[str, Callable[[argparse.ArgumentParser], None]]:
    """What adds the options of a command, and of those that share its file."""
    if name in {"demo", "forget", "exact"}:
        from dpcore.command_line import exact

        return exact.COMMANDS
    if name in {"release", "top-up"}:
        from dpcore.command_line import release

        return release.COMMANDS
    if name == "synth":
        from dpcore.command_line import synth

        return synth.COMMANDS
    if name == "ledger":
        from dpcore.command_line import ledger

        return ledger.COMMANDS
    if name in {"change", "compare"}:
        from dpcore.command_line import compare

        return compare.COMMANDS
    from dpcore.command_line import bundle

    return bundle.COMMANDS


def _with_numbers(words: Sequence[str]) -> list[str]:
    """The words of a command with negative numbers joined to their options: argparse takes ``-1e-6`` for an option."""
    found: list[str] = []
    for word in words:
        if found and found[-1].startswith("--") and "=" not in found[-1] and _NEGATIVE.fullmatch(word):
            found[-1] = f"{found[-1]}={word}"
        else:
            found.append(word)
    return found


def _place(error: BaseException) -> str:
    """Class, file and line of an unknown error; never its text, which may quote a cell."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return type(error).__name__
    return f"{type(error).__name__} in {Path(last.tb_frame.f_code.co_filename).name}, line {last.tb_lineno}"
