"""Parse a command, run it, and turn an error into one line and an exit code.

Tables are UTF-8 CSV with a header, on standard output or in the folder ``--out``. Progress goes to standard error. An error
prints one line ``error: what: where. how to mend``. Exit codes: 2 for bad input, 3 for a budget that does not suffice, 130 for
Ctrl-C, 1 for a fault of the program.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from dpcore.command_line import bundle, compare, exact, ledger, release, synth
from dpcore.command_line.options import Parser
from dpcore.errors import AtlasError, BudgetExceededError, InternalError

_REFUSED = 2
_NOT_ENOUGH_BUDGET = 3
_STOPPED = 130  # what shells give for Ctrl-C
_NEGATIVE = re.compile(r"-[0-9.]+e-?[0-9]+", re.IGNORECASE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        options = _parser().parse_args(_with_numbers(sys.argv[1:] if arguments is None else arguments))
        options.run(options)
    except AtlasError as error:
        print(f"error: {error}", file=sys.stderr)
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


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m dpcore", description="Differentially private mobility statistics.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for group in (exact, release, synth, bundle, ledger, compare):
        group.add_to(commands)
    return parser


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
