"""The commands and their options, as the program knows them."""

from __future__ import annotations

import argparse

from dpcore.command_line.main import _parser


def _parsers(parser: argparse.ArgumentParser, name: str = ""):
    """Every command with its parser, such as ``ledger show``."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield name, parser
    for action in below:
        for word, found in action.choices.items():
            yield from _parsers(found, f"{name} {word}".strip())


PARSERS = dict(_parsers(_parser()))


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """Its options by their long names, and what stands without a name by what it is called."""
    return {
        max(action.option_strings, key=len) if action.option_strings else str(action.metavar)
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction)
    }
