"""Commands of synthetic releases. Each kind that spends has a file of its own; so has what helps to choose one."""

from __future__ import annotations

import argparse
from typing import Final

from dpcore.command_line.synth_choose import add_groups, add_sweep
from dpcore.command_line.synth_roy import add_roy
from dpcore.command_line.synth_stability import add_stability
from dpcore.command_line.synth_tree import add_levels, add_tree


def _add_synth(synth: argparse.ArgumentParser) -> None:
    kinds = synth.add_subparsers(metavar="KIND", required=True)
    for add in (add_roy, add_groups, add_sweep, add_stability, add_tree, add_levels):
        add(kinds)


COMMANDS: Final = {"synth": _add_synth}
