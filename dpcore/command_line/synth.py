"""The command of synthetic releases. Each wing adds the kinds that it has."""

from __future__ import annotations

import argparse
from typing import Final

from dpcore import wings


def _add_synth(synth: argparse.ArgumentParser) -> None:
    kinds = synth.add_subparsers(metavar="KIND", required=True)
    for command in wings.commands("kinds").values():
        command.add(kinds)


COMMANDS: Final = {"synth": _add_synth}
