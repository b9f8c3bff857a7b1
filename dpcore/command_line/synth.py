"""Commands that spend and write synthetic releases. Each kind has a file of its own."""

from __future__ import annotations

import argparse
from typing import Final

from dpcore.command_line.synth_roy import add_roy
from dpcore.command_line.synth_stability import add_stability
from dpcore.command_line.synth_tree import add_tree


def _add_synth(synth: argparse.ArgumentParser) -> None:
    kinds = synth.add_subparsers(metavar="KIND", required=True)
    for add in (add_roy, add_stability, add_tree):
        add(kinds)


COMMANDS: Final = {"synth": _add_synth}
